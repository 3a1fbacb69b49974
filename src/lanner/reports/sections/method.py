"""What was asked of whom and how it was assigned, and what the judges said about themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl

from lanner.analysis import Reason
from lanner.analysis.scores import bounds_of, keep_means_on_scale
from lanner.figures.typeset import count, interval, number, percent, plural, words
from lanner.model import (
    Choice,
    Grid,
    Json,
    JudgeKind,
    Labels,
    Number,
    Question,
    Rank,
    Result,
    Scale,
    Spans,
    Unit,
    languages,
)
from lanner.reports.parts import Block, Column, Paragraph, Section, Table
from lanner.reports.view import View
from lanner.stats.questionnaire import averages, shares

_MOST_VALUES = 6
_FEWEST_JUDGES = 3
"""Judges who must have answered a questionnaire before anything is said of the highest, lowest or commonest answer."""
_KINDS = {
    JudgeKind.PERSON: "judge",
    JudgeKind.MODEL: "model",
    JudgeKind.METRIC: "metric",
    JudgeKind.SIMULATED: "simulated judge",
    JudgeKind.ADJUDICATED: "adjudication",
}
_UNIT_NAMES = {
    "isolated_sentence": "a sentence alone",
    "sentence_in_context": "a sentence in context",
    "document": "a document",
    "judge": "the judge",
}
_ROLES = {"control": "answered control item", "repeat": "repeated item", "calibration": "calibration item"}
_UNITS = {
    "isolated_sentence": "one isolated sentence at a time",
    "sentence_in_context": "sentence by sentence with the document in view",
    "document": "document by document",
    "judge": "in a questionnaire",
}


def section(view: View) -> Section:
    """The method: judges, texts, questions, intervals."""
    texts = [_who_and_what(view), _describe_assignment(view), _background(view), _intervals(view), _comparisons(view)]
    paragraphs = [Paragraph(text) for text in texts if text]
    if view.simulated:
        paragraphs.insert(
            0,
            Paragraph(
                "**The judges of this campaign are simulated**: nothing here says anything about real translations."
            ),
        )
    if exclusions := _describe_exclusions(view):
        paragraphs.append(Paragraph(exclusions))
    if view.material.notes:  # answers withdrawn, spellings mended: what happened to the data before they were counted
        paragraphs.append(Paragraph(f"**About the data.** {' '.join(view.material.notes)}"))
    return Section("method", "What was done", paragraphs, pasted=True)


def details(view: View) -> Section:
    """For the appendix: every question, and the texts."""
    return Section("questions-and-texts", "Questions and texts", [_question_table(view), _texts(view)])


def _who_and_what(view: View) -> str:
    kinds = Counter(judge.kind for judge in view.judges)
    who = words([plural(number, _KINDS[kind]) for kind, number in kinds.items()]) or "Nobody"
    how = words(list(dict.fromkeys(_UNITS[stage.unit.value] for stage in view.protocol.stages)))
    question_names = words(
        [view.short(q.id) for s, q in view.protocol.questions if q.kind != "text" and s.unit is not Unit.JUDGE]
    )
    return (
        f"{who[0].upper()}{who[1:]} worked with {view.words.title} ({view.protocol.label}), {how}{_extent(view)}. They "
        f"were asked for: {question_names or 'nothing about texts'}. {count(len(view.material.judgements))} answers "
        "were given."
    )


def _extent(view: View) -> str:
    """On how many texts of which languages; nothing where the texts are not known."""
    documents = view.material.documents
    segments = sum(segment.judged for document in documents for segment in document)
    if not segments:
        return ""
    pairs = Counter((d.source_language, d.target_language) for d in documents)
    text = words([f"{languages.name(source)} to {languages.name(target)}" for source, target in pairs])
    systems = list(dict.fromkeys(name for document in documents for name in document.systems))
    outputs = f", with outputs of {plural(len(systems), 'system')}" if systems else ""
    return f", on {plural(segments, 'sentence')} in {plural(len(documents), 'document')} ({text}{outputs})"


def _describe_assignment(view: View) -> str:
    """Who judged what: the design and its seed where they are known, and what came of it."""
    table = view.worked.filter(pl.col("role") == "main", pl.col("document") != "")
    if table.is_empty():
        return "No item has been judged yet."
    people = table.filter(pl.col("judge").is_in(view.people)) if view.people else table
    settings = view.material.settings
    sentences = []
    if design := settings.get("design"):
        seed = f" (seed {settings['seed']})" if settings.get("seed") is not None else ""
        sentences.append(f"Items were assigned by the design “{str(design).replace('_', ' ')}”{seed}.")
    item = people.group_by("document", "segment", "system").agg(pl.len().alias("judges"))
    few, many = int(item["judges"].min() or 0), int(item["judges"].max() or 0)  # type: ignore[arg-type]
    shared_items = int((item["judges"] > 1).sum())
    who = "judge" if view.people else "model"
    each = plural(few, who) if few == many else f"{few} to {plural(many, who)}"
    more = (
        f"; {count(shared_items)} by more than one ({percent(shared_items / len(item), 0)})"
        if 0 < shared_items < len(item)
        else ""
    )
    sentences.append(f"Each of {plural(len(item), 'item')} was judged by {each}{more}.")
    own = people.group_by("judge").agg(pl.len().alias("items"))
    low, high = int(own["items"].min() or 0), int(own["items"].max() or 0)  # type: ignore[arg-type]
    sentences.append(f"A {who} judged {count(low) if low == high else f'{count(low)} to {count(high)}'} items.")
    roles = Counter(dict(view.worked.group_by("role").len().iter_rows()))
    extra = [plural(roles[role], name) for role, name in _ROLES.items() if roles[role]]
    if extra:
        sentences.append(f"Besides there were {words(extra)}, which count in no result but those about them.")
    return " ".join(sentences)


def _describe_exclusions(view: View) -> str:
    """Who is left out and why; rows that count in no result but those about them."""
    sentences = [
        f"{view.names.get(judge, judge)} is left out of every result: {reason.rstrip('.')}."
        for judge, reason in view.material.left_out.items()
    ]
    settled_answers = view.everyone.excluded.get(Reason.SETTLED, 0)
    if settled_answers:
        sentences.append(f"{plural(settled_answers, 'settled answer')} from meetings count as nobody's judgement.")
    return " ".join(sentences)


def _background(view: View) -> str:
    """When the work was done, what was paid, and what is known of the judges."""
    sentences = []
    moments = view.table["answered_at"].drop_nulls()
    if len(moments):
        first, last = moments.min(), moments.max()
        days = f"{first:%-d %B %Y}"  # type: ignore[str-bytes-safe]
        if f"{last:%F}" != f"{first:%F}":  # type: ignore[str-bytes-safe]
            days = f"{days} to {last:%-d %B %Y}"  # type: ignore[str-bytes-safe]
        sentences.append(f"Answers were given {'on' if ' to ' not in days else 'from'} {days}.")
    if rate := view.material.settings.get("hourly_rate"):
        sentences.append(f"Judges were paid {rate:g} {view.material.settings.get('currency') or '€'} an active hour.")
    attributes: dict[str, Counter[str]] = {}
    for judge in view.judges:
        for name, value in judge.attributes.items():
            attributes.setdefault(name, Counter())[str(value)] += 1
    for name, values in attributes.items():
        if len(values) <= _MOST_VALUES:
            counts = words([f"{value} ({number_of})" for value, number_of in values.most_common()])
            sentences.append(f"{name.replace('_', ' ').capitalize()} of the judges: {counts}.")
    if view.protocol.citation:
        sentences.append(f"The protocol is that of {view.protocol.citation}.")
    return " ".join(sentences)


def _question_table(view: View) -> Table:
    """Every question with what could be answered and how many answers there are."""
    counts = dict(view.material.table.filter(pl.col("row") == "").group_by("question").len().iter_rows())
    cells = view.material.table.filter(pl.col("row") != "")  # everything that was answered, counted or not
    cells = cells.select("question", "judge", "document", "segment", "system").unique()
    counts |= dict(cells.group_by("question").len().iter_rows())
    rows: list[dict[str, object]] = []
    for stage, question in view.protocol.questions:
        answers = counts.get(question.id, 0)
        rows.append(
            {
                "question": view.label(question.id),
                "of": _UNIT_NAMES[stage.unit.value],
                "answer": _answer(view, question),
                "n": count(answers),
            }
        )
    columns = [
        Column("question", "Question"),
        Column("of", "Asked of", text=True),
        Column("answer", "Answer", text=True),
        Column("n", "Answers", quiet=True),
    ]
    extremes = _most_and_least_answered(view, counts)
    caption = f"What was asked: {plural(len(rows), 'question')} of {view.words.title}{extremes}."
    signature = f"{view.protocol.label} · hash {view.protocol.hash} · judges {len(view.judges)}"
    return Table("asked", caption, columns, rows, rows, signature)


def _most_and_least_answered(view: View, answer_counts: Mapping[str, int]) -> str:
    """Which question was answered most often, and which least."""
    numbers = {question.id: answer_counts.get(question.id, 0) for _, question in view.protocol.questions}
    if len(numbers) < 2 or not any(numbers.values()):
        return ""
    most, least = max(numbers, key=lambda name: numbers[name]), min(numbers, key=lambda name: numbers[name])
    if numbers[most] == numbers[least]:
        return f", each answered {count(numbers[most])} times"
    return (
        f"; answered most often: {view.short(most)} ({count(numbers[most])}), least: {view.short(least)} "
        f"({count(numbers[least])})"
    )


def _answer(view: View, question: Question) -> str:
    """What could be answered, in a few words."""
    match question:
        case Scale():
            return f"{question.min:g} to {question.max:g}"
        case Choice():
            labels = [view.words.option(question.id, option.id).label for option in question.options]
            return f"one of: {', '.join(map(view.inside, labels))}"
        case Grid():
            return f"{len(question.rows)} rows, each one of {len(question.options)} levels"
        case Labels():
            least, most = question.min, question.max
            number = f"{least}" if least == most else f"{least} to {most}" if most else f"{least} or more"
            return f"{number} of {plural(len(question.choices), 'label')}"
        case Spans():
            kinds = len(question.categories)
            return "marked spans" + (f", {plural(kinds, 'category', 'categories')}" if kinds else "")
        case Rank():
            return "the better one, ties allowed" if question.ties else "the better one"
        case _:
            return {"number": "a number", "text": "free text"}.get(question.kind, question.kind)


def _intervals(view: View) -> str:
    """How the intervals of this report were made, from the signatures of what was computed and from nothing else."""
    ways = Counter(
        (result.interval.method, result.interval.unit, result.interval.level, *_resamples_and_seed(result))
        for result in view.printed
        if result.interval is not None
    )
    if not ways:
        return "No interval could be computed."
    parts = []
    for (method, unit, level, resamples, seed), number_of in ways.most_common():
        how = _METHODS.get(method, f"by the method {method}").format(unit=unit, units=f"{unit}s")
        resampling = f" ({resamples} resamples, seed {seed})" if resamples else ""
        parts.append((number_of, f"{100 * level:g} %, {how}{resampling}"))
    if len(parts) == 1:
        return f"Intervals are {parts[0][1]}."
    each = "; ".join(f"{text} ({number_of} of {len(view.printed)})" for number_of, text in parts)
    return f"Intervals are made in {len(parts)} ways, named in each signature: {each}."


def _comparisons(view: View) -> str:
    """How systems were told apart, from the signatures of the rankings that are printed."""
    ways: dict[str, None] = {}
    for result in view.signed:
        parts = dict(result.signature.parts) if result.signature else {}
        if "correction" not in parts or len(result.rows) < 2:
            continue
        correction = _CORRECTIONS.get(parts["correction"], f"corrected by {parts['correction']}")
        test = _TESTS.get(parts.get("test", ""), f"by the test {parts.get('test', '')}")
        margin = parts.get("margin")
        within = (
            f"; a pair counts as within the margin where two one-sided tests, corrected likewise, show a difference "
            f"smaller than {margin}"
            if margin
            else ""
        )
        ways[f"Pairs of systems were compared {test}, {correction} (level .05){within}."] = None
    return " ".join(ways)


_TESTS = {
    "permutation": "by a permutation test that swaps whole documents",
    "crossed t": "by a t test over documents and judges",
    "signed-rank": "by Wilcoxon's signed-rank test over segments",
    "rank-sum": "by the rank-sum test over segments",
}
_CORRECTIONS = {
    "holm": "corrected for all pairs by Holm's method",
    "shaffer": "corrected for all pairs by Shaffer's method",
    "none": "not corrected for their number",
}


def _resamples_and_seed(result: Result) -> tuple[str, str]:
    """How many resamples were drawn and from which seed; empty where nothing was drawn."""
    parts = dict(result.signature.parts) if result.signature else {}
    return parts.get("resamples", ""), parts.get("seed", "")


_METHODS = {
    "jackknife-t": "from leaving out one {unit} at a time (jackknife standard error, t quantiles)",
    "percentile": "quantiles of resampled {units}",
    "bca": "quantiles of resampled {units}, corrected for bias and skew (BCa)",
    "bca-t": "quantiles of resampled {units}, corrected for bias and skew and widened for few {units} (BCa, t)",
    "Wilson": "Wilson's interval for shares over {units}",
}
"""What the names of methods in signatures mean."""


def _texts(view: View) -> Table:
    rows = []
    for domain in view.domains or [""]:
        documents = [document for document in view.material.documents if document.domain == domain]
        rows.append(_row(domain or "all", [len(document.segments) for document in documents]))
    if len(rows) > 1:
        rows.append({**_row("All", [len(document.segments) for document in view.material.documents]), "total": True})
    columns = [
        Column("domain", "Domain"),
        Column("documents", "Documents"),
        Column("sentences", "Sentences"),
        Column("mean", "per document"),
        Column("range", "min–max", quiet=True),
    ]
    data = [{key: value for key, value in row.items() if key != "total"} for row in rows]
    signature = f"{view.protocol.label} · {view.material.name} · documents {len(view.material.documents):,}"
    return Table("texts", _lengths(view), columns, rows, data, signature)


def _lengths(view: View) -> str:
    """How long the documents are, and in which domain they are longest and shortest."""
    by_domain: dict[str, list[int]] = {}
    for document in view.material.documents:
        by_domain.setdefault(document.domain or "", []).append(len(document.segments))
    everything = [length for lengths in by_domain.values() for length in lengths]
    if not everything:
        return "There are no texts."
    if min(everything) == max(everything):
        return f"Every document has {plural(everything[0], 'sentence')}."
    means = {domain: sum(lengths) / len(lengths) for domain, lengths in by_domain.items()}
    sentence = f"A document has {sum(everything) / len(everything):.1f} sentences on average"
    longest, shortest = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    if len(means) > 1 and longest and shortest and means[longest] > means[shortest]:
        return f"{sentence}, most in {longest} ({means[longest]:.1f}) and fewest in {shortest} ({means[shortest]:.1f})."
    return f"{sentence} ({min(everything)} to {max(everything)})."


def _row(domain: str, lengths: list[int]) -> dict[str, object]:
    return {
        "domain": domain,
        "documents": len(lengths),
        "sentences": sum(lengths),
        "mean": f"{sum(lengths) / len(lengths):.1f}" if lengths else "—",
        "range": f"{min(lengths)}–{max(lengths)}" if lengths else "—",
    }


def questionnaire(view: View) -> Section | None:
    """Nothing where no stage asks the judges themselves."""
    answered_ids = set(view.counted("questionnaire").table["question"].unique())
    questions = [
        question
        for stage in view.protocol.stages
        if stage.unit is Unit.JUDGE
        for question in stage.questions
        if question.id in answered_ids
    ]
    numeric = [q.id for q in questions if isinstance(q, Scale | Number | Grid)]
    choices = [q.id for q in questions if isinstance(q, Choice | Labels)]
    blocks: list[Block] = []
    if numeric:
        blocks.append(_averages(view, numeric))
    if choices:
        blocks.append(_shares(view, choices))
    return Section("questionnaire", "What the judges said", blocks) if blocks else None


def _averages(view: View, questions: list[str]) -> Table:
    rows_counted = view.counted("questionnaire")
    result = keep_means_on_scale(
        rows_counted.sign(averages(rows_counted.table, questions)),
        {question: bounds_of(view.protocol, question) for question in questions},
    )
    rows: list[dict[str, Json]] = [
        {
            "statement": view.words.option(row["question"], row["row"]).label
            if row["row"]
            else view.label(row["question"]),
            "mean": number(row["mean"], 2, bounded=False),
            "ci": interval(row["low"], row["high"], bounded=False),
            "median": number(row["median"], 1, bounded=False),
            "n": row["n"],
        }
        for row in result.rows
    ]
    columns = [
        Column("statement", "Statement"),
        Column("mean", "Mean"),
        Column("ci", "95 %", quiet=True),
        Column("median", "Median"),
        Column("n", "n", quiet=True),
    ]
    data = [dict(row) for row in result.rows]
    ratings = [(row, summary) for row, summary in zip(rows, result.rows, strict=True) if summary["mean"] is not None]
    caption = "Average answers of the judges."
    if len(ratings) > 1 and min(summary["n"] for _, summary in ratings) >= _FEWEST_JUDGES:
        high, low = (pick(ratings, key=lambda pair: pair[1]["mean"])[0] for pick in (max, min))
        caption = (
            f"Average answers of the judges: highest on “{high['statement']}” ({high['mean']} {high['ci']}), lowest on "
            f"“{low['statement']}” ({low['mean']} {low['ci']})."
        ).replace(" )", ")")
    return Table("statements", caption, columns, rows, data, view.signature(result))


def _shares(view: View, questions: list[str]) -> Table:
    rows_counted = view.counted("questionnaire")
    result = rows_counted.sign(shares(rows_counted.table, questions))
    rows: list[dict[str, Json]] = [
        {
            "question": view.label(row["question"]),
            "answer": view.words.option(row["question"], row["label"]).label,
            "count": row["count"],
            "n": row["n"],
        }
        for row in result.rows
    ]
    columns = [
        Column("question", "Question"),
        Column("answer", "Answer", text=True),
        Column("count", "Judges"),
        Column("n", "of", quiet=True),
    ]
    data = [dict(row) for row in result.rows]
    several = [row for row in rows if row["n"] >= _FEWEST_JUDGES]
    top = max(several, key=lambda row: row["count"] / row["n"], default=None)
    caption = "How many judges gave which answer."
    if top is not None:
        caption += f" The most unanimous: “{top['answer']}” to “{top['question']}” ({top['count']} of {top['n']})."
    return Table("answers", caption, columns, rows, data, view.signature(result))
