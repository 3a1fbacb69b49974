"""`lanner plan`: how many documents, sentences and judges are needed, from a pilot or from released ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import polars as pl

from lanner.analysis import GROUPS, Measure, plan, plan_table
from lanner.analysis.economy import world_like, world_of_metrics, world_of_pilot
from lanner.analysis.material import Material
from lanner.analysis.scores import direction_of, group_rows, planned_rankings, preference_questions
from lanner.campaign.create import all_systems
from lanner.cli.output import Columns, Output
from lanner.cli.source import Source, documents_of, shares
from lanner.errors import InputError, LannerError
from lanner.model import Document
from lanner.model.messages import in_number, number, percent
from lanner.stats import power
from lanner.stats.goals import parse_goal
from lanner.stats.power import Components, Design
from lanner.stats.savings import CAMPAIGNS, Savings, World, expected_savings, refuse_agreement

_NAMES = {
    "document": "some documents are harder for all systems",
    "item": "some sentences are harder for all systems",
    "judge": "some judges are stricter",
    "system_document": "systems change places from document to document",
    "system_item": "systems change places from sentence to sentence",
    "system_judge": "judges favour different systems",
    "residual": "one judge's one answer: all that is left",
}
_SHAPE = ("documents", "sentences", "judges", "overlap")
_HELPS = {
    "system_document": "more documents",
    "system_item": "more documents or sentences",
    "system_judge": "more judges",
    "residual": "more of anything",
}
_DISTANCES = {
    (True, False): "as far apart as those of released campaigns",
    (False, False): "as far apart as the pilot or --difference says",
    (False, True): "as metrics order them, and predictions as good as metrics are",
}


def run(output: Output, source: Source, question: str | None, like: str | None, by: str | None, **choices: Any) -> None:
    """Simulate studies from a pilot or from released ratings, and report what each design could detect."""
    request = PlanRequest(output, **choices)
    if like:
        parts = power.defaults(like)
        documents = _unjudged_documents(source) if source.place else ()
        ratings = _model_ratings(source) if source.place and not documents else None
        now = _usual_design(documents) if ratings is None else power.as_run(ratings, "")
        systems = all_systems(documents)
        request.scores(parts, now)
        request.duration(lambda design: _world_like(request, parts, design, ratings, systems))
    elif not source.place:
        raise LannerError("There is nothing to plan from.", next_step="Give a pilot, or --like esa (or mqm, da_sqm).")
    else:
        pilots = [source.part_that_asks(question)] if question else source.parts()[:1]
        for domain, part in shares(pilots[0], by):
            if domain:
                output.say(domain, style="bold")
                request.about = {"domain": domain}
            table = group_rows(part, judges_named=bool(source.judges)).table
            _from_pilot(request, part, table, question or _first_question(part, table))


def _unjudged_documents(source: Source) -> Sequence[Document]:
    """The documents of a source that nobody and nothing has judged yet; none where there are judgements."""
    try:
        part = source.parts(unjudged=True)[0]
    except InputError as error:
        if error.code != "only_texts":
            raise
        return list(documents_of(source.place, source.format))
    return () if part.judgements else part.documents


def _usual_design(documents: Sequence[Document]) -> Design:
    """The design for these documents, four judges taking turns; one of the usual size where there are none."""
    if not documents:
        return Design(20, 10, 4, 1)
    sentences = sum(segment.judged for document in documents for segment in document)
    return Design(len(documents), max(1, round(sentences / len(documents))), 4, 1, max(2, len(all_systems(documents))))


def _model_ratings(source: Source) -> pl.DataFrame:
    """The ratings of metrics and models in a source, all of whose people may still be to come."""
    table = source.parts()[0].table
    ratings = table.filter(pl.col("judge_kind").is_in(["model", "metric"]) & (pl.col("document") != ""))
    if not len(ratings):
        raise InputError(
            f"{source.place} has no ratings of metrics or models.",
            next_step="Add some with lanner metric, or leave out --like to plan from people's answers.",
        )
    return ratings


def _world_like(
    request: PlanRequest, parts: Components, design: Design, ratings: pl.DataFrame | None, systems: Sequence[str]
) -> World | None:
    if ratings is not None and request.difference is None and (world := world_of_metrics(ratings, parts, design)):
        return world
    world = world_like(parts, design, request.difference)
    is_named = world is not None and len(world.systems) == len(systems)
    return replace(world, systems=tuple(systems)) if world is not None and is_named else world


def _first_question(part: Material, table: pl.DataFrame) -> str:
    """What to plan for where nobody says: a score that the protocol ranks by, else any score, else the first answer."""
    answered_ids = set(table["question"])
    numeric = table.drop_nulls("score")["question"].unique(maintain_order=True).to_list()
    question_ids = [q.id for _, q in part.protocol.questions] if part.protocol else []
    for name in (*(entry.of for entry in planned_rankings(part.protocol, table)), *numeric, *question_ids):
        if name in answered_ids:
            return str(name)
    raise InputError(f"{part.name} has no answers to plan from.", next_step="Name the question with --question.")


def _from_pilot(request: PlanRequest, part: Material, table: pl.DataFrame, question: str) -> None:
    """From the rows that count for scores: people's, unless there are none or judges are named."""
    if question in preference_questions(part.protocol, table):
        request.preference(table, question)
        return
    of_question = table.filter(pl.col("question") == question)
    if len(of_question) and of_question["score"].is_null().all():
        entries = plan(part.protocol) if part.protocol else plan_table(part.counted().table)
        measures = [entry.pairs for entry in entries if question in (entry.id, entry.pairs.question)]
        if not measures:
            raise InputError(f"{question} is neither a score nor anything judges can agree on.")
        request.agreement(part, measures[0])
        return
    request.output.note(f"Planned for {question}.")
    components = power.pilot(table, question)
    request.scores(components, power.as_run(table, question))
    if of_question["system"].n_unique() > 1:
        try:
            sign = -1.0 if part.protocol and direction_of(part.protocol, question) == "lower_is_better" else 1.0
        except InputError:  # neither end is better: no campaign looks for the best system
            return
        everyone = part.counted("scores", of=tuple(GROUPS)).table  # metrics say how far apart systems are
        request.duration(lambda design: world_of_pilot(everyone, question, components, design, sign))


@dataclass
class PlanRequest:
    """The designs to compare, and what is printed about them."""

    output: Output
    documents: str
    sentences: str
    panel: str
    overlap: str
    systems: int | None
    difference: float | None
    power: float
    extra: int | None
    goal: str
    other_judges: bool
    minutes: float | None
    rate: float | None
    studies: int
    seed: int
    about: dict[str, str] = field(default_factory=dict)
    """What the rows to come are about: a domain, where each is planned for by itself."""
    _base: Design | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.shape = [_numbers(text) for text in (self.documents, self.sentences, self.panel, self.overlap)]
        refuse_agreement(parse_goal(self.goal))  # before anything is computed

    def scores(self, parts: Components, now: Design) -> None:
        """A difference between two systems: variances, designs, and what more judgements are best spent on."""
        self._variances(parts)
        designs = self._designs(now)
        self._base = designs[0]
        result = power.plan(
            parts,
            designs,
            difference=self.difference,
            power=self.power,
            judges_random=self.other_judges,
            minutes=self.minutes,
            hourly=self.rate,
            n=self.studies,
            seed=self.seed,
        )
        rows = [{**self.about, "kind": "design", **row} for row in result.rows]
        columns: Columns = [*_SHAPE, "systems", "judgements", "hours", "cost", ("width", "interval"), "power"]
        columns.append(("detectable", f"seen in {self.power:.0%}"))
        title = "What each design would show of a difference between two systems"
        self.output.table(rows, columns, title, filled=True)
        self.output.cite(result)
        self.output.say()
        for row in rows[:1]:
            self.output.say(self._design_words(row))
        self._more(parts, designs[0])

    def duration(self, make_world: Callable[[Design], World | None]) -> None:
        """The first design beside an adaptive campaign on the same documents: how much of the work that would take."""
        assert self._base is not None
        world = make_world(self._base)
        if world is None:
            self.output.note("How far apart systems usually are is not known: with --difference savings are simulated.")
            return
        goal = parse_goal(self.goal, world.systems)
        if len(world.sizes) < 3:
            return
        savings = expected_savings(world, goal, campaigns=min(CAMPAIGNS, self.studies), seed=self.seed)
        self.output.say()
        range_column = ("range", "9 of 10 campaigns")
        columns: Columns = ["campaign", "judgements", "share", range_column, "hours", "cost", "decided", "wrong"]
        rows = [self._way(way, savings) for way in ("fixed", "adaptive")]
        self.output.table(rows, columns, f"The first design beside an adaptive campaign (goal {goal})", filled=True)
        self.output.say(
            f"An adaptive campaign takes about {percent(savings.share, 0)} of the work and never more than all of it; "
            f"{savings.campaigns} simulated campaigns, systems {_DISTANCES[world.means is None, world.has_metrics]}."
        )
        if (judges := self._base.overlap) > 1:
            self.output.say(
                f"Both have {judges} judges for each document: choose it by --goal {goal} "
                f"--option judges_per_document={judges}."
            )

    def _way(self, way: str, savings: Savings) -> dict[str, Any]:
        adaptive = way == "adaptive"
        judgements = savings.adaptive_judgements if adaptive else savings.judgements
        hours = None if self.minutes is None else judgements * self.minutes / 60
        return {
            **self.about,
            "kind": "duration",
            "campaign": way,
            "goal": str(savings.goal),
            "judgements": judgements,
            "share": percent(savings.share if adaptive else 1.0, 0),
            "range": f"{percent(savings.low, 0)}–{percent(savings.high, 0)}" if adaptive else "",
            "low": savings.low if adaptive else 1.0,
            "high": savings.high if adaptive else 1.0,
            "hours": hours,
            "cost": None if hours is None or self.rate is None else hours * self.rate,
            "decided": percent(savings.decided_adaptive if adaptive else savings.decided_fixed, 0),
            "wrong": percent(savings.wrong_adaptive if adaptive else savings.wrong_fixed, 0),
        }

    def _variances(self, parts: Components) -> None:
        total = sum(getattr(parts, name) for name in power.PARTS) or 1.0
        rows = [
            {
                **self.about,
                "kind": "variance",
                "source": name,
                "why scores differ": words,
                "variance": getattr(parts, name),
                "share": percent(getattr(parts, name) / total, 0),
                "narrowed by": _HELPS.get(name, "(cancels)"),
            }
            for name, words in _NAMES.items()
        ]
        self.output.table(rows, ["why scores differ", "variance", "share", "narrowed by"], title="Where scores vary")
        self.output.say()

    def _designs(self, now: Design) -> list[Design]:
        systems = self.systems or now.systems
        shape_values = [
            value or [usual]
            for value, usual in zip(self.shape, (now.documents, now.sentences, now.judges, now.overlap), strict=True)
        ]
        if any(self.shape):
            return [Design(d, s, max(j, o), o, systems) for d, s, j, o in product(*shape_values)]
        base = Design(max(2, now.documents), now.sentences, now.judges, now.overlap, systems)
        larger = replace(base, documents=2 * base.documents)
        longer = replace(base, sentences=2 * base.sentences)
        again = replace(base, judges=max(base.judges, 2 * base.overlap), overlap=2 * base.overlap)
        return [base, larger, longer, again]

    def _design_words(self, row: dict[str, Any]) -> str:
        width = float(row["width"])
        pairs = int(row["systems"]) * (int(row["systems"]) - 1) // 2
        among = f" (one of {pairs} pairs, corrected for their number)" if pairs > 1 else ""
        says = (
            f"With {in_number(row['documents'], '{n} document', '{n} documents')} of "
            f"{in_number(row['sentences'], '{n} sentence', '{n} sentences')}, each judged by {row['overlap']}, the "
            f"difference between two systems is known to about ±{width / 2:.2g} points of the scale. "
        )
        if row["detectable"] is None:
            says += f"So few documents cannot show any difference between two systems{among}: plan more of them."
        else:
            says += (
                f"Systems that truly differ by {float(row['detectable']):.2g} are told apart{among} in "
                f"{self.power:.0%} of such studies; smaller differences will often be missed."
            )
        if row.get("power") is not None:
            says += (
                f" A true difference of {self.difference:.12g} is seen in {percent(float(row['power']), 0)} of them."
            )
        return says

    def _more(self, parts: Components, design: Design) -> None:
        extra = self.extra or design.judgements
        result = power.next_judgements(
            parts, design, extra, judges_random=self.other_judges, n=self.studies, seed=self.seed
        )
        rows = [{**self.about, "kind": "extra", **row, "less": percent(row["narrower"], 0)} for row in result.rows]
        self.output.say()
        columns: Columns = ["way", *_SHAPE, ("width", "interval"), ("less", "narrower by")]
        self.output.table(rows, columns, title=f"What {extra:,} more judgements are best spent on")
        best = rows[0]
        self.output.say(f"Best: {best['way']}; the interval becomes {best['less']} narrower.")

    def agreement(self, part: Material, coefficient: Measure) -> None:
        """The interval of an agreement coefficient with more documents."""
        pilot_plan = coefficient.statistic.plan(part.counted().table, coefficient.question, **coefficient.options)
        now = len(pilot_plan.documents)
        sizes = self.shape[0] or sorted({max(2, now // 2), max(2, now), 2 * now, 4 * now})
        result = power.expected_width(pilot_plan, sizes, n=min(self.studies, 400), seed=self.seed)
        rows = [{**self.about, "kind": "agreement", "question": coefficient.question, **row} for row in result.rows]
        title = f"Interval of {coefficient.sign} ({coefficient.question}) with as many documents like the pilot's"
        usual: Columns = [("usual_low", "half of studies: from"), ("usual_high", "to")]
        columns: Columns = ["documents", ("width", "interval"), *usual]
        self.output.table(rows, columns, title=title)
        self.output.cite(result)
        if rows and rows[0]["width"] is not None:
            self.output.say(
                f"{coefficient.sign} is {number(float(pilot_plan.value()[0]))} in the pilot of {now} documents. With "
                f"{rows[-1]['documents']} it would be known to about ±{rows[-1]['width'] / 2:.2f}. Half the width "
                "takes four times the documents; more sentences of the same documents hardly help."
            )

    def preference(self, table: pl.DataFrame, question: str) -> None:
        """The chance to see which of two systems is preferred."""
        pilot = power.preference_pilot(table, question)
        now = table.filter(pl.col("question") == question)["document"].n_unique()
        sizes = self.shape[0] or sorted({max(2, now // 2), now, 2 * now, 4 * now})
        share = 0.5 + self.difference if self.difference is not None else None
        result = power.preference_outlook(pilot, sizes, share=share, n=min(self.studies, 1000), seed=self.seed)
        rows = [
            {**self.about, "kind": "preference", "question": question, **row, "chance": percent(row["power"], 0)}
            for row in result.rows
        ]
        self.output.table(rows, ["documents", "comparisons", ("chance", "preference seen in")], title=question)
        self.output.sign(result.signature)
        preferred_share = max(share or pilot["share"], 1 - (share or pilot["share"]))
        self.output.say(
            f"If one system is preferred in {percent(preferred_share, 0)} of decided comparisons; as in the pilot, "
            f"{percent(pilot['ties'], 0)} are ties and those of one document are alike by {pilot['alike']:.2f}."
        )


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise LannerError(f"{text!r} is no list of numbers.", next_step="Write 20 or 20,40,80.") from error
