"""Who agrees with whom and on what, drawn and said: the panels of the live page that set judges side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lanner.reports.typeset import number
from lanner.store import Seat
from lanner.web.page.speech import amount, listed, mark, say
from lanner.web.picture import figures, scales
from lanner.web.picture.told import FEWEST, MODELS, Divergence

Names = Mapping[str, str]
"""What to call a judge or a label by its id."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A figure as a table: names in full, to be read aloud, sorted and copied."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Contrasts:
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


def contrasts(apart: Divergence | None, names: Names, seats: Sequence[Seat], label: Names) -> Contrasts:
    """The panels for one question."""
    if apart is None:
        return Contrasts()
    return Contrasts(
        heat=_heat(apart, names, seats),
        heat_note=_heat_note(apart, names),
        shares=_shares(apart, names, seats, label),
        odd=_odd(apart, names),
        odd_note=_odd_note(apart, names, label),
        swaps=tuple(
            say(
                "{name} seems to swap {one} and {other}.",
                name=names.get(swap.judge, swap.judge),
                one=label[swap.labels[0]],
                other=label[swap.labels[1]],
            )
            for swap in apart.swaps
        ),
        merging=_merging(apart, label),
        merging_note=_merging_note(apart, label),
        heat_sheet=_heat_sheet(apart, names),
        shares_sheet=_shares_sheet(apart, names, seats, label),
    )


def _in_order(apart: Divergence, seats: Sequence[Seat]) -> list[tuple[str, bool]]:
    """People first, then models, each in the order they were added."""
    present = {judge for pair in apart.pairs for judge in pair} | set(apart.shares) | set(apart.spreads)
    people = [seat.judge.id for seat in seats if seat.judge.id in present and seat.judge.id in apart.people]
    models = [seat.judge.id for seat in seats if seat.judge.id in present and seat.judge.kind in MODELS]
    return [*((judge, False) for judge in people), *((judge, True) for judge in models)]


def _heat(apart: Divergence, names: Mapping[str, str], seats: Sequence[Seat]) -> Markup | None:
    if not any(cell.value is not None for cell in apart.pairs.values()):
        return None
    judges = _in_order(apart, seats)[:12]
    place = {judge: at for at, (judge, _) in enumerate(judges)}
    cells = {}
    for (one, other), cell in apart.pairs.items():
        if one in place and other in place:
            cells[min(place[one], place[other]), max(place[one], place[other])] = cell
    return figures.heat_map([(names[judge], model) for judge, model in judges], cells, _blocks(apart))


def _blocks(apart: Divergence) -> list[str]:
    """Ranges of agreement: people with people, people with models, models with models."""
    kinds = {2: say("people with people"), 1: say("people with models"), 0: say("models with models")}
    said = []
    for count, name in kinds.items():
        values = [
            cell.value
            for pair, cell in apart.pairs.items()
            if cell.value is not None and sum(judge in apart.people for judge in pair) == count
        ]
        if values:
            low, high = number(min(values), 2), number(max(values), 2)
            said.append(
                f"{name}: {low}" if low == high else say("{name}: {low} to {high}", name=name, low=low, high=high)
            )
    return said


def _heat_note(apart: Divergence, names: Mapping[str, str]) -> str:
    known = [(cell.value, pair) for pair, cell in apart.pairs.items() if cell.value is not None]
    own = [(value, pair) for value, pair in known if set(pair) <= set(apart.people)]
    if len(own) < 2:
        return ""
    best, worst = max(own), min(own)
    said = say(
        "{best} agree best ({high}), {worst} least ({low}).",
        best=listed([names[judge] for judge in best[1]]),
        high=number(best[0], 2),
        worst=listed([names[judge] for judge in worst[1]]),
        low=number(worst[0], 2),
    )
    mixed = [value for value, pair in known if len(set(pair) & set(apart.people)) == 1]
    if mixed and max(mixed) < worst[0]:
        said += " " + say(
            "No model agrees with people as well as the weakest two people ({best} at best).",
            best=number(max(mixed), 2),
        )
    if apart.left_out:
        said += " " + say("{n} judges with fewer answers are not compared here.", n=apart.left_out)
    return said


def _heat_sheet(apart: Divergence, names: Names) -> Sheet:
    heads = (say("Judge"), say("Other judge"), apart.coefficient, say("from"), say("to"), say("Same answer"), "n")
    rows = [
        (
            names[one], names[other], number(cell.value, 2), number(cell.low, 2), number(cell.high, 2),
            "" if cell.same is None else f"{100 * cell.same:.0f} %", f"{cell.n}",
        )
        for (one, other), cell in apart.pairs.items()
    ]  # fmt: skip
    return Sheet(heads, tuple(rows))


def _shares_sheet(apart: Divergence, names: Names, seats: Sequence[Seat], label: Names) -> Sheet:
    judges = [judge for judge, _ in _in_order(apart, seats)]
    if apart.bounds is not None:
        heads = (
            say("Judge"),
            say("Lower quarter"),
            say("median"),
            say("Upper quarter"),
            say("Points above the others"),
        )
        above = {row.judge: f"{row.value:+.1f}".replace("-", "−") for row in apart.leanings}
        spread = [(judge, apart.spreads[judge]) for judge in judges if judge in apart.spreads]
        return Sheet(
            heads, tuple((names[j], f"{s.low:g}", f"{s.middle:g}", f"{s.high:g}", above.get(j, "")) for j, s in spread)
        )
    rows = [(names[j], *(f"{100 * share:.1f} %" for share in apart.shares[j])) for j in judges if j in apart.shares]
    return Sheet((say("Judge"), *(label[name] for name in apart.labels)), tuple(rows))


def ramp(count: int) -> list[str]:
    """Classes from light to dark; the last of five or more stands apart in another hue, to be told from the first."""
    if count >= 5:
        return [*(f"r{round(1 + 8 * at / max(count - 2, 1))}" for at in range(count - 1)), "r-apart"]
    return [f"r{round(1 + 8 * at / max(count - 1, 1))}" for at in range(count)]


def _shares(
    apart: Divergence, names: Mapping[str, str], seats: Sequence[Seat], label: Mapping[str, str]
) -> Markup | None:
    if apart.shared < FEWEST:
        return None
    order = _in_order(apart, seats)
    caption = say("% of the {n} that all {m} have judged", n=f"{apart.shared:,}", m=len(order))
    if apart.bounds is not None:
        drawn = [(names[j], model, apart.spreads[j]) for j, model in order if j in apart.spreads]
        about = say("the {n} that all {m} have judged", n=f"{apart.shared:,}", m=len(drawn))
        return scales.distributions(drawn, apart.bounds, about)
    options = list(zip([label[name] for name in apart.labels], ramp(len(apart.labels)), strict=True))
    judges = [(names[j], model, apart.shares[j]) for j, model in order if j in apart.shares]
    return figures.label_shares(options, judges, caption)


def _odd(apart: Divergence, names: Mapping[str, str]) -> Markup | None:
    if apart.leanings and apart.leanings[0].items >= FEWEST:
        return scales.leanings([(names[row.judge], row) for row in apart.leanings])
    if apart.odd is None or apart.odd.units < FEWEST:
        return None
    odd = apart.odd
    return figures.odd_one_out(odd.all_agree, [(names[j], n) for j, n in odd.alone], odd.none_alike, odd.divided)


def _odd_note(apart: Divergence, names: Mapping[str, str], label: Mapping[str, str]) -> Markup | None:
    """On what the judge most often alone differs, in words; names and labels are escaped by the format."""
    if apart.leanings:
        return _leaning_note(apart, names)
    if apart.odd is None or not apart.odd.alone or not apart.odd.on_what:
        return None
    said = [
        mark(
            "<b>{own}</b> where they say {theirs} ({times})",
            own=_answer(own, label),
            theirs=_answer(theirs, label),
            times=_times(n),
        )
        for own, theirs, n in apart.odd.on_what
    ]
    where = mark("Where the others agree and {name} does not:", name=names[apart.odd.alone[0][0]])
    return where + Markup(" ") + Markup(", ").join(said) + Markup(".")


def _leaning_note(apart: Divergence, names: Names) -> Markup | None:
    clear = [row for row in apart.leanings if row.low is not None and row.high is not None and row.low * row.high > 0]
    if not clear:
        return mark("Nobody scores clearly higher or lower than the others on the same texts.")
    told = [
        mark("<b>{name}</b> {points} points {where}", name=names[row.judge], points=f"{abs(row.value):.1f}",
             where=say("higher") if row.value > 0 else say("lower"))
        for row in clear[:3]
    ]  # fmt: skip
    return mark("Than the others on the same texts:") + Markup(" ") + Markup(", ").join(told) + Markup(".")


def _answer(given: str, label: Names) -> str:
    """An answer in words; a set is written as its labels."""
    if given.startswith("{") and given.endswith("}"):
        return " + ".join(label[part] for part in given[1:-1].split(", ") if part) or "∅"
    return label[given]


def _times(count: int) -> str:
    return amount(count, "once", "{n} times")


def _merging(apart: Divergence, label: Mapping[str, str]) -> Markup | None:
    if apart.now is None or not apart.merges or (apart.odd and apart.odd.units < FEWEST):
        return None
    pairs = [(f"{label[one]} + {label[other]}", change) for one, other, change in apart.merges]
    return figures.merging(apart.now, pairs)


def _merging_note(apart: Divergence, label: Mapping[str, str]) -> str:
    if not apart.merges or apart.merges[0][2] <= 0:
        return ""
    one, other, _ = apart.merges[0]
    return say(
        "{one} and {other} are told apart least. A higher α is no reason to merge by itself:",
        one=label[one],
        other=label[other],
    )
