"""How far judges agree: a table of pairs for each question, a heat map, and all questions on one axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lanner.model import Result
from lanner.reports.figures.heat_map import Pair, heat_map
from lanner.reports.figures.intervals import Row, intervals
from lanner.reports.parts import Block, Column, Figure, Paragraph, Section, Table
from lanner.reports.typeset import estimate, interval, number, percent, plural, words
from lanner.reports.view import Agreement, View
from lanner.stats.reading import band

SCALE = "landis_koch"
_MOST_SENTENCES = 2
_GROUPS = ("people", "people and models", "models")


def section(view: View) -> Section | None:
    """Nothing where fewer than two judges answered the same question."""
    found = view.agreements
    if not found:
        return None
    blocks: list[Block] = [*_overview(view)]
    for agreement in found:
        blocks += _question(view, agreement)
    if alone := [view.short(agreement.coefficient.question) for agreement in found if not agreement.pairs]:
        blocks.append(Paragraph(f"No two judges answered the same items: nothing can be said of {words(alone)}."))
    if said := list(_apa(view)):
        blocks.append(Paragraph(f"**For a paper.** {' '.join(said)}"))
    return Section("agreement", "Agreement", blocks, list(_findings(view)))


def _apa(view: View) -> Iterator[str]:
    """How far all people agree on each question, in sentences of APA style."""
    for agreement in view.agreements:
        result = agreement.people
        if result is None or result.value is None:
            continue
        name = "Krippendorff's α" if result.name == "alpha" else agreement.coefficient.sign
        ends = f", 95 % CI {interval(result.low, result.high)}" if result.low is not None else ""
        items, documents = (result.counts.get(kind, 0) for kind in ("items", "documents"))
        n = f"{plural(items, 'item')} in {plural(documents, 'document')}"
        judges = plural(len(view.people_asked(agreement.coefficient.question)), "judge")
        yield (
            f"Agreement on {view.short(agreement.coefficient.question)} was {name} = {number(result.value, 2)}{ends} "
            f"({n}, {judges})."
        )


def _findings(view: View) -> Iterator[str]:
    """How far people agree on each question, in words of a published scale: a convention, not a test. Then whether any
    model agrees with people as they do with each other."""
    if not any(agreement.pairs for agreement in view.agreements):
        yield "No two judges answered the same items, so **agreement cannot be told**."
    yield from _people(view)
    below = [
        view.short(agreement.coefficient.question)
        for agreement in view.agreements
        if agreement.coefficient.sign in ("κ", "α Jaccard") and "No model agrees" in _finding(view, agreement)
    ]
    if below:
        yield f"**No model agrees with a person as well as people agree with each other** on {words(below)}."


def _people(view: View) -> Iterator[str]:
    """A sentence for each of one or two questions; of more, where people agree least and where most."""
    found = [(a, a.people) for a in view.agreements if a.people and a.people.value is not None]
    found = [(agreement, result) for agreement, result in found if result.name == "alpha"]
    if len(found) > _MOST_SENTENCES:
        low, high = (pick(found, key=lambda pair: pair[1].value or 0.0) for pick in (min, max))
        least, most = (band(pair[1].value or 0.0, SCALE).partition(":")[0] for pair in (low, high))
        if least == most:
            yield f"People show **{most} agreement**, from {_alpha(view, *low)} to {_alpha(view, *high)}."
        else:
            lowest, highest = _alpha(view, *low), _alpha(view, *high)
            yield f"Agreement of people goes from **{least}** on {lowest} to **{most}** on {highest}."
        return
    for agreement, result in found:
        if result.value is not None:
            strength = band(result.value, SCALE).partition(":")[0]
            numbers = estimate(result.value, result.low, result.high, 2)
            pairs = [r for r in agreement.pairs if view.pair_kind(r) == "people" and r.value is not None]
            best = max(pairs, key=lambda r: r.value or 0.0, default=None)
            closest = ""
            if best is not None and len(pairs) > 1:
                sign = agreement.coefficient.sign
                closest = f"; closest {view.pair_name(best)}, {sign} {estimate(best.value, best.low, best.high, 2)}"
            asked = view.short(agreement.coefficient.question)
            yield f"On {asked} people show **{strength} agreement** (α {numbers}{closest})."


def _alpha(view: View, agreement: Agreement, result: Result) -> str:
    numbers = estimate(result.value, result.low, result.high, 2)
    return f"{view.short(agreement.coefficient.question)} (α {numbers})"


def _overview(view: View) -> Iterator[Figure]:
    """All questions on one axis, where there are at least two."""
    results = [
        (a, a.people) for a in view.agreements if a.people and a.people.name == "alpha" and a.people.value is not None
    ]
    if len(results) < 2:
        return
    rows = [
        Row(
            view.short(agreement.coefficient.question).capitalize(),
            result.value,
            result.low,
            result.high,
            f"n {result.counts.get('items', 0):,}",
        )
        for agreement, result in results
    ]
    best = max(results, key=lambda pair: pair[1].value or 0)
    worst = min(results, key=lambda pair: pair[1].value or 0)
    caption = f"Agreement is highest on {_said(view, *best)} and lowest on {_said(view, *worst)}."
    data = [{"question": agreement.question.id, **result.row()} for agreement, result in results]
    yield Figure(
        "questions",
        f"{caption} Dot: Krippendorff's α of all people; bar: 95 % interval; n: items that two people judged.",
        str(intervals("Agreement per question", rows)),
        data,
        view.signature(results[0][1]),
    )


def _said(view: View, agreement: Agreement, result: Result) -> str:
    return f"{view.short(agreement.coefficient.question)} ({estimate(result.value, result.low, result.high, 2)})"


def _question(view: View, agreement: Agreement) -> Iterator[Block]:
    if not agreement.pairs:
        return
    yield _table(view, agreement)
    if len(agreement.pairs) > 2:
        yield _heat_map(view, agreement)


def _table(view: View, agreement: Agreement) -> Table:
    same = {frozenset((r.labels["judge"], r.labels["other"])): r for r in agreement.same}
    sign = agreement.coefficient.sign
    rows: list[dict[str, object]] = []
    data: list[dict[str, object]] = []
    for group in _GROUPS:
        pairs = [result for result in agreement.pairs if view.pair_kind(result) == group]
        if pairs and len(view.judges) > 2:
            rows.append({"group": group.capitalize()})
        for result in sorted(pairs, key=lambda pair: -(pair.value if pair.value is not None else -2)):
            twin = same.get(frozenset((result.labels["judge"], result.labels["other"])))
            rows.append(_row(view.pair_name(result), result, twin, agreement.same_sign))
            data.append({"pair": view.pair_name(result), **result.row(), "same": twin.value if twin else None})
    if agreement.people and len(view.people) > 2:
        together = "α" if agreement.people.name == "alpha" else sign
        rows.append({**_row(f"All people, {together}", agreement.people, None), "total": True})
        data.append({"pair": "all people", **agreement.people.row()})
    columns = [Column("pair", "Judges"), Column("value", sign), Column("ci", "95 %", quiet=True)]
    if same:
        columns.insert(1, Column("same", agreement.same_sign))
    columns.append(Column("n", "n", quiet=True))
    caption = f"Agreement on {view.short(agreement.coefficient.question)}. {_finding(view, agreement)}"
    signature = view.signature(agreement.pairs[0])
    return Table(f"agreement-{agreement.coefficient.question}", caption, columns, rows, data, signature)


def _row(name: str, result: Result, twin: Result | None, sign: str = "") -> dict[str, object]:
    return {
        "pair": name,
        "same": "" if not twin else percent(twin.value) if sign.startswith("%") else number(twin.value),
        "value": number(result.value),
        "ci": interval(result.low, result.high),
        "n": result.counts.get("items", 0),
    }


def _finding(view: View, agreement: Agreement) -> str:
    """The finding in words, with its numbers; a difference is claimed only where intervals do not overlap."""
    people = [r for r in agreement.pairs if view.pair_kind(r) == "people" and r.value is not None]
    mixed = [r for r in agreement.pairs if view.pair_kind(r) == "people and models" and r.value is not None]
    sign = agreement.coefficient.sign
    if not people:
        return "No two people share items."
    low, high = min(r.value or 0 for r in people), max(r.value or 0 for r in people)
    said = f"Two people agree with {sign} {number(low, 2)}" + (f" to {number(high, 2)}." if len(people) > 1 else ".")
    if mixed:
        best = max(mixed, key=lambda r: r.value or 0)
        weakest = min(people, key=lambda r: r.value or 0)
        if (best.high or 1) < (weakest.low or -1):
            said += " No model agrees with a person as well as people agree with each other."
        elif (best.value or 0) > low:
            closest = f"{view.pair_name(best)}, {number(best.value, 2)}"
            said += f" The closest pair of a person and a model ({closest}) lies within the people's range."
    return said


def _pairs_said(view: View, agreement: Agreement) -> str:
    """Which two agree most and least, people first; a difference is claimed only where intervals lie apart."""
    people = [r for r in agreement.pairs if view.pair_kind(r) == "people" and r.value is not None]
    found = people if len(people) > 1 else [r for r in agreement.pairs if r.value is not None]
    if not found:
        return f"No two judges can be compared on {view.short(agreement.coefficient.question)}."
    best, worst = max(found, key=lambda r: r.value or 0), min(found, key=lambda r: r.value or 0)
    numbers = [f"({number(r.value, 2)} {interval(r.low, r.high)})".replace(" )", ")") for r in (best, worst)]
    who = "of people " if people and found is people else ""
    said = (
        f"On {view.short(agreement.coefficient.question)}, {who}{view.pair_name(best)} agree most {numbers[0]} and "
        f"{view.pair_name(worst)} least {numbers[1]}"
    )
    apart = best.low is not None and worst.high is not None and best.low > worst.high
    return f"{said}." if apart or len(found) < 2 else f"{said}, with intervals that overlap."


def _second_line(numbers: Sequence[int]) -> str:
    """What stands under the coefficient in a cell: n where pairs share different numbers of items."""
    if len(set(numbers)) > 1:
        return f"Second line of a cell: n, {min(numbers):,} to {max(numbers):,} items."
    return f"Second line of a cell: 95 % interval; n {numbers[0]:,} items in every cell."


def _heat_map(view: View, agreement: Agreement) -> Figure:
    same = {(r.labels["judge"], r.labels["other"]): r.value for r in agreement.same}
    pairs = {
        (view.names[r.labels["judge"]], view.names[r.labels["other"]]): Pair(
            r.value, r.low, r.high, same.get((r.labels["judge"], r.labels["other"])), r.counts.get("items", 0)
        )
        for r in agreement.pairs
    }
    shown = {name for pair in pairs for name in pair}
    judges = [view.names[judge.id] for judge in view.judges if view.names[judge.id] in shown]
    people = sum(view.names[judge] in shown for judge in view.people)
    drawing = heat_map(judges, people, pairs, agreement.coefficient.sign, agreement.same_sign)
    return Figure(
        f"pairs-{agreement.coefficient.question}",
        f"{_pairs_said(view, agreement)} {_second_line([pair.n for pair in pairs.values()])}",
        str(drawing),
        [{"judge": one, "other": other, "value": pair.value, "low": pair.low, "high": pair.high, "same": pair.same,
          "n": pair.n} for (one, other), pair in pairs.items()],
        view.signature(agreement.pairs[0]),
    )  # fmt: skip
