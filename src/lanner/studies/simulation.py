"""Studies whose data was never released, played with judges of known truth through a real campaign.

Everything but the judges is real: the protocol, the design, the checks of answers, the store, the analysis. A value is
recovered if the interval around its estimate holds the truth. Nothing here says anything about the papers' own numbers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl

from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.campaign import Submission
from lanner.designs.prepare import promote, promoted, standings
from lanner.errors import LannerError
from lanner.judges.simulated import dice, hand_in
from lanner.model import Document, Item, Json, Judge, JudgeKind, Question, Segment
from lanner.protocols.conditions import answer_page
from lanner.stats import context, questionnaire
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.resample import Array, Resampling
from lanner.store import Store
from lanner.studies.study import CellResult, Data, computation

Answer = Callable[[Judge, str, Item], Json]
"""What a judge answers to a question about an item."""


@contextmanager
def passing_store() -> Iterator[Store]:
    """A store that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lanner-") as folder, Store.open(Path(folder) / "study.sqlite") as store:
        yield store


def answer_all(store: Store, name: str, answer: Answer) -> int:
    """Let every judge answer every open task by `campaign.submit`. How many items."""
    protocol = campaign.protocol(store, name)
    count = 0
    for judge in campaign.judges(store, name):
        for task in campaign.tasks(store, name, judge.id):
            if task.finished_at:
                continue
            submissions = []
            for place, (item, earlier) in enumerate(zip(task.items, campaign.earlier(store, task.id), strict=True)):
                values = answer_page(protocol, task.page, earlier, partial(_ask, answer, judge, item))
                answers = {question: value for question, value in values.items() if value is not None}
                submissions.append(Submission(task.id, place, answers, f"{task.id}-{place}", judge=judge.id))
            hand_in(store, task.id, submissions)
            count += len(submissions)
    return count


def _ask(answer: Answer, judge: Judge, item: Item, question: Question, _labels: Sequence[str]) -> Json:
    return answer(judge, question.id, item)


# Judges whose agreement is known before they answer, and what every coefficient must then come to.
#
# An item has a true answer, drawn from `shares`. A judge gives it with probability `reliability` and otherwise any of
# the answers, all alike. So the chance that two judges give answers a and b is Σₜ πₜ m(a|t) m(b|t), with m(a|t) = r·[a
# = t] + (1 − r)/k, and every coefficient follows from that table.


@dataclass(frozen=True)
class Answering:
    """How answers to one question come about: the true ones by `shares`, found with `reliability`."""

    labels: tuple[str, ...]
    shares: tuple[float, ...]
    reliability: float

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.shares) or abs(sum(self.shares) - 1) > 1e-9:
            raise LannerError(f"The shares of {', '.join(self.labels)} do not add up to 1, one for each.")

    def truth(self, rng: Random) -> str:
        return rng.choices(self.labels, self.shares)[0]

    def answer(self, truth: str, rng: Random) -> str:
        return truth if rng.random() < self.reliability else rng.choice(self.labels)

    @property
    def given(self) -> Array:
        """true answer × answer given: how often."""
        k = len(self.labels)
        return self.reliability * np.eye(k) + (1 - self.reliability) / k

    @property
    def joint(self) -> Array:
        """How often two judges give each pair of answers to one item."""
        return np.asarray(np.einsum("t,ta,tb->ab", np.array(self.shares), self.given, self.given))


def together(tables: Sequence[Array]) -> Array:
    """The joint table of items of several kinds, as many of each."""
    return np.asarray(reduce(np.add, tables) / len(tables))


def collapsed(joint: Array, groups: Sequence[Sequence[int]]) -> Array:
    """The joint table after answers are taken together."""
    marks = np.array([[float(k in group) for k in range(len(joint))] for group in groups])
    return np.asarray(marks @ joint @ marks.T)


def coefficient(joint: Array, statistic: str, *, weights: str = "", level: str = "nominal") -> float:
    """What a coefficient comes to with so many items that chance plays no part."""
    shares = joint.sum(axis=1)
    if statistic == "percent":
        return float(np.trace(joint))
    distance = _distance(shares, weights, level)
    apart, by_chance = float((joint * distance).sum()), float((np.outer(shares, shares) * distance).sum())
    return 1 - apart / by_chance


def _distance(shares: Array, weights: str, level: str) -> Array:
    """How far apart two answers are: in weighted κ by their places, in ordinal α by how many answers lie between."""
    k = len(shares)
    place = np.arange(k)
    if weights:
        return np.asarray(np.abs(place[:, None] - place[None, :]) ** {"linear": 1.0, "quadratic": 2.0}[weights])
    if level == "ordinal":
        middle = np.cumsum(shares) - shares / 2
        return np.asarray((middle[:, None] - middle[None, :]) ** 2)
    return 1 - np.eye(k)


# Castilho 2021: isolated sentences, sentences in context, documents; two sets, two groups.
#
# The judges answer the protocol `scenarios` under the Latin square, then the questionnaire. Estimates come out in the
# shapes of the paper's tables, each beside the value that its coefficient must have.

SCENARIOS = "scenarios"
SETS = ("set1", "set2")
LEVEL = 0.99
_SYSTEMS = ("alder", "birch")
_POINTS = 6


@dataclass(frozen=True)
class ScenarioWorld:
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


def run_scenarios(
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
            SCENARIOS,
            _scenario_texts(documents, sentences),
            SCENARIOS,
            people,
            design="latin_square",
            seed=seed,
            options={"set_field": "set", "rated": ["alder"]},
            settings={"after": ["post_task_scenarios"]},
        )
        campaign.open(store, entry.id)
        protocol = campaign.protocol(store, SCENARIOS)
        rows = {q.id: [row.id for row in q.rows] for _, q in protocol.questions if hasattr(q, "rows")}
        world = ScenarioWorld(seed, families, statements, one_score, reread, rows)
        answer_all(store, SCENARIOS, world.answer)
        material = from_campaign(store, SCENARIOS)
    data = Data({SCENARIOS: material})
    data.kept["world"] = world
    return data


def _scenario_texts(documents: int, sentences: int) -> list[Document]:
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


@computation
def scenario_agreement(
    data: Data, *, family: str, scenario: str, statistic: str, test_set: str = "", binary: bool = False, **options: Any
) -> CellResult:
    """A coefficient of one question in one scenario, in a test set or in both, beside its true value."""
    world: ScenarioWorld = data.kept["world"]
    sets = [test_set] if test_set else list(SETS)
    joint = together([world.answering(family, scenario, name).joint for name in sets])
    question, labels = _question_and_truth(world, family, scenario, binary)
    if binary:
        joint = collapsed(joint, [[0], range(1, len(joint))])
    truth = coefficient(joint, statistic, weights=options.get("weights", ""), level=options.get("level", "nominal"))
    table = data.table(SCENARIOS, (), f"^{test_set}-" if test_set else "", question=question)
    if family == "errors" and not binary:  # the type is what was marked, not how many marks there are
        table = table.with_columns(pl.lit(None, dtype=pl.Float64).alias("score"))
    how = {**options, **labels, **({"over": "pairs"} if statistic == "percent" else {})}
    result = COEFFICIENTS[statistic](table, question, resampling=Resampling(level=LEVEL), **how)
    return CellResult(result.value, result.low, result.high, truth=truth)


def _question_and_truth(world: ScenarioWorld, family: str, scenario: str, binary: bool) -> tuple[str, dict[str, Json]]:
    if binary:
        return f"any_error_{scenario}", {"labels": [0, 1]}
    if family in ("adequacy", "fluency"):
        return f"{family}_{scenario}", {"labels": [int(label) for label in world.families[family]["labels"]]}
    return f"{family}_{scenario}", {}


@computation
def statement_mean(data: Data, *, question: str, place: int, scenario: str = "") -> CellResult:
    """The average answer to a statement of the questionnaire."""
    world: ScenarioWorld = data.kept["world"]
    means = world.statements[scenario] if scenario else world.one_score
    name = world.rows[question][place]
    result = questionnaire.averages(data.table(SCENARIOS), question, resampling=Resampling(level=LEVEL, unit="judge"))
    row = next(row for row in result.rows if row["row"] == name)
    return CellResult(row["mean"], row["low"], row["high"], f"{row['n']} judges", truth=means[place])


@computation
def reread_count(data: Data, *, of: str, answer: str) -> CellResult:
    """How many judges read again, beside how many are to be expected. The interval is the exact binomial one."""
    world: ScenarioWorld = data.kept["world"]
    question = f"reread_{of}"
    table = data.table(SCENARIOS, question=question)
    result = questionnaire.shares(table, question)
    count = next((int(row["count"]) for row in result.rows if row["label"] == answer), 0)
    n = table["judge"].n_unique()
    from scipy.stats import binomtest  # takes a second to load, and few studies need it

    ends = binomtest(count, n).proportion_ci(LEVEL)
    mean = n * world.reread[of][answer]
    return CellResult(float(count), n * ends.low, n * ends.high, f"of {n} judges", truth=mean)


# Castilho, Popović and Way 2020: which sentences need context, why, and how much.
#
# A sentence is hard or not, with a share that depends on its domain; judges say "no" to it more or less often, alone
# and with two sentences before it, and give one reason, drawn by phase and domain. Sentences go on to phase II by the
# real rule of promotion; an analyst for each language then notes the smallest context that settles a sentence.

SURVEY = "context_survey"
LANGUAGES = ("pt", "sr")
_EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_CUT = 0.4


@dataclass(frozen=True)
class SurveyWorld:
    """What is true. `hard` is the share of hard sentences by domain, `no` how often a judge says no to a hard and to
    an easy one in each phase, `issues` the reasons by phase and domain, `spans` the contexts that settle a sentence."""

    seed: int
    judges: int
    hard: Mapping[str, float]
    no: Mapping[str, Mapping[str, float]]
    issues: Mapping[str, Mapping[str, Mapping[str, float]]]
    spans: Mapping[str, float]

    def answer(self, judge: Judge, question: str, item: Item) -> Json:
        domain = item.document.partition("-")[0]
        phase = "two" if question.endswith("_two") else "one"
        rng = dice(self.seed, question, item.document, item.segment, judge.id)
        match question.removesuffix("_two"):
            case "translatable":
                return "no" if rng.random() < self.no[phase][self._kind(domain, item)] else "yes"
            case "reasons":
                shares = self.issues[phase][domain]
                return rng.choices(list(shares), list(shares.values()))
            case "other_reason":
                return "Simulated."
            case "resolved_by" | "sentences_before" | "sentences_after":
                return self._span(question, item, judge)
            case _:
                return None

    def _kind(self, domain: str, item: Item) -> str:
        draw = dice(self.seed, "kind", item.document, item.segment).random()
        return "hard" if draw < self.hard[domain] else "easy"

    def _span(self, question: str, item: Item, judge: Judge) -> Json:
        rng = dice(self.seed, "span", item.document, item.segment, judge.id)
        span = rng.choices(list(self.spans), list(self.spans.values()))[0]
        number, _, label = span.removeprefix("+").rpartition(" ")
        return [label] if question == "resolved_by" else int(number)

    def going_on(self, kind: str) -> float:
        """How often a sentence of a kind goes on to phase II: more than two fifths of its judges say no."""
        from scipy.stats import binom  # takes a second to load, and few studies need it

        return float(binom.sf(np.floor(_CUT * self.judges + 1e-9), self.judges, self.no["one"][kind]))

    def kinds(self, phase: str, domain: str) -> dict[str, float]:
        """How many of a domain's sentences are asked about in a phase and hard, or easy, as shares of all."""
        share = {"hard": self.hard[domain], "easy": 1 - self.hard[domain]}
        return {kind: part * (self.going_on(kind) if phase == "two" else 1.0) for kind, part in share.items()}

    def issue_share(self, phase: str, domain: str, label: str) -> float:
        """A reason's share in a domain, or in all of them, where it counts by how many say no."""
        if domain != "all":
            return self.issues[phase][domain].get(label, 0.0)
        weights = {
            name: sum(part * self.no[phase][kind] for kind, part in self.kinds(phase, name).items())
            for name in self.hard
        }
        total = sum(weights.values())
        return sum(weights[name] * self.issues[phase][name].get(label, 0.0) for name in weights) / total

    def agreement_shares(self, phase: str) -> Array:
        """The share of sentences with no "no", in each interval of agreement, and above the cut."""
        from scipy.stats import binom  # takes a second to load, and few studies need it

        possible = np.arange(self.judges + 1)
        kinds = [self.kinds(phase, name) for name in self.hard]
        parts = [
            part * binom.pmf(possible, self.judges, self.no[phase][kind]) for one in kinds for kind, part in one.items()
        ]  # in phase II the same, since those who go on were chosen by other answers
        shares = np.sum(parts, axis=0) / np.sum(parts)
        share = possible / self.judges
        inside = [(share > low + 1e-12) & (share <= high + 1e-12) for low, high in pairwise(_EDGES)]
        marks = [share <= 1e-12, *inside, share > _CUT + 1e-12]
        return np.array([float(shares[mark].sum()) for mark in marks])


def run_survey(*, sentences: int, documents: int, **true: Any) -> Data:
    """The survey: phase I, those that go on, phase II, spans. `documents` texts a domain of `sentences` each."""
    world = SurveyWorld(**true)
    people = [
        Judge(f"j{k + 1}", JudgeKind.SIMULATED, attributes={"target_language": LANGUAGES[k % 2]})
        for k in range(world.judges)
    ]
    analysts = [
        Judge(
            f"analyst-{code}",
            JudgeKind.SIMULATED,
            attributes={"target_language": code, "analyst": True, "judge": False},
        )
        for code in LANGUAGES
    ]
    with passing_store() as store:
        survey = campaign.create(
            store,
            SURVEY,
            _survey_texts(list(world.hard), documents, sentences),
            SURVEY,
            [*people, *analysts],
            seed=world.seed,
        )
        campaign.open(store, survey.id)
        answer_all(store, SURVEY, world.answer)
        for page in ("phase_two", "span"):
            _promote(store, page, world.seed)
            answer_all(store, SURVEY, world.answer)
        material = from_campaign(store, SURVEY)
    data = Data({SURVEY: material})
    data.kept["world"] = world
    return data


def _promote(store: Store, page: str, seed: int) -> None:
    protocol, judges = campaign.protocol(store, SURVEY), campaign.judges(store, SURVEY)
    [stage] = protocol.pages[page]
    assert stage.promotion is not None
    results = standings(stage.promotion, campaign.judgements(store, SURVEY), judges)
    rng = np.random.default_rng([seed, 2])
    tasks = promote(page, promoted(results), campaign.documents(store, SURVEY), judges, protocol, rng=rng)
    campaign.assign(store, SURVEY, tasks)


def _survey_texts(domains: list[str], documents: int, sentences: int) -> list[Document]:
    return [
        Document(
            f"{domain}-{place}",
            tuple(Segment(str(k), f"Sentence {k} of {domain} {place}.") for k in range(1, sentences + 1)),
            source_language="en",
            domain=domain,
        )
        for domain in domains
        for place in range(documents)
    ]


@computation
def issue_share(data: Data, *, phase: str, domain: str, label: str) -> CellResult:
    """In percent, how often an issue is given as the reason, in a phase and a domain."""
    world: SurveyWorld = data.kept["world"]
    question = "reasons_two" if phase == "two" else "reasons"
    how = Resampling(level=LEVEL)
    result = data.keep(("issues", question), lambda: context.issue_shares(data.table(SURVEY), question, resampling=how))
    rows = [row for row in result.rows if row["domain"] == domain]
    return _percent(rows, "label", label, world.issue_share(phase, domain, label))


@computation
def no_agreement(data: Data, *, phase: str, place: int) -> CellResult:
    """In percent, for how many sentences so many judges say no; the last place is for those above the cut."""
    world: SurveyWorld = data.kept["world"]
    question = "translatable_two" if phase == "two" else "translatable"
    results = context.agreement_intervals(data.table(SURVEY), question, by=(), resampling=Resampling(level=LEVEL))
    rows, cut = results.rows[:-1], results.rows[-1:]
    true = float(world.agreement_shares(phase)[place])
    return _percent(rows if place < len(rows) else cut, "interval", results.rows[place]["interval"], true)


@computation
def span_share(data: Data, *, span: str, language: str = "all") -> CellResult:
    """In percent, how many of the sentences that an analyst looked at a context of this size settles."""
    world: SurveyWorld = data.kept["world"]
    by = "judge_target_language"
    results = context.spans(data.table(SURVEY), by=(by,), resampling=Resampling(level=LEVEL))
    return _percent([row for row in results.rows if row[by] == language], "span", span, world.spans[span])


def _percent(rows: Sequence[Mapping[str, Any]], column: str, name: str, truth: float) -> CellResult:
    """The share of one of several outcomes. One that never came up has no spread to resample, so its interval is the
    exact binomial one."""
    row = next((row for row in rows if row[column] == name), None)
    total = sum(int(row["count"]) for row in rows)
    if row is None or not row["count"]:
        from scipy.stats import binomtest  # takes a second to load, and few studies need it

        high = binomtest(0, max(1, total)).proportion_ci(LEVEL).high
        return CellResult(0.0, 0.0, 100 * high, f"0 of {total}", truth=100 * truth)
    ends = [None if row[end] is None else 100 * row[end] for end in ("low", "high")]
    detail = f"{row['count']} of {total}"
    return CellResult(100 * row["share"], ends[0], ends[1], detail, truth=100 * truth)
