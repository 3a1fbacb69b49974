"""`lanner plan`: how many documents, sentences and judges are needed, from a pilot or from released ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from lanner.analysis import Measure
from lanner.analysis.material import Material
from lanner.analysis.planning import (
    USUAL,
    PlanKind,
    aim_of,
    compared_designs,
    compared_sizes,
    design_of_ratings,
    model_ratings,
    usual_design,
    world_before,
    world_of_part,
)
from lanner.analysis.scores import group_rows, with_sides
from lanner.cli import refuse_unused
from lanner.cli.output import Columns, Output
from lanner.cli.scores import note_uncounted
from lanner.cli.source import Source, documents_of, shares
from lanner.errors import InputError, LannerError
from lanner.model import Document, all_systems
from lanner.model.messages import number, percent, plural
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
_GUESSED = ", and predictions as good as metrics are"


def run(output: Output, source: Source, question: str | None, like: str | None, by: str | None, **choices: Any) -> None:
    """Simulate studies from a pilot or from released ratings, and report what each design could detect."""
    request = PlanRequest(output, **choices)
    if like:
        parts = power.defaults(like)
        documents = _unjudged_documents(source) if source.place else ()
        ratings = model_ratings(source.parts()[0]) if source.place and not documents else None
        systems = all_systems(documents)
        now = usual_design(documents, len(systems)) if ratings is None else design_of_ratings(ratings)
        request.scores(parts, now)
        world = world_before(parts, request.base, difference=request.difference, ratings=ratings, systems=systems)
        if world is None:
            output.note("How far apart systems usually are is not known: with --difference savings are simulated.")
        elif request.difference is not None:
            request.duration(world, f"{request.difference:.12g} points from one to the next")
        else:
            request.duration(
                world, "as metrics order them" if world.has_metrics else "as far apart as those of released campaigns"
            )
    elif not source.place:
        raise LannerError("There is nothing to plan from.", next_step="Give a pilot, or --like esa (or mqm, da_sqm).")
    else:
        pilots = [source.part_that_asks(question)] if question else source.parts()[:1]
        for domain, part in shares(pilots[0], by):
            if domain:
                output.say(domain, style="bold")
                request.about = {"domain": domain}
            rows = group_rows(part, judges_named=bool(source.judges))
            note_uncounted(output, part, rows)
            request.pilot(part, rows.table, question)


def _unjudged_documents(source: Source) -> Sequence[Document]:
    """The documents of a source that nobody and nothing has judged yet; none where there are judgements."""
    try:
        part = source.parts(unjudged=True)[0]
    except InputError as error:
        if error.code != "only_texts":
            raise
        return list(documents_of(source.place, source.format))
    return () if part.judgements else part.documents


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
    base: Design = field(default=USUAL, init=False)
    """The first of the designs."""

    def __post_init__(self) -> None:
        sizes = zip(_SHAPE, (self.documents, self.sentences, self.panel, self.overlap), strict=True)
        self.sizes = {name: _numbers(text) for name, text in sizes}
        refuse_agreement(parse_goal(self.goal))  # before anything is computed

    def pilot(self, part: Material, table: pl.DataFrame, question: str | None) -> None:
        """What a pilot says; `table` has the rows of it that count for scores."""
        aim = aim_of(part, table, question)
        only_scores = ("--sentences", "--panel", "--overlap", "--other-judges")
        if aim.kind is PlanKind.PREFERENCE:
            refuse_unused(f"for {aim.question}, which is a preference", *only_scores)
            self.preference(with_sides(part.protocol, table), aim.question)
        elif aim.measure is not None:
            refuse_unused(f"for {aim.question}, which is no score", *only_scores, "--difference")
            self.agreement(part, aim.measure)
        else:
            self.output.note(f"Planned for {aim.question}.")
            components = power.pilot(table, aim.question, judges_random=self.other_judges)
            self.scores(components, power.as_run(table, aim.question))
            several = table.filter(pl.col("question") == aim.question)["system"].n_unique() > 1
            if several and (world := world_of_part(part, table, aim.question, components, self.base)):
                self.duration(world, "as far apart as the pilot's")

    def scores(self, parts: Components, now: Design) -> None:
        """A difference between two systems: variances, designs, and what more judgements are best spent on."""
        self._variances(parts)
        designs = compared_designs(now, **self.sizes, systems=self.systems)
        self.base = designs[0]
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

    def duration(self, world: World, distances: str) -> None:
        """The first design beside an adaptive campaign on the same documents: how much of the work that would take.
        `distances` says how far apart the systems of this world are."""
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
            f"{savings.campaigns} simulated campaigns, systems {distances}{_GUESSED if world.has_metrics else ''}. "
            "Both are decided by the test of `lanner campaign decided`; that of a ranking, whose power stands above, "
            "takes more where documents are few."
        )
        if (judges := self.base.overlap) > 1:
            self.output.say(
                f"Both have {judges} judges for each document: choose it by --goal {goal} "
                f"--option judges_per_document={judges}."
            )

    def _way(self, way: str, savings: Savings) -> dict[str, Any]:
        adaptive = way == "adaptive"
        judgements = savings.adaptive_judgements if adaptive else savings.judgements
        hours = None if self.minutes is None else judgements * self.minutes / 60
        low, high = percent(savings.low, 0), percent(savings.high, 0)
        return {
            **self.about,
            "kind": "duration",
            "campaign": way,
            "goal": str(savings.goal),
            "judgements": judgements,
            "share": percent(savings.share if adaptive else 1.0, 0),
            "range": (low if low == high else f"{low}–{high}") if adaptive else "",
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

    def _design_words(self, row: dict[str, Any]) -> str:
        width = float(row["width"])
        pairs = int(row["systems"]) * (int(row["systems"]) - 1) // 2
        among = f" (one of {pairs} pairs, corrected for their number)" if pairs > 1 else ""
        says = (
            f"With {plural(row['documents'], 'document')} of "
            f"{plural(row['sentences'], 'sentence')}, each judged by {row['overlap']}, the "
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
        sizes = self.sizes["documents"] or compared_sizes(now)
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
        sizes = self.sizes["documents"] or compared_sizes(now)
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
