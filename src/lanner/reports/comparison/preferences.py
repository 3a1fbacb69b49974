"""What is preferred on each side, and what context changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from lanner.analysis.scores import preference_questions
from lanner.errors import StatisticError
from lanner.figures.charts import Bar, Preference, bars, preference
from lanner.figures.matrices import confusion
from lanner.figures.typeset import estimate, p_value, percent, plural
from lanner.model import Document, Json, Unit
from lanner.reports.comparison.sides import (
    Answer,
    Form,
    Lab,
    Line,
    MatchedQuestions,
    Side,
    Value,
    matched,
    ratio,
    ratio_gap,
)
from lanner.reports.parts import Figure, Quotes
from lanner.reports.sections.disagreements import lines
from lanner.stats import context
from lanner.stats.preference import comparisons, exact_sign_test

_LEVEL = 0.05


def preferences(lab: Lab) -> Answer:
    """The share of decided comparisons that the first system by name wins; the sign test of each side; the gap."""
    title = "Which system is preferred?"
    lines: list[Line] = []
    bars: list[Preference] = []
    sentences: list[str] = []
    data: list[dict[str, Any]] = []
    names: tuple[str, str] | None = None
    for pair in matched(lab.whole):
        if pair.form is not Form.LABELS:
            continue
        outcomes = [_read_comparisons(side, question) for side, question in zip(lab.whole, pair.questions, strict=True)]
        if any(table is None for table in outcomes):
            continue
        tables = [table for table in outcomes if table is not None]
        first = tables[0].row(0, named=True)
        names = names or (first["one"], first["two"])
        tables = [table.filter(pl.col("one") == names[0], pl.col("two") == names[1]) for table in tables]
        values = [ratio(table, lab.resampling, scale="share") for table in tables]
        gaps = [ratio_gap(tables[0], table, lab.resampling) for table in tables[1:]]
        lines.append(Line(f"{pair.label.capitalize()}: {names[0]} preferred over {names[1]}", values, gaps))
        rows = [_test_row(side, pair, table) for side, table in zip(lab.whole, tables, strict=True)]
        bars += [
            Preference(pair.label.capitalize(), row["side"], row["losses"], row["ties"], row["wins"], row["p"])
            for row in rows
        ]
        data += rows
        sentences.append(_sentence(pair, names[0], rows, gaps))
    if not lines or names is None:
        return Answer(title, missing="no side compares two outputs.")
    text = " ".join(sentences)
    figure = Figure(
        "lab-preferences",
        f"{text} Bars are centred on the ties; small numbers are counts.",
        str(preference(bars, names[1], names[0])),
        data,
        "sign test, ties dropped, judgements taken as independent",
    )
    return Answer(title, lines, figure, text, data=data)


def _read_comparisons(side: Side, question: str) -> pl.DataFrame | None:
    if question not in preference_questions(side.protocol, side.by_people):
        return None
    try:
        table, _ = comparisons(side.by_people, question)
    except StatisticError:  # words that name no side
        return None
    if not len(table):
        return None
    return table.with_columns(
        (pl.col("won") == 1).cast(pl.Float64).alias("top"), (pl.col("won") != 0).cast(pl.Float64).alias("bottom")
    )


def _test_row(side: Side, pair: MatchedQuestions, table: pl.DataFrame) -> dict[str, Any]:
    wins, losses, ties = (int((table["won"] == k).sum()) for k in (1, -1, 0))
    test = exact_sign_test(wins, losses, ties)
    return {"question": pair.label, "side": side.name, "wins": wins, "ties": ties, "losses": losses, "p": test.p}


def _sentence(pair: MatchedQuestions, system: str, outcomes: list[dict[str, Any]], gaps: list[Any]) -> str:
    each = [
        f"{row['side']}: {row['wins']} of {row['wins'] + row['losses']} for {system}, {p_value(row['p'])}"
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


def misevaluation(lab: Lab) -> Answer:
    """Sentences that nearly everybody calls perfect alone, and that are marked wrong in their document."""
    title = "What looks right only without context?"
    alone, inside = (_side(lab, unit) for unit in (Unit.ISOLATED, Unit.IN_CONTEXT))
    if alone is None or inside is None:
        return Answer(title, missing="it needs one side of isolated sentences and one of sentences in context.")
    pairs = [p for p in matched([alone, inside]) if p.form in (Form.NUMBERS, Form.SETS)]
    if not pairs:
        return Answer(title, missing="the two sides ask no question with a best answer.")
    data = pl.concat([_with_side_in_question(alone, "alone"), _with_side_in_question(inside, "inside")], how="diagonal")
    names = [
        [f"{name}@{place}" for name in (p.questions[at] for p in pairs)] for at, place in ((0, "alone"), (1, "inside"))
    ]
    result = context.misevaluations(data, names[0], names[1], resampling=lab.resampling)
    if result.value is None:
        return Answer(
            title, missing=" ".join(result.notes).removeprefix("Undefined: ") or "no sentence looks perfect alone."
        )
    n = result.counts.get("items", 0)
    numbers = f"{percent(result.value, 0)}, 95 % {percent(result.low, 0)} to {percent(result.high, 0)}"
    sentence = (
        f"Of {plural(n, 'sentence')} that look perfect alone, **{len(result.rows)} are wrong in context** ({numbers})."
    )
    values = [Value(None, text="—") for _ in lab.sides]
    values[lab.names.index(inside.name)] = Value(result.value, result.low, result.high, n)
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
    figure = Figure(
        "lab-misevaluation", sentence, str(drawing), [dict(row) for row in result.rows], str(result.signature or "")
    )
    return Answer(
        title,
        [Line("Perfect alone, wrong in context", values)],
        figure,
        sentence,
        examples=_perfect_alone(alone, inside, result.rows),
        data=[dict(row) for row in result.rows],
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


def verdicts(lab: Lab) -> Answer:
    """Whether the majority's verdict on a sentence turns when more of the document is shown."""
    title = "Which verdicts turn when context appears?"
    results = _narrow_and_wide(lab)
    if results is None:
        return Answer(title, missing="every side shows the same context.")
    narrow, wide = results
    by_article = Unit.DOCUMENT in wide.units and not _same_items(narrow, wide)
    for pair in matched([narrow, wide]):
        if pair.form not in (Form.LABELS, Form.NUMBERS):
            continue
        both = _join_verdicts(narrow, wide, pair, by_article)
        if len(both) >= 10:
            return _compare_verdicts(lab, title, narrow, wide, pair, both)
    return Answer(title, missing="no sentence was judged both ways.")


def _compare_verdicts(
    lab: Lab, title: str, narrow: Side, wide: Side, pair: MatchedQuestions, both: pl.DataFrame
) -> Answer:
    turned = both["narrow"] != both["wide"]
    changes = both.select("document", turned.cast(pl.Float64).alias("top"), pl.lit(1.0).alias("bottom"))
    value = ratio(changes, lab.resampling, scale="share")
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
        f"majority per item · {pair.label} · n {len(both)}",
    )
    values = [Value(None, text="—") for _ in lab.sides]
    values[lab.names.index(wide.name)] = value
    quotes = [
        _quote(narrow, row, [(narrow.name, row["narrow"]), (wide.name, row["wide"])]) for row in data[:_MOST_EXAMPLES]
    ]
    examples = Quotes("lab-turned", "Verdicts that turned, the first of them:", quotes)
    return Answer(
        title, [Line(f"Verdicts on {pair.label} that turn", values)], figure, sentence, examples=examples, data=data
    )


def _side(lab: Lab, unit: Unit) -> Side | None:
    return next((side for side in lab.sides if side.units == {unit} or (unit in side.units and side.scenario)), None)


def _narrow_and_wide(lab: Lab) -> tuple[Side, Side] | None:
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
    article = {document.id: _article(document) for document in (*narrow.material.documents, *wide.material.documents)}
    article_name = pl.col("document").replace_strict(article, default=pl.col("document")).alias("article")
    inside = _majority(replace(wide, table=wide.table.with_columns(article_name)), two, pair, ["article"])
    return alone.with_columns(article_name).join(
        inside.rename({"verdict": "wide"}), on="article", maintain_order="left"
    )


def _article(document: Document) -> str:
    return str(document.meta.get("article", document.id))


def _majority(side: Side, question: str, pair: MatchedQuestions, key: list[str]) -> pl.DataFrame:
    """The median of scores, rounded; of labels the one that most people gave, or "tie"."""
    table = side.by_people.filter(pl.col("question") == question)
    if pair.form is Form.NUMBERS:
        median = pl.col("score").median().round(0).cast(pl.Int64).cast(pl.String)
        return table.drop_nulls("score").group_by(key, maintain_order=True).agg(median.alias("verdict"))
    answers = table.with_columns(pl.Series("answer", list(_answers(table)), dtype=pl.String)).drop_nulls("answer")
    votes = answers.group_by(*key, "answer", maintain_order=True).len()
    most = votes.group_by(key, maintain_order=True).agg(pl.col("answer").filter(pl.col("len") == pl.col("len").max()))
    verdict = pl.when(pl.col("answer").list.len() == 1).then(pl.col("answer").list.first()).otherwise(pl.lit("tie"))
    return most.select(*key, verdict.alias("verdict"))


def _answers(table: pl.DataFrame) -> Iterator[str | None]:
    """The label, or for a comparison who is preferred."""
    for label, system, ranks in table.select("label", "system", "ranks").iter_rows():
        if ranks is None:
            yield label
            continue
        best = [name for name, rank in zip(system.split("|"), ranks, strict=False) if rank == min(ranks)]
        yield best[0] if len(best) == 1 else "tie"


def _quote(side: Side, row: dict[str, Json] | Json, answers: list[tuple[str, str]]) -> dict[str, Json]:
    document = next((d for d in side.material.documents if d.id == row["document"]), None)
    texts = lines(document, str(row["segment"]), str(row["system"]))
    return {"head": str(row["document"]), "lines": texts, "answers": answers}
