"""What was asked of whom, how it was assigned, what the judges said about themselves, and how the judging went.

- Control items missed, and how far judges agree with themselves on repeated items.
- How long each item took, and items a minute per judge and domain.
- Judging with a model's marks to start from: what became of them, time saved, and how far judges relied on them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import polars as pl

from lanner.analysis import FEWEST_ITEMS, GROUPS, CountedRows, Measure, Reason, plan
from lanner.analysis.assistance import FATES, Assistance, assistance
from lanner.analysis.material import missed_by_judge
from lanner.analysis.scores import bounds_of, keep_means_on_scale
from lanner.campaign.settings import local_time
from lanner.designs.expected import ControlCounts, control_limit, missed_controls, misses, outcomes, share_interval
from lanner.errors import StatisticError
from lanner.figures.charts import EstimateRow, intervals
from lanner.figures.charts import throughput as draw
from lanner.figures.drawing import Drawing
from lanner.model import (
    Choice,
    Grid,
    Item,
    Json,
    Judge,
    JudgeKind,
    Judgement,
    Labels,
    Number,
    Question,
    Rank,
    Result,
    Role,
    Scale,
    Spans,
    Task,
    Unit,
    all_systems,
    languages,
)
from lanner.model.messages import (
    count,
    duration,
    estimate,
    from_to,
    interval,
    leading,
    level_text,
    name_or_count,
    number,
    p_number,
    percent,
    plural,
    words,
)
from lanner.reports.parts import Block, Column, Figure, Paragraph, Section, Table, printed, value_columns
from lanner.reports.view import View
from lanner.stats.diagnosis import self_agreement
from lanner.stats.effort import BETWEEN, throughput, times
from lanner.stats.frame import SYSTEMS
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
    Unit.ISOLATED: "a sentence alone",
    Unit.IN_CONTEXT: "a sentence in context",
    Unit.DOCUMENT: "a document",
    Unit.JUDGE: "the judge",
}
_ROLES = {"control": "answered control item", "repeat": "repeated item", "calibration": "calibration item"}
_UNITS = {
    Unit.ISOLATED: "one isolated sentence at a time",
    Unit.IN_CONTEXT: "sentence by sentence with the document in view",
    Unit.DOCUMENT: "document by document",
    Unit.JUDGE: "in a questionnaire",
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
    how = words(list(dict.fromkeys(_UNITS[stage.unit] for stage in view.protocol.stages)))
    question_names = words(
        [view.short(q.id) for s, q in view.protocol.questions if q.kind != "text" and s.unit is not Unit.JUDGE]
    )
    who = f"{who[0].upper()}{who[1:]}"
    number = f"{count(len(view.material.judgements))} answers were given"
    others = sum(judgement.judge in view.material.left_out for judgement in view.material.judgements)
    number += f", {count(others)} of them by judges who are left out." if others else "."
    if view.protocol.is_guessed:
        return (
            f"{who} answered{_extent(view)}. The answers came without a protocol: what judges saw and how they were "
            f"asked is not known. They hold: {question_names}. {number}"
        )
    return (
        f"{who} worked with {view.words.title} ({view.protocol.label}), {how}{_extent(view)}. They were asked for: "
        f"{question_names or 'nothing about texts'}. {number}"
    )


def _extent(view: View) -> str:
    """On how many texts of which languages; nothing where the texts are not known."""
    documents = view.material.documents
    segments = sum(segment.judged for document in documents for segment in document)
    if not segments:
        return ""
    pairs = Counter((d.source_language, d.target_language) for d in documents)
    known_pairs = [pair for pair in pairs if set(pair) != {languages.UNDETERMINED}]
    text = words([f"{languages.name(source)} to {languages.name(target)}" for source, target in known_pairs])
    systems = all_systems(documents)
    outputs = f"with outputs of {plural(len(systems), 'system')}" if systems else ""
    about = ", ".join(filter(None, (text, outputs)))
    where = f", on {plural(segments, view.unit)} in {plural(len(documents), 'document')}"
    return f"{where} ({about})" if about else where


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
    item = people.group_by("document", "segment", SYSTEMS).agg(pl.col("judge").n_unique().alias("judges"))
    few, many = int(item["judges"].min() or 0), int(item["judges"].max() or 0)  # type: ignore[arg-type]
    shared_items = int((item["judges"] > 1).sum())
    who = "judge" if view.people else "model" if view.judges_on_one_scale else "metric"
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
        ends = cast(tuple[datetime, datetime], (moments.min(), moments.max()))
        days_of_ends = (local_time(view.material.settings, moment) for moment in ends)
        first, last = (f"{moment.day} {moment:%B %Y}" for moment in days_of_ends)
        days = f"from {first} to {last}" if first != last else f"on {first}"
        sentences.append(f"Answers were given {days}.")
    if rate := view.material.settings.get("hourly_rate"):
        sentences.append(
            f"Judges were paid {rate:.12g} {view.material.settings.get('currency') or '€'} an active hour."
        )
    attributes: dict[str, Counter[str]] = {}
    for judge in view.judges:
        for name, value in judge.attributes.items() if judge.kind is not JudgeKind.MODEL else ():
            attributes.setdefault(name, Counter())[str(value)] += 1
    for name, values in attributes.items():
        if len(values) <= _MOST_VALUES:
            counts = words([f"{value} ({number_of})" for value, number_of in values.most_common()])
            sentences.append(f"{name.replace('_', ' ').capitalize()} of the judges: {counts}.")
    sentences += _how_models_were_asked(view.judges)
    if view.protocol.citation:
        sentences.append(f"The protocol is that of {view.protocol.citation}.")
    return " ".join(sentences)


def _how_models_were_asked(judges: Sequence[Judge]) -> list[str]:
    """Model, prompt and context of each model judge, for whoever asks again; those asked alike in one sentence."""
    names: dict[str, list[str]] = {}
    for judge in judges:
        if judge.kind is JudgeKind.MODEL and "template" in judge.attributes:
            names.setdefault(_manner(judge), []).append(_with_models(judge))
    return [f"{words(models)} answered the prompt {manner}." for manner, models in names.items()]


def _with_models(judge: Judge) -> str:
    models = [str(model) for model in judge.attributes.get("models") or ()]
    return judge.id if models in ([], [judge.id]) else f"{judge.id} ({words(models)})"


def _manner(judge: Judge) -> str:
    known = judge.attributes
    temperatures = words([f"{value:g}" for value in dict.fromkeys(known.get("temperature") or ()) if value is not None])
    parts = [
        str(known["template"]),
        f"context {(known.get('shown') or {}).get('context') or 'people'}",
        f"asked for temperature {temperatures}" if temperatures else "",  # some models take none
        f"asked by {known.get('calls') or 'stages'}",
        f"{known['samples']} samples by {known.get('rule', 'majority')}" if (known.get("samples") or 1) > 1 else "",
        "both orders of a pair" if known.get("swap") else "",
        "options in chance order" if known.get("shuffle") else "",
        plural(known["examples"], "example") if known.get("examples") else "",
    ]
    return ", ".join(filter(None, parts))


def _question_table(view: View) -> Table:
    """Every question with what could be answered and how many answers there are, of those who are not left out."""
    is_settled = pl.col("judge_kind") == str(JudgeKind.ADJUDICATED)
    answers = view.material.table.filter(~is_settled & ~pl.col("judge").is_in(list(view.material.left_out)))
    counts = dict(answers.filter(pl.col("row") == "").group_by("question").len().iter_rows())
    cells = answers.filter(pl.col("row") != "")
    cells = cells.select("question", "judge", "document", "segment", "system").unique()
    counts |= dict(cells.group_by("question").len().iter_rows())
    names = dict.fromkeys(Unit, "not known") if view.protocol.is_guessed else _UNIT_NAMES
    columns = [
        Column("question", "Question", cell=lambda entry: view.label(entry[1].id)),
        Column("of", "Asked of", text=True, cell=lambda entry: names[entry[0].unit]),
        Column("answer", "Answer", text=True, cell=lambda entry: _answer(view, entry[1])),
        Column("n", "Answers", quiet=True, cell=lambda entry: count(counts.get(entry[1].id, 0))),
    ]
    rows = printed(columns, view.protocol.questions)
    extremes = _most_and_least_answered(view, counts)
    caption = f"What was asked: {plural(len(rows), 'question')} of {view.words.title}{extremes}."
    signature = f"{view.protocol.label} · hash {view.protocol.hash} · judges {answers['judge'].n_unique()}"
    return Table("asked", caption, columns, rows, rows, signature)


def _most_and_least_answered(view: View, answer_counts: Mapping[str, int]) -> str:
    """Which question was answered most often, and which least."""
    numbers = {question.id: answer_counts.get(question.id, 0) for _, question in view.protocol.questions}
    if len(numbers) < 2 or not any(numbers.values()):
        return ""
    most, least = max(numbers.values()), min(numbers.values())
    if most == least:
        return f", each answered {count(most)} times"
    often, seldom = (
        name_or_count([view.short(question) for question, own in numbers.items() if own == end], "question")
        for end in (most, least)
    )
    return f"; answered most often: {often} ({count(most)}), least: {seldom} ({count(least)})"


def _answer(view: View, question: Question) -> str:
    """What could be answered, in a few words."""
    match question:
        case Scale() if view.protocol.is_guessed:
            _, end = bounds_of(view.protocol, question.id) or (question.min, question.max)
            ends = f"{question.min:.12g} to {question.max:.12g}, as far as the answers show"
            return "a number" if math.isinf(end) else ends
        case Scale():
            return f"{question.min:.12g} to {question.max:.12g}"
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
        parts.append((number_of, f"{level_text(level)}, {how}{resampling}"))
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
    "Wilson": "Wilson's interval for shares over {units}; where few {units} have any of it, these alone say how much "
    "{units} differ, and where it is tested, none is surer than if all {units} said the same",
}
"""What the names of methods in signatures mean."""


def _texts(view: View) -> Table:
    lengths: dict[str, list[int]] = {domain or "all": [] for domain in view.domains or [""]}
    for document in view.material.documents:
        if (domain := (document.domain or "") if view.domains else "all") in lengths:
            lengths[domain].append(len(document.segments))
    columns = [
        Column("domain", "Domain", cell=lambda entry: entry[0]),
        Column("documents", "Documents", cell=lambda entry: len(entry[1])),
        Column("sentences", "Sentences", cell=lambda entry: sum(entry[1])),
        Column("mean", "per document", cell=lambda e: f"{sum(e[1]) / len(e[1]):.1f}" if e[1] else "—"),
        Column("range", "min–max", quiet=True, cell=lambda e: from_to(min(e[1]), max(e[1])) if e[1] else "—"),
    ]
    data = printed(columns, lengths.items())
    whole = [len(document.segments) for document in view.material.documents]
    rows = data
    if len(data) > 1:
        data = [*data, *printed(columns, [("All", whole)])]
        rows = [*data[:-1], data[-1] | {"total": True}]
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
        return f"Every document has {plural(everything[0], view.unit)}."
    means = {domain: sum(lengths) / len(lengths) for domain, lengths in by_domain.items()}
    sentence = f"A document has {sum(everything) / len(everything):.1f} {view.unit}s on average"
    most, fewest = max(means.values()), min(means.values())
    if "" not in means and f"{most:.1f}" != f"{fewest:.1f}":
        longest, shortest = (
            name_or_count([domain for domain, mean in means.items() if f"{mean:.1f}" == f"{end:.1f}"], "domain")
            for end in (most, fewest)
        )
        return f"{sentence}, most in {longest} ({most:.1f}) and fewest in {shortest} ({fewest:.1f})."
    return f"{sentence} ({min(everything)} to {max(everything)})."


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
        rows_counted.sign(averages(rows_counted.table, questions, resampling=view.resampling)),
        {question: bounds_of(view.protocol, question) for question in questions},
    )

    def statement(row: Mapping[str, Json]) -> str:
        return view.words.option(row["question"], row["row"]).label if row["row"] else view.label(row["question"])

    columns = [
        Column("statement", "Statement", cell=statement),
        Column("mean", "Mean", cell=lambda row: number(row["mean"], 2, bounded=False)),
        Column("ci", view.level, quiet=True, cell=lambda row: interval(row["low"], row["high"], bounded=False)),
        Column("median", "Median", cell=lambda row: number(row["median"], 1, bounded=False)),
        Column("n", "n", quiet=True),
    ]
    ratings = [row for row in result.rows if row["mean"] is not None]
    caption = "Average answers of the judges."
    if len(ratings) > 1 and min(row["n"] for row in ratings) >= _FEWEST_JUDGES:
        ends = [leading(ratings, lambda row: row["mean"]), leading(ratings, lambda row: -row["mean"])]
        if all(len(equal) == 1 for equal in ends):
            high, low = (
                f"“{statement(row)}” ({estimate(row['mean'], row['low'], row['high'], 2, bounded=False)})"
                for [row] in ends
            )
            caption = f"Average answers of the judges: highest on {high}, lowest on {low}."
    return Table("statements", caption, columns, printed(columns, result.rows), result.rows, view.signature(result))


def _shares(view: View, questions: list[str]) -> Table:
    rows_counted = view.counted("questionnaire")
    result = rows_counted.sign(shares(rows_counted.table, questions, resampling=view.resampling))
    columns = [
        Column("question", "Question", cell=lambda row: view.label(row["question"])),
        Column("answer", "Answer", text=True, cell=lambda row: view.words.option(row["question"], row["label"]).label),
        Column("count", "Judges"),
        Column("n", "of", quiet=True),
    ]
    rows = printed(columns, result.rows)
    several = [row for row in rows if row["n"] >= _FEWEST_JUDGES]
    top = leading(several, lambda row: row["count"] / row["n"])
    caption = "How many judges gave which answer."
    if len(top) == 1:
        [row] = top
        caption += f" The most unanimous: “{row['answer']}” to “{row['question']}” ({row['count']} of {row['n']})."
    return Table("answers", caption, columns, rows, result.rows, view.signature(result))


_SPOILED = "spam"  # the name under which a document says which of its outputs is nonsense


def check_section(view: View) -> Section | None:
    """Nothing where there were neither control items nor repeats."""
    blocks: list[Block] = []
    controls = list(view.material.controls) or _misses_in_file(view)
    misses_by_judge = {
        j: counts for j, counts in missed_by_judge(controls, view.material.left_out).items() if counts[1]
    }
    if misses_by_judge:
        blocks.append(_controls(view, misses_by_judge))
    repeats = view.counted("repeats", of=tuple(GROUPS))
    if (repeats.table["role"] == "repeat").any():
        blocks += [figure] if (figure := _repeats(view, repeats)) else []
    return Section("checks", "Controls and repeats", blocks, _findings(view, misses_by_judge)) if blocks else None


def _misses_in_file(view: View) -> list[ControlCounts]:
    """Control items of a file: comparisons in which one output is nonsense and has to be ranked last."""
    nonsense = {d.id: str(d.meta[_SPOILED]) for d in view.material.documents if d.meta.get(_SPOILED)}
    ranks = {question.id for _, question in view.protocol.questions if isinstance(question, Rank)}
    answers = [
        j
        for j in view.material.judgements
        if j.role is Role.CONTROL and j.question in ranks and nonsense.get(j.document) in j.systems
    ]
    return misses(outcomes(_tasks(answers, nonsense), answers)) if answers else []


def _tasks(judgements: Iterable[Judgement], nonsense: dict[str, str]) -> list[Task]:
    tasks = []
    for at, j in enumerate(judgements):
        rule = {j.question: {"worst": j.systems.index(nonsense[j.document])}}
        item = Item(j.document, j.segment, j.systems, Role.CONTROL, {}, rule)
        tasks.append(Task(at, j.judge, j.stage, (item,)))
    return tasks


def _findings(view: View, by_judge: Mapping[str, tuple[int, int, int]]) -> list[str]:
    """Judges who clearly miss more control items than may be missed: the limit and the test of the live page."""
    limit = control_limit(view.material.settings)
    alarms = missed_controls({judge: (missed, answered) for judge, (missed, answered, _) in by_judge.items()}, limit)
    failures, possible = (
        [
            f"{view.names.get(alarm.judge, alarm.judge)} ({by_judge[alarm.judge][0]} of {alarm.n}, "
            f"{percent(alarm.value, 0)} [{percent(alarm.low or 0, 0)}, {percent(alarm.high or 1, 0)}])"
            for alarm in alarms
            if alarm.clear == clear
        ]
        for clear in (True, False)
    )
    if not failures:
        return []
    limit_text = percent(limit, 0) if limit < 1 else plural(int(limit), "item")
    more = f" {words(possible)} missed more as well, but chance may explain it." if possible else ""
    return [f"**Control items were missed too often** by {words(failures)}; the limit is {limit_text}.{more}"]


def _controls(view: View, by_judge: Mapping[str, tuple[int, int, int]]) -> Table:
    data: list[dict[str, Json]] = []
    for judge, (miss_count, items, ties) in by_judge.items():
        low, high = share_interval(miss_count, items)
        name = view.names.get(judge, judge)
        counts = {"judge": name, "answered": items, "missed": miss_count, "ties": ties}
        data.append({**counts, "share": miss_count / items, "low": low, "high": high})
    data.sort(key=lambda row: -row["share"])
    miss_count, items = (sum(row[name] for row in data) for name in ("missed", "answered"))
    sentence = f"{miss_count} of {plural(items, 'control item')} were missed"
    most = leading(data, lambda row: row["share"])
    if miss_count and len(most) < len(data):
        names = [f"{row['judge']} ({row['missed']} of {row['answered']})" for row in most]
        sentence += f", the largest share by {name_or_count(names, 'judge')}"
    columns = [
        Column("judge", "Judge"),
        Column("answered", "Control items"),
        Column("missed", "Missed"),
        Column("ties", "of these ties"),
        Column("share", "Share missed", cell=lambda row: percent(row["share"], 0)),
        Column("ci", "95 %", quiet=True, cell=lambda row: f"[{percent(row['low'], 0)}, {percent(row['high'], 0)}]"),
    ]
    signature = f"control items · {view.protocol.label} · n {items} · judges {len(data)} · Wilson 95 %"
    caption = f"{sentence}. One broken rule misses an item."
    return Table("controls", caption, columns, printed(columns, data), data, signature)


def _repeats(view: View, repeats: CountedRows) -> Table | None:
    results: list[tuple[Measure, str, Result]] = []  # with the judge; "" for all together, whom one may be called like
    question_ids = set(repeats.table.filter(pl.col("role") == "repeat")["question"].unique())
    for coefficient in (entry.pairs for entry in plan(view.protocol)):
        if coefficient.question in question_ids:
            options = {**coefficient.options, "resampling": view.resampling}
            of_judges = self_agreement(repeats.table, coefficient.question, of=coefficient.statistic, **options)
            judge_ids = ("", *(result.labels["judge"] for result in of_judges[1:]))
            results += [
                (coefficient, judge, repeats.sign(result))
                for judge, result in zip(judge_ids, of_judges, strict=True)
                if result.value is not None
            ]
    if not results:
        return None

    def judge_name(entry: tuple[Measure, str, Result]) -> str:
        return view.names.get(entry[1], entry[1]) or "all judges"

    _, ends, n = value_columns("", view.level, of=lambda entry: entry[2])
    columns = [
        Column("question", "Question", cell=lambda entry: view.heading(entry[0].question)),
        Column("judge", "Judge", text=True, cell=judge_name),
        Column("value", "Agreement", cell=lambda entry: f"{entry[0].sign} {number(entry[2].value)}"),
        ends,
        n,
    ]
    best = [
        f"{view.short(coefficient.question)} {coefficient.sign} {estimate(one.value, one.low, one.high, 2)}"
        for coefficient, judge, one in results
        if not judge
    ]
    data = [
        {"question": measure.question, "judge": one.labels["judge"], "coefficient": measure.name, **one.row()}
        for measure, _, one in results
    ]
    signature = view.signature(*(result for _, _, result in results))
    caption = f"How far judges agree with themselves on items that they met twice: {'; '.join(best)}."
    return Table("repeats", caption, columns, printed(columns, results), data, signature)


# Time


_MOST_TOGETHER, _MOST_ROWS, _SAYS_NOTHING = 6, 60, 10


def effort_section(view: View) -> Section | None:
    """Nothing where no times were kept, or where the judges are not people."""
    if not view.people:
        return None
    counted_rows = view.counted("effort", of="people")
    try:
        work = times(counted_rows.table)
        result = counted_rows.sign(throughput(work, resampling=view.resampling))
    except StatisticError:
        return None
    rows = [row for row in result.rows if row["value"] is not None]
    if not rows:
        return None
    overall = {row["judge"]: row for row in rows if row["pooled"]}
    by_pace = sorted(overall, key=lambda judge: overall[judge]["value"])
    hours, items = (sum(row[name] for row in overall.values()) for name in ("hours", "n"))
    sentence = _pace(view, [overall[judge] for judge in by_pace if overall[judge]["n"] >= FEWEST_ITEMS])
    pace = f"Judges worked at {sentence}; " if sentence else "The work took "
    caption = f"{pace}{duration(hours)} in all (n {items:,} timed items)."
    domains = " A judge's figure is the plain mean over domains." if len(view.domains) > 1 else ""
    remark = f" {BETWEEN.capitalize()}." if work.way == BETWEEN else ""
    figure = Figure(
        "throughput",
        f"{caption}{_domains(view, rows)}{domains}{remark} {' '.join(result.notes)}".rstrip(),
        str(_draw(view, rows, [overall[judge] for judge in by_pace])),
        result.rows,
        view.signature(result, judges=len(overall)),
    )
    finding = f"The work took **{duration(hours)}**, at {sentence}."
    return Section("effort", "Effort", [figure], [finding] if sentence else [])


def _pace(view: View, rows: Sequence[Mapping[str, Any]]) -> str:
    """From the slowest to the fastest of the judges with enough timed items, in words; empty where there are none."""
    if not rows:
        return ""
    judges_by_pace: dict[str, list[str]] = {}
    for row in rows:
        judges_by_pace.setdefault(f"{row['value']:.1f}", []).append(view.names[row["judge"]])
    if len(judges_by_pace) == 1 < len(rows):
        return f"{next(iter(judges_by_pace))} items a minute"
    paces = [f"{pace} ({name_or_count(names, 'judge')})" for pace, names in judges_by_pace.items()]
    return f"{' to '.join(dict.fromkeys((paces[0], paces[-1])))} items a minute"


def _domains(view: View, rows: Sequence[Mapping[str, Any]]) -> str:
    """Which domain is slowest, or which are equally slow, if it is so for every judge."""
    by_judge: dict[str, dict[str, float]] = {}
    for row in rows:
        if not row["pooled"] and row["n"] >= FEWEST_ITEMS:
            by_judge.setdefault(row["judge"], {})[row["domain"]] = row["value"]
    several = {judge: rates for judge, rates in by_judge.items() if len(rates) > 1}
    slowest = {
        tuple(sorted(domain for domain, _ in leading(rates.items(), lambda entry: -entry[1])))
        for rates in several.values()
    }
    if not slowest:
        return ""
    names = sorted({domain for domains in slowest for domain in domains})
    if slowest == {tuple(names)} == {tuple(sorted(rates)) for rates in several.values()}:
        return f" No domain is slower than another ({words(names)})."
    if len(slowest) > 1:
        return f" No domain is the slowest for everybody ({words(names)}, by judge)."
    who = "every judge" if len(several) > 1 else view.names[next(iter(several))]
    slowest_are = f"domains for {who} are" if len(names) > 1 else f"domain for {who} is"
    return f" The slowest {slowest_are} {words(names)}."


def _ends(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The interval; none where so few documents were timed that it says nothing."""
    low, high = row["low"], row["high"]
    return (low, high) if high is not None and high < _SAYS_NOTHING * row["value"] else (None, None)


def _draw(view: View, rows: Sequence[Mapping[str, Any]], overall: Sequence[Mapping[str, Any]]) -> Drawing:
    """Each judge in each domain; where judges are many, a row for each with its interval."""
    if len(overall) > _MOST_TOGETHER:
        lines = [
            EstimateRow(view.names[row["judge"]], row["value"], *_ends(row), f"n {row['n']:,}")
            for row in overall[:_MOST_ROWS]
        ]
        return intervals("Items a minute, judge by judge", lines, bounded=False)
    domains = {row["domain"] for row in rows if not row["pooled"]}
    shown = [domain for domain in view.domains if domain in domains]
    rates: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["domain"] in shown if shown else row["pooled"]:
            rates.setdefault(view.names[row["judge"]], {})[row["domain"]] = row["value"]
    return draw(shown or ["all"], rates, "items a minute")


# Working from a model's marks


_DIGITS = {"seconds": 1}


def assistance_section(view: View) -> Section | None:
    """For a campaign whose judges started from a model's marks."""
    results = assistance(view.material, resampling=view.resampling) if view.material.is_prefilled else ()
    if not results:
        return None
    blocks: list[Block] = []
    for result in results:
        blocks += [Paragraph(_methods(result)), _fates(view, result), _comparison_table(view, result)]
    return Section("assistance", "Marks offered by a model", blocks, _assistance_findings(results))


def _methods(result: Assistance) -> str:
    """What was done, from the numbers and their signatures."""
    models = words([entry.model or "an unnamed program" for entry in result.models]) or "the model"
    marks = result.comparisons[0]
    with_marks, without_marks = marks.assisted.counts, marks.unaided.counts
    signature = marks.difference.signature
    parts = dict(signature.parts) if signature else {}
    interval = (
        f" Intervals: {parts['interval']}, degrees of freedom {parts['degrees of freedom']}."
        if parts.get("interval")
        else ""
    )
    return (
        f"Judges started from marks of {models} in {plural(with_marks['items'], 'answer')} about "
        f"{plural(with_marks['documents'], 'document')}. {plural(without_marks['items'], 'answer')} about "
        f"{plural(without_marks['documents'], 'document')}, drawn by chance, equally many for each system, were given "
        "without them: they show how much people mark on their own. **Differences are assisted minus unaided.** "
        "Agreement with the model is F1 by marked characters; what is higher where its marks were shown is reliance on "
        f"it, not evidence for it.{interval}"
    )


def _fates(view: View, result: Assistance) -> Table:
    def fate_column(fate: str) -> Column:
        return Column(
            fate,
            f"{fate.capitalize()} [{view.level}]",
            cell=lambda entry: estimate(entry.fates[fate].value, entry.fates[fate].low, entry.fates[fate].high),
        )

    columns = [
        Column("model", "Model", cell=lambda entry: entry.model or "unnamed"),
        *map(fate_column, FATES),
        Column("n", "Marks", quiet=True, cell=lambda entry: f"{entry.offered:,}"),
    ]
    additions = estimate(result.added.value, result.added.low, result.added.high, 2, bounded=False)
    caption = (
        f"{view.heading(result.question)}: what became of the marks that were offered, with intervals over "
        f"documents. Judges added {additions} marks to an item."
    )
    data = [row for row in result.to_rows() if row.get("model")]
    signature = view.signature(*(entry.fates[fate] for entry in result.models for fate in FATES))
    rows = printed(columns, result.models)
    return Table(f"offered-{result.question}", caption, columns, rows, data, signature)


def _comparison_table(view: View, result: Assistance) -> Table:
    comparisons = [*result.comparisons, *result.judges]
    data = [row for row in result.to_rows() if row.get("items")]
    signature = view.signature(*(comparison.difference for comparison in comparisons))

    def side_column(side: str) -> Column:
        heading = f"{side.capitalize()} [{view.level}]"
        return Column(side, heading, cell=lambda row: _shown(row.measure, getattr(row, side)))

    columns = [
        Column("what", "", cell=lambda comparison: _heading(comparison.measure)),
        *map(side_column, ("assisted", "unaided", "difference")),
        Column("p", "p", quiet=True, cell=lambda comparison: p_number(comparison.difference.p)),
        Column("n", "Unaided answers", quiet=True, cell=lambda c: f"{c.unaided.counts.get('items', 0):,}"),
    ]
    caption = (
        f"{view.heading(result.question)}: items judged with the model's marks and without. Judges who "
        "start from the same marks agree with each other more than they would on their own, so **their agreement is "
        "inflated on assisted items**; the unaided ones show it as it is."
    )
    rows = printed(columns, comparisons)
    return Table(f"assistance-{result.question}", caption, columns, rows, data, signature)


def _shown(measure: str, result: Result) -> str:
    """An estimate; nothing of fewer items than are needed to say anything."""
    if result.counts.get("items", FEWEST_ITEMS) < FEWEST_ITEMS:
        return ""
    return estimate(result.value, result.low, result.high, _DIGITS.get(measure, 2), bounded=False)


def _heading(measure: str) -> str:
    """With a capital letter, unless it begins with a coefficient's sign (α); F1 keeps its own."""
    return f"{measure[0].upper()}{measure[1:]}" if measure[0].isascii() else measure


def _assistance_findings(results: Sequence[Assistance]) -> list[str]:
    """The share kept, and reliance where its interval leaves no doubt."""
    findings = []
    for result in results:
        follows = next(c for c in result.comparisons if c.measure == "agreement with the model")
        shares_kept = [entry.fates["kept"] for entry in result.models]
        if not shares_kept or shares_kept[0].counts.get("marks", 0) < FEWEST_ITEMS:
            continue
        share = percent(shares_kept[0].value or 0.0, 0)
        sentence = f"Judges kept **{share} of the marks** that a model offered"
        low = follows.difference.low
        if low is not None and low > 0:
            gap = estimate(follows.difference.value, low, follows.difference.high, 2, bounded=False)
            sentence += f" and **follow it more than they would unaided** (F1 with the model {gap} higher)"
        findings.append(f"{sentence}.")
    return findings
