"""Who agrees with whom and on what, drawn and said: the panels of the live page that set judges side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lanner.figures.typeset import number
from lanner.monitor.snapshot import FEWEST, MODELS, Divergence
from lanner.store import Seat
from lanner.web.organising import figures
from lanner.web.speech import amount, listed, mark, say

Names = Mapping[str, str]
"""What to call a judge or a label by its id."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A figure as a table: names in full, to be read aloud, sorted and copied."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Figures with their notes; None where there is too little to draw."""

    heat: Markup | None = None
    heat_note: str = ""
    shares: Markup | None = None
    odd: Markup | None = None
    odd_note: Markup | None = None
    swaps: tuple[str, ...] = ()
    merging: Markup | None = None
    merging_note: str = ""
    heat_sheet: Sheet | None = None
    shares_sheet: Sheet | None = None


def comparison(divergence: Divergence | None, names: Names, seats: Sequence[Seat], label: Names) -> Comparison:
    """The panels for one question."""
    if divergence is None:
        return Comparison()
    return Comparison(
        heat=_heat(divergence, names, seats),
        heat_note=_heat_note(divergence, names),
        shares=_shares(divergence, names, seats, label),
        odd=_odd(divergence, names),
        odd_note=_odd_note(divergence, names, label),
        swaps=tuple(
            say(
                "{name} seems to swap {one} and {other}.",
                name=names.get(swap.judge, swap.judge),
                one=label[swap.labels[0]],
                other=label[swap.labels[1]],
            )
            for swap in divergence.swaps
        ),
        merging=_merging(divergence, label),
        merging_note=_merging_note(divergence, label),
        heat_sheet=_heat_sheet(divergence, names),
        shares_sheet=_shares_sheet(divergence, names, seats, label),
    )


def _in_order(divergence: Divergence, seats: Sequence[Seat]) -> list[tuple[str, bool]]:
    """People first, then models, each in the order they were added."""
    present = {judge for pair in divergence.pairs for judge in pair} | set(divergence.shares) | set(divergence.spreads)
    people = [seat.judge.id for seat in seats if seat.judge.id in present and seat.judge.id in divergence.people]
    models = [seat.judge.id for seat in seats if seat.judge.id in present and seat.judge.kind in MODELS]
    return [*((judge, False) for judge in people), *((judge, True) for judge in models)]


def _heat(divergence: Divergence, names: Mapping[str, str], seats: Sequence[Seat]) -> Markup | None:
    if not any(cell.value is not None for cell in divergence.pairs.values()):
        return None
    judges = _in_order(divergence, seats)[:12]
    place = {judge: at for at, (judge, _) in enumerate(judges)}
    cells = {}
    for (one, other), cell in divergence.pairs.items():
        if one in place and other in place:
            cells[min(place[one], place[other]), max(place[one], place[other])] = cell
    return figures.heat_map([(names[judge], model) for judge, model in judges], cells, _blocks(divergence))


def _blocks(divergence: Divergence) -> list[str]:
    """Ranges of agreement: people with people, people with models, models with models."""
    kinds = {2: say("people with people"), 1: say("people with models"), 0: say("models with models")}
    sentences = []
    for count, name in kinds.items():
        values = [
            cell.value
            for pair, cell in divergence.pairs.items()
            if cell.value is not None and sum(judge in divergence.people for judge in pair) == count
        ]
        if values:
            low, high = number(min(values), 2), number(max(values), 2)
            sentences.append(
                f"{name}: {low}" if low == high else say("{name}: {low} to {high}", name=name, low=low, high=high)
            )
    return sentences


def _heat_note(divergence: Divergence, names: Mapping[str, str]) -> str:
    cells = [(cell.value, pair) for pair, cell in divergence.pairs.items() if cell.value is not None]
    own = [(value, pair) for value, pair in cells if set(pair) <= set(divergence.people)]
    if len(own) < 2:
        return ""
    best, worst = max(own), min(own)
    high, low = number(best[0], 2), number(worst[0], 2)
    sentences = []
    if high != low:
        sentences.append(
            say(
                "{best} agree best ({high}), {worst} least ({low}).",
                best=listed([names[judge] for judge in best[1]]),
                high=high,
                worst=listed([names[judge] for judge in worst[1]]),
                low=low,
            )
        )
    person_model_values = [value for value, pair in cells if len(set(pair) & set(divergence.people)) == 1]
    if person_model_values and max(person_model_values) < worst[0]:
        sentences.append(
            say(
                "No model agrees with people as well as the weakest two people ({best} at best).",
                best=number(max(person_model_values), 2),
            )
        )
    if divergence.not_compared:
        sentences.append(
            amount(
                divergence.not_compared,
                "{n} judge with fewer answers is not compared here.",
                "{n} judges with fewer answers are not compared here.",
            )
        )
    return " ".join(sentences)


def _heat_sheet(divergence: Divergence, names: Names) -> Sheet:
    heads = (say("Judge"), say("Other judge"), divergence.coefficient, say("from"), say("to"), say("Same answer"), "n")
    rows = [
        (
            names[one],
            names[other],
            number(cell.value, 2),
            number(cell.low, 2),
            number(cell.high, 2),
            "" if cell.same is None else f"{100 * cell.same:.0f} %",
            f"{cell.n}",
        )
        for (one, other), cell in divergence.pairs.items()
    ]
    return Sheet(heads, tuple(rows))


def _shares_sheet(divergence: Divergence, names: Names, seats: Sequence[Seat], label: Names) -> Sheet:
    judges = [judge for judge, _ in _in_order(divergence, seats)]
    if divergence.bounds is not None:
        heads = (
            say("Judge"),
            say("Lower quarter"),
            say("median"),
            say("Upper quarter"),
            say("Points above the others"),
        )
        above = {row.judge: f"{row.value:+.1f}".replace("-", "−") for row in divergence.leanings}
        spread = [(judge, divergence.spreads[judge]) for judge in judges if judge in divergence.spreads]
        return Sheet(
            heads, tuple((names[j], f"{s.low:g}", f"{s.middle:g}", f"{s.high:g}", above.get(j, "")) for j, s in spread)
        )
    rows = [
        (names[j], *(f"{100 * share:.1f} %" for share in divergence.shares[j]))
        for j in judges
        if j in divergence.shares
    ]
    return Sheet((say("Judge"), *(label[name] for name in divergence.labels)), tuple(rows))


def ramp(count: int) -> list[str]:
    """Classes from light to dark; the last of five or more stands out in another hue, unlike the first."""
    if count >= 5:
        return [*(f"r{round(1 + 8 * at / max(count - 2, 1))}" for at in range(count - 1)), "r-apart"]
    return [f"r{round(1 + 8 * at / max(count - 1, 1))}" for at in range(count)]


def _shares(
    divergence: Divergence, names: Mapping[str, str], seats: Sequence[Seat], label: Mapping[str, str]
) -> Markup | None:
    if divergence.shared < FEWEST:
        return None
    order = _in_order(divergence, seats)
    caption = say("% of the {n} that all {m} have judged", n=f"{divergence.shared:,}", m=len(order))
    if divergence.bounds is not None:
        rows = [(names[j], model, divergence.spreads[j]) for j, model in order if j in divergence.spreads]
        about = say("the {n} that all {m} have judged", n=f"{divergence.shared:,}", m=len(rows))
        return figures.distributions(rows, divergence.bounds, about)
    options = list(zip([label[name] for name in divergence.labels], ramp(len(divergence.labels)), strict=True))
    judges = [(names[j], model, divergence.shares[j]) for j, model in order if j in divergence.shares]
    return figures.label_shares(options, judges, caption)


def _odd(divergence: Divergence, names: Mapping[str, str]) -> Markup | None:
    if divergence.leanings and divergence.leanings[0].items >= FEWEST:
        return figures.leanings([(names[row.judge], row) for row in divergence.leanings])
    if divergence.odd is None or divergence.odd.units < FEWEST:
        return None
    odd = divergence.odd
    return figures.odd_one_out(odd.all_agree, [(names[j], n) for j, n in odd.alone], odd.none_alike, odd.divided)


def _odd_note(divergence: Divergence, names: Mapping[str, str], label: Mapping[str, str]) -> Markup | None:
    """On what the judge most often alone differs, in words; names and labels are escaped by the format."""
    if divergence.leanings:
        return _leaning_note(divergence, names)
    if divergence.odd is None or not divergence.odd.alone or not divergence.odd.on_what:
        return None
    sentences = [
        mark(
            "<b>{own}</b> where they say {theirs} ({times})",
            own=_answer(own, label),
            theirs=_answer(theirs, label),
            times=_times(n),
        )
        for own, theirs, n in divergence.odd.on_what
    ]
    where = mark("Where the others agree and {name} does not:", name=names[divergence.odd.alone[0][0]])
    return where + Markup(" ") + Markup(", ").join(sentences) + Markup(".")


def _leaning_note(divergence: Divergence, names: Names) -> Markup | None:
    clear = [
        row for row in divergence.leanings if row.low is not None and row.high is not None and row.low * row.high > 0
    ]
    if not clear:
        return mark("Nobody scores clearly higher or lower than the others on the same texts.")
    sentences = [
        mark(
            "<b>{name}</b> {points} points {where}",
            name=names[row.judge],
            points=f"{abs(row.value):.1f}",
            where=say("higher") if row.value > 0 else say("lower"),
        )
        for row in clear[:3]
    ]
    return mark("Than the others on the same texts:") + Markup(" ") + Markup(", ").join(sentences) + Markup(".")


def _answer(answer: str, label: Names) -> str:
    """An answer in words; a set is written as its labels."""
    if answer.startswith("{") and answer.endswith("}"):
        return " + ".join(label[part] for part in answer[1:-1].split(", ") if part) or "∅"
    return label[answer]


def _times(count: int) -> str:
    return amount(count, "once", "{n} times")


def _merging(divergence: Divergence, label: Mapping[str, str]) -> Markup | None:
    if divergence.now is None or not divergence.merges or (divergence.odd and divergence.odd.units < FEWEST):
        return None
    pairs = [(f"{label[one]} + {label[other]}", change) for one, other, change in divergence.merges]
    return figures.merging(divergence.now, pairs)


def _merging_note(divergence: Divergence, label: Mapping[str, str]) -> str:
    if not divergence.merges or divergence.merges[0][2] <= 0:
        return ""
    one, other, _ = divergence.merges[0]
    return say(
        "{one} and {other} are told apart least. A higher α is no reason to merge by itself:",
        one=label[one],
        other=label[other],
    )
