"""How systems do: scores that stay on their scale, and the rows of a grid told by how often they matter and how well
they are handled where they do.

Where documents were not drawn evenly, scores are corrected for it. Texts chosen for difficulty (`lanner prepare`, step
"difficult") keep the probability they were chosen with. Each document counts one over it (Hájek's estimate), so that
means and differences are those of all the texts it was drawn from. Intervals are by document: linearised standard
errors with t quantiles, with as many degrees of freedom as the weights leave documents (Kish), kept on the scale of the
score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy import special

from lanner import __version__
from lanner.analysis.material import Material
from lanner.analysis.measures import GROUPS, CountedRows
from lanner.corpus.difficulty import META
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.errors import InputError, did_you_mean
from lanner.formats.parsing.headings import names_metric
from lanner.formats.parsing.values import Side, asks_preference, preferred_side
from lanner.model import (
    TIES,
    Choice,
    Document,
    Grid,
    Json,
    JudgeKind,
    Object,
    Protocol,
    Question,
    Rank,
    Result,
    Scale,
    Signature,
)
from lanner.model.languages import UNDETERMINED
from lanner.model.messages import Message, message, words
from lanner.model.protocol import Wording
from lanner.protocols.derived import ON_ITS_SCALE, ranking_options, ranking_plans
from lanner.protocols.describe import condition_in_words
from lanner.protocols.guessing import has_no_upper_end
from lanner.stats import ranking
from lanner.stats.goals import State
from lanner.stats.metaeval import Scorer
from lanner.stats.resample import FEW, HUNDREDFOLD, UNKNOWN, Array, Resampling, outcome, replicate_sums
from lanner.stats.scores import items

Bounds = tuple[float, float]
ON_SCALE = "symmetric on the logit of the scale"
"""How the interval of a bounded score is kept on its scale, for signatures."""
FROM_ITS_START = "symmetric on the logarithm"
"""The same where the scale has no upper end."""


def bounds_of(protocol: Protocol, name: str) -> Bounds | None:
    """The ends of the scale that a question or a score is on; None where it has none."""
    score = next((score for score in protocol.scores if score.id == name), None)
    if score is not None:
        return bounds_of(protocol, score.question) if score.rule in ON_ITS_SCALE else None
    entry = protocol.find(name)
    question = entry[1] if entry else None
    if isinstance(question, Scale):
        is_open = protocol.is_guessed and has_no_upper_end(protocol, question)
        return question.min, math.inf if is_open else question.max
    values = [option.value for option in getattr(question, "options", ()) if option.value is not None]
    return (min(values), max(values)) if len(values) > 1 else None


def on_scale(
    value: float | None, low: float | None, high: float | None, bounds: Bounds | None
) -> tuple[float | None, float | None]:
    """The interval of a mean of bounded answers, symmetric on the logit of the scale instead of on the scale itself; on
    the logarithm where the scale has no upper end, as points of errors.

    The standard error is carried over by the delta method, so that the ends never leave the scale. An interval that is
    not symmetric was resampled and lies on the scale already. None where the mean is at an end of the scale or beyond,
    and where a scale without upper end leaves open whether the mean is a hundred times higher or lower.
    """
    if value is None or low is None or high is None or bounds is None:
        return low, high
    start, end = bounds
    reach = (high - low) / 2
    if not math.isclose(high - value, value - low, rel_tol=1e-6, abs_tol=1e-12):
        return max(low, start), min(high, end)
    if math.isinf(end):
        above = value - start
        if above <= 0 or reach / above > HUNDREDFOLD:
            return None, None
        factor = math.exp(reach / above)
        return start + above / factor, start + above * factor
    share = (value - start) / (end - start)
    if not 0 < share < 1:
        return None, None
    centre = math.log(share / (1 - share))
    step = reach / (end - start) / (share * (1 - share))
    low, high = (start + (end - start) * _logistic(centre + way * step) for way in (-1, 1))
    return low, high


def _name_scale(bounds: Bounds) -> str:
    start, end = bounds
    return f"from {start:.12g}, {FROM_ITS_START}" if math.isinf(end) else f"{start:.12g} to {end:.12g}, {ON_SCALE}"


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def group_rows(material: Material, *, judges_named: bool = False) -> CountedRows:
    """The rows of judges whose answers may be pooled: people alone, or where there are none models, else metrics; where
    a file holds nothing but settled answers, these. Judges who are named may be of any kind."""
    rows = material.counted("scores")
    if judges_named or rows.table.is_empty():
        return material.counted("scores", of=tuple(GROUPS), settled=True)
    return rows


def scored_rows(material: Material, *, judges_named: bool = False) -> CountedRows:
    """The rows that scores are made of: `group_rows`. Files of published ratings may hold merged ones beside those of
    models and metrics: there all are kept, for whoever computes scores to tell apart or refuse."""
    rows = group_rows(material, judges_named=judges_named)
    merged = "people" not in rows.selection.groups and str(JudgeKind.ADJUDICATED) in set(material.table["judge_kind"])
    return material.counted("scores", of=tuple(GROUPS), settled=True) if merged else rows


@dataclass(frozen=True, slots=True)
class RankedBy:
    """The question or score that systems are ranked by, with the options of the ranking."""

    of: str
    options: Mapping[str, Any]


def ranked_by(protocol: Protocol | None, table: pl.DataFrame, question: str | None = None) -> list[RankedBy]:
    """What systems are ranked by: the question or score that is named, else what the protocol plans, else the only
    one that has numbers."""
    if question is not None:
        plan = next((entry for entry in ranking_plans(protocol) if entry.of == question), None)
        return [_ranked_by(protocol, table, question, plan.options if plan else {})]
    if rankings := planned_rankings(protocol, table):
        return rankings
    numeric = numeric_questions(table)
    if len(numeric) > 1:
        raise InputError(
            "The protocol does not say which question systems are ranked by.",
            next_step=f"Name one of {', '.join(numeric)}.",
        )
    nameless = table.filter(pl.col("score").is_not_null() & (pl.col("system") == ""))["question"].unique()
    if not numeric and len(nameless):
        raise InputError(
            "No answer with a number says which system it is about, so there is nothing to rank.",
            code="no_systems",
            next_step="Name the column with the systems: --columns system=COLUMN. If each column holds one system's "
            "scores, name each: --columns 'answer:score about SYSTEM=COLUMN,answer:score about OTHER=COLUMN'.",
        )
    if table.is_empty():
        raise InputError("There are no answers yet that count in scores.", code="no_answers")
    if not numeric:
        raise InputError(
            "No question has numbers that systems could be ranked by.",
            next_step="Labels are described by `lanner agreement` and `lanner report`, preferences by `lanner prefer`.",
        )
    return [_ranked_by(protocol, table, name, {}) for name in numeric]


def planned_rankings(protocol: Protocol | None, table: pl.DataFrame) -> list[RankedBy]:
    """The rankings that a protocol plans and that have answers; one for each question with numbers where the protocol
    was made from the answers themselves."""
    if protocol and protocol.is_guessed:
        return [_ranked_by(protocol, table, name, {}) for name in numeric_questions(table)]
    answered_ids = set(table["question"].unique())
    plans = [entry for entry in ranking_plans(protocol) if entry.of in answered_ids]
    return [_ranked_by(protocol, table, entry.of, entry.options) for entry in plans]


def _ranked_by(protocol: Protocol | None, table: pl.DataFrame, of: str, options: Mapping[str, Any]) -> RankedBy:
    """With the options of the plan. The answers of one system alone are not standardised: their mean would be 0
    whatever they are."""
    settings = ranking_options(protocol, of, options)
    if settings.get("standardise") and "system" in table.columns:
        systems = table.filter((pl.col("question") == of) & pl.col("score").is_not_null())["system"].n_unique()
        if systems == 1:
            settings = {name: value for name, value in settings.items() if name != "standardise"}
    return RankedBy(of, settings)


def preference_questions(protocol: Protocol | None, table: pl.DataFrame, question: str | None = None) -> list[str]:
    """The questions whose answers say which of two outputs is better: those that rank or name a side, and where the
    protocol was made from the answers, or there is none, also labels given to two outputs side by side. Where no
    systems are named, these are labels that are two names and ties, if the question asks for a preference or they name
    sides: `yes` and `no` are none. A `question` that somebody names as a preference is taken as asking for one. `table`
    holds the rows that count for scores, as they are or by `with_sides`."""
    sides = sides_of(protocol)
    ids = [one.id for _, one in protocol.questions if isinstance(one, Rank) or one.id in sides] if protocol else []
    if protocol is None or protocol.is_guessed:
        ids += [name for name in _compared_labels(protocol, table, question) if name not in ids]
    answered_ids = set(table["question"].unique())
    return [name for name in ids if name in answered_ids and question in (None, name)]


_UNDER, _AT, _OVER = "under", "at", "over"
"""What stands for the answers of a scale below zero, at zero and above."""


def sides_of(protocol: Protocol | None) -> dict[str, dict[str, Side]]:
    """By question about two outputs, what its answers mean where they name a side and may say by how much: of a choice
    by option; of a scale around zero by sign, if both of its ends name an output. What leaves that open is not here."""
    sides: dict[str, dict[str, Side]] = {}
    if protocol is None or protocol.is_guessed:
        return sides
    words = Wording(protocol)
    for stage, question in protocol.questions:
        if stage.object is not Object.OUTPUTS or stage.outputs != 2:
            continue
        meanings: dict[str, Side | None] = {}
        if isinstance(question, Choice):
            meanings = {o.id: _side_of(o.id, words.option(question.id, o.id).label) for o in question.options}
        elif isinstance(question, Scale) and question.min == -question.max:
            ends = words.question(question.id)
            meanings = {_UNDER: _side_of(ends.low), _OVER: _side_of(ends.high), _AT: "tie"}
        known = {answer: side for answer, side in meanings.items() if side}
        if len(known) == len(meanings) and {"a", "b"} <= set(known.values()):
            sides[question.id] = known
    return sides


def _side_of(*texts: str) -> Side | None:
    """The side that words name, unless some of them name another."""
    sides = {side for text in texts if text and (side := preferred_side(text))}
    return sides.pop() if len(sides) == 1 else None


def with_sides(protocol: Protocol | None, table: pl.DataFrame) -> pl.DataFrame:
    """The rows with the side as label of each answer that names one and may say by how much: what counts as preferred
    is the direction alone."""
    label = pl.col("label")
    for name, meanings in sides_of(protocol).items():
        under_zero, over_zero = pl.col("score") < 0, pl.col("score") > 0
        sign = pl.when(under_zero).then(pl.lit(_UNDER)).when(over_zero).then(pl.lit(_OVER)).otherwise(pl.lit(_AT))
        given = pl.when(pl.col("score").is_not_null()).then(sign) if _UNDER in meanings else pl.col("label")
        side = given.replace_strict(meanings, default=None, return_dtype=pl.String())
        label = pl.when(pl.col("question") == name).then(side).otherwise(label)
    return table.with_columns(label.alias("label"))


def _compared_labels(protocol: Protocol | None, table: pl.DataFrame, question: str | None) -> list[str]:
    with_label = table.filter(pl.col("label").is_not_null())
    labels_by_question = {
        str(name): set(own["label"].unique()) - TIES
        for (name,), own in with_label.group_by("question", maintain_order=True)
    }
    questions = []
    for name, labels in labels_by_question.items():
        systems = with_label.filter(pl.col("question") == name)["system"]
        heading = Wording(protocol).question(name).label if protocol and protocol.find(name) else name
        asks = asks_preference(heading) or all(preferred_side(label) for label in labels) or name == question
        # `best` and `worst` of three name two in one column, and all of them together
        names = set().union(*(other for other in labels_by_question.values() if other & labels))
        if systems.str.contains("|", literal=True).any() or ((systems == "").all() and len(names) <= 2 and asks):
            questions.append(name)
    return questions


def numeric_questions(table: pl.DataFrame) -> list[str]:
    """Questions that single systems have numbers for, in the order in which they come."""
    of_systems = (pl.col("system") != "") & ~pl.col("system").str.contains("|", literal=True)
    return table.filter(pl.col("score").is_not_null() & of_systems)["question"].unique(maintain_order=True).to_list()


def direction_of(protocol: Protocol, of: str) -> str:
    """Whether more or less of a question or score is better, as the protocol's plan, score or scale says."""
    [entry] = ranked_by(protocol, pl.DataFrame(), of)
    return str(entry.options.get("direction", "higher_is_better"))


@dataclass(frozen=True, slots=True)
class RankedSystems:
    """Systems best first, and every pair of them, each with its `state`: decided, within the margin that was set, or
    open."""

    systems: Result
    pairs: Result
    is_standardised: bool = False
    """Whether scores are z per judge and no points of the scale."""

    def count(self, state: State) -> int:
        """How many pairs are in this state."""
        return sum(row["state"] == state for row in self.pairs.rows)

    @property
    def reach(self) -> float | None:
        """How far the interval of a difference reaches to each side, in the middle of all pairs: what is smaller can
        hardly be told from chance."""
        halves = [(row["high"] - row["low"]) / 2 for row in self.pairs.rows if row["low"] is not None]
        return float(np.median(halves)) if halves and len(halves) == len(self.pairs.rows) else None

    @property
    def judged_on_fewer(self) -> dict[str, int]:
        """Systems that were judged in fewer documents than others, with their number."""
        most = max((row["documents"] for row in self.systems.rows), default=0)
        return {row["system"]: row["documents"] for row in self.systems.rows if row["documents"] < most}


def pair_state(pair: Mapping[str, Json], level: float = 0.05) -> State:
    """Whether two systems are told apart, shown to be no further apart than a margin, or neither. All by tests that are
    corrected for the number of pairs (for the margin two one-sided ones)."""
    if pair["p_holm"] is not None and pair["p_holm"] < level:
        return State.DECIDED
    equivalent = pair.get("p_equivalent")
    return State.WITHIN if equivalent is not None and equivalent < level else State.OPEN


def margin_for(settings: Mapping[str, Json], of: str, rankings: Sequence[RankedBy]) -> float | None:
    """The margin that a campaign has set, for the score it is about: the main question where systems are ranked by it,
    else the first that they are ranked by. Rank tests know no points."""
    margin, main = settings.get("margin"), main_ranking(settings, rankings)
    if not isinstance(margin, int | float) or main is None:
        return None
    tested = main.options.get("test", "permutation") == "permutation"
    return float(margin) if main.of == of and tested else None


def main_ranking(settings: Mapping[str, Json], rankings: Sequence[RankedBy]) -> RankedBy | None:
    """The ranking by the main question where systems are ranked by it, else the first."""
    return next((entry for entry in rankings if entry.of == settings.get("main_question")), next(iter(rankings), None))


def options_of(entry: RankedBy, material: Material, rankings: Sequence[RankedBy]) -> dict[str, Any]:
    """What a ranking of a campaign or a file is made with: the options of the plan, the margin that was set, and the
    words of the texts where scores are per so many words."""
    options = dict(entry.options)
    margin = margin_for(material.settings, entry.of, rankings)
    if margin is not None:
        options["margin"] = margin
    if options.get("per_words"):
        options["words"] = material.words
    return options


def rank_systems(
    rows: CountedRows, of: str, protocol: Protocol | None, *, resampling: Resampling | None = None, **options: Any
) -> RankedSystems:
    """The ranking by one score, with intervals that stay on its scale. `rows` are those that count for scores."""
    how = resampling or Resampling()
    return RankedSystems(
        score_systems(rows, of, protocol, resampling=how, **options),
        compare_systems(rows, of, resampling=how, **options),
        bool(options.get("standardise")),
    )


def score_systems(
    rows: CountedRows, of: str, protocol: Protocol | None, *, resampling: Resampling, **options: Any
) -> Result:
    """The systems of a ranking, best first. Unless `judges` are among the options, all judges of the rows count, of
    whatever kind; with `judges=None` scorers of several kinds or scales are told apart or refused."""
    options = {"judges": _judges_of(rows, of), **options}
    result = ranking.systems(rows.table, of, resampling=resampling, **options)
    by_metrics = set(rows.table["judge_kind"].unique()) <= {JudgeKind.METRIC}  # whose scale is not the question's
    result = keep_on_scale(rows.sign(result), None if by_metrics else score_bounds(protocol, of, options))
    some = counts_some(rows.table, of, protocol)
    return result if some is None else replace(result, notes=(*result.notes, f"{of} counts {some}."))


def counts_some(table: pl.DataFrame, of: str, protocol: Protocol | None) -> str | None:
    """Of how many judgements a score is made, in words, where its condition leaves some out."""
    score = next((score for score in protocol.scores if score.id == of), None) if protocol else None
    if score is None or score.when is None:
        return None
    judged = table.filter(pl.col("system") != "").unique(["question", "judge", "document", "segment", "system"])
    counted, given = (judged.filter(pl.col("question") == name).height for name in (of, score.question))
    if counted >= given:
        return None
    return f"{counted:,} of {given:,} judgements, those where {condition_in_words(score.when)}"


def compare_systems(rows: CountedRows, of: str, *, resampling: Resampling, **options: Any) -> Result:
    """Every pair of systems with its `state`; `judges` as for `score_systems`. Of the resampling only level and seed
    matter: pairs are tested by swapping documents."""
    options = {"judges": _judges_of(rows, of), **options}
    result = ranking.head_to_head(rows.table, of, resampling=resampling, **options)
    return replace(rows.sign(result), rows=[{**row, "state": pair_state(row)} for row in result.rows])


_PAIR = pl.concat_str("source_language", "target_language", separator="-")


def language_pairs(table: pl.DataFrame) -> list[str]:
    """The language pairs that answers are about, where they say so."""
    told = table.filter((pl.col("target_language") != UNDETERMINED) & (pl.col("document") != ""))
    return sorted(set(told.select(_PAIR).to_series()))


def pooled_pairs(table: pl.DataFrame) -> str:
    """That numbers pool several language pairs, each of which may say something else; "" where they do not."""
    pairs = language_pairs(table)
    if len(pairs) < 2:
        return ""
    return (
        f"Numbers are of {len(pairs)} language pairs ({', '.join(pairs)}) together. In each, judges may agree and "
        "systems compare otherwise: name one pair to see its own."
    )


def rank_in_pairs(
    rows: CountedRows, of: str, protocol: Protocol | None, *, resampling: Resampling, **options: Any
) -> dict[str, Result]:
    """The systems of each language pair, best first, where there are several pairs."""
    pairs = language_pairs(rows.table)
    parts = {pair: replace(rows, table=rows.table.filter(_PAIR.eq(pair))) for pair in pairs if len(pairs) > 1}
    return {pair: score_systems(part, of, protocol, resampling=resampling, **options) for pair, part in parts.items()}


def _judges_of(rows: CountedRows, of: str) -> list[str]:
    return rows.table.filter(pl.col("question") == of)["judge"].unique().sort().to_list()


@dataclass(frozen=True, slots=True)
class DecidedPairs:
    """The pairs of systems in the ranking by the main question: how many there are, and those that are decided, the
    higher score first."""

    of: str
    pairs: int
    decided: tuple[tuple[str, str], ...]


def decided_pairs(material: Material, *, without: str | None = None) -> DecidedPairs | None:
    """The pairs that people's answers decide, as the report says; with `without`, as it would say if that judge were
    left out. None where no two systems are ranked, and for adaptive campaigns: there every look counts
    (`lanner.analysis.economy`), and what was decided stays so."""
    rows = material.counted("scores", of="people")
    if without is not None:
        rows = rows.without(without)
    rankings = planned_rankings(material.protocol, rows.table)
    entry = main_ranking(material.settings, rankings)
    if entry is None or material.settings.get("design") == ADAPTIVE:
        return None
    settings = options_of(entry, material, rankings)
    result = compare_systems(rows, entry.of, resampling=Resampling(method="none"), **settings)
    pairs = [
        (row["system"], row["other"]) if row["difference"] > 0 else (row["other"], row["system"])
        for row in result.rows
        if row["state"] is State.DECIDED
    ]
    return DecidedPairs(entry.of, len(result.rows), tuple(sorted(pairs))) if result.rows else None


def score_bounds(protocol: Protocol | None, of: str, options: Mapping[str, Any]) -> Bounds | None:
    """The ends of the scale that a ranking is on: none for z scores and rates."""
    if protocol is None or options.get("standardise") or options.get("per_words"):
        return None
    return bounds_of(protocol, of)


_SCORES_WITH_ENDS = (("score", "low", "high"), ("value", "low", "high"), ("people", "people_low", "people_high"))


def keep_on_scale(result: Result, bounds: Bounds | None) -> Result:
    """A table of systems' scores whose intervals stay on the scale of the score; the signature says how. Rows of
    another kind than "system" are about something else and stay as they are."""
    if bounds is None:
        return result
    results = []
    lost: dict[str, None] = {}
    for row in result.rows:
        ends: dict[str, Json] = {}
        for name, lower, upper in _SCORES_WITH_ENDS:
            if row.get("kind", "system") == "system" and name in row and lower in row:
                ends[lower], ends[upper] = on_scale(row[name], row[lower], row[upper], bounds)
                if row[lower] is not None and ends[lower] is None:
                    lost[_why_lost(row[name], bounds)] = None
        results.append({**row, **ends})
    interval = result.interval
    if interval is not None and results and results[0].get("kind", "system") == "system":
        low, high = results[0]["low"], results[0]["high"]
        interval = None if low is None or high is None else replace(interval, low=low, high=high)
    signature = result.signature
    if signature is not None:
        has_interval = any(row.get(lower) is not None for row in results for _, lower, _ in _SCORES_WITH_ENDS)
        parts = [part for part in signature.parts if has_interval or part[0] not in ("interval", "resamples", "seed")]
        signature = replace(signature, parts=(*parts, ("scale", _name_scale(bounds))))
    return replace(result, rows=results, interval=interval, signature=signature, notes=(*result.notes, *lost))


def _why_lost(value: float, bounds: Bounds) -> str:
    """Why a score that has an interval has none on its scale."""
    start, end = bounds
    if start < value < end:
        return UNKNOWN.format(unit="document", what="score")
    return (
        f"No interval: a score is not between the ends of its scale ({start:.12g} and {end:.12g}). Adjusted for hard "
        "and easy segments it may lie beyond them."
    )


def keep_means_on_scale(result: Result, bounds: Mapping[str, Bounds | None]) -> Result:
    """Averages of questionnaires whose intervals stay on the scale of each question; the signature says how."""
    rows = []
    for row in result.rows:
        low, high = on_scale(row["mean"], row["low"], row["high"], bounds.get(row["question"]))
        rows.append({**row, "low": low, "high": high})
    signature = result.signature
    if signature is not None and any(bounds.values()):
        signature = replace(signature, parts=(*signature.parts, ("scale", ON_SCALE)))
    return replace(result, rows=rows, signature=signature)


ALL = ""
"""All domains, or all language pairs, together: no name, since any name may be that of one."""


def domain_columns(domain: str) -> dict[str, Json]:
    """As columns of a row: "all" for all together, which `pooled` tells from a domain that is called so."""
    return {"domain": domain or "all", "pooled": domain == ALL}


@dataclass(frozen=True, slots=True)
class Share:
    """A mean or a share over documents, with its interval and what it rests on."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    def row(self, name: str, n: str, ends: str = "") -> dict[str, Json]:
        """As columns of a row: the value under its name, the ends of the interval, and `n` under theirs."""
        ends = ends or name
        return {name: self.value, f"{ends}_low": self.low, f"{ends}_high": self.high, n: self.n}


@dataclass(frozen=True, slots=True)
class GridRowScore:
    """One row of a grid for one system: on which share of the items it matters, and its mean where it does."""

    row: str
    system: str
    matters: Share
    quality: Share

    def to_row(self) -> dict[str, Json]:
        return {
            "row": self.row,
            "system": self.system,
            **self.matters.row("matters", "judgements"),
            **self.quality.row("mean_where_it_matters", "n", ends="mean"),
        }


def profile(rows: CountedRows, question: Question, *, resampling: Resampling | None = None) -> list[GridRowScore]:
    """How often each row of a grid matters, and how well each system handles it where it does: two numbers, never one.

    A row does not matter where its answer was left at the preselected option ("not relevant"), whatever that is worth.
    Of a question asked for each chosen label, a label matters where it was chosen.
    """
    how = resampling or Resampling()
    answers = rows.table.filter(
        pl.col("question") == question.id, pl.col("row") != "", pl.col("system") != "", pl.col("score").is_not_null()
    )
    if answers.is_empty():
        return []
    default_option = question.preselected if isinstance(question, Grid) else None
    matters = pl.col("label") != default_option if default_option else pl.lit(value=True)
    answers = answers.with_columns(matters.fill_null(value=True).alias("matters"))
    # what each row might have mattered on; in order, since the order of documents is the order they are drawn in
    items_judged = answers.select("judge", "document", "segment", "system").unique(maintain_order=True)
    bounds = option_ends(question)
    handlings = []
    for system in sorted(answers["system"].unique()):
        own = answers.filter(pl.col("system") == system)
        items = items_judged.filter(pl.col("system") == system)
        for row in row_order(question, own):
            cells = own.filter(pl.col("row") == row, pl.col("matters"))
            if own.filter(pl.col("row") == row).is_empty():
                continue
            often = share_over_documents(cells, items, how)
            well = ratio_over_documents(
                cells.select("document", top=pl.col("score")), cells.select("document"), how, bounds
            )
            handlings.append(GridRowScore(row, system, often, well))
    return handlings


def option_ends(question: Question) -> Bounds | None:
    """The ends of the scale that a skill is rated on where it matters."""
    if isinstance(question, Grid):
        options = [option for option in question.options if option.id != question.preselected]
        values = [option.value for option in options if option.value is not None]
        return (min(values), max(values)) if len(values) > 1 else None
    return (question.min, question.max) if isinstance(question, Scale) else None


def row_order(question: Question, answers: pl.DataFrame) -> list[str]:
    """The rows that were answered, in the order of the question."""
    row_ids = [row.id for row in question.rows] if isinstance(question, Grid) else []
    rows = set(answers["row"].unique())
    return [*(row for row in row_ids if row in rows), *sorted(rows - set(row_ids))]


def share_over_documents(part: pl.DataFrame, whole: pl.DataFrame, how: Resampling) -> Share:
    """How many rows of the whole are in a part of it, with an interval over documents."""
    return ratio_over_documents(part.select("document", top=pl.lit(1.0)), whole.select("document"), how, (0.0, 1.0))


def ratio_over_documents(top: pl.DataFrame, bottom: pl.DataFrame, how: Resampling, bounds: Bounds | None) -> Share:
    """The sum of `top` over the number of rows of `bottom`, with an interval over documents."""
    whole = bottom.select("document", top=pl.lit(0.0), bottom=pl.lit(1.0))
    part = top.select("document", pl.col("top").cast(pl.Float64), bottom=pl.lit(0.0))
    replicates = replicate_sums(document_sums(pl.concat([whole, part])), lambda totals: divide(totals)[:, None], how)
    value = float(replicates.value[0])
    if not np.isfinite(value):
        return Share(None, None, None, 0)
    interval = outcome(replicates, how).interval
    low, high = on_scale(value, interval.low if interval else None, interval.high if interval else None, bounds)
    return Share(value, low, high, bottom.height)


def document_sums(*parts: pl.DataFrame) -> Array:
    """For every document, in the order in which they come, the sums of `top` and of `bottom` in each part."""
    names = dict.fromkeys(name for part in parts for name in part["document"].unique(maintain_order=True))
    places = {name: at for at, name in enumerate(names)}
    sums = np.zeros((max(1, len(places)), 2 * len(parts)))
    for at, part in enumerate(parts):
        for document, top, bottom in part.group_by("document").agg(pl.col("top", "bottom").sum()).iter_rows():
            sums[places[document], 2 * at : 2 * at + 2] = top, bottom
    return sums


def divide(totals: Array, part: int = 0) -> Array:
    """The ratio of a part, from sums of `document_sums`; NaN where there is nothing to divide by."""
    top, bottom = totals[:, 2 * part], totals[:, 2 * part + 1]
    return np.asarray(np.divide(top, bottom, out=np.full(len(totals), np.nan), where=bottom > 0))


# Documents that were not drawn evenly


FEWEST_DOCUMENTS = 10
"""Documents below which a corrected score has no interval: simulated ones held the truth in 85 to 93 % of cases."""


def choice_bias(documents: Sequence[Document], settings: Mapping[str, Any]) -> Message | None:
    """How plain scores lean because documents were not drawn evenly, and where the corrected ones are; None where they
    were."""
    if settings.get("design") == ADAPTIVE:
        return message(
            "Documents were drawn adaptively: those expected to tell more came more often, and judging stops when it "
            "is enough, so plain means and differences lean; those corrected for the draws are under “What is decided” "
            "(lanner campaign decided)."
        )
    if any(chance < 1 for chance in probabilities(documents).values()):
        return message(
            "Documents were chosen for difficulty: plain scores are those of hard texts and lie below those of the "
            "texts they were drawn from; lanner scores --selection corrects for the choice."
        )
    return None


def probabilities(documents: Sequence[Document]) -> dict[str, float]:
    """With which probability each document was chosen; empty where none says so."""
    result = {}
    for document in documents:
        about = document.meta.get(META)
        chance = about.get("probability") if isinstance(about, Mapping) else None
        if isinstance(chance, int | float) and not isinstance(chance, bool) and 0 < chance <= 1:
            result[document.id] = float(chance)
    return result


def corrected_scores(
    table: pl.DataFrame,
    of: str,
    chances: Mapping[str, float],
    bounds: Bounds | None = None,
    *,
    level: float = 0.95,
) -> Result:
    """Every system's mean, then every pair's difference over the documents that both have, one row each: `value` with
    its interval of this level for all texts, `chosen` for those that were chosen. `bounds` are the ends of the score's
    scale."""
    rows = table.filter((pl.col("question") == of) & (pl.col("role") == "main") & pl.col("score").is_finite())
    unknown = sorted(set(rows["document"]) - chances.keys())
    if not chances or unknown:
        raise InputError(
            f"The document {unknown[0]!r} does not say with which probability it was chosen."
            if chances and unknown
            else "No document says with which probability it was chosen.",
            code="no_selection",
            next_step='Choose documents with lanner prepare and a recipe step do = "difficult".',
        )
    items = rows.group_by("document", "segment", "system", maintain_order=True).agg(pl.col("score").mean())
    sums = items.group_by("document", "system", maintain_order=True).agg(pl.col("score").sum(), pl.len().alias("n"))
    totals: dict[str, dict[str, tuple[float, int]]] = {}
    for document, system, total, n in sums.sort("document").rows():
        totals.setdefault(system, {})[document] = (total, n)
    systems = sorted(totals)
    result = [
        _estimate(name, "", [(total, n, chances[d]) for d, (total, n) in totals[name].items()], bounds, level)
        for name in systems
    ]
    apart = (bounds[0] - bounds[1], bounds[1] - bounds[0]) if bounds and math.isfinite(bounds[1]) else None
    for first, second in combinations(systems, 2):
        in_common = [d for d in totals[first] if d in totals[second] and totals[first][d][1] == totals[second][d][1]]
        gaps = [(totals[first][d][0] - totals[second][d][0], totals[first][d][1], chances[d]) for d in in_common]
        if gaps:
            result.append(_estimate(first, second, gaps, apart, level))
    return Result(
        name="corrected scores",
        value=None,
        counts={"items": items.height, "documents": items["document"].n_unique()},
        rows=result,
        notes=_notes(result),
        signature=_signature(of, bounds, level),
    )


def _estimate(
    system: str, other: str, rows: Sequence[tuple[float, int, float]], bounds: Bounds | None, level: float
) -> dict[str, Json]:
    total, n, chance = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    weights = n / chance
    size = float(weights.sum())
    value = float((total / chance).sum() / size)
    residual = (total - value * n) / chance
    documents = len(total)
    low: float | None = None
    high: float | None = None
    if documents >= FEWEST_DOCUMENTS:
        error = float(np.sqrt((residual**2).sum() * documents / (documents - 1))) / size
        freedom = size**2 / float((weights**2).sum()) - 1
        reach = float(special.stdtrit(max(1.0, freedom), 0.5 + level / 2)) * error
        low, high = on_scale(value, value - reach, value + reach, bounds)
    return {
        "kind": "corrected",
        "system": system,
        "other": other,
        "value": value,
        "low": low,
        "high": high,
        "chosen": float(total.sum() / n.sum()),
        "documents": documents,
    }


def _notes(rows: Sequence[Mapping[str, Json]]) -> tuple[str, ...]:
    fewest = min((int(row["documents"]) for row in rows), default=FEW)
    if fewest < FEWEST_DOCUMENTS:
        return (
            f"No interval for corrected scores of fewer than {FEWEST_DOCUMENTS} documents ({fewest}): with unequal "
            "weights it would hold the truth too rarely.",
        )
    if fewest < FEW:
        return (
            f"Corrected scores rest on fewer than {FEW} documents ({fewest}): their intervals hold a little less "
            "often than they say.",
        )
    return ()


def _signature(of: str, bounds: Bounds | None, level: float) -> Signature:
    parts = [
        ("of", of),
        ("weights", "1 / probability of the document (Hájek)"),
        ("interval", f"linearised t {100 * level:.12g}%, Kish degrees of freedom, from {FEWEST_DOCUMENTS} documents"),
    ]
    if bounds is not None:
        parts.append(("scale", _name_scale(bounds)))
    return Signature("corrected_scores", parts=tuple(parts), version=__version__)


# Gold scores and the scorers that are held against them: single judges, models, metrics, measures of a table.


MEAN_OF_PEOPLE = "people"
"""The gold that is nobody's alone: the mean of all people who count."""
_USUAL = "score"
_ITEM = ["document", "segment", "system"]


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """Gold and other scorers on the same segments, and the document that each segment belongs to."""

    gold: Scorer
    scorers: tuple[Scorer, ...]
    documents: tuple[str, ...]
    notes: tuple[str, ...]


def scored_set(
    part: Material, question: str | None = None, gold: str | None = None, names: Sequence[str] = ()
) -> ScoredSet:
    """What a meta-evaluation takes from a file or campaign.

    Gold is one judge, or the mean of all people (`MEAN_OF_PEOPLE`, also where nothing is named). The scorers are the
    other judges who answered the question (where gold is people: models and metrics alone) and the measures that are
    called after metrics or that no judge disputes, as the scores of metrics in a table of ratings are. `names` picks
    scorers; a question that judges do dispute can be named, too. Copies of gold, or of a judge in it, are left out.
    Scores of which less is better are turned round.
    """
    table = _numbers(part)
    of = question or gold_question(part)
    gold_judges, others = _gold_and_others(table, of, gold)
    measures = [name for name in numeric_questions(table) if name != of]
    selection = _chosen_scorers(part, table, names, others, measures)
    circular = [] if len(gold_judges) > 1 else _share_scores(table, of, gold_judges[0], selection)
    selection = [name for name in selection if name not in circular]
    if not selection:
        hint = "Name the columns or questions that hold metrics (--metrics comet,ter), or let models judge."
        if circular:
            hint = f"One is a mean with the other in it ({gold}; {words(circular)}). Compare judges: --gold JUDGE"
        raise InputError(f"There is nothing to compare with {of!r} of {gold or MEAN_OF_PEOPLE}.", next_step=hint)
    answers = {MEAN_OF_PEOPLE if gold is None else gold: items(table, of, judges=gold_judges).table}
    everyone = table["judge"].unique().sort().to_list()
    for name in selection:
        rows = items(table, of, judges=[name]) if name in others else items(table, name, judges=everyone)
        answers[name] = rows.table
    several_golds = gold_judges if len(gold_judges) > 1 else []
    copies = _copies(answers, {judge: items(table, of, judges=[judge]).table for judge in several_golds})
    if len(copies) == len(selection):
        raise InputError(
            f"There is nothing to compare with {of!r} of {gold or MEAN_OF_PEOPLE}: these are its very scores, or those "
            f"of a judge in it: {words(list(copies))}.",
            next_step="Name other scorers (--metrics) or other gold scores (--gold).",
        )
    lower_is_better = [
        name for name in (of, *measures) if part.protocol and direction_of(part.protocol, name).startswith("low")
    ]
    notes = [
        f"Less {name} is better, so it is compared with its sign turned."
        for name in lower_is_better
        if name in (of, *selection)
    ]
    if gold in (None, MEAN_OF_PEOPLE) and len(gold_judges) > 1:
        notes.append(f"Gold is the mean of {len(gold_judges)} people for {of}.")
    if circular:
        notes.append(
            f"Left out: {words(circular)}. A mean goes together with the scores that it is made of, whatever they say; "
            f"here one of the two is gold ({gold})."
        )
    notes += [
        f"Left out: {name}. It gives the very scores of {whose}, which are gold: a copy says nothing of gold."
        for name, whose in copies.items()
    ]
    if several := pooled_pairs(table):
        notes.append(several)
    places, scorers = _align(answers)
    scorers = [scorer for scorer in scorers if scorer.name not in copies]
    signs = {name: -1.0 if (name if name in measures else of) in lower_is_better else 1.0 for name in answers}
    scorers = [replace(scorer, segments=signs[scorer.name] * scorer.segments) for scorer in scorers]
    return ScoredSet(scorers[0], tuple(scorers[1:]), tuple(places["document"]), tuple(notes))


def _copies(answers: Mapping[str, pl.DataFrame], gold_parts: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """The scorers that give the very scores of gold, which is the first, or of one of the judges that gold is the mean
    of (`gold_parts`), and of whom they are copies."""
    _, aligned = _align({**answers, **{f"{_PART}{judge}": table for judge, table in gold_parts.items()}})
    originals = [aligned[0], *aligned[len(answers) :]]
    copies: dict[str, str] = {}
    for scorer in aligned[1 : len(answers)]:
        for original in originals:
            both = np.isfinite(scorer.segments) & np.isfinite(original.segments)
            scores = scorer.segments[both]
            bits = len(scores) * math.log2(max(len(np.unique(scores)), 1))
            if bits >= _BITS_OF_COPY and np.array_equal(scores, original.segments[both]):
                copies.setdefault(scorer.name, original.name.removeprefix(_PART))
    return copies


_PART = "gold of "
_BITS_OF_COPY = 100
"""From so many bits of equal scores on (43 scores from 1 to 5, 20 of which each is another) a scorer is a copy: judges
who say the same 19 times of 20 get so far in less than one of ten cases."""


def _gold_and_others(table: pl.DataFrame, of: str, gold: str | None) -> tuple[list[str], list[str]]:
    """The judges whose answers to a question are gold, and those who are compared with them."""
    answered = table.filter(pl.col("question") == of)
    kinds = dict(answered.select("judge", "judge_kind").unique().sort("judge").iter_rows())
    if not kinds:
        raise InputError(f"There are no numbers for {of!r}.", next_step=did_you_mean(of, numeric_questions(table)))
    judges = list(kinds)
    if gold is not None and gold in judges:
        return [gold], [judge for judge in judges if judge != gold]
    if gold not in (None, MEAN_OF_PEOPLE):
        hint = did_you_mean(gold, [MEAN_OF_PEOPLE, *judges])
        raise InputError(f"There is no judge {gold!r} who answered {of!r}.", next_step=hint)
    people = [judge for judge, kind in kinds.items() if kind in GROUPS["people"]]
    if not people:
        raise InputError("No person answered, so nobody's scores are gold.", next_step=f"--gold {judges[0]}")
    machines = (*GROUPS["models"], *GROUPS["metrics"])  # settled answers are made of people's
    return people, [judge for judge, kind in kinds.items() if kind in machines]


def _share_scores(table: pl.DataFrame, of: str, gold: str, scorers: Sequence[str]) -> list[str]:
    """The scorers that gold is the mean of, and those that are a mean with gold in it."""
    own = table.filter((pl.col("question") == of) & (pl.col("role") == "main") & (pl.col("document") != ""))
    made = (*GROUPS["people"], JudgeKind.ADJUDICATED)
    settled = own.filter(pl.col("judge_kind") == str(JudgeKind.ADJUDICATED))["judge"].unique().to_list()
    own = own.filter(pl.col("judge_kind").is_in([str(kind) for kind in made]))
    answers = own.pivot("judge", index=_ITEM, values="score", aggregate_function="mean")
    of_gold = _averaged(answers, gold) if gold in settled else []
    return [name for name in scorers if name in of_gold or (name in settled and gold in _averaged(answers, name))]


def _averaged(answers: pl.DataFrame, mean: str) -> list[str]:
    """The judges (columns) whose mean another column is on every item; none where it is not one. A copy is no mean.

    Whoever is in the mean has z = 1 in Σ_j z_j (x_ij − mean_i) = 0, which holds for every item i. All z that solve this
    are a space, on which the vector of ones is projected.
    """
    answers = answers.filter(pl.col(mean).is_not_null())
    judges = [
        name
        for name in answers.columns
        if name not in (*_ITEM, mean) and answers[name].is_not_null().any() and not answers[name].equals(answers[mean])
    ]
    if not 0 < len(judges) < len(answers):
        return []
    apart = answers.select(pl.col(name) - pl.col(mean) for name in judges).fill_null(0.0).to_numpy()
    _, sizes, directions = np.linalg.svd(apart.T @ apart)
    largest = max(1.0, float(np.abs(answers[mean].to_numpy()).max()))
    solutions = directions[sizes <= len(answers) * (_ROUNDING * largest) ** 2]
    inside = solutions.T @ solutions @ np.ones(len(judges))
    members = [name for name, weight in zip(judges, inside.round(3), strict=True) if weight == 1]
    if not members or len(members) < np.count_nonzero(inside.round(3)):
        return []
    answered = answers.select(pl.any_horizontal(pl.col(members).is_not_null())).to_series()
    return members if bool(answered.all()) else []


_ROUNDING = 1e-6
"""How far a mean in a file may lie from the one computed here, as a share of the largest."""


def _chosen_scorers(
    part: Material, table: pl.DataFrame, names: Sequence[str], others: Sequence[str], measures: Sequence[str]
) -> list[str]:
    """The judges and measures of these names or labels; without names the judges, and the measures nobody disputes."""
    all_names = [*others, *measures]
    labels = {_label(part, name): name for name in measures}
    chosen = [name if name in all_names else labels.get(name, name) for name in names]
    if unknown := [name for name in chosen if name not in all_names]:
        raise InputError(f"There is no scorer {unknown[0]!r}.", next_step=did_you_mean(unknown[0], all_names))
    return chosen or [*others, *(name for name in measures if _is_undisputed(table, name) or names_metric(name))]


def metric_columns(part: Material) -> list[str]:
    """The columns of a table that are called after metrics and were left out as no answers of judges."""
    return [name for name in part.unread if names_metric(name)]


def gold_question(part: Material) -> str:
    """`score` where there is one, else what the protocol ranks systems by."""
    table = _numbers(part)
    if _USUAL in numeric_questions(table):
        return _USUAL
    if rankings := planned_rankings(part.protocol, table):
        return rankings[0].of
    raise InputError("No question has numbers for systems.", next_step="Say which question with --question.")


def _numbers(part: Material) -> pl.DataFrame:
    """All answers that count for scores and are numbers: of people, models and metrics, and settled ones, since a file
    of gold scores may hold nothing else."""
    return part.counted("scores", of=tuple(GROUPS), settled=True).table.filter(pl.col("score").is_not_null())


def _label(part: Material, question: str) -> str:
    """What a file or protocol calls a question."""
    words = part.protocol.text.get("en", {}).get("questions", {}).get(question, {}) if part.protocol else {}
    return str(words.get("label", question))


def _is_undisputed(table: pl.DataFrame, question: str) -> bool:
    """Whether no two judges ever differ on it, though some share items."""
    per_item = (
        table.filter((pl.col("question") == question) & (pl.col("role") == "main"))
        .group_by(_ITEM)
        .agg(pl.col("score").n_unique().alias("different"), pl.col("judge").n_unique().alias("judges"))
    )
    return bool((per_item["different"] <= 1).all() and (per_item["judges"] > 1).any())


def _align(answers: dict[str, pl.DataFrame]) -> tuple[pl.DataFrame, list[Scorer]]:
    """All segments in one order, and each scorer's systems × segments, NaN where it has no score."""
    everything = pl.concat([table.select(*_ITEM, "score") for table in answers.values()])
    places = everything.select("document", "segment").unique().sort("document", "segment")
    systems = tuple(everything["system"].unique().sort())
    scorers = []
    for name, table in answers.items():
        wide = places.join(
            table.pivot("system", index=["document", "segment"], values="score", aggregate_function="mean"),
            on=["document", "segment"],
            how="left",
            maintain_order="left",
        )
        blank = np.full(len(places), np.nan)
        cells = [wide[s].fill_null(float("nan")).to_numpy() if s in wide.columns else blank for s in systems]
        scorers.append(Scorer(name, systems, np.stack(cells)))
    return places, scorers
