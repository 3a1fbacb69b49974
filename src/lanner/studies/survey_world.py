"""Castilho, Popović and Way 2020 with judges of known truth: which sentences need context, why, and how much.

A sentence is hard or not, with a share that depends on its domain; judges say "no" to it more or less often, alone and
with two sentences before it, and give one reason, drawn by phase and domain. Sentences go on to phase II by the real
rule of promotion; an analyst for each language then notes the smallest context that settles a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.designs.prepare import promote, promoted, standings
from lanner.model import Document, Item, Json, Judge, JudgeKind, Segment
from lanner.stats import context
from lanner.stats.resample import Array, Resampling
from lanner.store import Store
from lanner.studies.simulation import answer_all, dice, passing_store
from lanner.studies.study import CellResult, Data

PART = "context_survey"
LEVEL = 0.99
LANGUAGES = ("pt", "sr")
_EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_CUT = 0.4


@dataclass(frozen=True)
class World:
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


def run(*, sentences: int, documents: int, **true: Any) -> Data:
    """The survey: phase I, those that go on, phase II, spans. `documents` texts a domain of `sentences` each."""
    world = World(**true)
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
            store, PART, _texts(list(world.hard), documents, sentences), PART, [*people, *analysts], seed=world.seed
        )
        campaign.open(store, survey.id)
        answer_all(store, PART, world.answer)
        for page in ("phase_two", "span"):
            _promote(store, page, world.seed)
            answer_all(store, PART, world.answer)
        material = from_campaign(store, PART)
    data = Data({PART: material})
    data.kept["world"] = world
    return data


def _promote(store: Store, page: str, seed: int) -> None:
    protocol, judges = campaign.protocol(store, PART), campaign.judges(store, PART)
    [stage] = protocol.pages[page]
    assert stage.promotion is not None
    results = standings(stage.promotion, campaign.judgements(store, PART), judges)
    rng = np.random.default_rng([seed, 2])
    tasks = promote(page, promoted(results), campaign.documents(store, PART), judges, protocol, rng=rng)
    campaign.assign(store, PART, tasks)


def _texts(domains: list[str], documents: int, sentences: int) -> list[Document]:
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


def issue_share(data: Data, *, phase: str, domain: str, label: str) -> CellResult:
    """In percent, how often an issue is given as the reason, in a phase and a domain."""
    world: World = data.kept["world"]
    question = "reasons_two" if phase == "two" else "reasons"
    key = ("issues", question)
    if key not in data.kept:
        data.kept[key] = context.issue_shares(data.table(PART), question, resampling=Resampling(level=LEVEL)).rows
    rows: list[Mapping[str, Any]] = data.kept[key]
    return _percent(
        [row for row in rows if row["domain"] == domain], "label", label, world.issue_share(phase, domain, label)
    )


def no_agreement(data: Data, *, phase: str, place: int) -> CellResult:
    """In percent, for how many sentences so many judges say no; the last place is for those above the cut."""
    world: World = data.kept["world"]
    question = "translatable_two" if phase == "two" else "translatable"
    results = context.agreement_intervals(data.table(PART), question, by=(), resampling=Resampling(level=LEVEL))
    rows, cut = results.rows[:-1], results.rows[-1:]
    true = float(world.agreement_shares(phase)[place])
    return _percent(rows if place < len(rows) else cut, "interval", results.rows[place]["interval"], true)


def span_share(data: Data, *, span: str, language: str = "all") -> CellResult:
    """In percent, how many of the sentences that an analyst looked at a context of this size settles."""
    world: World = data.kept["world"]
    by = "judge_target_language"
    results = context.spans(data.table(PART), by=(by,), resampling=Resampling(level=LEVEL))
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


COMPUTATIONS: tuple[Callable[..., CellResult], ...] = (issue_share, no_agreement, span_share)
