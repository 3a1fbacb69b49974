"""On which side judges agree more, whether models agree with people, what each side prefers, what context changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from lanner.analysis import FEWEST_ITEMS, PEOPLE, Measure, QuestionPlan, measure, shared_measures, statistic_plan
from lanner.analysis.scores import preference_questions, with_sides
from lanner.errors import LannerError, StatisticError
from lanner.figures.charts import Bar, EstimateRow, Preference, bars, confusion, intervals, preference
from lanner.model import Json, Result, Unit
from lanner.model.alarms import VERDICT_DOCUMENTS
from lanner.model.messages import estimate, leading, name_or_count, number, p_value, percent, plural, words
from lanner.reports.comparison.sides import (
    ComparisonAnswer,
    ComparisonData,
    ComparisonLine,
    Form,
    Gap,
    MatchedQuestions,
    Side,
    Value,
    are_judges,
    form_of,
    gap_of,
    intervals_of,
    item_key,
    lines_by_label,
    matched,
    of_result,
    question_label,
    ratio,
    ratio_gap,
)
from lanner.reports.parts import Figure, Quotes, capital
from lanner.reports.sections.agreement import lines
from lanner.stats import context
from lanner.stats.association import correlations
from lanner.stats.diagnosis import difference
from lanner.stats.models import against_people
from lanner.stats.preference import comparisons, sign_test

_LEVEL = 0.05
_Coefficient = tuple[Side, Measure, QuestionPlan]


def agreement(lab: ComparisonData) -> ComparisonAnswer:
    """The chance-corrected agreement of people on each pair of questions that answer to each other."""
    title = "Do judges agree?"
    pairs = matched(lab.sides)
    if not pairs:
        return ComparisonAnswer(title, missing="the protocols have no questions of the same kind.")
    lines: list[ComparisonLine] = []
    rows: list[EstimateRow] = []
    sentences: list[tuple[str, bool]] = []
    data: list[dict[str, Json]] = []
    signs: list[str] = []
    every: list[Result] = []
    for pair in pairs:
        plans = [side.plan(question) for side, question in zip(lab.sides, pair.questions, strict=True)]
        common = shared_measures(plans)
        coefficients = list(zip(lab.sides, common or [plan.headline for plan in plans], plans, strict=True))
        results = [_result(*coefficient, lab) for coefficient in coefficients]
        values = [of_result(result) for result in results]
        if all(value.value is None for value in values):
            continue
        # α of ranks and α of distances are no two values of one thing: they stand next to each other without a gap
        gaps = [_gap(coefficients[0], other, lab) if common else None for other in coefficients[1:]]
        sign = " / ".join(dict.fromkeys(own_measure.sign for _, own_measure, _ in coefficients))
        signs.append(sign)
        every += results
        label = question_label(lab.sides, [own_measure.question for _, own_measure, _ in coefficients])
        lines.append(ComparisonLine(f"{capital(label)}, {sign}", values, gaps))
        rows += [
            EstimateRow(
                f"{capital(label)}: {side.name}",
                v.value,
                v.low,
                v.high,
                f"n {v.n:,}" if v.n else "",
                rule=not place and bool(rows),
            )
            for place, (side, v) in enumerate(zip(lab.sides, values, strict=True))
        ]
        data += [
            {"question": label, "side": side.name} | result.row() | {"question": label}
            for side, result in zip(lab.sides, results, strict=True)
        ]
        sentences += [_sentence(lab.names[0], lab.names[at], label, gap) for at, gap in enumerate(gaps, start=1) if gap]
    if not lines:
        return ComparisonAnswer(title, missing="no item was judged by two people on either side.")
    clear = [sentence for sentence, weight in sentences if weight] or [sentence for sentence, _ in sentences]
    opening = " ".join(clear[:3]) or "Agreement of people on each question."
    caption = f"{opening} Dot: coefficient; bar: {lab.level} interval over documents; n: items two people judged."
    signature = " · ".join(filter(None, (", ".join(dict.fromkeys(signs)), intervals_of(*every))))
    figure = Figure("lab-agreement", caption, str(intervals("Agreement of judges", rows)), data, signature)
    return ComparisonAnswer(title, lines, figure, " ".join(clear[:2]))


def _result(side: Side, coefficient: Measure, entry: QuestionPlan, lab: ComparisonData) -> Result:
    try:
        return measure(side.counted, coefficient, entry, resampling=lab.resampling)
    except LannerError as error:
        return Result(coefficient.name, None, notes=(error.what,))


def _gap(first: _Coefficient, other: _Coefficient, lab: ComparisonData) -> Gap | None:
    try:
        plans = [statistic_plan(side.counted, coefficient, entry) for side, coefficient, entry in (first, other)]
        return gap_of(difference(*plans, resampling=lab.resampling))
    except LannerError:
        return None


def _sentence(first: str, other: str, label: str, gap: Gap) -> tuple[str, bool]:
    clear = gap.p is not None and gap.p < _LEVEL
    numbers = gap.in_words("difference")
    if gap.documents is not None and gap.documents < VERDICT_DOCUMENTS:
        few = plural(gap.documents, "document")
        return f"On {label} {few} are too few to compare the agreement of {first} and {other} ({numbers}).", False
    if not clear:
        return f"On {label} no difference in agreement between {first} and {other} is shown ({numbers}).", False
    more, less = (first, other) if gap.value > 0 else (other, first)
    if are_judges(more, less):
        return f"On {label} {more} agree **more with each other than {less} do** ({numbers}).", True
    return f"On {label} judges agree **more under {more} than under {less}** ({numbers}).", True


def _turned(lab: ComparisonData, row: Mapping[str, Json]) -> bool:
    """Whether one of two sides counts errors and the other quality, which makes agreement negative."""
    directions = {side.name: side.measure.direction for side in lab.sides if side.measure}
    return directions[str(row["x"])] != directions[str(row["y"])]


def same_scores(lab: ComparisonData) -> ComparisonAnswer:
    """How far the measures of the sides go together, item by item and system by system."""
    title = "Do they say the same?"
    measures = [side.measure for side in lab.sides]
    if not all(measures):
        lacking = [side.name for side in lab.sides if not side.measure]
        return ComparisonAnswer(title, missing=f"there is no score in {words(lacking)}.")
    if lab.shared < 10:
        return ComparisonAnswer(title, missing="the sides share no items.")
    key = item_key(lab.sides)
    means = [
        side.by_people.filter(pl.col("question") == side.measure.of)  # type: ignore[union-attr]
        .group_by(key, maintain_order=True)
        .agg(pl.col("score").mean())
        .with_columns(pl.lit(side.name).alias("judge"), pl.lit("measure").alias("question"))
        for side in lab.sides
    ]
    result = correlations(pl.concat(means), "measure", methods=["pearson", "kendall_b"], resampling=lab.resampling)
    rows = [row for row in result.rows if row["value"] is not None]
    if not rows:
        return ComparisonAnswer(title, missing="one side gives the same score everywhere.")
    lines = []
    for row in rows:
        others = [lab.names.index(row["x"]), lab.names.index(row["y"])]
        own = Value(row["value"], row["low"], row["high"], row["n"])
        values = [own if at == max(others) else Value(None, text="·") for at in range(len(lab.sides))]
        lines.append(ComparisonLine(f"{row['statistic']} of {row['x']} and {row['y']}, by item", values))
    bars = [
        EstimateRow(f"{row['x']} – {row['y']}", row["value"], row["low"], row["high"], str(row["statistic"]).split()[0])
        for row in rows
    ]
    top = rows[0]
    sentence = (
        f"Item by item, {top['x']} and {top['y']} go together with {top['statistic']} "
        f"{estimate(top['value'], top['low'], top['high'], 2)} (n {top['n']:,}"
        f"{'; the lower the better in one of them, so that the sign is turned' if _turned(lab, top) else ''})."
    )
    figure = Figure(
        "lab-same",
        f"{sentence} Bars: {lab.level} intervals.",
        str(intervals("How far scores go together", bars)),
        rows,
        str(result.signature or ""),
    )
    return ComparisonAnswer(title, lines, figure, sentence)


_NAMES = {"kappa": "κ", "jaccard": "mean Jaccard", "pearson": "r", "percent": "% same"}


def models(lab: ComparisonData) -> ComparisonAnswer:
    """How much less a model agrees with people than people agree with each other."""
    title = "Do models judge like people?"
    rows: list[dict[str, Any]] = []
    results: list[Result] = []
    for side in _with_both(lab):
        for question in side.questions:
            form = form_of(question)
            if not form or form[1] in (Form.SPANS, Form.GRID):
                continue
            try:
                result = against_people(side.table, form[0], resampling=lab.resampling)
            except LannerError:
                continue
            results.append(result)
            rows += [
                {"side": side.name, "question": side.says(form[0]), **row}
                for row in result.rows
                if row["difference"] is not None
            ]
    if not rows:
        return ComparisonAnswer(title, missing="no side has both two people and a model.")
    lines = lines_by_label(lab, [{**row, "value": row["difference"], "n": None} for row in rows], _label)
    bars = [
        EstimateRow(
            f"{row['model']}, {row['question']}",
            row["difference"],
            row["low"],
            row["high"],
            p_value(row["p"]),
            hollow=True,
        )
        for row in rows
    ]
    figure = Figure(
        "lab-models",
        f"{_sentence_models(rows)} 0 is how far people agree with each other. Bars: {lab.level} intervals.",
        str(intervals("Agreement of models with people, less agreement among people", bars)),
        rows,
        " · ".join(filter(None, ("model and people", intervals_of(*results)))),
    )
    return ComparisonAnswer(title, lines, figure, _sentence_models(rows))


def _with_both(lab: ComparisonData) -> list[Side]:
    """Sides with two people and a model. People on one side and models on another are seen together."""
    sides = [side for side in lab.whole if side.models and len(side.people) > 1]
    first = lab.whole[0]
    if sides or len({side.protocol.label for side in lab.whole}) > 1 or any(side.scenario for side in lab.whole):
        return sides
    table = pl.concat([side.table for side in lab.whole], how="diagonal")
    names = [name for side in lab.whole for name in side.people]
    both = replace(first, table=table, name=next((side.name for side in lab.whole if not _people(side)), first.name))
    return [both] if both.models and len(both.people) > 1 and len(set(names)) == len(names) else []


def _people(side: Side) -> bool:
    return bool(side.table["judge_kind"].is_in(PEOPLE).any())


def _label(row: Mapping[str, Json]) -> str:
    return f"{row['model']} less people, {_NAMES.get(row['measure'], row['measure'])} on {row['question']}"


def _sentence_models(rows: list[dict[str, Any]]) -> str:
    sentences = []
    for question in dict.fromkeys(row["question"] for row in rows):
        closest = leading((row for row in rows if row["question"] == question), lambda row: row["with_people"])
        best, names = closest[0], list(dict.fromkeys(row["model"] for row in closest))
        levels = f"{number(best['with_people'], 2)} with people, {number(best['among_people'], 2)} among them"
        apart = Gap(best["difference"], best["low"], best["high"]).in_words("difference")
        measure = _NAMES.get(best["measure"], best["measure"])
        sentences.append(
            f"on {question} the closest is {names[0]} ({measure} {levels}; {apart})"
            if len(names) == 1
            else f"on {question} {name_or_count(names, 'model')} are equally close ({measure} {levels})"
        )
    return f"Of the models, {words(sentences)}."


def preferences(lab: ComparisonData) -> ComparisonAnswer:
    """The share of decided comparisons that the first system by name wins, its test over documents, and the gap."""
    title = "Which system is preferred?"
    lines: list[ComparisonLine] = []
    bars: list[Preference] = []
    sentences: list[str] = []
    data: list[dict[str, Any]] = []
    names: tuple[str, str] | None = None
    compared: set[tuple[str, str]] = set()
    for pair in matched(lab.whole):
        if pair.form is not Form.LABELS:
            continue
        outcomes = [_read_comparisons(side, question) for side, question in zip(lab.whole, pair.questions, strict=True)]
        if any(table is None for table in outcomes):
            continue
        tables = [table for table in outcomes if table is not None]
        first = tables[0].row(0, named=True)
        names = names or (first["one"], first["two"])
        compared |= {systems for table in tables for systems in table.select("one", "two").unique().iter_rows()}
        tables = [table.filter(pl.col("one") == names[0], pl.col("two") == names[1]) for table in tables]
        values = [of_result(ratio(table, lab.resampling, scale="share")) for table in tables]
        gaps = [gap_of(ratio_gap(tables[0], table, lab.resampling)) for table in tables[1:]]
        lines.append(ComparisonLine(f"{capital(pair.label)}: {names[0]} preferred over {names[1]}", values, gaps))
        asked = zip(lab.whole, pair.questions, strict=True)
        rows = [_test_row(side, question, names, lab) | {"question": pair.label} for side, question in asked]
        bars += [
            Preference(capital(pair.label), row["side"], row["losses"], row["ties"], row["wins"], row["p"])
            for row in rows
        ]
        data += rows
        sentences.append(_preference_sentence(pair, names[0], rows, gaps))
    if not lines or names is None:
        return ComparisonAnswer(title, missing="no side compares two outputs.")
    text = " ".join(sentences)
    if len(compared) > 1:
        others = plural(len(compared) - 1, "other pair")
        text += f" Of {others} of systems nothing is said here: `lanner prefer` has all pairs of one side."
    figure = Figure(
        "lab-preferences",
        f"{text} Bars are centred on the ties; small numbers are counts.",
        str(preference(bars, names[1], names[0])),
        data,
        "p over documents, ties dropped",
    )
    return ComparisonAnswer(title, lines, figure, text)


def _read_comparisons(side: Side, question: str) -> pl.DataFrame | None:
    if question not in preference_questions(side.protocol, side.by_people):
        return None
    try:
        table, _ = comparisons(with_sides(side.protocol, side.by_people), question)
    except StatisticError:  # words that name no side
        return None
    if not len(table):
        return None
    return table.with_columns(
        (pl.col("won") == 1).cast(pl.Float64).alias("top"), (pl.col("won") != 0).cast(pl.Float64).alias("bottom")
    )


def _test_row(side: Side, question: str, systems: tuple[str, str], lab: ComparisonData) -> dict[str, Any]:
    """How often each of two was preferred, with the p of a report: over documents, as the interval of the share is."""
    compared = with_sides(side.protocol, side.by_people)
    tests = sign_test(compared, question, per_judge=False, resampling=lab.resampling).rows
    test = next((row for row in tests if (row["for"], row["against"]) == systems), {})
    return {"question": question, "side": side.name, "p": test.get("p_documents")} | {
        name: test.get(name, 0) for name in ("wins", "ties", "losses")
    }


def _preference_sentence(pair: MatchedQuestions, system: str, outcomes: list[dict[str, Any]], gaps: list[Any]) -> str:
    each = [
        f"{row['side']}: {row['wins']} of {row['wins'] + row['losses']} for {system}"
        + (f", {p_value(row['p'])}" if row["p"] is not None else "")
        for row in outcomes
    ]
    clear = [row["side"] for row in outcomes if row["p"] is not None and row["p"] < _LEVEL]
    who = " and ".join(clear) or "no side"
    sentence = f"On {pair.label} a preference is shown by **{who}** ({'; '.join(each)})"
    gap = gaps[0] if gaps else None
    if gap:
        sentence += f"; {gap.in_words('the shares differ by')}"
    return f"{sentence}."


_MOST_EXAMPLES, _MOST_LABELS = 5, 8
_ITEM = ["document", "segment", "system"]
_WIDER = (Unit.ISOLATED, Unit.IN_CONTEXT, Unit.DOCUMENT)


def misevaluation(lab: ComparisonData) -> ComparisonAnswer:
    """Sentences that nearly everybody calls perfect alone, and that are marked wrong in their document."""
    title = "What looks right only without context?"
    alone, inside = (_side(lab, unit) for unit in (Unit.ISOLATED, Unit.IN_CONTEXT))
    if alone is None or inside is None:
        return ComparisonAnswer(
            title, missing="it needs one side of isolated sentences and one of sentences in context."
        )
    pairs = [p for p in matched([alone, inside]) if p.form in (Form.NUMBERS, Form.SETS)]
    if not pairs:
        return ComparisonAnswer(title, missing="the two sides ask no question with a best answer.")
    data = pl.concat([_with_side_in_question(alone, "alone"), _with_side_in_question(inside, "inside")], how="diagonal")
    names = [
        [f"{name}@{place}" for name in (p.questions[at] for p in pairs)] for at, place in ((0, "alone"), (1, "inside"))
    ]
    result = context.misevaluations(data, names[0], names[1], resampling=lab.resampling)
    if result.value is None:
        return ComparisonAnswer(
            title, missing=" ".join(result.notes).removeprefix("Undefined: ") or "no sentence looks perfect alone."
        )
    n = result.counts.get("items", 0)
    if n < FEWEST_ITEMS:
        return ComparisonAnswer(title, missing=f"only {plural(n, 'sentence looks', 'sentences look')} perfect alone.")
    numbers = percent(result.value, 0)
    if result.low is not None:
        numbers += f", {lab.level} {percent(result.low, 0)} to {percent(result.high, 0)}"
    sentence = f"Of {n} sentences that look perfect alone, **{len(result.rows)} are wrong in context** ({numbers})."
    values = lab.values(inside.name, of_result(result))
    drawing = bars(
        "Perfect alone",
        [
            Bar(
                "perfect alone",
                (("pmt", len(result.rows), "wrong in context"), ("a1", n - len(result.rows), "right in context")),
                f"n {n}",
            )
        ],
    )
    figure = Figure("lab-misevaluation", sentence, str(drawing), result.rows, str(result.signature or ""))
    return ComparisonAnswer(
        title,
        [ComparisonLine("Perfect alone, wrong in context", values)],
        figure,
        sentence,
        examples=_perfect_alone(alone, inside, result.rows),
    )


def _perfect_alone(alone: Side, inside: Side, rows: Sequence[Mapping[str, Json]]) -> Quotes:
    quotes = [
        _quote(
            inside,
            row,
            [
                (alone.name, f"{percent(row['perfect'], 0)} found nothing"),
                (inside.name, f"{percent(row['flawed'], 0)} found something"),
            ],
        )
        for row in rows[:_MOST_EXAMPLES]
    ]
    return Quotes("lab-misevaluated", "Perfect alone, wrong in context:", quotes)


def verdicts(lab: ComparisonData) -> ComparisonAnswer:
    """Whether the majority's verdict on a sentence turns when more of the document is shown."""
    title = "Which verdicts turn when context appears?"
    results = _narrow_and_wide(lab)
    if results is None:
        return ComparisonAnswer(title, missing="every side shows the same context.")
    narrow, wide = results
    by_article = Unit.DOCUMENT in wide.units and not _same_items(narrow, wide)
    for pair in matched([narrow, wide]):
        if pair.form not in (Form.LABELS, Form.NUMBERS):
            continue
        both = _join_verdicts(narrow, wide, pair, by_article)
        if len(both) >= 10:
            return _compare_verdicts(lab, title, narrow, wide, pair, both)
    return ComparisonAnswer(title, missing="no sentence was judged both ways.")


def _compare_verdicts(
    lab: ComparisonData, title: str, narrow: Side, wide: Side, pair: MatchedQuestions, both: pl.DataFrame
) -> ComparisonAnswer:
    turned = both["narrow"] != both["wide"]
    changes = both.select("document", turned.cast(pl.Float64).alias("top"), pl.lit(1.0).alias("bottom"))
    share = ratio(changes, lab.resampling, scale="share")
    value = of_result(share)
    numbers = estimate(value.value, value.low, value.high, 2)
    turns = f"**{int(turned.sum())} of {len(both)} verdicts on {pair.label} turn**"
    sentence = f"{turns} between {narrow.name} and {wide.name} ({numbers})."
    labels = sorted(set(both["narrow"]) | set(both["wide"]))[:_MOST_LABELS]
    counts = [[both.filter(narrow=a, wide=b).height for b in labels] for a in labels]
    data: list[dict[str, Json]] = both.filter(turned).to_dicts()
    figure = Figure(
        "lab-verdicts",
        f"{sentence} Rows: the majority's verdict under {narrow.name}; columns: under {wide.name}.",
        str(confusion(labels, narrow.name, wide.name, counts)),
        data,
        f"majority per item · {pair.label} · n {len(both)} · {intervals_of(share)}".removesuffix(" · "),
    )
    values = lab.values(wide.name, value)
    quotes = [
        _quote(narrow, row, [(narrow.name, row["narrow"]), (wide.name, row["wide"])]) for row in data[:_MOST_EXAMPLES]
    ]
    examples = Quotes("lab-turned", "Verdicts that turned, the first of them:", quotes)
    return ComparisonAnswer(
        title, [ComparisonLine(f"Verdicts on {pair.label} that turn", values)], figure, sentence, examples=examples
    )


def _side(lab: ComparisonData, unit: Unit) -> Side | None:
    return next((side for side in lab.sides if side.units == {unit} or (unit in side.units and side.scenario)), None)


def _narrow_and_wide(lab: ComparisonData) -> tuple[Side, Side] | None:
    def breadth(side: Side) -> int:
        return max((_WIDER.index(unit) for unit in side.units if unit in _WIDER), default=-1)

    by_breadth = sorted(lab.whole, key=breadth)
    return (by_breadth[0], by_breadth[-1]) if breadth(by_breadth[0]) < breadth(by_breadth[-1]) else None


def _with_side_in_question(side: Side, place: str) -> pl.DataFrame:
    return side.by_people.with_columns(pl.col("question") + f"@{place}")


def _same_items(narrow: Side, wide: Side) -> bool:
    key = ["document", "segment"]
    return (
        len(narrow.by_people.select(key).unique().join(wide.by_people.select(key).unique(), on=key, how="semi")) >= 10
    )


def _join_verdicts(narrow: Side, wide: Side, pair: MatchedQuestions, by_article: bool) -> pl.DataFrame:
    """One row per item of the narrow side with both verdicts. A whole document's verdict stands for its sentences."""
    one, two = pair.questions
    alone = _majority(narrow, one, pair, _ITEM).rename({"verdict": "narrow"})
    if not by_article:
        inside = _majority(wide, two, pair, _ITEM)
        return alone.join(inside.rename({"verdict": "wide"}), on=_ITEM, maintain_order="left")
    documents = (*narrow.material.documents, *wide.material.documents)
    article = {document.id: str(document.meta.get("article", document.id)) for document in documents}
    article_name = pl.col("document").replace_strict(article, default=pl.col("document")).alias("article")
    inside = _majority(replace(wide, table=wide.table.with_columns(article_name)), two, pair, ["article"])
    return alone.with_columns(article_name).join(
        inside.rename({"verdict": "wide"}), on="article", maintain_order="left"
    )


def _majority(side: Side, question: str, pair: MatchedQuestions, key: list[str]) -> pl.DataFrame:
    """The median of scores, rounded; of labels the one that most people gave, or "tie"."""
    if pair.form is Form.NUMBERS:
        table = side.by_people.filter(pl.col("question") == question)
        median = pl.col("score").median().round(0).cast(pl.Int64).cast(pl.String)
        return table.drop_nulls("score").group_by(key, maintain_order=True).agg(median.alias("verdict"))
    votes = side.choices(question).group_by(*key, "label", maintain_order=True).len()
    most = votes.group_by(key, maintain_order=True).agg(pl.col("label").filter(pl.col("len") == pl.col("len").max()))
    verdict = pl.when(pl.col("label").list.len() == 1).then(pl.col("label").list.first()).otherwise(pl.lit("tie"))
    return most.select(*key, verdict.alias("verdict"))


def _quote(side: Side, row: dict[str, Json] | Json, answers: list[tuple[str, str]]) -> dict[str, Json]:
    document = next((d for d in side.material.documents if d.id == row["document"]), None)
    texts = lines(document, str(row["segment"]), str(row["system"]))
    return {"head": str(row["document"]), "lines": texts, "answers": answers}
