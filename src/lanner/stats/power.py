"""Planning: how wide will the interval be, what difference can be seen, and which extra judgements help most.

Systems are judged on the same sentences of the same documents. Their scores differ from document to document
(system_document), from sentence to sentence (system_item), from judge to judge (system_judge) and by chance
(residual); what all systems share cancels. Judging is simulated from these variances and analysed as it will be: every
pair of systems by swapping whole documents, or by document and judge where judges are a sample, too; p is corrected for
the number of pairs. From a pilot without scores: how wide the interval of an agreement coefficient will be with more
documents, and how likely a preference is to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from lanner import registry
from lanner.errors import DesignError, StatisticError, did_you_mean
from lanner.model import Json, Result
from lanner.model.messages import in_number, plural
from lanner.stats.estimate import StatisticPlan
from lanner.stats.frame import SYSTEMS, tidy, wide
from lanner.stats.mixed import ONE_DOCUMENT, variance_components
from lanner.stats.preference import comparisons, exact_sign_test
from lanner.stats.ranking import Correction, corrected
from lanner.stats.resample import (
    FEWEST_JUDGES,
    OTHER_JUDGES,
    THESE_JUDGES,
    Array,
    Indices,
    Resampling,
    bisect,
    generator,
    jackknife_variance,
    outcome,
    replicate_sums,
    sign,
    signs,
    undefined,
)

_HELD = 4_000_000  # simulated numbers held at once
PARTS = ("document", "item", "judge", "system_document", "system_item", "system_judge", "residual")


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of a score by where they come from, and where they were estimated. `spread` is the standard deviation
    of the systems' true means, 0 where it is not known."""

    document: float = 0.0
    item: float = 0.0
    judge: float = 0.0
    system_document: float = 0.0
    system_item: float = 0.0
    system_judge: float = 0.0
    residual: float = 0.0
    source: str = ""
    spread: float = 0.0

    def __post_init__(self) -> None:
        wrong = [name for name in PARTS if not getattr(self, name) >= 0]
        if wrong:
            raise StatisticError(f"A variance cannot be negative: {', '.join(wrong)}.")


@dataclass(frozen=True, slots=True)
class Design:
    """Documents, sentences in each, judges in all, how many of them judge each item, and how many systems there are."""

    documents: int
    sentences: int
    judges: int = 1
    overlap: int = 1
    systems: int = 2

    def __post_init__(self) -> None:
        if self.systems < 2:
            raise DesignError("A comparison takes two systems or more.")
        if min(self.documents, self.sentences, self.judges, self.overlap) < 1:
            raise DesignError("Documents, sentences, judges and overlap are whole numbers from 1 on.")
        if self.overlap > self.judges:
            raise DesignError(
                in_number(
                    self.judges,
                    "{overlap} judges cannot judge each item if there is only {n}.",
                    "{overlap} judges cannot judge each item if there are only {n}.",
                    overlap=self.overlap,
                ),
                next_step=f"Take at least {self.overlap} judges, or an overlap of {self.judges}.",
            )

    @property
    def judgements(self) -> int:
        """Single judgements needed, of all systems."""
        return self.systems * self.documents * self.sentences * self.overlap

    @property
    def turns(self) -> Indices:
        """Who judges each document: judges take documents in turn."""
        answers = np.arange(self.documents)[:, None] * self.overlap + np.arange(self.overlap)
        return np.asarray(answers % self.judges)


def defaults(protocol: str) -> Components:
    """Variances fitted on released ratings; the names are those of protocols."""
    presets = registry.table("stats.components")
    if protocol not in presets:
        raise StatisticError(
            f"There are no default variances for {protocol!r}.",
            next_step=f"{did_you_mean(protocol, presets)} Or fit them on a pilot.",
        )
    return Components(**{key: value for key, value in presets[protocol].items() if key != "scale"})


def pilot(data: Any, of: str, *, judges_random: bool = False) -> Components:
    """Variances of a score in a pilot, by restricted maximum likelihood with the system as fixed effect.

    Sources that the pilot cannot show (one system, nothing judged twice) come out as part of others: an item judged
    once has its sentence's variance in the residual. What one document or judge favours is part of the systems' means
    and of no variance: nothing can be planned from one document, nor with `judges_random` from one judge.
    """
    names = {
        "document": "document",
        "item": "item",
        "judge": "judge",
        "document:system": "system_document",
        "item:system": "system_item",
        "judge:system": "system_judge",
    }
    variances = variance_components(data, of, ["system"], list(names))
    if variances == ONE_DOCUMENT:
        raise StatisticError(
            "The pilot has one document, which says nothing about how documents differ.",
            next_step="Judge two documents or more, or plan from released ratings (--like).",
        )
    if isinstance(variances, str):
        raise StatisticError("The pilot is too small to plan from.", next_step=f"It has no variances: {variances}")
    answers = wide(data).table.drop_nulls(of)
    has_one_judge = answers["judge"].n_unique() < 2
    if judges_random and has_one_judge:
        raise StatisticError(
            "The pilot has one judge, who says nothing about how judges differ.",
            next_step="Let two judges or more judge the pilot, or plan for these judges only (without --other-judges).",
        )
    components, rows, notes = variances
    parts = {target: components.get(term, 0.0) for term, target in names.items()}
    if not any(term in components for term in ("document:system", "item:system")):  # one system: err on the safe side
        parts |= {"system_document": parts["document"], "system_item": parts["item"], "document": 0.0, "item": 0.0}
    of_one_judge = ("judge", "judge:system") if has_one_judge else ()
    missing_terms = [words for term, words in _UNSEEN.items() if term not in (*components, *of_one_judge)]
    own = [note for note in notes if "left out of the random effects" not in note]
    unseen = f"It cannot show {', '.join(missing_terms)}: that is counted with what it shows." if missing_terms else ""
    alone = "Its one judge does not show how judges differ: that is part of the scores." if has_one_judge else ""
    source = " ".join(filter(None, (f"a pilot, {rows} scores of {of}.", unseen, alone, *own)))
    return Components(**parts, residual=components["residual"], source=source)


_UNSEEN = {
    "document": "how hard documents are",
    "item": "how hard sentences are",
    "judge": "how strict judges are",
    "document:system": "how systems change places between documents",
    "item:system": "how systems change places between sentences",
    "judge:system": "which systems a judge favours",
}


@dataclass(frozen=True, slots=True)
class NullSimulation:
    """Simulated studies without a true difference: estimates, standard errors, the t quantile of each, and `favour`,
    the difference that the judges' own tastes make: it belongs to the truth where the interval is about these
    judges."""

    estimate: Array
    error: Array
    reach: Array
    favour: Array

    @property
    def width(self) -> float:
        """Mean width of the interval."""
        return float(2 * (self.error * self.reach).mean())

    @property
    def coverage(self) -> float:
        """How often the interval holds what it is about."""
        return float((np.abs(self.estimate - self.favour) <= self.error * self.reach).mean())


def simulate(
    parts: Components, design: Design, *, judges_random: bool = False, level: float = 0.95, n: int = 2000, seed: int = 0
) -> NullSimulation:
    """Judge n studies of this design in which the systems do not differ.

    Judges take documents in turn. By document, the estimate's variance is that of the documents' mean differences over
    their number; where judges are a sample as well, `resample.crossed_outcome` says how that of the judges' mean
    differences over theirs is added.
    """
    rng = generator(seed, 7)
    d, k, j = design.documents, design.overlap, design.judges
    turn = design.turns
    step = max(1, _HELD // (d * k + j))
    blocks = [
        _studies(parts, design, turn, min(step, n - start), rng, judges_random=judges_random)
        for start in range(0, n, step)
    ]
    estimate, variance, freedom, favour = (np.concatenate(column) for column in zip(*blocks, strict=True))
    return NullSimulation(estimate, np.sqrt(variance), stdtrit(freedom, 0.5 + level / 2), favour * (not judges_random))


def _studies(
    parts: Components, design: Design, turn: Indices, n: int, rng: np.random.Generator, *, judges_random: bool
) -> tuple[Array, Array, Array, Array]:
    """Estimates, their variances and degrees of freedom, and what of them is the judges' taste."""
    d, k, m, j = design.documents, design.overlap, design.sentences, design.judges
    common = rng.normal(size=(n, d)) * np.sqrt(2 * (parts.system_document + parts.system_item / m))
    taste = rng.normal(size=(n, j)) * np.sqrt(2 * parts.system_judge)
    single = common[:, :, None] + taste[:, turn] + rng.normal(size=(n, d, k)) * np.sqrt(2 * parts.residual / m)
    variance, freedom = _spread(single, turn, judges_random=judges_random)
    return single.mean(axis=(1, 2)), variance, freedom, taste[:, turn].mean(axis=(1, 2))


def _spread(differences: Array, turn: Indices, *, judges_random: bool) -> tuple[Array, Array]:
    """The variance of each study's mean difference and its degrees of freedom, as `resample.CrossedSteps` finds them.
    `differences` are studies × documents × answers to each, by the judges of `turn`."""
    n, d, k = differences.shape
    judges = np.unique(turn)
    means = differences.mean(axis=2)
    by_document = means.var(axis=1, ddof=1) / d if d > 1 else np.full(n, np.inf)
    if not judges_random or len(judges) < 2:
        return by_document, np.full(n, float(max(d - 1, 1)))
    if k > 1:
        steps = (means[:, :, None] - differences) / ((k - 1) * d)  # without one answer the others stand for a document
        by_judge = jackknife_variance(np.stack([steps[:, turn == judge].sum(axis=1) for judge in judges]))
        by_cell = jackknife_variance(steps.reshape(n, -1).T)
    else:
        by_judge = jackknife_variance(np.stack([means[:, turn[:, 0] != judge].mean(axis=1) for judge in judges]))
        by_cell = by_document
    total = np.maximum.reduce([by_document + by_judge - by_cell, by_document, by_judge])
    squares = by_document**2 / max(d - 1, 1) + by_judge**2 / (len(judges) - 1)
    return total, np.maximum(total**2 / np.maximum(squares, 1e-300), 1.0)


class _Trials:
    """Simulated studies without any true difference, analysed as a ranking is: all pairs of systems, corrected p.
    `pair_found` adds a difference to the first system and asks how often it is then told apart from the second."""

    __slots__ = ()
    correction: Correction
    alpha: float

    def pair_found(self, difference: float) -> float:
        """How often the pair is told apart, in the right direction, if the first system is truly better by this."""
        raise NotImplementedError

    def count_found(self, p: Array, gaps: Array, systems: int) -> int:
        """In how many studies the first of the pairs (studies × pairs) is told apart in the right direction."""
        rows = p[(p[:, 0] < self.alpha) & (gaps[:, 0] > 0)]  # a correction makes no p smaller
        first = (corrected(list(map(float, row)), self.correction, systems)[0] for row in rows)
        return sum(adjusted_p is not None and adjusted_p < self.alpha for adjusted_p in first)

    def detectable(self, power: float, start: float) -> float | None:
        """The smallest true difference found with this probability; None where none is, however large."""
        low, high = 0.0, max(start, 1e-6)
        if self.pair_found(1e6 * high) < power:  # too few documents for any p below the level
            return None
        while self.pair_found(high) < power:
            low, high = high, 2 * high
        return float(bisect(lambda difference: self.pair_found(float(difference)) >= power, low, high, 7)[1])


@dataclass(frozen=True, slots=True)
class Trials(_Trials):
    """The test swaps whole documents; `means` is studies × systems × documents."""

    means: Array
    signs: Array
    exact: bool
    correction: Correction
    alpha: float

    @classmethod
    def of(
        cls, parts: Components, design: Design, *, correction: Correction, alpha: float, n: int, seed: int
    ) -> Trials:
        rng = generator(seed, 11)
        d, k, m, j, s = design.documents, design.overlap, design.sentences, design.judges, design.systems
        turn = design.turns
        own = rng.normal(size=(n, s, d)) * np.sqrt(parts.system_document + parts.system_item / m)
        taste = (rng.normal(size=(n, s, j)) * np.sqrt(parts.system_judge))[:, :, turn].mean(axis=3)
        means = own + taste + rng.normal(size=(n, s, d)) * np.sqrt(parts.residual / (m * k))
        pairs = s * (s - 1) // 2
        swaps = 2000 if pairs <= 40 else 10_000  # enough for the smallest corrected p to be below the level
        choices, exact = signs(d, swaps, rng)
        return cls(means, 2 * choices - 1, exact=exact, correction=correction, alpha=alpha)

    def pair_found(self, difference: float) -> float:
        systems = self.means.shape[1]
        first, second = np.triu_indices(systems, 1)
        n_significant = 0
        step = max(1, _HELD // (len(self.signs) * len(first)))
        for start in range(0, len(self.means), step):
            means = self.means[start : start + step].copy()
            means[:, 0] += difference
            gaps = means[:, first] - means[:, second]  # studies × pairs × documents
            total = gaps.sum(axis=2)
            flips = np.abs(gaps.reshape(-1, gaps.shape[2]) @ self.signs.T)
            as_extreme = (flips >= np.abs(total).reshape(-1, 1) * (1 - 1e-9)).sum(axis=1).reshape(total.shape)
            p = as_extreme / len(self.signs) if self.exact else (1 + as_extreme) / (1 + len(self.signs))
            n_significant += self.count_found(p, total, systems)
        return n_significant / len(self.means)


@dataclass(frozen=True, slots=True)
class CrossedTrials(_Trials):
    """Documents and judges are samples: `gaps` of each pair (studies × pairs), their errors and degrees of freedom."""

    gaps: Array
    errors: Array
    freedom: Array
    systems: int
    correction: Correction
    alpha: float

    @classmethod
    def of(
        cls, parts: Components, design: Design, *, correction: Correction, alpha: float, n: int, seed: int
    ) -> CrossedTrials:
        rng = generator(seed, 12)
        d, k, m, j, s = design.documents, design.overlap, design.sentences, design.judges, design.systems
        turn = design.turns
        single = (rng.normal(size=(n, s, j)) * np.sqrt(parts.system_judge))[:, :, turn]
        single += rng.normal(size=(n, s, d, 1)) * np.sqrt(parts.system_document + parts.system_item / m)
        single += rng.normal(size=(n, s, d, k)) * np.sqrt(parts.residual / m)
        pairs = [single[:, a] - single[:, b] for a, b in zip(*np.triu_indices(s, 1), strict=True)]
        gaps = np.stack([pair.mean(axis=(1, 2)) for pair in pairs], axis=1)
        spreads = [_spread(pair, turn, judges_random=True) for pair in pairs]
        variance, freedom = (np.stack(column, axis=1) for column in zip(*spreads, strict=True))
        return cls(gaps, np.sqrt(variance), freedom, s, correction, alpha)

    def pair_found(self, difference: float) -> float:
        gaps = self.gaps.copy()
        gaps[:, : self.systems - 1] += difference  # the pairs of the first system
        p = 2 * stdtr(self.freedom, -np.abs(gaps) / np.maximum(self.errors, 1e-300))
        return self.count_found(p, gaps, self.systems) / len(gaps)


def plan(
    parts: Components | str,
    designs: Design | Sequence[Design],
    *,
    difference: float | None = None,
    power: float = 0.8,
    judges_random: bool = False,
    level: float = 0.95,
    minutes: float | None = None,
    hourly: float | None = None,
    correction: Correction = "holm",
    n: int = 2000,
    seed: int = 0,
) -> Result:
    """What a design will show: the expected width of the interval of a difference between two systems.

    Rows: one per design, with its width, the power to see `difference` (where given), the smallest difference seen with
    probability `power`, from how many simulated `studies` these two are, how often the intervals cover what they are
    about (these judges, or with `judges_random` judges in general), judgements, and hours and cost where the `minutes`
    a judgement takes (and an hourly rate) are given. The Result's value is the first design's width.

    Power and the smallest difference are those of the test that a ranking will make: whole documents swapped, or with
    `judges_random` t over documents and judges, every pair of the design's systems, p corrected for their number; one
    system is better, the others are equal.
    """
    components = defaults(parts) if isinstance(parts, str) else parts
    all_designs = [designs] if isinstance(designs, Design) else list(designs)
    rows: list[dict[str, Json]] = []
    for design in all_designs:
        if design.documents < 2:
            raise DesignError("One document says nothing about how documents differ.", next_step="Plan two or more.")
        _refuse_few_judges(design, judges_random=judges_random)
        outlook = simulate(components, design, judges_random=judges_random, level=level, n=n, seed=seed)
        kind = CrossedTrials if judges_random else Trials
        trials = kind.of(components, design, correction=correction, alpha=1 - level, n=_studied(design, n), seed=seed)
        prospects: dict[str, Json] = {
            "width": outlook.width,
            "difference": difference,
            "power": None if difference is None else trials.pair_found(difference),
            "detectable": trials.detectable(power, outlook.width / 2),
            "studies": _studied(design, n),
            "coverage": outlook.coverage,
        }
        rows.append({**_shape(design, minutes, hourly), **prospects})
    test = {"power_of": "crossed t" if judges_random else "permutation", "correction": correction}
    return _plan_result(rows, components, judges_random, (n, seed, level), len(rows), **test)


def _refuse_few_judges(design: Design, *, judges_random: bool) -> None:
    if judges_random and design.judges < FEWEST_JUDGES:
        raise DesignError(
            f"{plural(design.judges, 'judge')} will show nothing of judges in general: it takes {FEWEST_JUDGES}.",
            next_step="Plan more of them (--panel), or plan for these judges only (without --other-judges).",
        )


def _studied(design: Design, n: int) -> int:
    """How many studies are tested: fewer where there are many pairs."""
    return min(n, 4000 if design.systems == 2 else 150)


def chances(
    parts: Components, design: Design, differences: Iterable[float], *, n: int = 2000, seed: int = 0
) -> list[float]:
    """How often each of these differences between two systems would be found: the power of `plan`, from one set of
    simulated studies."""
    trials = Trials.of(parts, design, correction="holm", alpha=1 - 0.95, n=_studied(design, n), seed=seed)
    return [trials.pair_found(difference) for difference in differences]


def _shape(design: Design, minutes: float | None, hourly: float | None) -> dict[str, Json]:
    hours = None if minutes is None else design.judgements * minutes / 60
    cost = None if hours is None or hourly is None else hours * hourly
    return {**asdict(design), "judgements": design.judgements, "hours": hours, "cost": cost}


def _plan_result(
    rows: list[dict[str, Json]],
    parts: Components,
    judges_random: bool,
    how: tuple[int, int, float],
    designs: int,
    **test: str,
) -> Result:
    n, seed, level = how
    unit, whom = ("documents and judges", OTHER_JUDGES) if judges_random else ("documents", THESE_JUDGES)
    method = {"samples": unit, "holds_for": whom, **test, "simulated": str(n), "seed": str(seed)}
    signature = sign("plan", Resampling(), None, **method, level=f"{level:.0%}")
    notes = (f"Variances from {parts.source}",) if parts.source else ()
    counts = {"designs": designs, "judgements": rows[0]["judgements"]}
    return Result(
        "expected width of the interval", rows[0]["width"], counts=counts, rows=rows, notes=notes, signature=signature
    )


def next_judgements(
    parts: Components | str,
    design: Design,
    extra: int,
    *,
    judges_random: bool = False,
    level: float = 0.95,
    n: int = 2000,
    seed: int = 0,
) -> Result:
    """Which `extra` judgements narrow the interval most: more documents, longer documents, or more judges per item?

    Each way spends as much of the extra as goes into whole documents, sentences or judges. Rows: one per way, best
    first, with the new design, its width, and how much narrower it is. The Result's value is the best width.
    """
    _refuse_few_judges(design, judges_random=judges_random)
    components = defaults(parts) if isinstance(parts, str) else parts
    spare = design.judgements + extra
    overlap = spare // (design.systems * design.documents * design.sentences)
    ways = {
        "more documents": replace(design, documents=spare // (design.systems * design.sentences * design.overlap)),
        "more sentences per document": replace(
            design, sentences=spare // (design.systems * design.documents * design.overlap)
        ),
        "more judges per item": replace(design, overlap=overlap, judges=max(design.judges, overlap)),
    }
    if judges_random:
        ways["more judges, as many per item"] = replace(
            design, judges=design.judges + max(1, round(design.judges * extra / design.judgements))
        )
    now = simulate(components, design, judges_random=judges_random, level=level, n=n, seed=seed).width
    rows: list[dict[str, Json]] = []
    for way, larger in ways.items():
        if larger == design:
            continue
        width = simulate(components, larger, judges_random=judges_random, level=level, n=n, seed=seed).width
        rows.append({"way": way, **_shape(larger, None, None), "width": width, "narrower": 1 - width / now})
    if not rows:
        raise DesignError(
            f"{extra} judgements are too few for one more of anything.",
            next_step=f"One more document takes {design.systems * design.sentences * design.overlap}.",
        )
    rows.sort(key=lambda row: row["width"])
    return _plan_result(rows, components, judges_random, (n, seed, level), len(rows))


def documents_needed(result: Result, width: float) -> Result:
    """How many documents like these a statistic needs for an interval of this width: it narrows with their root.

    For any Result with a document interval (κ, α, τ, a share): n · (width now / width wanted)².
    """
    if result.interval is None or not result.counts.get("documents"):
        return undefined("documents needed", "the result has no interval over documents.")
    now = result.interval.high - result.interval.low
    documents_needed = int(np.ceil(result.counts["documents"] * (now / width) ** 2))
    note = f"{result.name}: {now:.3f} wide with {result.counts['documents']} documents."
    signature = sign("documents needed", Resampling(), None, of=result.name, width=f"{width:.12g}")
    return Result(
        "documents needed", float(documents_needed), counts=dict(result.counts), notes=(note,), signature=signature
    )


def preference_power(
    share: float,
    documents: int,
    *,
    items: int = 1,
    ties: float = 0.0,
    alike: float = 0.0,
    level: float = 0.95,
    n: int = 2000,
    seed: int = 0,
) -> Result:
    """The chance to see that one system is preferred in this share of decided comparisons.

    `items` comparisons per document, of which `ties` are ties; `alike` is the correlation of preferences within a
    document (beta-binomial). The value is the power of the test by document, as `preference.sign_test` makes it; rows
    give that and the sign test's, each with its error rate where nobody is preferred: the sign test's grows with
    `alike`.
    """
    if not (0 < share < 1 and 0 <= ties < 1 and 0 <= alike < 1):
        raise DesignError("The share lies between 0 and 1, ties and likeness from 0 to below 1.")
    rows: list[dict[str, Json]] = []
    shape = (n, documents)
    estimate, wrong = (
        _preference_power(s, shape, items=items, ties=ties, alike=alike, level=level, seed=seed) for s in (share, 0.5)
    )
    for column, test in enumerate(("by document", "sign test")):
        rows.append({"test": test, "power": estimate[column], "error_rate": wrong[column]})
    parts = {"share": f"{share:.12g}", "ties": f"{ties:.12g}", "alike": f"{alike:.12g}"}
    signature = sign("preference power", Resampling(), None, **parts, simulated=str(n), seed=str(seed))
    counts = {"documents": documents, "items": documents * items}
    return Result("power", rows[0]["power"], counts=counts, rows=rows, signature=signature)


def _preference_power(
    share: float, shape: tuple[int, int], *, items: int, ties: float, alike: float, level: float, seed: int
) -> tuple[float, float]:
    """How often the test by document and the sign test find a preference, in studies × documents of `shape`."""
    rng = generator(seed, 8)
    chance: Any = share
    if alike > 0:
        weight = (1 - alike) / alike
        chance = rng.beta(share * weight, (1 - share) * weight, size=shape)
    decisions = rng.binomial(items, 1 - ties, size=shape)
    wins = rng.binomial(decisions, chance)
    total, total_wins = decisions.sum(axis=1), wins.sum(axis=1)
    p = [exact_sign_test(int(w), int(t - w)).p for w, t in zip(total_wins, total, strict=True)]
    by_document = [_p_by_document(*study, level) for study in zip(wins, decisions, strict=True)]
    found = [[value is not None and value < 1 - level for value in values] for values in (by_document, p)]
    return float(np.mean(found[0])), float(np.mean(found[1]))


def _p_by_document(wins: Array, decisions: Array, level: float) -> float | None:
    """The p of the share of wins, as `preference.sign_test` gives it."""
    how, sums = Resampling(level=level), np.column_stack([wins, decisions])[decisions > 0].astype(float)
    if len(sums) < 2:
        return None
    replicates = replicate_sums(sums, lambda total: total[:, :1] / total[:, 1:], how)
    return outcome(replicates, how, scale="share", null=0.5, answers=int(decisions.sum())).p


def as_run(data: Any, of: str) -> Design:
    """The design that a pilot had: documents, sentences in each, judges, and how many of them judged one output."""
    table, _ = tidy(data)
    main = (table.filter((pl.col("question") == of) & (pl.col("role") == "main")) if of else table).with_columns(
        SYSTEMS
    )
    items = main.select("document", "segment").n_unique()
    documents, judges = main["document"].n_unique(), main["judge"].n_unique()
    if not items:
        raise DesignError(f"The pilot has no answers to {of!r}.")
    participants = main.select("document", "segment", "system", "judge").n_unique()
    outputs = main.select("document", "segment", "system").n_unique()
    overlap, systems = min(judges, max(1, round(participants / outputs))), main["system"].n_unique()
    return Design(documents, max(1, round(items / documents)), judges, overlap, max(2, systems))


_FEWEST = 5  # documents: drawn again from fewer, studies come out alike, and their intervals far too narrow


def expected_width(
    plan: StatisticPlan, documents: Sequence[int], *, n: int = 400, seed: int = 0, level: float = 0.95
) -> Result:
    """How wide the interval of a coefficient will be with so many documents like those of the pilot.

    For each number, n studies are drawn from the pilot's documents with replacement and analysed as Lanner analyses
    them (jackknife over documents with t quantiles). Rows: documents, mean width of the interval, the middle half of
    the estimates. The Result's value is the first width.
    """
    sums = plan.by_document()[1]
    table = plan.rows.by_document[plan.documents].toarray() if sums is None else np.asarray(sums)
    name = f"expected width of {plan.name}"
    if len(table) < _FEWEST:
        reason = f"the pilot has {plural(len(table), 'document')}; it takes {_FEWEST} to learn how documents differ."
        return undefined(name, reason)
    how = Resampling(method="t", level=level)
    rng = generator(seed, 9)
    rows: list[dict[str, Json]] = []
    for n_documents in documents:
        if n_documents < 2:
            raise DesignError("One document says nothing about how documents differ.", next_step="Plan two or more.")
        widths, values = [], []
        for _ in range(n):
            study = replicate_sums(table[rng.integers(0, len(table), n_documents)], plan.finish, how)
            interval = outcome(study, how, scale=plan.scale).interval
            if interval is not None:
                widths.append(interval.high - interval.low)
                values.append(float(study.value[0]))
        usual = np.quantile(values, [0.25, 0.75]).tolist() if values else [None, None]
        width = float(np.mean(widths)) if widths else None
        rows.append({"documents": n_documents, "width": width, "usual_low": usual[0], "usual_high": usual[1]})
    parts = {"drawn_from": f"{len(table)} documents", "simulated": str(n), "seed": str(seed)}
    signature = sign(name, Resampling(), None, **parts, level=f"{level:.0%}")
    return Result(name, rows[0]["width"], counts={"documents": len(table)}, rows=rows, signature=signature)


def preference_pilot(data: Any, question: str) -> dict[str, float]:
    """What a pilot says about preferences: share of wins, of ties, comparisons a document, and how alike they are.

    `alike` is the intraclass correlation of decided comparisons within documents, from the one-way analysis of variance
    (Fleiss 1981, ch. 13): (MSB − MSW)/(MSB + (m₀ − 1)·MSW), not below 0.
    """
    table, _ = comparisons(data, question)
    if not len(table):
        raise DesignError(f"The pilot has no comparisons for {question!r}.")
    outcomes = table["won"].to_numpy()
    decisions = table.filter(pl.col("won") != 0)
    wins = (decisions["won"] == 1).cast(pl.Float64).to_numpy()
    share = float(np.clip(wins.mean(), 0.01, 0.99)) if len(wins) else 0.5
    _, place, sizes = np.unique(decisions["document"].to_numpy(), return_inverse=True, return_counts=True)
    alike = 0.0
    if len(sizes) > 1 and len(wins) > len(sizes):
        means = np.bincount(place, weights=wins) / sizes
        between = float((sizes * (means - wins.mean()) ** 2).sum() / (len(sizes) - 1))
        within = float(((wins - means[place]) ** 2).sum() / (len(wins) - len(sizes)))
        usual = (len(wins) - (sizes**2).sum() / len(wins)) / (len(sizes) - 1)
        spread = between + (usual - 1) * within
        alike = float(np.clip((between - within) / spread, 0, 0.95)) if spread > 0 else 0.0
    ties = float(min((outcomes == 0).mean(), 0.99))
    return {"share": share, "ties": ties, "items": round(len(outcomes) / table["document"].n_unique()), "alike": alike}


def preference_outlook(
    pilot: dict[str, float], documents: Sequence[int], *, share: float | None = None, n: int = 500, seed: int = 0
) -> Result:
    """The chance to see a preference with so many documents like the pilot's. Rows: documents and power by document."""
    rows: list[dict[str, Json]] = []
    for n_documents in documents:
        outlook = preference_power(
            share or pilot["share"],
            n_documents,
            items=max(1, int(pilot["items"])),
            ties=pilot["ties"],
            alike=pilot["alike"],
            n=n,
            seed=seed,
        )
        rows.append(
            {"documents": n_documents, "comparisons": n_documents * int(pilot["items"]), "power": outlook.value}
        )
        rows[-1]["error_of_sign_test"] = outlook.rows[1]["error_rate"]
    signature = outlook.signature if rows else None
    return Result("power", rows[0]["power"] if rows else None, rows=rows, signature=signature)
