"""Who can be given what: arms, roles, languages; and refusals that hold for every design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from numpy.random import Generator

from lanner.designs._items import is_about_the_judge, pages
from lanner.errors import DesignError, did_you_mean
from lanner.model import Document, Judge, Protocol, languages


def refuse(documents: Sequence[Document], judges: Sequence[Judge]) -> None:
    """Refuse nothing to judge, nobody to judge it, and ids that are there twice."""
    for what, ids in (("document", [d.id for d in documents]), ("judge", [j.id for j in judges])):
        if not ids:
            raise DesignError(f"There is no {what}.", next_step=f"Give at least one {what}.")
        if twice := [id_ for id_, n in Counter(ids).items() if n > 1]:
            raise DesignError(f"The {what} {twice[0]!r} is there twice.", next_step="Give each an id of its own.")


def scenarios(protocol: Protocol) -> list[str]:
    """The scenarios of a protocol, in order."""
    return list(dict.fromkeys(stage.scenario for stage in protocol.stages if stage.scenario))


def refuse_scenarios(protocol: Protocol, *, all_scenarios: bool) -> None:
    """Refuse to show a text to a judge in more than one scenario, unless that is asked for."""
    several = scenarios(protocol)
    if len(several) > 1 and not all_scenarios:
        raise DesignError(
            f"This would show each text to a judge in {len(several)} scenarios: {', '.join(several)}.",
            code="several_scenarios",
            names={"n": str(len(several)), "scenarios": ", ".join(several)},
            next_step="Use the design latin_square, or say all_scenarios=true if that is wanted.",
        )


def by_arm(protocol: Protocol, judges: Sequence[Judge], rng: Generator) -> dict[str | None, list[Judge]]:
    """The judges of each arm, within one of each other in number; a judge's attribute `arm` decides for that judge.
    Without arms all are in one."""
    arms = list(dict.fromkeys(stage.arm for stage in protocol.stages if stage.arm))
    if not arms:
        return {None: list(judges)}
    chosen: dict[str, str] = {}
    for judge in judges:
        wanted = judge.attributes.get("arm")
        if wanted is not None:
            if wanted not in arms:
                raise DesignError(
                    f"The judge {judge.id!r} is in the arm {wanted!r}, which {protocol.name} does not have.",
                    next_step=did_you_mean(str(wanted), arms),
                )
            chosen[judge.id] = wanted
    free = [judge for judge in judges if judge.id not in chosen]
    counts = Counter(chosen.values())
    start = int(rng.integers(len(arms)))
    for at in rng.permutation(len(free)):
        arm = min(arms, key=lambda name: (counts[name], (arms.index(name) - start) % len(arms)))
        chosen[free[int(at)].id] = arm
        counts[arm] += 1
    return {arm: [judge for judge in judges if chosen[judge.id] == arm] for arm in arms}


def reading(judges: Sequence[Judge], protocol: Protocol, arm: str | None) -> list[Judge]:
    """The judges who work on texts from the start, and not on questionnaires or promoted units alone."""
    return [judge for judge in judges if any(not is_about_the_judge(s) for _, s in pages(protocol, judge, arm))]


def can_read(judge: Judge, document: Document) -> bool:
    """Whether a judge's language is the one translated into, as far as both are known. An attribute may hold several
    languages, separated by spaces or commas."""
    language = judge.attributes.get("target_language")
    if not language or document.target_language == languages.UNDETERMINED:
        return True
    return languages.normal(document.target_language).partition("-")[0] in set(_codes(str(language)))


def _codes(text: str) -> Iterator[str]:
    return (languages.normal(part).partition("-")[0] for part in text.replace(",", " ").split())
