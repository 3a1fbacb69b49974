"""`lanner agreement`: how far judges agree, question by question, with intervals over documents."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from lanner import analysis
from lanner.analysis import GROUPS, AnswerPart, CountedRows, Measure, QuestionPlan
from lanner.analysis.alarms import panel_alarms
from lanner.analysis.material import Material, missed_by_judge
from lanner.analysis.measures import JUDGES_ON_ONE_SCALE, METRICS_APART, groups_in, named_measure
from lanner.cli import notes_of, wants_explanation
from lanner.cli.output import Columns, Output, result_rows
from lanner.cli.scores import note_uncounted
from lanner.cli.source import Source, shares
from lanner.designs.expected import control_limit, missed_controls
from lanner.errors import InputError, StatisticError, did_you_mean
from lanner.model import Json, Result, Spans
from lanner.model.alarms import Code, alarm_words
from lanner.model.messages import estimate, words
from lanner.monitor.status import ANSWER_WORDS
from lanner.stats.agreement import alpha, kappa, meaning, reading
from lanner.stats.diagnosis import bias, confusion, disagreements, leave_one_out, merging, prevalence, severity
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling
from lanner.stats.spans import gamma as gamma_of

# `lanner agreement --why`: what disagreement is made of, question by question.


_MOST = 3  # mergers shown for each pair of judges; all of them are in --json


def print_why(
    output: Output, part: Material, domain: str, plans: Iterable[QuestionPlan], resampling: Resampling
) -> None:
    """Mergers, confusions, labels of disagreement and leaning judges of label questions; severity of scores. Of other
    questions it is said that there is nothing."""
    headings: set[tuple[str, str]] = set()
    others: dict[str, None] = {}
    measures = [(entry, measure) for entry in plans for measure in _to_explain(entry)]
    for entry, coefficient in measures:
        about = (coefficient.question, coefficient.row)
        if coefficient.statistic not in (kappa, alpha) or coefficient.options.get("level") == "jaccard":
            others[coefficient.question] = None
            continue
        if about in headings:
            continue
        headings.add(about)
        output.say(" · ".join(filter(None, (part.name, domain, coefficient.row or coefficient.question))), style="bold")
        _Question(output, part, domain, entry, coefficient, resampling).print()
    if headings:
        output.note("A label that is confused wants a sharper definition or a merger; a judge who leans wants a talk.")
    explained = {question for question, _ in headings}
    if unexplained := [question for question in others if question not in explained]:
        output.note(
            f"--why has nothing on {words(unexplained)}: it takes apart answers of which one is chosen, and scores."
        )


def _answers_for(rows: CountedRows, coefficient: Measure, entry: QuestionPlan) -> tuple[Any, dict[str, Any]]:
    """The answers that the printed coefficient is computed on, its options, and answers without a name in words."""
    answers, options = analysis.answers_for(rows.table, coefficient, entry)
    if isinstance(answers, Ratings):
        answers = replace(answers, labels=tuple(ANSWER_WORDS.get(label, label) for label in answers.labels))
    return answers, {name: value for name, value in options.items() if name != "roles"}  # the rows are chosen already


class _Question:
    def __init__(
        self,
        output: Output,
        part: Material,
        domain: str,
        entry: QuestionPlan,
        coefficient: Measure,
        resampling: Resampling,
    ) -> None:
        self.output, self.part, self.resampling = output, part, resampling
        self.about: dict[str, Json] = {"part": part.name, "domain": domain, "question": coefficient.question}
        self.about["row"] = coefficient.row
        self.coefficient = coefficient
        self.rows = part.counted()
        self.answers, self.options = _answers_for(self.rows, coefficient, entry)
        self.select = {name: value for name, value in self.options.items() if name in ("row", "labels")}

    def print(self) -> None:
        question, table, how = self.coefficient.question, self.answers, self.resampling
        if self.coefficient.statistic is kappa or self.coefficient.row:
            self._mergers(merging(table, question, resampling=how, **self.select))
            self._confusions(confusion(table, question, resampling=how, **self.select))
            self._shares(disagreements(table, question, resampling=how, **self.select))
            self._leaning("bias", bias(table, question, resampling=how, **self.select))
        else:
            self._leaning("severity", severity(table, question, resampling=how, **self.select))
        if len(self.part.judges) > 2:
            self._without(leave_one_out(table, question, of=self.coefficient.statistic, resampling=how, **self.options))

    def _table(self, kind: str, rows: list[dict[str, Json]], columns: Columns, title: str, most: int = 0) -> None:
        all_rows = [{"kind": kind, **self.about, **row} for row in rows]
        self.output.rows.extend(all_rows)
        self.output.show(all_rows[:most] if most else all_rows, columns, title)
        self.output.say()

    def _mergers(self, results: list[Result]) -> None:
        self.output.sign(self.rows.sign(results[0]).signature if results else "")
        by_pair: dict[tuple[str, str], list[dict[str, Json]]] = {}
        for result in results:
            row = {**result.row(), **result.rows[0], "value": result.value}
            row["gained"] = estimate(row["gain"], row["low"], row["high"])
            by_pair.setdefault((row["judge"], row["other"]), []).append(row)
        for (one, other), rows in by_pair.items():
            self._table(
                "merger",
                rows,
                ["merged", ("value", "κ then"), ("before", "κ now"), ("gained", "gain [95 %]")],
                f"{one} – {other}: κ if two labels were one",
                _MOST,
            )

    def _confusions(self, results: list[Result]) -> None:
        for result in results:
            one, other = result.labels["judge"], result.labels["other"]
            rows = [{**result.labels, **row} for row in result.rows]
            labels: Columns = [str(row["label"]) for row in result.rows]
            self._table("confusion", rows, [("label", f"{one} ↓"), *labels], f"{one} against {other} →")

    def _shares(self, results: list[Result]) -> None:
        rows = [{**result.row(), "share": estimate(result.value, result.low, result.high)} for result in results]
        both = [row for row in rows if row["side"] == "both" and row["value"]]
        self._table("disagreement", both, ["judge", "other", "label", "share"], "Labels where two judges differ")
        self.output.rows.extend({"kind": "disagreement", **self.about, **row} for row in rows if row["side"] != "both")

    def _leaning(self, kind: str, results: list[Result]) -> None:
        rows = [
            {**row, "estimate": estimate(row["value"], row["low"], row["high"], bounded=kind == "bias")}
            for row in result_rows(results)
        ]
        title = {
            "bias": "How much more often a judge gives a label than the others on the same items",
            "severity": "How much higher a judge scores than the others on the same items",
        }[kind]
        self._table(kind, rows, ["judge", *(["label"] if kind == "bias" else []), ("estimate", "estimate"), "p"], title)

    def _without(self, results: list[Result]) -> None:
        rows = [{**row, **result.rows[0]} for row, result in zip(result_rows(results), results, strict=True)]
        sign = self.coefficient.sign
        self._table(
            "leave one out", rows, ["without", ("estimate", sign), "change"], f"{sign} without each judge in turn"
        )


_MANY_PAIRS = 21
"""More pairs of judges than this (those of seven judges) are not listed one by one."""
_PAIRS = 5
"""How many of them are shown then."""


def run(
    output: Output,
    source: Source,
    question: str | None,
    by: str | None,
    why: bool,
    coefficients: tuple[str, ...],
    gamma: bool,
    unit: str,
    other_judges: bool,
    resamples: int,
    seed: int,
) -> None:
    """Measure how far judges agree: among people, among models, and for each pair of judges."""
    parts = [source.part_that_asks(question)] if question else source.parts()
    unit = "two-way" if other_judges else unit
    resampling = Resampling(unit=unit, n=resamples, seed=seed)  # type: ignore[arg-type]
    for part in parts:
        output.note(*notes_of(part))
        note_uncounted(output, part)
        for domain, share in shares(part, by):
            plans = [_with_named(entry, coefficients) for entry in plan_of(share, question, gamma=gamma)]
            if why:
                print_why(output, share, domain, plans, resampling)
            else:
                Printer(output, share, domain, resampling).print(plans)


def _to_explain(entry: QuestionPlan) -> tuple[Measure, ...]:
    """What disagreement is explained for: the rows of a grid one by one, otherwise the question itself."""
    rows = tuple(measure for measure in entry.parts if measure.part is AnswerPart.ROW)
    return rows or (entry.pairs,)


def _with_named(entry: QuestionPlan, names: Sequence[str]) -> QuestionPlan:
    """The plan with the coefficients that were asked for by name."""
    names_in_plan = {measure.name for measure in entry.measures}
    extra = [named_measure(name, entry.id, entry.question) for name in names if name not in names_in_plan]
    return replace(entry, others=(*entry.others, *extra))


def plan_of(part: Material, question: str | None, *, gamma: bool = False) -> Iterator[QuestionPlan]:
    """What is computed: for all questions that were answered, or for the one asked for."""
    table = part.counted(of=tuple(GROUPS)).table
    if part.protocol is None:
        yield from analysis.plan_table(table, question)
        return
    questions = set(table["question"])
    plans = analysis.plan(part.protocol)
    about_texts = [entry.id for entry in plans]
    matches = [entry for entry in plans if question in (None, entry.id, *(m.question for m in entry.measures))]
    if question and not matches:
        raise InputError(
            f"Nobody can agree on {question!r}: it is free text or asked of the judges themselves.",
            next_step=did_you_mean(question, about_texts),
        )
    for entry in matches:
        measures = [m for m in entry.others if m.question in questions]
        if gamma and isinstance(entry.question, Spans):
            long = {
                (document.id, segment.id): max(map(len, (segment.source, *segment.outputs.values())))
                for document in part.documents
                for segment in document
            }
            measures.append(Measure("gamma", "γ", gamma_of, entry.id, options={"lengths": long}))
        if entry.id in questions or question:
            yield replace(entry, others=tuple(measures))


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """One number of the table: of which question and measure, of whom, and of which group of judges."""

    entry: QuestionPlan
    measure: Measure
    group: str
    result: Result
    unaided: bool = False
    """Whether it is about the items alone that were judged without a model's marks."""

    @property
    def is_pair(self) -> bool:
        return "judge" in self.result.labels


def _without_most_pairs(lines: Sequence[AgreementLine]) -> list[AgreementLine]:
    """The lines a screen has room for. Where a measure has many pairs of judges, those that agree least are kept, in
    the order of their agreement, after the line of everybody together."""
    selection: list[AgreementLine] = []
    for _, lines_of_measure in groupby(lines, key=lambda line: (line.entry.id, line.measure.name, line.measure.row)):
        own = list(lines_of_measure)
        pairs = [line for line in own if line.is_pair]
        if len(pairs) > _MANY_PAIRS:
            pairs_with_value = [line for line in pairs if line.result.value is not None]
            lowest = sorted(pairs_with_value, key=lambda line: line.result.value or 0.0)[:_PAIRS]
            own = [*(line for line in own if not line.is_pair), *lowest]
        selection += own
    return selection


class Printer:
    """Prints how far the judges of one part agree."""

    def __init__(self, output: Output, part: Material, domain: str, resampling: Resampling) -> None:
        self.output, self.part, self.domain, self.resampling = output, part, domain, resampling
        self.everyone = part.counted(of=JUDGES_ON_ONE_SCALE)
        self.groups: dict[str, CountedRows] = {
            name: part.counted(of=name) for name in groups_in(self.everyone.table) or ["people"]
        }
        self.refusals: list[str] = []
        if "metrics" in groups_in(part.counted(of=tuple(GROUPS)).table):
            output.note(METRICS_APART)

    def print(self, plans: Sequence[QuestionPlan]) -> None:
        lines = [line for entry in plans for line in self._lines(entry)]
        self.output.note(*self.refusals)
        if not lines:
            self.output.note(*(() if self.refusals else (self._why_nothing(),)))
            return
        for line in lines:
            about = "Pairs of judges: " if line.is_pair else ""
            self.output.note(*(f"{about}{note}" for note in line.result.notes))
            self.output.sign(line.result.signature)
        explain = wants_explanation()
        visible_lines = lines if explain else _without_most_pairs(lines)
        columns: Columns = [("what", "question"), ("pair", "judges"), ("sign", ""), "estimate", "n"]
        title = " · ".join(filter(None, (self.part.name, self.domain)))
        self.output.table(
            [self._row(line) for line in (lines if self.output.as_json else visible_lines)], columns, title=title
        )
        if len(visible_lines) < len(lines):
            self.output.say(
                f"Of each measure the {_PAIRS} pairs of judges that agree least; all pairs: --explain or --json",
                style="dim",
            )
        self.output.say()
        together = [line for line in lines if not line.is_pair and not line.unaided]
        for sentence in _in_words(together, several=len(self.groups) > 1, explain=explain):
            self.output.say(sentence)
        if not explain:
            self.output.say("What the coefficients mean, and what they miss: --explain", style="dim")
        self._say_prevalence(plans)
        if not self.domain:
            self._say_alarms(plans)
        self.output.say()

    def _why_nothing(self) -> str:
        others = self.part.table["judge"].unique().sort().to_list()
        if others and self.everyone.table.is_empty():
            names = ", ".join(others[:4]) + (" …" if len(others) > 4 else "")
            return (
                f"{self.part.name} holds no judges' own answers but scores by {names}, which may be means of several "
                f"judges, so there is nothing to compare. Systems by one of them: "
                f"lanner scores --judges {shlex.quote(others[0])}; how well metrics follow it: lanner metaeval."
            )
        return f"{self.part.name}: no question about the texts has been answered yet."

    def _lines(self, entry: QuestionPlan) -> Iterator[AgreementLine]:
        judges = self.everyone.table["judge"].n_unique()
        for measure in entry.measures:
            if measure.pairwise and (judges > 2 or len(self.groups) > 1):
                try:
                    for result in analysis.compared_pairs(self.everyone, measure, entry, resampling=self.resampling):
                        yield AgreementLine(entry, measure, "", result)
                except StatisticError as error:
                    self.refusals.append(error.what)
            for group, rows in self.groups.items():
                if len(self.groups) == 1 or rows.table["judge"].n_unique() > 1:
                    yield AgreementLine(entry, measure, group, self._together(rows, measure, entry))
                    if (rows_without_marks := analysis.unaided_rows(rows, entry)) is not None:
                        yield AgreementLine(
                            entry, measure, group, self._together(rows_without_marks, measure, entry), unaided=True
                        )

    def _together(self, rows: CountedRows, measure: Measure, entry: QuestionPlan) -> Result:
        try:
            return analysis.measure(rows, measure, entry, resampling=self.resampling)
        except StatisticError as error:
            return Result(measure.name, None, labels={"question": measure.question}, notes=(error.what,))

    def _row(self, line: AgreementLine) -> dict[str, Json]:
        measure, result = line.measure, line.result
        row: dict[str, Json] = {"part": self.part.name, "question": measure.question, "row": measure.row}
        row |= {"domain": self.domain} if self.domain else {}
        row |= {"group": line.group, "part_of_answer": str(measure.part), "sign": measure.sign, **result.row()}
        row |= {"headline": measure is line.entry.headline and not result.labels.get("judge") and not line.unaided}
        row |= {"help": "withheld"} if line.unaided else {}
        row["question"] = measure.question
        row["reading"] = reading(result)
        row["pair"] = self._who(row)
        row["what"] = measure.row or measure.question
        row["estimate"] = estimate(result.value, result.low, result.high)
        return row

    def _who(self, row: Mapping[str, Json]) -> str:
        if row.get("judge"):
            return f"{row['judge']} – {row['other']}"
        judges = self.groups[row["group"]].table["judge"].unique().sort().to_list()
        who = " – ".join(judges) if len(judges) == 2 else f"all {row['group']}"
        return f"{who}, unaided" if row.get("help") else who

    def _say_prevalence(self, plans: Iterable[QuestionPlan]) -> None:
        """Where κ says little because one label prevails; a weighted κ is about scales, not about labels."""
        rows = next(iter(self.groups.values()))
        all_kappas = ((entry, m) for entry in plans for m in entry.others if m.statistic is kappa)
        with_kappa = {m.question: (entry, m) for entry, m in all_kappas if "weights" not in m.options}
        for name, (entry, measure) in with_kappa.items():
            if name not in set(rows.table["question"]):
                continue
            answers, options = _answers_for(rows, measure, entry)
            second = prevalence(answers, name, resampling=Resampling(method="none"), **options)[1]
            self.output.note(*(f"{name}: {case['note']}" for case in second.rows if case.get("code")))

    def _say_alarms(self, plans: Sequence[QuestionPlan]) -> None:
        """Judges to look at, as on the live page and in reports: by the main question, or the one that was asked for,
        by their times, and by control items."""
        if (people := self.groups.get("people")) is None:
            return
        settings, protocol = self.part.settings, self.part.protocol
        main = protocol and analysis.main_question(protocol, str(settings.get("main_question", "")))
        entry = next((plan for plan in plans if main and plan.id == main.id), plans[0])
        found = panel_alarms(people.table, entry)
        options = {label: ANSWER_WORDS.get(label, label) for label in (found.ratings.labels if found.ratings else ())}
        counts = missed_by_judge(self.part.controls, self.part.left_out)
        by_judge = {judge: (missed, answered) for judge, (missed, answered, _) in counts.items()}
        alarms = [*missed_controls(by_judge, control_limit(settings)), *found.alarms]
        for alarm in alarm_words(found.panel, alarms, {}, options):
            about_answers = alarm.code in (Code.DIFFERS, Code.STRAIGHT_LINE)
            sentence = f"{entry.id if about_answers else 'Judges'}: {alarm.title} {alarm.more}"
            self.output.say(sentence)
            if self.output.as_json:  # people see it on the screen
                self.output.notes.append(sentence)


def _in_words(lines: Sequence[AgreementLine], *, several: bool, explain: bool) -> Iterator[str]:
    """What the numbers mean: the headline of each question, and with `explain` the definition of each coefficient once.
    Questions without a value for the same reason are listed together."""
    explanations: set[str] = set()
    headings: set[str] = set()
    without_value: dict[str, list[str]] = {}
    for line in lines:
        result = line.result
        name = line.measure.row or line.measure.question
        name = f"{name} ({line.group})" if several else name
        if name not in headings and result.value is None:
            without_value.setdefault(reading(result), []).append(name)
        elif name not in headings:
            yield f"{name}: {reading(result, brief=not explain or result.name in explanations)}"
            explanations.add(result.name)
        elif explain and result.name not in explanations and (words := meaning(result)):
            yield f"{name}: {words}"
            explanations.add(result.name)
        headings.add(name)
    for reason, names in without_value.items():
        yield f"{', '.join(names)}: {reason}"
