"""How far judges agree: one number for every question, the rows of grids, each pair, and without each judge; then
what they see differently: labels they confuse, the sentences on which they differ most, and what they wrote.

Where a protocol asks the same in several scenarios, agreement is also shown scenario by scenario and test set by test
set. The layout is that of Castilho (2021): for every question weighted κ (ratings) or Cohen's κ (errors, ranking)
averaged over pairs of judges, Fleiss' κ, Krippendorff's α and the share of equal answers, for random sentences (RS),
sentences in context (SC) and documents (DS); then Fleiss' κ and α over both sets. Weights are linear and α of ratings
is ordinal: the paper does not say which it used.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, permutations
from typing import Any

import polars as pl

from lanner.analysis import (
    FEWEST_ITEMS,
    AnswerPart,
    QuestionPlan,
    counted,
    main_question,
    plan,
    plan_question,
    question_agreement,
    without_each_judge,
)
from lanner.analysis.agreement import UNIT, distances
from lanner.analysis.alarms import panel_alarms
from lanner.figures.charts import EstimateRow, Merge, Pair, confusion, heat_map, intervals, merging
from lanner.model import (
    Choice,
    Document,
    Grid,
    Json,
    Labels,
    Question,
    Rank,
    Result,
    Scale,
    Spans,
    Text,
    Unit,
    languages,
)
from lanner.model.alarms import Code, alarm_words
from lanner.model.messages import (
    count,
    estimate,
    interval,
    leading,
    name_or_count,
    number,
    percent,
    plural,
    shorten,
    words,
)
from lanner.protocols.answers import in_order
from lanner.reports.parts import (
    Block,
    Column,
    Figure,
    Paragraph,
    Quotes,
    Section,
    Table,
    identifier,
    printed,
    value_columns,
)
from lanner.reports.view import Agreement, View
from lanner.stats import diagnosis
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.coefficients import band_of, bands_of_ends, documents_too_few, scale_of
from lanner.stats.frame import SYSTEMS

_SCALE = "krippendorff"
"""For headlines whose coefficient has no scale of its own: all are α or built like it."""
_MOST_SENTENCES = 2
_GROUPS = ("people", "people and models", "models")


def section(view: View) -> Section | None:
    """Nothing where fewer than two judges answered the same question."""
    agreements = view.agreements
    if not agreements:
        return None
    has_value = any(agreement.headline.value is not None for agreement in agreements)
    blocks: list[Block] = [_overview_table(view), *_overview_figure(view)] if has_value else []
    blocks += [Paragraph(text) for text in _undefined(view)]
    with_several_pairs = [agreement for agreement in agreements if len(agreement.pairs) > 2]
    blocks += [_heat_map(view, agreement) for agreement in with_several_pairs[:1]]
    blocks += _without_judges(view)
    blocks += [Paragraph(text) for text in _note_on_assistance(view)]
    if alone := [view.short(agreement.question) for agreement in agreements if not agreement.pairs]:
        blocks.append(Paragraph(f"No two judges answered the same items: nothing can be said of {words(alone)}."))
    return Section("agreement", "Agreement", blocks, list(_findings(view)))


def _undefined(view: View) -> Iterator[str]:
    """Why a question that several judges answered has no coefficient."""
    for agreement in view.agreements:
        if agreement.pairs and agreement.headline.value is None:
            yield f"Agreement on {view.short(agreement.question)} is undefined: {_reason(agreement.headline)}"


def _reason(result: Result) -> str:
    """Why a coefficient is undefined, as its statistic says it."""
    return next((note.removeprefix("Undefined: ") for note in result.notes), "there is nothing to compute it from.")


def _note_on_assistance(view: View) -> Iterator[str]:
    """Where judges started from a model's marks: that this inflates agreement, and what it is without them."""
    parts = []
    for agreement in view.agreements:
        alone = agreement.unaided
        if alone is None or agreement.headline.value is None:
            continue
        value = _estimate(alone) if alone.value is not None else "unknown"
        items = plural(alone.counts.get("items", 0), "item")
        parts.append(
            f"{view.short(agreement.question)} {value} ({items}) instead of {number(agreement.headline.value, 2)}"
        )
    if parts:
        yield (
            "**Judges started from the same marks of a model, which inflates their agreement.** Where they judged "
            f"without them, α is: {'; '.join(parts)}."
        )


def _estimate(result: Result) -> str:
    return estimate(result.value, result.low, result.high, 2)


def _estimate_of_equals(results: Sequence[Result]) -> str:
    """What several have in common, whose intervals may differ."""
    return _estimate(results[0]) if len(results) == 1 else number(results[0].value, 2)


def details(view: View) -> Section | None:
    """For the appendix: the rows of grids, every pair, and the sentences for a paper."""
    blocks: list[Block] = []
    for agreement in view.agreements:
        if any(part.measure.part is AnswerPart.ROW for part in agreement.parts):
            blocks.append(_rows_table(view, agreement))
        if agreement.pairs:
            blocks.append(_pairs_table(view, agreement))
    with_several_pairs = [agreement for agreement in view.agreements if len(agreement.pairs) > 2]
    blocks += [_heat_map(view, agreement) for agreement in with_several_pairs[1:]]  # the first stands in the body
    if sentences := list(_apa(view)):
        blocks.append(Paragraph(f"**For a paper.** {' '.join(sentences)}"))
    return Section("pairs", "Agreement in detail", blocks) if blocks else None


def calibration(view: View) -> Section | None:
    """Agreement in the calibration round next to that on main items; nothing where there was no such round."""
    rows = view.counted("calibration")
    if rows.table.is_empty():
        return None
    main = counted(view.material.table, left_out=view.material.left_out)
    known: list[tuple[QuestionPlan, Result, Result]] = []
    for entry in plan(view.protocol):
        before, after = (question_agreement(part, entry, resampling=view.resampling).headline for part in (rows, main))
        if before.value is not None or after.value is not None:
            known.append((entry, before, after))
    if not known:
        return None
    columns = [
        Column("question", "Question", cell=lambda row: view.heading(row[0].id)),
        *value_columns("α", view.level, 2, key="before", span="Calibration", of=lambda row: row[1]),
        *value_columns("α", view.level, 2, key="after", span="Main items", of=lambda row: row[2]),
    ]
    data = [
        {"question": entry.id, "round": name, **result.row()}
        for entry, before, after in known
        for name, result in (("calibration", before), ("main", after))
    ]
    signature = view.signature(*(result for _, *both in known for result in both if result.value is not None))
    caption = "Agreement in the calibration round and on the main items. Calibration answers count in no other result."
    table = Table("calibration", caption, columns, printed(columns, known), data, signature)
    return Section("calibration", "Calibration", [table])


def _overview_table(view: View) -> Table:
    """One number for every question, with the weakest row of a grid."""

    def weakest_row(agreement: Agreement) -> str:
        row = agreement.weakest
        return f"{view.option(agreement.question, row.measure.row)} {number(row.result.value, 2)}" if row else ""

    value, ends, _ = value_columns("Value", view.level, 2, of=lambda agreement: agreement.headline)
    weakest = Column("weakest", "Weakest row", text=True, cell=weakest_row)
    weak = any(agreement.weakest for agreement in view.agreements)

    def count_column(kind: str) -> Column:
        return Column(kind, kind.capitalize(), quiet=True, cell=lambda a: count(a.headline.counts.get(kind, 0)))

    columns = [
        Column("question", "Question", cell=lambda agreement: view.heading(agreement.question)),
        Column("how", "Coefficient", text=True, cell=lambda agreement: agreement.plan.headline.sign),
        value,
        ends,
        *([weakest] if weak else []),
        *map(count_column, ("items", "documents", "judges")),
    ]
    data: list[dict[str, Json]] = []
    for agreement in view.agreements:
        data.append({"group": agreement.group, "coefficient": agreement.plan.headline.sign, **agreement.headline.row()})
        if (row := agreement.weakest) is not None:
            data[-1] |= {"weakest": row.measure.row, "weakest_value": row.result.value}
    grids = " The number of a grid is the mean of its rows' coefficients." if weak else ""
    caption = f"How far {view.agreements[0].group} agree on each question.{grids}"
    signature = view.signature(*(agreement.headline for agreement in view.agreements))
    return Table("agreement", caption, columns, printed(columns, view.agreements), data, signature)


def _overview_figure(view: View) -> Iterator[Figure]:
    """All questions on one axis, where there are at least two."""
    agreements = [agreement for agreement in view.agreements if agreement.headline.value is not None]
    if len(agreements) < 2:
        return
    rows = [
        EstimateRow(
            view.heading(agreement.question),
            *_numbers(agreement.headline),
            f"n {agreement.headline.counts.get('items', 0):,}",
        )
        for agreement in agreements
    ]
    highest = leading(agreements, lambda agreement: _value(agreement.headline))
    lowest = leading(agreements, lambda agreement: -_value(agreement.headline))
    best, worst = (
        f"{name_or_count([view.short(a.question) for a in equal], 'question')} "
        f"({_estimate_of_equals([a.headline for a in equal])})"
        for equal in (highest, lowest)
    )
    where = f"highest on {best} and lowest on {worst}" if len(highest) < len(agreements) else f"the same on {best}"
    caption = (
        f"Agreement is {where}. Dot: Krippendorff's α of all {highest[0].group}; bar: {view.level} interval; n: items "
        "that two judged."
    )
    data = [{"question": agreement.question, **agreement.headline.row()} for agreement in agreements]
    drawing = str(intervals("Agreement per question", rows))
    yield Figure("questions", caption, drawing, data, view.signature(*(agreement.headline for agreement in agreements)))


def _numbers(result: Result) -> tuple[float | None, float | None, float | None]:
    return result.value, result.low, result.high


def _extremes(agreements: Sequence[Agreement]) -> tuple[Agreement, Agreement]:
    """Where judges agree least, and where most; of equal ones the first."""
    low, high = (pick(agreements, key=lambda agreement: agreement.headline.value or 0.0) for pick in (min, max))
    return low, high


def _apa(view: View) -> Iterator[str]:
    """How far all people agree on each question, in sentences of APA style."""
    for agreement in view.agreements:
        result = agreement.headline
        if result.value is None or not agreement.enough:
            continue
        ends = f", {view.level} CI {interval(result.low, result.high)}" if result.low is not None else ""
        items, documents, judges = (result.counts.get(kind, 0) for kind in ("items", "documents", "judges"))
        n = f"{plural(items, 'item')} in {plural(documents, 'document')}, {plural(judges, 'judge')}"
        mean = f", the mean of {result.counts['rows']} rows" if "rows" in result.counts else ""
        name = view.short(agreement.question)
        yield f"Agreement on {name} was Krippendorff's α = {number(result.value, 2)}{ends} ({n}{mean})."


def _findings(view: View) -> Iterator[str]:
    """How far people agree on each question, in words of a published scale: a convention, not a test. Then whether any
    model agrees with people as they do with each other. Nothing is said of fewer items than a figure needs."""
    if not any(agreement.pairs for agreement in view.agreements):
        yield "No two judges answered the same items, so **agreement cannot be told**."
    yield from _strength(view)
    yield from _judges_to_look_at(view)
    below = [
        view.short(agreement.question)
        for agreement in view.agreements
        if agreement.coefficient.name in ("kappa", "alpha") and _models_lie_below(view, agreement)
    ]
    if below:
        yield f"**No model agrees with a person as well as people agree with each other** on {words(below)}."


def _judges_to_look_at(view: View) -> Iterator[str]:
    """The alarms of the live page: who answers the main question unlike the others or always alike, who is too fast."""
    people, main = view.counted(of="people"), _main_question(view)
    found = panel_alarms(people.table, None if main is None else plan_question(main, view.protocol))
    labels = found.ratings.labels if found.ratings and main else ()
    options = {label: view.option(main.id, label) for label in labels} if main else {}
    for alarm in alarm_words(found.panel, found.alarms, view.names, options):
        where = f" on {view.short(main.id)}" if main and alarm.code is not Code.SPEED else ""
        yield f"**{str(alarm.title).removesuffix('.')}**{where}. {alarm.more}"


def _main_question(view: View) -> Question | None:
    return main_question(view.protocol, str(view.material.settings.get("main_question", "")))


def _strength(view: View) -> Iterator[str]:
    """A sentence for each of one or two questions; of more, where people agree least and where most."""
    agreements = [agreement for agreement in view.agreements if agreement.enough]
    if len(agreements) > _MOST_SENTENCES:
        low, high = _extremes(agreements)
        least, most = (_band(view, agreement, brief=True) for agreement in (low, high))
        lowest, highest = (_alpha(view, agreement) for agreement in (low, high))
        few = _few_documents([low, high])
        if few:
            yield f"The agreement of {low.group} goes from {lowest} to {highest} on {few}: **too few for a verdict**."
        elif least == most:
            yield f"The agreement of {low.group} is {most} throughout, from {lowest} to {highest}."
        else:
            yield f"The agreement of {low.group} goes from {least} on {lowest} to {most} on {highest}."
        return
    main = _main_question(view)
    agreements.sort(key=lambda agreement: main is None or agreement.question != main.id)  # the verdict is about it
    for agreement in agreements:
        name, numbers = view.short(agreement.question), _estimate(agreement.headline)
        pairs, closest = _telling_pairs(view, agreement, "people"), ""
        if len(closest_pairs := leading(pairs, _value)) < len(pairs):
            names = name_or_count([view.pair_name(pair) for pair in closest_pairs], "pair")
            closest = f"; closest {names}, {agreement.coefficient.sign} {_estimate_of_equals(closest_pairs)}"
        if few := _few_documents([agreement]):
            yield f"On {name} the agreement of {agreement.group} is α {numbers} on {few}: **too few for a verdict**."
            continue
        yield f"On {name} the agreement of {agreement.group} is {_band(view, agreement)} (α {numbers}{closest})."


def _few_documents(agreements: Sequence[Agreement]) -> str:
    """The fewest documents that one of these coefficients rests on, where they are too few for a verdict; else empty,
    by the rule of the live page and of the command line."""
    few = [n for agreement in agreements if (n := documents_too_few(agreement.headline)) is not None]
    return plural(min(few), "document") if few else ""


def _band(view: View, agreement: Agreement, *, brief: bool = False) -> str:
    """How the headline is read, on the scale that is customary for its coefficient: as on the command line. A band that
    the interval leaves is one "as it stands", followed by those that it reaches unless it is to be `brief`."""
    result = agreement.headline
    scale = scale_of(result.name) or _SCALE
    view.methods.add(f"scale {scale}")
    here = band_of(result, scale).partition(":")[0]
    low, high = bands_of_ends(result, scale)
    reach = "" if brief else f", anything from “{low}” to “{high}” with its interval"
    return f"**{here}**" if low == high else f"**{here}** as it stands{reach}"


def _alpha(view: View, agreement: Agreement) -> str:
    row = ""
    if (weakest := agreement.weakest) is not None:
        name = view.inside(view.option(agreement.question, weakest.measure.row))
        row = f"; weakest: {name}, {number(weakest.result.value, 2)}"
    return f"{view.short(agreement.question)} (α {_estimate(agreement.headline)}{row})"


def _value(result: Result) -> float:
    return result.value or 0.0


def _rows_table(view: View, agreement: Agreement) -> Table:
    mean = agreement.headline
    values = value_columns(agreement.plan.headline.sign, view.level, 2)
    columns = [Column("row", view.label(agreement.question)), *values]
    names = [view.option(agreement.question, part.measure.row) for part in agreement.parts]
    results = [part.result for part in agreement.parts]
    rows: list[dict[str, Json]] = [
        {"row": name} | row for name, row in zip(names, printed(values, results), strict=True)
    ]
    rows += [{"row": "Mean", "total": True} | row for row in printed(values, [mean])]
    parts = [(part.measure.row, part.result) for part in agreement.parts]
    data = [{"row": row, **result.row()} for row, result in (*parts, ("", mean))]
    caption = f"{view.heading(agreement.question)}: agreement row by row; the mean stands for the question."
    return Table(f"rows-{agreement.question}", caption, columns, rows, data, view.signature(mean, *results))


def _pairs_table(view: View, agreement: Agreement) -> Table:
    same_of = {frozenset((r.labels["judge"], r.labels["other"])): r.value for r in agreement.same}
    shares = agreement.plan.same is not None and agreement.plan.same.name == "percent"

    def same(pair: Result) -> float | None:
        return same_of.get(frozenset((pair.labels["judge"], pair.labels["other"])))

    def same_text(pair: Result) -> str:
        value = same(pair)
        return "" if value is None else percent(value) if shares else number(value)

    columns = [Column("pair", "Judges", cell=view.pair_name), *value_columns(agreement.coefficient.sign, view.level)]
    if same_of and agreement.plan.same is not None:
        columns.insert(1, Column("same", agreement.plan.same.sign, cell=same_text))
    rows: list[dict[str, Json]] = []
    data: list[dict[str, Json]] = []
    for group in _GROUPS:
        pairs = [result for result in agreement.pairs if view.pair_kind(result) == group]
        if pairs and len(view.judges) > 2:
            rows.append({"group": group.capitalize()})
        pairs.sort(key=lambda pair: -(pair.value if pair.value is not None else -2))
        rows += printed(columns, pairs)
        data += [{"pair": view.pair_name(pair), **pair.row(), "same": same(pair)} for pair in pairs]
    caption = f"Agreement on {view.short(agreement.question)}, pair by pair. {_compare_pairs(view, agreement)}"
    return Table(f"agreement-{agreement.question}", caption, columns, rows, data, view.signature(*agreement.pairs))


def _models_lie_below(view: View, agreement: Agreement) -> bool:
    """Whether even the closest pair of a person and a model lies clearly below the weakest pair of people."""
    people, with_models = (_telling_pairs(view, agreement, kind) for kind in _GROUPS[:2])
    if not people or not with_models:
        return False
    return _lies_above(min(people, key=_value), max(with_models, key=_value))


def _telling_pairs(view: View, agreement: Agreement, kind: str) -> list[Result]:
    """The pairs of one kind that share items enough to be named."""
    return [pair for pair in agreement.pairs_of(kind, view) if pair.counts.get("items", 0) >= FEWEST_ITEMS]


def _from_to(low: float, high: float, digits: int = 3) -> str:
    """From the least to the most, or one number where they are the same in print."""
    return " to ".join(dict.fromkeys(number(end, digits) for end in (low, high)))


def _lies_above(one: Result, other: Result) -> bool:
    """Whether the whole interval of one lies above that of the other."""
    return one.low is not None and other.high is not None and one.low > other.high


def _doubt(one: Result, other: Result) -> str:
    """Why the greater of two coefficients is not shown to be greater; empty where it is."""
    if _lies_above(one, other):
        return ""
    return ", with intervals that overlap" if one.low is not None and other.high is not None else ", without intervals"


def _compare_pairs(view: View, agreement: Agreement) -> str:
    """The pairs in words; a difference is claimed only where intervals do not overlap."""
    people, with_models = (_telling_pairs(view, agreement, kind) for kind in _GROUPS[:2])
    if not people:
        shared = [pair for pair in agreement.pairs if view.pair_kind(pair) == "people" and pair.counts.get("items")]
        if not shared:
            return "No two people share items."
        if all(pair.value is None for pair in shared):
            return f"It is undefined for any two people: {_reason(shared[0])}"
        return f"No two people share {FEWEST_ITEMS} items for which it is defined."
    low, high = (pick(people, key=_value) for pick in (min, max))
    fewer = len(people) < len(agreement.pairs_of("people", view))
    who = f"Two people who share {FEWEST_ITEMS} items or more" if fewer else "Two people"
    text = f"{who} agree with {agreement.coefficient.sign} {_from_to(_value(low), _value(high), 2)}."
    if _models_lie_below(view, agreement):
        return f"{text} No model agrees with a person as well as people agree with each other."
    best, *equal = leading(with_models, _value) or [low]
    if _value(best) <= _value(low):
        return text
    where = "within"
    if _value(best) > _value(high):
        doubt = next(filter(None, (_doubt(pair, high) for pair in (best, *equal))), "")
        where = f"above{doubt}," if doubt else "above"
    closest = f"{name_or_count([view.pair_name(pair) for pair in (best, *equal)], 'pair')}, {number(best.value, 2)}"
    pairs = "pairs of a person and a model ({}) lie" if equal else "pair of a person and a model ({}) lies"
    return f"{text} The closest {pairs.format(closest)} {where} the people's range."


_NOTABLE = 0.01


def _without_judges(view: View) -> Iterator[Table]:
    """The main questions without each judge in turn: one careless judge can halve a coefficient."""
    rows_by_judge: dict[str, dict[str, Json]] = {}
    data: list[dict[str, Json]] = []
    columns = [Column("judge", "Without")]
    every: list[Result] = []
    for agreement in view.agreements:
        results = without_each_judge(view.counted(), agreement.plan) if agreement.enough else []
        results = [result for result in results if result.value is not None]
        if not results:
            continue
        columns.append(Column(agreement.question, view.heading(agreement.question)))
        every += results
        for result in results:
            judge, change = result.labels["without"], result.rows[0]["change"]
            row = rows_by_judge.setdefault(judge, {"judge": view.names.get(judge, judge)})
            step = number(change, 2) if change is not None and change < 0 else f"+{number(change, 2)}"
            row[agreement.question] = f"{number(result.value, 2)} ({step})"
            data.append({"question": agreement.question, "without": judge, "value": result.value, "change": change})
    if not data:
        return
    caption = "Agreement without each judge in turn."
    largest, *equal = leading(data, lambda row: abs(row["change"] or 0))
    change, who = largest["change"] or 0, view.names.get(largest["without"], largest["without"])
    if abs(change) < _NOTABLE:
        caption += f" No judge changes it by {number(_NOTABLE, 2)} or more."
    elif not equal:
        caption += (
            f" The largest change: without {who}, α on {view.short(largest['question'])} "
            f"{'rises' if change > 0 else 'falls'} by {number(abs(change), 2)}."
        )
    yield Table("without-each-judge", caption, columns, list(rows_by_judge.values()), data, view.signature(*every))


def _second_line(view: View, pairs: Sequence[Pair]) -> str:
    """What stands under the coefficient in a cell: n where pairs share different numbers of items."""
    numbers = [pair.n for pair in pairs]
    ends = f"Second line of a cell: {view.level} interval; " if any(pair.low is not None for pair in pairs) else ""
    if len(set(numbers)) > 1:
        return f"Second line of a cell: n, {min(numbers):,} to {max(numbers):,} items."
    return f"{ends}n {numbers[0]:,} items in every cell."


def _heat_map(view: View, agreement: Agreement) -> Block:
    if all(r.value is None for r in agreement.pairs):  # a matrix without a number says nothing
        return Paragraph(f"No two judges can be compared on {view.short(agreement.question)}.")
    same = {(r.labels["judge"], r.labels["other"]): r.value for r in agreement.same}
    cells = {
        (view.names[one], view.names[other]): Pair(*_numbers(r), same.get((one, other)), r.counts.get("items", 0))
        for r in agreement.pairs
        for one, other in [(r.labels["judge"], r.labels["other"])]
    }
    names = {name for pair in cells for name in pair}
    judges = [view.names[judge.id] for judge in view.judges if view.names[judge.id] in names]
    people = sum(view.names[judge] in names for judge in view.people)
    same_sign = agreement.plan.same.sign if agreement.plan.same else ""
    drawing = heat_map(judges, people, cells, agreement.coefficient.sign, same_sign)
    data = [{"judge": one, "other": other, **asdict(pair)} for (one, other), pair in cells.items()]
    caption = f"{_extreme_pairs(view, agreement)} {_second_line(view, list(cells.values()))}"
    return Figure(f"pairs-{agreement.question}", caption, str(drawing), data, view.signature(*agreement.pairs))


def _extreme_pairs(view: View, agreement: Agreement) -> str:
    """Which two agree most and least, people first; a difference is claimed only where intervals lie apart."""
    people = _telling_pairs(view, agreement, "people")
    every = [pair for kind in _GROUPS for pair in _telling_pairs(view, agreement, kind)]
    pairs = people if len(people) > 1 else every
    if len(pairs) < 2:
        return f"Agreement on {view.short(agreement.question)}, pair by pair."
    best, worst = leading(pairs, _value), leading(pairs, lambda pair: -_value(pair))
    if (alike := number(_value(best[0]), 2)) == number(_value(worst[0]), 2):
        who = "people" if pairs is people else "judges"
        return f"On {view.short(agreement.question)}, all pairs of {who} agree alike ({alike})."
    most, least = (name_or_count([view.pair_name(pair) for pair in equal], "pair") for equal in (best, worst))
    who = "of people " if pairs is people else ""
    return (
        f"On {view.short(agreement.question)}, {who}{most} agree most ({_estimate_of_equals(best)}) and "
        f"{least} least ({_estimate_of_equals(worst)}){_doubt(best[0], worst[0])}."
    )


# Scenarios


SUFFIXES = {"rs": "RS", "sc": "SC", "ds": "DS"}
_BOTH = "both sets"
Families = dict[str, dict[str, Question]]


def scenario_section(view: View) -> Section | None:
    """For protocols whose questions are asked in more than one scenario."""
    families = _families(view)
    if not families:
        return None
    sets = document_sets(view)
    blocks: list[Block] = [_table(view, family, questions, sets) for family, questions in families.items()]
    return Section("scenarios", "Agreement by scenario and test set", blocks)


def _families(view: View) -> Families:
    """Questions that are asked again in other scenarios, by the name they share."""
    families: Families = {}
    for _, question in view.protocol.questions:
        stem, _, suffix = question.id.rpartition("_")
        if suffix in SUFFIXES and isinstance(question, Scale | Labels | Rank) and question.id in view.answered:
            families.setdefault(stem, {})[suffix] = question
    return {stem: members for stem, members in families.items() if len(members) > 1}


def document_sets(view: View) -> dict[str, list[str]]:
    """The documents of each test set: those that the same judges met in the same scenarios. A set is called what its
    documents call it, where they agree (`set`), else by a number in the order of the texts."""
    rows = view.counted("agreement").table
    stages = {question.id: stage.scenario for stage, question in view.protocol.questions}
    scenario = pl.col("question").replace_strict(stages, default=None, return_dtype=pl.String)
    meetings = rows.with_columns(scenario.alias("scenario")).filter(pl.col("scenario").is_not_null())
    meetings = meetings.select("document", "judge", "scenario").unique()
    by_document: dict[str, frozenset[tuple[str, str]]] = {
        str(document): frozenset(zip(group["judge"], group["scenario"], strict=True))
        for (document,), group in meetings.group_by("document")
    }
    groups: dict[frozenset[tuple[str, str]], list[Document]] = {}
    for document in view.material.documents:
        if document.id in by_document:
            groups.setdefault(by_document[document.id], []).append(document)
    sets: dict[str, list[str]] = {}
    for place, documents in enumerate(groups.values(), start=1):
        own = {str(document.meta.get("set", "")) for document in documents}
        name = own.pop() if len(own) == 1 and "" not in own else f"test set {place}"
        sets[name] = [document.id for document in documents]
    return sets


def _table(view: View, family: str, questions: Mapping[str, Question], sets: Mapping[str, Sequence[str]]) -> Table:
    rows: list[dict[str, Json]] = []
    data: list[dict[str, Json]] = []
    results: list[Result] = []
    parts: dict[str, Sequence[str]] = dict(sets)
    if len(sets) > 1:
        parts[_BOTH] = [document for own in sets.values() for document in own]
    for name, documents in parts.items():
        rows.append({"group": name})
        coefficients = _coefficients(next(iter(questions.values())))
        for coefficient, (statistic, options) in coefficients.items():
            if name == _BOTH and statistic not in ("fleiss", "alpha"):
                continue  # other judges made the two sets' pairs, so an average of pairs would mix them
            line: dict[str, Json] = {"coefficient": coefficient}
            for suffix, question in questions.items():
                result = _measure(view, question, documents, statistic, options)
                shown = result.value is not None and result.counts.get("items", 0) >= FEWEST_ITEMS
                line[suffix] = estimate(result.value, result.low, result.high) if shown else number(None)
                results.append(result)
                data.append(
                    {
                        "question": question.id,
                        "scenario": suffix,
                        "set": name,
                        "coefficient": coefficient,
                        **dict(zip(("value", "low", "high"), _numbers(result), strict=True)),
                        "items": result.counts.get("items"),
                        "judges": result.counts.get("judges"),
                    }
                )
            rows.append(line)
    columns = [Column("coefficient", ""), *(Column(suffix, SUFFIXES[suffix]) for suffix in questions)]
    name = view.words.question(next(iter(questions.values())).id).label
    caption = (
        f"{name}: agreement among random sentences (RS), sentences in context "
        f"(SC) and documents (DS), each with its {view.level} interval over documents. – stands for fewer than ten "
        "shared items."
    )
    return Table(f"scenarios-{family}", caption, columns, rows, data, view.signature(*results))


def _coefficients(question: Question) -> dict[str, tuple[str, dict[str, Json]]]:
    """What each coefficient is called here, and how it is computed for this kind of question."""
    rated = isinstance(question, Scale)
    level = "ordinal" if rated else "jaccard" if isinstance(question, Labels) else "nominal"
    return {
        f"{'weighted' if rated else 'Cohen'} κ, mean of pairs": ("kappa", {"weights": "linear"} if rated else {}),
        "Fleiss κ": ("fleiss", {}),
        "Krippendorff α": ("alpha", {"level": level}),
        "same answer": ("percent", {"over": "pairs"}),
    }


def _measure(
    view: View, question: Question, documents: Sequence[str], statistic: str, options: Mapping[str, Json]
) -> Result:
    table = view.counted("agreement").table.filter(
        pl.col("question") == question.id, pl.col("document").is_in(list(documents))
    )
    if isinstance(question, Labels):  # what was marked is compared, not how many marks there are
        table = table.with_columns(pl.lit(None, dtype=pl.Float64).alias("score"))
    labels: dict[str, Json] = {}
    if isinstance(question, Scale) and question.step:
        steps = round((question.max - question.min) / question.step)
        labels = {"labels": [question.min + question.step * place for place in range(steps + 1)]}
    arguments = {**options, **(labels if statistic in ("kappa", "fleiss") else {})}
    return COEFFICIENTS[statistic](table, question.id, resampling=view.resampling, **arguments)


# What judges see differently


_MOST_MATRICES = 3


def disagreements(view: View) -> Section | None:
    """For every question with one answer out of several, where two judges share items."""
    blocks: list[Figure] = []
    findings: list[str] = []
    for stage, question in view.protocol.questions:
        if not isinstance(question, Choice) or stage.unit is Unit.JUDGE or len(view.people_asked(question.id)) < 2:
            continue
        figures, finding = _question(view, question)
        blocks += figures
        findings += [finding] if finding else []
    return Section("disagreements", "Disagreements", blocks, findings) if blocks else None


@dataclass(frozen=True, slots=True)
class LabelConfusion:
    """How often two labels were given to one item by two people, of all disagreements."""

    labels: tuple[str, str]
    between: int
    total: int


def most_confused(matrices: Sequence[Result]) -> LabelConfusion | None:
    """The two labels between which most disagreements lie, over all pairs of people; None where no two stand out."""
    between: Counter[tuple[str, str]] = Counter()
    for matrix in matrices:
        for row in matrix.rows:
            for label, count_of in row.items():
                if label not in ("label", row["label"]):
                    first, second = sorted((str(row["label"]), str(label)))
                    between[first, second] += int(count_of or 0)
    total = sum(between.values())
    if not total:
        return None
    most, *equal = leading(between, between.__getitem__)
    return None if equal else LabelConfusion(most, between[most], total)


def _finding(view: View, largest: LabelConfusion | None, names: Mapping[str, str], merge: LabelMerge | None) -> str:
    """Between which labels most disagreement lies; what merging would do, where that pair gains most, too."""
    if largest is None or largest.total < FEWEST_ITEMS:
        return ""
    pair = words([view.inside(names[label]) for label in largest.labels])
    most = "Most" if largest.between / largest.total > 0.5 else "The largest part of the"
    share = f"{percent(largest.between / largest.total, 0)} of {count(largest.total)}"
    text = f"**{most} disagreement is between {pair}** ({share})"
    if merge is not None and set(merge.labels) == set(largest.labels):
        return f"{text}; taking them as one would change κ {merge.change}."
    if merge is not None and merge.raises:
        other = words([view.inside(names[label]) for label in merge.labels])
        return f"{text}; κ would rise most (change {merge.change}) if {other} were one label."
    return f"{text}."


@dataclass(frozen=True, slots=True)
class LabelMerge:
    """The two labels whose merger changes κ most to the better, by how much, in words, and whether every pair of judges
    gains by it."""

    labels: tuple[str, str]
    change: str
    raises: bool


def _question(view: View, question: Choice) -> tuple[list[Figure], str]:
    names = {option.id: view.words.option(question.id, option.id).label for option in question.options}
    answers = view.answers(question.id)
    select: dict[str, Any] = {"labels": list(names), "judges": view.people_asked(question.id)}
    matrices = diagnosis.confusion(answers, question.id, resampling=view.resampling, **select)
    if not matrices:
        return [], ""
    largest = sorted(matrices, key=lambda result: -result.counts.get("items", 0))[:_MOST_MATRICES]
    largest += _closest_model(view, question, list(names))
    blocks = [_matrix(view, question.id, result, names) for result in largest]
    best_merge = None
    if len(names) > 2:
        merges = diagnosis.merging(answers, question.id, resampling=view.resampling, **select)
        if question.ordered:
            merges = _of_neighbours(merges, matrices, list(names))
        figure, best_merge = _merging(view, question.id, merges, matrices, names)
        blocks += [figure] if figure else []
    return blocks, _finding(view, most_confused(matrices), names, best_merge)


def _of_neighbours(merges: Sequence[Result], matrices: Sequence[Result], ids: Sequence[str]) -> list[Result]:
    """Of labels in an order only neighbours among those given can be one."""
    rows = [row for matrix in matrices for row in matrix.rows]
    given = {label for row in rows for other in ids if row[other] for label in (other, row["label"])}
    neighbours = {f"{one} + {other}" for one, other in pairwise(label for label in ids if label in given)}
    return [merge for merge in merges if merge.labels["merged"] in neighbours]


def _closest_model(view: View, question: Choice, ids: Sequence[str]) -> list[Result]:
    """The matrix of the person and the model that agree best."""
    agreement = next((agreement for agreement in view.agreements if agreement.question == question.id), None)
    pairs = agreement.pairs_of("people and models", view) if agreement else []
    if not pairs:
        return []
    best = max(pairs, key=lambda result: result.value or 0.0)
    pair = sorted((best.labels["judge"], best.labels["other"]), key=lambda judge: judge in view.models)
    how = view.resampling
    return diagnosis.confusion(view.answers(question.id), question.id, resampling=how, labels=ids, judges=pair)[:1]


def _matrix(view: View, question: str, result: Result, names: Mapping[str, str]) -> Figure:
    ids = list(names)
    counts = [[int(row.get(label, 0)) for label in ids] for row in result.rows]
    one, other = view.names[result.labels["judge"]], view.names[result.labels["other"]]
    cells = [(counts[r][c] + counts[c][r], ids[r], ids[c]) for r in range(len(ids)) for c in range(r)]
    most, first, second = max(cells, default=(0, "", ""))
    total = sum(map(sum, counts)) - sum(counts[place][place] for place in range(len(ids)))
    sentence = f"{one} and {other} differ on {total} items"
    if total:
        between = f"{view.inside(names[second])} and {view.inside(names[first])}"
        sentence += f", {most} of them ({percent(most / total, 0)}) between {between}"
    same = "" if view.pair_kind(result) == "people" else " No other person and model agree better."
    return Figure(
        identifier("confusion", question, result.labels["judge"], result.labels["other"]),
        f"{sentence}.{same} Shade: share of the row; rows with fewer than ten items are left unshaded.",
        str(confusion(list(names.values()), one, other, counts)),
        result.rows,
        view.signature(result),
    )


def _merging(
    view: View, question: str, merges: Sequence[Result], matrices: Sequence[Result], names: Mapping[str, str]
) -> tuple[Figure | None, LabelMerge | None]:
    """The merge that raises κ most over all pairs of people; nothing where no label would be left to disagree on."""
    gains: dict[str, float] = defaultdict(float)
    for result in merges:
        gains[result.labels["merged"]] += result.rows[0]["gain"] or 0.0
    best = max(gains, key=lambda name: gains[name], default="")
    pairs = {f"{one} + {other}": (one, other) for one, other in permutations(names, 2)}
    first, second = pairs.get(best, ("", ""))
    tables = {(m.labels["judge"], m.labels["other"]): {row["label"]: row for row in m.rows} for m in matrices}
    bars = []
    results = [result for result in merges if result.labels["merged"] == best]
    for result in results:
        table = tables[result.labels["judge"], result.labels["other"]]
        between = int(table[first][second] + table[second][first])
        total = sum(int(row[label]) for name, row in table.items() for label in table if label != name)
        bars.append(Merge(view.pair_name(result), between, total, result.rows[0]["before"], result.value))
    changes = [m.after - m.before for m in bars if m.after is not None and m.before is not None]
    if not any(changes):
        return None, None
    change = f"by {_from_to(min(changes), max(changes))}"
    merge = LabelMerge((first, second), change, min(changes) > 0)
    labels = (names[first], names[second])
    caption = (
        f"Taking {words([view.inside(label) for label in labels])} as one would "
        f"{'raise' if merge.raises else 'change'} κ {change}; no other pair gains more. "
        "Fewer labels always agree more easily: read the sentences before merging."
    )
    data = [asdict(bar) for bar in bars]
    figure = Figure(f"merging-{question}", caption, str(merging(labels, bars)), data, view.signature(*results))
    return figure, merge


_MOST, _AROUND, _MOST_JUDGES = 5, 1, 8
_FAR, _BEGINNING = 0.5, 220


def most_disputed(view: View) -> Section | None:
    """Nothing where no two people answered the same item. At most one sentence of each document is shown."""
    if len(view.people) < 2:
        return None
    main = view.counted(of="people").table
    apart = distances(main, view.protocol)
    if apart.is_empty():
        return None
    order = {name: place for place, name in enumerate(document.id for document in view.material.documents)}
    units = (
        apart.group_by(UNIT, maintain_order=True)
        .agg(pl.col("distance").mean(), pl.col("question"), pl.col("distance").alias("parts"))
        .with_columns(pl.col("document").replace_strict(order, default=len(order)).alias("place"))
        .sort("distance", "place", descending=[True, False], maintain_order=True)
    )
    far = units.filter(pl.col("distance") > _FAR)
    alike = units.filter(pl.col("distance") == 0)
    units_shown = units.filter(pl.col("distance") > 0).unique("document", keep="first", maintain_order=True).head(_MOST)
    summary = (
        f"People give the same answers on {count(len(alike))} of {count(len(units))} shared items "
        f"({percent(len(alike) / len(units), 0)}), and lie more than half of the way apart on {count(len(far))} "
        f"({percent(len(far) / len(units), 0)}). The distance of two answers is 0 or 1 for a choice, one less the "
        "share of labels in common for a set, the share of the scale for a number, and one less the share of marked "
        "characters in common for marks (the mean of place alone and of place, category and severity); an item's is "
        "the mean over its questions and pairs of people."
    )
    if units_shown.is_empty():
        return Section("disputed", "Most disputed sentences", [Paragraph(summary)])
    documents = {document.id: document for document in view.material.documents}
    entries = [_entry(view, main, documents.get(row["document"]), row) for row in units_shown.iter_rows(named=True)]
    caption = "The furthest apart, at most one of each document; grey: the sentences around."
    return Section("disputed", "Most disputed sentences", [Paragraph(summary), Quotes("disputed", caption, entries)])


def _entry(view: View, main: pl.DataFrame, document: Document | None, row: Mapping[str, Json]) -> dict[str, Json]:
    place = (pl.col("document") == row["document"]) & (pl.col("segment") == row["segment"])
    rows = main.filter(place & (row["system"] == SYSTEMS))
    answers = [
        (view.names[judge], " · ".join(sentences))
        for judge in view.people
        if (sentences := list(_answers(view, rows.filter(pl.col("judge") == judge))))
    ][:_MOST_JUDGES]
    parts = [
        f"{view.short(question)} {number(part, 2)}"
        for question, part in zip(row["question"], row["parts"], strict=True)
        if part
    ]
    place_words = [str(row["document"]), *([f"sentence {row['segment']}"] if row["segment"] else [])]
    head = f"{', '.join(place_words)} · distance {number(row['distance'], 2)} ({words(parts)})"
    return {"head": head, "lines": lines(document, str(row["segment"]), str(row["system"])), "answers": answers}


def lines(document: Document | None, segment: str, system: str, around: int = _AROUND) -> list[dict[str, Json]]:
    """The sentence with its translation, and its neighbours in grey; of a whole document how it begins."""
    if document is None:
        return []
    whole = not segment and bool(document.segments)
    at = 0 if whole else next((place for place, one in enumerate(document.segments) if one.id == segment), None)
    if at is None:
        return []
    around = 0 if whole else around
    near = range(max(0, at - around), min(len(document.segments), at + around + 1))
    longest = _BEGINNING if whole else None
    rows = [
        _line(document.segments[place].source, document.source_language, context=whole or place != at, longest=longest)
        for place in near
    ]
    systems = system.split("|") if system else [] if whole else list(document.systems)[:1]
    for name in systems:
        if target := document.segments[at].text(name):
            shown_name = name if "|" in system else ""
            rows.append(_line(target, document.target_language, longest=longest) | {"name": shown_name})
    return rows


def _line(text: str, language: str, *, context: bool = False, longest: int | None = None) -> dict[str, Json]:
    shown = text if longest is None else shorten(text, longest)
    direction = languages.direction_of_text(language)
    return {"text": shown, "language": language, "direction": direction, "context": context}


def _answers(view: View, answers: pl.DataFrame) -> Iterator[str]:
    """What one judge said, question by question, in the words of the protocol."""
    for _, question in view.protocol.questions:
        rows = answers.filter(pl.col("question") == question.id)
        if isinstance(question, Text | Spans) or rows.is_empty():
            continue
        sentences = list(_answers_in_words(view, question, list(rows.iter_rows(named=True))))
        if sentences:
            yield f"{view.short(question.id)}: {', '.join(sentences)}"


def _answers_in_words(view: View, question: Question, rows: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for row in rows:
        if isinstance(question, Grid) or (row["row"] and row["label"] is not None):
            lowest = question.options[0].id if isinstance(question, Grid) else ""
            if row["label"] and row["label"] != lowest:
                label = view.inside(view.words.option(question.id, row["label"]).label)
                yield f"{view.inside(view.option(question.id, row['row']))} {label}"
        elif row["labels"] is not None:
            yield from (view.inside(view.words.option(question.id, label).label) for label in row["labels"])
        elif row["ranks"] is not None:
            best = min(row["ranks"])
            first = [name for name, rank in zip(row["system"].split("|"), row["ranks"], strict=False) if rank == best]
            yield first[0] if len(first) == 1 else "tie"
        elif row["label"] is not None:
            shown = row["system"].split("|")
            label = in_order(view.protocol, question.id, row["label"], shown, sorted(shown))
            yield view.inside(view.words.option(question.id, label).label)
        elif row["score"] is not None:
            what = f"{view.inside(view.option(question.id, row['row']))} " if row["row"] else ""
            yield f"{what}{row['score']:.12g}"


_MOST_COMMENTS = 30


def comments(view: View) -> Section | None:
    """The first comments of each judge; how many there are in all is said."""
    question_ids = [question.id for _, question in view.protocol.questions if isinstance(question, Text)]
    answers = view.table.filter(pl.col("question").is_in(question_ids), pl.col("text").is_not_null())
    if not answers.height:
        return None
    documents = {document.id: document for document in view.material.documents}
    entries = []
    for row in answers.head(_MOST_COMMENTS).iter_rows(named=True):
        document = documents.get(row["document"])
        segment = document.segment(row["segment"]) if document and row["segment"] else None
        lines = []
        if document and segment:
            lines = [_line(segment.source, document.source_language, context=True)]
            names = filter(None, row["system"].split("|"))
            lines += [_line(segment.text(name) or "", document.target_language) for name in names]
        entries.append({"lines": lines, "answers": [(view.names.get(row["judge"], row["judge"]), row["text"])]})
    first = f", of which the first {_MOST_COMMENTS}" if answers.height > _MOST_COMMENTS else ""
    caption = f"{plural(answers.height, 'comment')}{first}."
    return Section("comments", "Comments", [Quotes("comments", caption, entries)])
