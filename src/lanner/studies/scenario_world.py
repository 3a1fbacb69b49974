"""Castilho 2021 with judges of known truth: isolated sentences, sentences in context, documents; two sets, two groups.

The judges answer the protocol `scenarios` under the Latin square, then the questionnaire. Estimates come out in the
shapes of the paper's tables, each beside the value that its coefficient must have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.model import Document, Item, Json, Judge, JudgeKind, Segment
from lanner.stats import questionnaire
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.resample import Resampling
from lanner.studies.simulation import Answering, answer_all, coefficient, collapsed, dice, passing_store, together
from lanner.studies.study import CellResult, Data

PART = "scenarios"
SETS = ("set1", "set2")
LEVEL = 0.99
_SYSTEMS = ("alder", "birch")
_POINTS = 6


@dataclass(frozen=True)
class World:
    """What is true: for each family of questions the answers, their shares and how reliably judges find them, by test
    set and scenario; the mean of each statement; how often judges read again."""

    seed: int
    families: Mapping[str, Mapping[str, Any]]
    statements: Mapping[str, Sequence[float]]
    one_score: Sequence[float]
    reread: Mapping[str, Mapping[str, float]]
    rows: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def answering(self, family: str, scenario: str, test_set: str) -> Answering:
        about = self.families[family]
        reliability = about["reliability"][test_set][scenario]
        return Answering(tuple(about["labels"]), tuple(about["shares"]), reliability)

    def answer(self, judge: Judge, question: str, item: Item) -> Json:
        family, _, scenario = question.rpartition("_")
        if family in self.families:
            return self._about_text(judge, family, scenario, item)
        if family == "effort":
            return self._grid(judge, question, self.statements[scenario])
        if question == "one_score":
            return self._grid(judge, question, self.one_score)
        if family == "reread":
            shares = self.reread[scenario]
            return dice(self.seed, question, judge.id).choices(list(shares), list(shares.values()))[0]
        return None

    def _about_text(self, judge: Judge, family: str, scenario: str, item: Item) -> Json:
        how = self.answering(family, scenario, item.document.partition("-")[0])
        about = (family, scenario, item.document, item.segment)
        truth = how.truth(dice(self.seed, *about))
        value = how.answer(truth, dice(self.seed, *about, judge.id))
        if family == "errors":
            return {value: 1}
        if family == "ranking":
            ranks = {"tie": {"alder": 1, "birch": 1}, "alder": {"alder": 1, "birch": 2}}.get(value)
            qualities = ranks or {"alder": 2, "birch": 1}
            return [qualities[system] for system in item.systems]
        return int(value)

    def _grid(self, judge: Judge, question: str, means: Sequence[float]) -> Json:
        """Five throws for each statement, so that its mean is 1 + 5p."""
        answers = {}
        for row, mean in zip(self.rows[question], means, strict=True):
            rng = dice(self.seed, question, row, judge.id)
            answers[row] = str(1 + sum(rng.random() < (mean - 1) / (_POINTS - 1) for _ in range(_POINTS - 1)))
        return answers


def run(
    *,
    seed: int,
    documents: int,
    sentences: int,
    judges: int,
    families: Mapping[str, Mapping[str, Any]],
    statements: Mapping[str, Sequence[float]],
    one_score: Sequence[float],
    reread: Mapping[str, Mapping[str, float]],
) -> Data:
    """The campaign from texts to answers. `documents` are split into the two test sets."""
    people = [Judge(f"t{k + 1}", JudgeKind.SIMULATED, f"T{k + 1}") for k in range(judges)]
    with passing_store() as store:
        entry = campaign.create(
            store,
            PART,
            _texts(documents, sentences),
            PART,
            people,
            design="latin_square",
            seed=seed,
            options={"set_field": "set", "rated": ["alder"]},
            settings={"after": ["post_task_scenarios"]},
        )
        campaign.open(store, entry.id)
        protocol = campaign.protocol(store, PART)
        rows = {q.id: [row.id for row in q.rows] for _, q in protocol.questions if hasattr(q, "rows")}
        world = World(seed, families, statements, one_score, reread, rows)
        answer_all(store, PART, world.answer)
        material = from_campaign(store, PART)
    data = Data({PART: material})
    data.kept["world"] = world
    return data


def _texts(documents: int, sentences: int) -> list[Document]:
    rows = []
    for place in range(documents):
        test_set = SETS[place % 2]
        segments = tuple(
            Segment(str(k), f"Sentence {k} of text {place}.", outputs={s: f"{s} {place}.{k}" for s in _SYSTEMS})
            for k in range(1, sentences + 1)
        )
        about = {"set": test_set}
        rows.append(Document(f"{test_set}-{place}", segments, source_language="en", target_language="pt", meta=about))
    return rows


def scenario_agreement(
    data: Data, *, family: str, scenario: str, statistic: str, test_set: str = "", binary: bool = False, **options: Any
) -> CellResult:
    """A coefficient of one question in one scenario, in a test set or in both, beside its true value."""
    world: World = data.kept["world"]
    sets = [test_set] if test_set else list(SETS)
    joint = together([world.answering(family, scenario, name).joint for name in sets])
    question, labels = _question_and_truth(world, family, scenario, binary)
    if binary:
        joint = collapsed(joint, [[0], range(1, len(joint))])
    truth = coefficient(joint, statistic, weights=options.get("weights", ""), level=options.get("level", "nominal"))
    table = data.table(PART, (), f"^{test_set}-" if test_set else "", question=question)
    if family == "errors" and not binary:  # the type is what was marked, not how many marks there are
        table = table.with_columns(pl.lit(None, dtype=pl.Float64).alias("score"))
    how = {**options, **labels, **({"over": "pairs"} if statistic == "percent" else {})}
    result = COEFFICIENTS[statistic](table, question, resampling=Resampling(level=LEVEL), **how)
    return CellResult(result.value, result.low, result.high, truth=truth)


def _question_and_truth(world: World, family: str, scenario: str, binary: bool) -> tuple[str, dict[str, Json]]:
    if binary:
        return f"any_error_{scenario}", {"labels": [0, 1]}
    if family in ("adequacy", "fluency"):
        return f"{family}_{scenario}", {"labels": [int(label) for label in world.families[family]["labels"]]}
    return f"{family}_{scenario}", {}


def statement_mean(data: Data, *, question: str, place: int, scenario: str = "") -> CellResult:
    """The average answer to a statement of the questionnaire."""
    world: World = data.kept["world"]
    means = world.statements[scenario] if scenario else world.one_score
    name = world.rows[question][place]
    result = questionnaire.averages(data.table(PART), question, resampling=Resampling(level=LEVEL, unit="judge"))
    row = next(row for row in result.rows if row["row"] == name)
    return CellResult(row["mean"], row["low"], row["high"], f"{row['n']} judges", truth=means[place])


def reread_count(data: Data, *, of: str, answer: str) -> CellResult:
    """How many judges read again, beside how many are to be expected. The interval is the exact binomial one."""
    world: World = data.kept["world"]
    question = f"reread_{of}"
    table = data.table(PART, question=question)
    result = questionnaire.shares(table, question)
    count = next((int(row["count"]) for row in result.rows if row["label"] == answer), 0)
    n = table["judge"].n_unique()
    from scipy.stats import binomtest  # takes a second to load, and few studies need it

    ends = binomtest(count, n).proportion_ci(LEVEL)
    mean = n * world.reread[of][answer]
    return CellResult(float(count), n * ends.low, n * ends.high, f"of {n} judges", truth=mean)


COMPUTATIONS: tuple[Callable[..., CellResult], ...] = (scenario_agreement, statement_mean, reread_count)
