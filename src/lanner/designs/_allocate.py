"""Sharing documents out so that each is judged as often as asked and everyone has about the same number of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

from numpy.random import Generator

from lanner.designs._layout import is_about_the_judge, pages
from lanner.errors import DesignError, did_you_mean
from lanner.model import Document, Judge, Protocol, languages
from lanner.model.messages import in_number, plural
from lanner.protocols.derived import word_count

# Who can be given what: arms, roles, languages; and refusals that hold for every design.


def refuse(documents: Sequence[Document], judges: Sequence[Judge]) -> None:
    """Refuse nothing to judge, nobody to judge it, and ids that are there twice."""
    for what, ids in (("document", [d.id for d in documents]), ("judge", [j.id for j in judges])):
        if not ids:
            raise DesignError(f"There is no {what}.", next_step=f"Give at least one {what}.")
        if twice := [id_ for id_, n in Counter(ids).items() if n > 1]:
            raise DesignError(f"The {what} {twice[0]!r} is there twice.", next_step="Give each an id of its own.")


MOST_ITEMS = 5_000_000
"""Items that may be handed out by a design where everyone judges everything. No campaign is that large, and making it
would take all the memory there is."""


def refuse_size(documents: Sequence[Document], judges: Sequence[Judge], sets: int) -> None:
    """Refuse that everyone judges everything where that is too much; `sets` are the outputs or sets of them shown."""
    items = sum(len(document.segments) for document in documents) * len(judges) * max(1, sets)
    if items > MOST_ITEMS:
        raise DesignError(
            f"Everyone would judge everything: up to {items:,} items. At most {MOST_ITEMS:,} are made.",
            next_step="Use the design random or batches, which share the documents out among the judges.",
        )


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


def refuse_behind(protocol: Protocol, what: str) -> None:
    """Refuse a questionnaire behind the texts where judges get one text after the other: it would come first."""
    if is_about_the_judge(list(protocol.pages.values())[-1]):
        raise DesignError(
            f"A questionnaire behind the texts has no place in {what}, which has no end for a judge.",
            next_step="Ask it before the texts, or use another design.",
        )


def by_arm(protocol: Protocol, judges: Sequence[Judge], rng: Generator) -> dict[str | None, list[Judge]]:
    """The judges of each arm, within one of each other in number; a judge's attribute `arm` decides for that judge.
    Without arms all are in one."""
    arms = list(dict.fromkeys(stage.arm for stage in protocol.stages if stage.arm))
    if not arms:
        return {None: list(judges)}
    choices: dict[str, str] = {}
    for judge in judges:
        wanted = judge.attributes.get("arm")
        if wanted is not None:
            if wanted not in arms:
                raise DesignError(
                    f"The judge {judge.id!r} is in the arm {wanted!r}, which {protocol.name} does not have.",
                    next_step=did_you_mean(str(wanted), arms),
                )
            choices[judge.id] = wanted
    free = [judge for judge in judges if judge.id not in choices]
    counts = Counter(choices.values())
    start = int(rng.integers(len(arms)))
    for at in rng.permutation(len(free)):
        arm = min(arms, key=lambda name: (counts[name], (arms.index(name) - start) % len(arms)))
        choices[free[int(at)].id] = arm
        counts[arm] += 1
    return {arm: [judge for judge in judges if choices[judge.id] == arm] for arm in arms}


def reading(judges: Sequence[Judge], protocol: Protocol, arm: str | None) -> list[Judge]:
    """The judges who work on texts from the start, and not on questionnaires or promoted units alone."""
    return [judge for judge in judges if any(not is_about_the_judge(s) for _, s in pages(protocol, judge, arm))]


def can_read(judge: Judge, document: Document) -> bool:
    """Whether a judge's language is the one translated into, as far as both are known. An attribute may hold several
    codes or names of languages, separated by spaces or commas."""
    language = judge.attributes.get("target_language")
    if not language or document.target_language == languages.UNDETERMINED:
        return True
    return languages.normal(document.target_language).partition("-")[0] in set(_codes(str(language)))


def refuse_unread(documents: Sequence[Document], judges: Sequence[Judge]) -> None:
    """Refuse judges who read only some of the texts, where these go to whoever comes next."""
    for judge in judges:
        if unread := next((document for document in documents if not can_read(judge, document)), None):
            raise DesignError(
                f"{judge.id} reads {judge.attributes['target_language']}, and gets whatever text comes next here, also "
                f"{unread.id!r}, which is translated into {unread.target_language}.",
                next_step="Make a campaign for each language, or use a design that gives texts to judges beforehand.",
            )


def _codes(text: str) -> Iterator[str]:
    for part in text.split(","):
        is_name = languages.normal(part) in languages.table()  # "Upper Sorbian" is one language
        names = [part] if is_name else part.split()
        yield from (languages.normal(name).partition("-")[0] for name in names)


FAIR = 1.2
"""Nobody is given more than so many times the mean load, unless whole documents force it."""
_EVEN, _MOST_EXCHANGES = 1.03, 300
Owner = TypeVar("Owner", bound=Hashable)


def words_of(document: Document) -> int:
    """How much there is to read: words of the source, at least one a sentence."""
    language = document.source_language
    return sum(max(1, word_count(segment.source, language)) for segment in document) or 1


def allocate(
    documents: Sequence[Document], judges: Sequence[Judge], counts: Sequence[int], rng: Generator
) -> dict[str, list[Document]]:
    """The documents of each judge, in chance order. `counts` says how many judges each document needs; 0 is everyone
    who can read it.

    Documents that few can read are dealt first, then long ones before short ones, each to those who have the fewest
    words so far; chance decides between equals. What is still uneven is evened out by handing documents on.
    """
    readers = [[judge.id for judge in judges if can_read(judge, document)] for document in documents]
    for document, able, number in zip(documents, readers, counts, strict=True):
        if number > len(able):
            raise _too_few(document, number, len(able), len(judges))
    words = [words_of(document) for document in documents]
    loads = {judge.id: 0 for judge in judges}
    places: dict[str, list[int]] = {judge.id: [] for judge in judges}
    order = [int(at) for at in rng.permutation(len(documents))]
    for at in sorted(order, key=lambda place: (len(readers[place]), -words[place])):
        chance = dict(zip(readers[at], rng.random(len(readers[at])).tolist(), strict=True))
        for name in sorted(readers[at], key=lambda judge: (loads[judge], chance[judge]))[: counts[at] or None]:
            loads[name] += words[at]
            places[name].append(at)
    even_out(places, words, {at: readers[at] for at in range(len(documents)) if counts[at]})
    rank = {at: position for position, at in enumerate(order)}
    return {name: [documents[at] for at in sorted(own, key=rank.__getitem__)] for name, own in places.items()}


def even_out(
    shares: dict[Owner, list[int]], words: Sequence[int], allowed: Mapping[int, Sequence[Owner]] | None = None
) -> None:
    """Hand documents from those with the most words to those with fewer, or exchange two, while that lowers the
    highest load. `shares` are places of documents; `allowed` says who may have a document that may be handed on."""
    loads = {owner: sum(words[at] for at in own) for owner, own in shares.items()}
    mean = sum(loads.values()) / max(1, len(loads))
    for _ in range(_MOST_EXCHANGES):
        most = max(loads, key=lambda owner: loads[owner])
        if loads[most] <= _EVEN * mean:
            return
        best: tuple[int, Owner, int, int | None] | None = None
        for owner, load in loads.items():
            if owner == most:
                continue
            for at in shares[most]:
                for other in (None, *shares[owner]):
                    gain = words[at] - (words[other] if other is not None else 0)
                    highest = max(loads[most] - gain, load + gain)
                    if gain <= 0 or highest >= loads[most] or (best is not None and highest >= best[0]):
                        continue
                    if _may_have(owner, at, shares, allowed) and (
                        other is None or _may_have(most, other, shares, allowed)
                    ):
                        best = (highest, owner, at, other)
        if best is None:
            return
        _, owner, at, other = best
        _hand_on(shares, loads, words, (most, owner, at))
        if other is not None:
            _hand_on(shares, loads, words, (owner, most, other))


def _may_have(
    owner: Owner, at: int, shares: Mapping[Owner, list[int]], allowed: Mapping[int, Sequence[Owner]] | None
) -> bool:
    return at not in shares[owner] and (allowed is None or owner in allowed.get(at, ()))


def _hand_on(
    shares: dict[Owner, list[int]], loads: dict[Owner, int], words: Sequence[int], move: tuple[Owner, Owner, int]
) -> None:
    giver, taker, at = move
    shares[giver].remove(at)
    shares[taker].append(at)
    loads[giver] -= words[at]
    loads[taker] += words[at]


def _too_few(document: Document, count: int, able: int, judges: int) -> DesignError:
    instead = f", or ask for {able} per document." if able else "."
    if able == judges:
        return few_judges(count, judges, f"Add {plural(count - judges, 'judge')}{instead}")
    language = document.target_language
    return DesignError(
        f"{document.id!r} is to be judged by {count}, but only {able} of the judges read {language}.",
        code="few_readers",
        names={"n": str(count), "judges": str(able), "document": document.id, "language": language},
        next_step=f"Add {count - able} for {language}{instead}",
    )


def few_judges(count: int, judges: int, next_step: str, documents: str = "Each document is") -> DesignError:
    """The error for more judges asked of a document than there are."""
    there = in_number(judges, "there is {n} judge", "there are {n} judges")
    return DesignError(
        f"{documents} to be judged by {count}, but {there}.",
        code="few_judges",
        names={"n": str(count), "judges": str(judges)},
        next_step=next_step,
    )


def uneven_teams(judges: int, size: int, next_step: str, who: str = "") -> DesignError:
    """The error for judges who do not make whole teams."""
    return DesignError(
        f"{plural(judges, 'judge')}{who} cannot be split into teams of {size}.",
        code="uneven_teams",
        names={"judges": str(judges), "size": str(size)},
        next_step=next_step,
    )
