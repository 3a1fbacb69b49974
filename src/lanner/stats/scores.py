"""From judgements to numbers per output: one score for each system and segment, and their means at any level.

A judge's repeated answers to one item become one (`latest` or `mean`); on request each judge is standardised; the
judges of an item are averaged; segments are averaged to documents, domains or systems. A human reference is a system
like any other. `Averaging` makes system scores functions of document weights, so that they can be resampled:

=================  ======================================================================================
micro              Σ scores / number of segments
document           Σ document means / number of documents
macro              the mean over domains of their micro means (as WMT24)
document-macro     the mean over domains of their document means
=================  ======================================================================================

Per so many words (a scorecard), numerators are points times that many, denominators the words of the source. How shared
tasks scored and ranked is kept as data in `presets.toml`, by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lanner import registry
from lanner.errors import StatisticError, check_known
from lanner.model import JUDGE_GROUPS, Protocol, Result
from lanner.model.messages import in_number
from lanner.stats.frame import by_name, in_order, latest, of_rows, positions, texts, tidy
from lanner.stats.resample import Array, Indices, Replicates, Resampling, replicate_sums, sign, undefined

Repeats = Literal["latest", "mean"]
Constant = Literal["leave_out", "zero"]
Direction = Literal["higher_is_better", "lower_is_better"]
Level = Literal["segment", "document", "domain", "system"]
PEOPLE = [str(kind) for kind in JUDGE_GROUPS["people"]]
OUT_OF_RANGE = "out_of_range"
"""The flag of an imported number that its scale does not reach."""
LARGEST = 1e100
"""Scores beyond this cannot be squared and summed without loss; nobody gives them on purpose."""
ITEM = ("system", "domain", "document", "segment")
_LEVELS: dict[Level, tuple[str, ...]] = {
    "segment": ITEM,
    "document": ("system", "domain", "document"),
    "domain": ("system", "domain"),
    "system": ("system",),
}


@dataclass(frozen=True, slots=True)
class Items:
    """One score per system and segment: `table` has system, domain, document, segment, score, judges."""

    table: pl.DataFrame
    of: str
    judges: int
    notes: tuple[str, ...] = ()
    standardised: str = ""
    answers: pl.DataFrame | None = None
    """One score per judge, system and segment, of which `table` has the means; None where that is not known."""

    @property
    def systems(self) -> list[str]:
        return texts(self.table["system"])

    def only(self, systems: Collection[str]) -> Items:
        """The same with some of the systems; an unknown name is an error."""
        known = self.systems
        for name in systems:
            check_known(name, known, f"There is no system {name!r}.", StatisticError)
        is_wanted = pl.col("system").is_in(list(systems))
        answers = None if self.answers is None else self.answers.filter(is_wanted)
        return replace(self, table=self.table.filter(is_wanted), answers=answers)

    def without_each_judge(self) -> Iterator[Items]:
        """The same scores as often as there are judges, each time with one of them left out."""
        if self.answers is None:
            raise StatisticError("These scores do not say which judge gave them.")
        for judge in texts(self.answers["judge"]):
            rest = self.answers.filter(pl.col("judge") != judge)
            yield replace(self, table=_mean_over_judges(rest), answers=rest, judges=self.judges - 1)


def _mean_over_judges(answers: pl.DataFrame) -> pl.DataFrame:
    """From one score per judge and output to one per output, with how many judges gave it."""
    item, first = by_name(answers, ITEM)
    n_judges = np.bincount(item, minlength=len(first))
    means = np.bincount(item, weights=answers["score"].to_numpy(), minlength=len(first)) / np.maximum(n_judges, 1)
    columns = {"score": pl.Series(means, dtype=pl.Float64), "judges": pl.Series(n_judges).cast(pl.UInt32)}
    return answers.select(ITEM)[first].with_columns(**columns)


def items(
    data: Any,
    of: str,
    *,
    row: str | None = None,
    judges: Sequence[str] | None = None,
    roles: Sequence[str] = ("main",),
    without_flags: Sequence[str] = (),
    without_domains: Sequence[str] = (),
    repeats: Repeats = "latest",
    standardise: bool = False,
    ddof: int = 1,
    constant: Constant = "leave_out",
) -> Items:
    """The score of each system on each segment: the mean over judges of their scores.

    `of` is a question or score of the tidy table; of a grid, `row` picks one row, otherwise rows are averaged first.
    Answers of other `roles` (controls, repeats), with one of the flags in `without_flags` or from `without_domains` are
    left out. If a judge answered about one output more than once, the `latest` counts, or the `mean`.

    Unless `judges` are named, people's scores are not averaged with those of models, metrics or an adjudication: where
    there are people, they alone count. Several metrics have scales of their own and no mean: one must be named.
    Scores of whole test sets stand beside those of segments in some files; they are no segments and are left out.

    With `standardise` a judge's score becomes z = (x − x̄) / s over all kept answers of that judge, s with `ddof`
    degrees of freedom taken off (Graham et al. 2013). A judge who always gives the same score has no z: such answers
    are left out, or count as 0 (`constant="zero"`).
    """
    for name, value, choices in (("repeats", repeats, get_args(Repeats)), ("constant", constant, get_args(Constant))):
        check_known(value, choices, f"There is no rule {value!r} for {name}.", StatisticError)
    table, table_notes = tidy(data)
    notes = list(table_notes)
    if not (table["question"] == "").all():
        questions = table["question"].unique().sort().to_list()
        check_known(of, questions, f"There are no answers to {of!r}.", StatisticError)
        table = table.filter(pl.col("question") == of)
    table = _kept(
        table,
        row=row,
        judges=judges,
        roles=roles,
        without_flags=without_flags,
        without_domains=without_domains,
        notes=notes,
    )
    if not standardise:
        _refuse_metrics_among_others(table)
    table = _once(table, repeats, notes)
    if standardise:
        table = _standardise(table, ddof, constant, notes)
    how = f"z per judge, ddof {ddof}, constant judges {constant.replace('_', ' ')}" if standardise else ""
    return Items(_mean_over_judges(table), of, table["judge"].n_unique(), tuple(notes), how, table)


def _kept(
    table: pl.DataFrame,
    *,
    row: str | None,
    judges: Sequence[str] | None,
    roles: Sequence[str],
    without_flags: Sequence[str],
    without_domains: Sequence[str],
    notes: list[str],
) -> pl.DataFrame:
    one = (pl.col("system") != "") & ~pl.col("system").str.contains("|", literal=True)
    table = table.filter(pl.col("role").is_in(list(roles)), one, ~pl.col("domain").is_in(list(without_domains)))
    table = _about_documents(table, notes)
    table = _of_one_kind(table, notes) if judges is None else table.filter(pl.col("judge").is_in(list(judges)))
    if row is not None:
        table = table.filter(pl.col("row") == row)
    if without_flags:
        has_flag = pl.any_horizontal(*(pl.col("flags").list.contains(flag) for flag in without_flags)).fill_null(False)
        said = ("{n} answer flagged {flags} is left out.", "{n} answers flagged {flags} are left out.")
        table = _without(table, table.select(has_flag).to_series(), notes, *said, flags=" or ".join(without_flags))
    missing = table["score"].is_nan() | table["score"].is_null()
    said = ("{n} answer has no score and is left out.", "{n} answers have no score and are left out.")
    table = _without(table, missing, notes, *said)
    one_score, many = (
        "{n} score is infinite or beyond {largest}, too large to compute with: left out.",
        "{n} scores are infinite or beyond {largest}, too large to compute with: left out.",
    )
    table = _without(table, table["score"].abs() > LARGEST, notes, one_score, many, largest=f"{LARGEST:.12g}")
    if beyond := table["flags"].list.contains(OUT_OF_RANGE).sum():  # kept as any flagged answer is
        notes.append(
            in_number(
                int(beyond),
                "{n} answer lies off its scale (flag {flag}) and counts as it is.",
                "{n} answers lie off their scale (flag {flag}) and count as they are.",
                flag=OUT_OF_RANGE,
            )
        )
    return table


def _without(
    table: pl.DataFrame, rows: pl.Series, notes: list[str], one: str, many: str, **places: object
) -> pl.DataFrame:
    """The table without these rows, and a note that says how many they are."""
    if not rows.any():
        return table
    notes.append(in_number(int(rows.sum()), one, many, **places))
    return table.filter(~rows)


def _about_documents(table: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    whole = table["document"] == ""
    one, many = (
        "{n} score of a whole test set is left out; systems are scored from their segments.",
        "{n} scores of whole test sets are left out; systems are scored from their segments.",
    )
    return table if whole.all() else _without(table, whole, notes, one, many)


def _of_one_kind(table: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    if set(texts(table["judge_kind"])) <= set(PEOPLE):
        return table
    kinds = table.select("judge", "judge_kind").unique(maintain_order=True)
    people = kinds.filter(pl.col("judge_kind").is_in(PEOPLE))["judge"]
    others = kinds.filter(~pl.col("judge_kind").is_in([*PEOPLE, "model"]))["judge"].to_list()
    if len(people) and len(people) < len(kinds):
        left = kinds.filter(~pl.col("judge_kind").is_in(PEOPLE))["judge"].to_list()
        notes.append(f"People's scores alone count; left out: {', '.join(left[:6])}{' …' if len(left) > 6 else ''}.")
        return table.filter(pl.col("judge").is_in(people.to_list()))
    if others and len(kinds) > 1:
        settled = kinds.filter(pl.col("judge_kind") == "adjudicated")["judge"].to_list()
        names = sorted(others, key=lambda name: (name not in settled, name))
        raise _no_mean(len(kinds), names)
    return table


def _refuse_metrics_among_others(table: pl.DataFrame) -> None:
    """The error where a metric's scores would be averaged with those of another scorer."""
    metrics = table.filter(pl.col("judge_kind") == "metric")["judge"].unique().sort().to_list()
    if metrics and table["judge"].n_unique() > 1:
        raise _no_mean(table["judge"].n_unique(), metrics)


def _no_mean(scorers: int, names: Sequence[str]) -> StatisticError:
    choice = f"{', '.join(names[:6])}{' …' if len(names) > 6 else ''}"
    return StatisticError(
        f"{scorers} scorers have scales of their own, which have no mean.",
        next_step=f"Choose one by its name with judges (--judges): {choice}.",
    )


def _once(table: pl.DataFrame, repeats: Repeats, notes: list[str]) -> pl.DataFrame:
    """One score per judge and output: first the rows of a grid are averaged, then repeated answers settled."""
    key = ["judge", *ITEM]
    if repeats == "latest":
        table, again = latest(table, [*key, "row"])
        notes += again
    cell, first = in_order(of_rows(table, key))
    if len(first) == len(table):
        return table.select(*key, "score")
    total = np.bincount(cell, weights=table["score"].to_numpy(), minlength=len(first))
    return table.select(key)[first].with_columns(score=pl.Series(total / np.bincount(cell, minlength=len(first))))


def _standardise(table: pl.DataFrame, ddof: int, constant: Constant, notes: list[str]) -> pl.DataFrame:
    centre = pl.col("score") - pl.col("score").mean().over("judge")
    spread = pl.col("score").std(ddof=ddof).over("judge")
    size = pl.col("score").abs().max().over("judge")
    table = table.with_columns(centre.alias("score"), spread.alias("_spread"), size.alias("_size"))
    level = (pl.col("_spread") <= 1e-12 * pl.col("_size")) | pl.col("_spread").is_null() | pl.col("_spread").is_nan()
    still = table.filter(level)
    if len(still):
        fate = "left out" if constant == "leave_out" else "counted as 0"
        notes.append(
            in_number(
                still["judge"].n_unique(),
                "{n} judge gave one score only ({answers} answers): {fate}.",
                "{n} judges gave one score only ({answers} answers): {fate}.",
                answers=f"{len(still):,}",
                fate=fate,
            )
        )
        table = table.filter(~level) if constant == "leave_out" else table
    z = pl.when(level).then(0.0).otherwise(pl.col("score") / pl.col("_spread"))
    return table.with_columns(z.alias("score")).drop("_spread", "_size")


def at(item_scores: Items, level: Level) -> Result:
    """Mean scores of each system at one level: a row for each segment, document, domain or system, with how many
    segments it averages and, where it is known, how many judges gave them. Segments count alike within a unit."""
    check_known(level, _LEVELS, f"There is no level {level!r}.", StatisticError)
    name = f"mean {item_scores.of}"
    if not len(item_scores.table):
        return undefined(name, "no output has a score.")
    keys = _LEVELS[level]
    means = item_scores.table.group_by(keys).agg(pl.col("score").mean(), pl.len().alias("n"))
    if item_scores.answers is not None:
        judges = item_scores.answers.group_by(keys).agg(pl.col("judge").n_unique().alias("judges"))
        means = means.join(judges, on=keys, how="left")
    rows = means.sort(keys).to_dicts()
    counts = {"items": len(item_scores.table), "judges": item_scores.judges}
    signature = sign(name, Resampling(), None, level=level, standardised=item_scores.standardised)
    value = float(item_scores.table["score"].mean())  # type: ignore[arg-type]
    return Result(name, value, counts=counts, rows=rows, notes=item_scores.notes, signature=signature)


Average = Literal["micro", "document", "macro", "document-macro"]
Words = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class ScoreLayout:
    """The documents and domains of some scores by name, in order, and whether systems are compared by segment: with it,
    tables made of part of the scores number documents alike."""

    documents: tuple[str, ...]
    domains: tuple[str, ...]
    by_segment: bool

    @classmethod
    def of(cls, item_scores: Items, systems: Sequence[str]) -> ScoreLayout:
        table = item_scores.table
        documents = tuple(texts(_document_names(table)))
        return cls(documents, tuple(texts(table["domain"])), shares_segments(item_scores, systems))

    def place_documents(self, table: pl.DataFrame) -> Indices:
        return positions(_document_names(table), self.documents).astype(np.intp)

    def place_domains(self, table: pl.DataFrame) -> Indices:
        return positions(table["domain"], self.domains).astype(np.intp)


def _document_names(table: pl.DataFrame) -> pl.Series:
    return table["domain"] + "\t" + table["document"]


@dataclass(frozen=True, slots=True)
class Averaging:
    """Items laid out for averaging: cells (segments of one system) with their system, document and stratum."""

    systems: tuple[str, ...]
    documents: int
    strata: int
    numerators: Array
    denominators: Array
    system: Indices
    document: Indices
    stratum: Indices

    @classmethod
    def of(
        cls,
        item_scores: Items,
        systems: Sequence[str],
        average: Average,
        *,
        words: Words | None = None,
        per_words: float = 0,
        layout: ScoreLayout | None = None,
    ) -> Averaging:
        check_average(average)
        table = item_scores.table
        layout = layout or ScoreLayout.of(item_scores, systems)
        domain = layout.place_domains(table) if average.endswith("macro") else np.zeros(len(table), np.intp)
        document = layout.place_documents(table)
        system = table["system"].cast(pl.Enum(systems)).to_physical().to_numpy().astype(np.intp)
        scores = table["score"].to_numpy().astype(float)
        sizes = np.ones(len(table))
        if per_words:
            sizes = _lengths(table, words or {})
            scores = scores * per_words
        if average.startswith("document"):
            both = document * len(systems) + system
            total = np.bincount(both, weights=sizes, minlength=0)[both]
            scores, sizes = scores / total, sizes / total
        n_strata = len(layout.domains) if average.endswith("macro") else 1
        return cls(tuple(systems), len(layout.documents), n_strata, scores, sizes, system, document, domain)

    def sums(self) -> Array:
        """documents × (systems · strata · 2): what each document adds to every numerator and denominator."""
        width = len(self.systems) * self.strata
        column = self.system * self.strata + self.stratum
        flat = self.document * width + column
        parts = [
            np.bincount(flat, weights=values, minlength=self.documents * width).reshape(self.documents, width)
            for values in (self.numerators, self.denominators)
        ]
        return np.concatenate(parts, axis=1)

    def finish(self, sums: Array) -> Array:
        """System scores (resamples × systems) from sums; a stratum without answers of a system is left out of it."""
        return stratum_means(sums, self.strata)

    def replicate(self, resampling: Resampling) -> Replicates:
        return replicate_sums(self.sums(), self.finish, resampling)

    def values(self) -> Array:
        return np.asarray(self.finish(self.sums().sum(axis=0)[None, :])[0])


def stratum_means(sums: Array, strata: int) -> Array:
    """Means over strata from sums (resamples × (columns · strata · 2), numerators then denominators): strata count
    alike, and those without anything are left out."""
    above, below = np.split(sums, 2, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(below > 1e-12, above / below, np.nan).reshape(len(sums), above.shape[1] // strata, strata)
    valid = ~np.isnan(means)
    count = valid.sum(axis=2)
    total = np.where(valid, means, 0.0).sum(axis=2)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores as segments × systems, NaN where missing, with each segment's domain, document and weight. Where systems
    share documents but not segment ids (`by_segment` is false), rows are documents and weights their sizes."""

    scores: Array
    domain: Indices
    document: Indices
    weight: Array
    layout: ScoreLayout

    @property
    def by_segment(self) -> bool:
        return self.layout.by_segment

    def strata(self, average: Average) -> tuple[Indices, int]:
        """The stratum of each row that an average takes apart (its domain, or one for all), and how many there are."""
        if average.endswith("macro"):
            return self.domain, len(self.layout.domains)
        return np.zeros(len(self.scores), np.intp), 1


def score_table(item_scores: Items, systems: Sequence[str], layout: ScoreLayout | None = None) -> ScoreTable:
    """The scores of these systems side by side."""
    table = item_scores.table.filter(pl.col("system").is_in(list(systems)))
    layout = layout or ScoreLayout.of(item_scores, systems)
    index = ["domain", "document", "segment"] if layout.by_segment else ["domain", "document"]
    row, first = by_name(table, index)
    cell = row * len(systems) + positions(table["system"], systems)
    shape = (len(first), len(systems))
    total = np.bincount(cell, weights=table["score"].to_numpy(), minlength=len(first) * len(systems)).reshape(shape)
    n = np.bincount(cell, minlength=total.size).reshape(shape)
    scores = np.divide(total, n, out=np.full(shape, np.nan), where=n > 0)
    weight = np.ones(len(first)) if layout.by_segment else n.sum(axis=1) / np.count_nonzero(n, axis=1)
    rows = table[index][first]
    return ScoreTable(scores, layout.place_domains(rows), layout.place_documents(rows), weight, layout)


def shares_segments(item_scores: Items, systems: Sequence[str]) -> bool:
    """Whether systems can be compared segment by segment. Some files number the items of a batch, so that the same
    segment of two systems has different ids; then the means of their shared documents are compared."""
    table = item_scores.table.filter(pl.col("system").is_in(list(systems)))
    per_segment = len(table) / max(1, table.select("domain", "document", "segment").n_unique())
    documents = table.select("domain", "document", "system").unique()
    per_document = len(documents) / max(1, documents.select("domain", "document").n_unique())
    return per_segment - 1 >= (per_document - 1) / 2


@dataclass(frozen=True)
class AdjustedScores:
    """System scores with the difficulty of segments taken out: least squares of score = system + segment.

    In each stratum the segments' effects are eliminated, which leaves one equation per system; what every document adds
    to these equations is a sum, so that scores can be resampled by document like plain averages. The level is that of
    all segments of the stratum, as if every system had been judged on each.
    """

    systems: tuple[str, ...]
    parts: Array
    strata: int

    @classmethod
    def of(cls, table: ScoreTable, systems: Sequence[str], average: Average) -> AdjustedScores:
        check_average(average)
        k = len(systems)
        stratum, strata = table.strata(average)
        valid = ~np.isnan(table.scores)
        weight = table.weight
        if average.startswith("document"):
            weight = weight / np.bincount(table.document, weights=weight)[table.document]
        present = valid.astype(float) / valid.sum(axis=1, keepdims=True)
        scores = np.where(valid, table.scores, 0.0)
        mean = (scores * present).sum(axis=1, keepdims=True)
        own = weight[:, None] * np.where(valid, scores - mean, 0.0)
        level = weight[:, None] * np.hstack([present, mean, np.ones_like(mean)])
        documents = len(table.layout.documents)
        width = k * k + 2 * k + 2
        parts = np.zeros((documents, strata, width))
        order = np.argsort(table.document, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(table.document[order])) + 1) if len(order) else ():
            at = parts[table.document[rows[0]], stratum[rows[0]]]
            counts = valid[rows] * weight[rows, None]
            at[: k * k] = (np.diag(counts.sum(axis=0)) - counts.T @ present[rows]).ravel()
            at[k * k : k * k + k] = own[rows].sum(axis=0)
            at[k * k + k :] = level[rows].sum(axis=0)
        return cls(tuple(systems), parts.reshape(documents, -1), strata)

    @property
    def connected(self) -> bool:
        """Whether every system can be compared with every other in each stratum that has it, if only through others."""
        return not bool(np.isnan(self.values()).any())

    def finish(self, sums: Array) -> Array:
        """System scores (resamples × systems); NaN where a system cannot be compared with the others."""
        k = len(self.systems)
        parts = sums.reshape(len(sums), self.strata, -1)
        matrix = parts[..., : k * k].reshape(len(sums), self.strata, k, k)
        right, share = parts[..., k * k : k * k + k], parts[..., k * k + k : k * k + 2 * k]
        total, size = parts[..., -2], parts[..., -1]
        present = share > 1e-12
        scale = np.maximum(np.einsum("bskk->bs", matrix), 1e-300)[..., None, None]
        constant = present[..., :, None] & present[..., None, :]
        absent = np.eye(k) * ~present[..., None]
        solvable = matrix / scale + constant / np.maximum(present.sum(axis=2), 1)[..., None, None] + absent
        rank = np.linalg.matrix_rank(solvable, tol=1e-9, hermitian=True)
        whole = rank == k
        effects = np.linalg.solve(
            np.where(whole[..., None, None], solvable, np.eye(k)), (right / scale[..., 0])[..., None]
        )[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            level = (total - (share * effects).sum(axis=2)) / size
        scores = np.where(present & whole[..., None], effects + level[..., None], np.nan)
        open_cells = (present & ~whole[..., None]).any(axis=1)
        count = present.sum(axis=1)
        mean = np.where(present, np.nan_to_num(scores), 0.0).sum(axis=1) / np.maximum(count, 1)
        return np.where((count > 0) & ~open_cells, mean, np.nan)

    def sums(self) -> Array:
        """documents × what each adds to the equations."""
        return self.parts

    def replicate(self, resampling: Resampling) -> Replicates:
        return replicate_sums(self.parts, self.finish, resampling)

    def values(self) -> Array:
        return np.asarray(self.finish(self.parts.sum(axis=0)[None, :])[0])


def check_average(average: str) -> None:
    """An error that helps for an average that does not exist."""
    check_known(average, get_args(Average), f"There is no average {average!r}.", StatisticError)


def _lengths(table: pl.DataFrame, words: Words) -> Array:
    keys = list(zip(table["document"], table["segment"], strict=True))
    unknown = [key for key in keys if key not in words]
    if unknown:
        raise StatisticError(
            f"The number of words of {len(set(unknown))} segments is not known, so no rate can be given.",
            next_step="Give the texts with the judgements, or rank by the plain score (per_words=0).",
        )
    return np.array([max(1, words[key]) for key in keys], float)


_WORDS = ("summary", "citation", "checked", "of", "like", "weights", "weights_from")


@dataclass(frozen=True, slots=True)
class Preset:
    """`of` is the question or score that is ranked, `options` go to `ranking.rank`; `weights` are the points of marked
    errors in that year, where they are part of the preset."""

    name: str
    of: str
    options: Mapping[str, Any]
    summary: str = ""
    citation: str = ""
    checked: str = ""
    weights_from: str = ""
    weights: tuple[Mapping[str, Any], ...] = ()

    def weigh(self, protocol: Protocol) -> Protocol:
        """The protocol with this preset's weights in the score it ranks by, where it is made of weighted spans."""
        if not self.weights:
            return protocol
        scores = tuple(
            score.model_copy(update={"options": {**score.options, "weights": list(self.weights)}})
            if score.id == self.of and score.rule == "weighted_spans"
            else score
            for score in protocol.scores
        )
        return protocol.model_copy(update={"scores": scores})


def preset(name: str) -> Preset:
    """One of them; an unknown name is an error."""
    presets = registry.table("stats.presets")
    check_known(name, presets, f"There is no preset {name!r}.", StatisticError)
    table = dict(presets[name])
    while "like" in table:
        base = presets[table.pop("like")]
        table = {**{key: value for key, value in base.items() if key != "checked"}, **table}
    options = {key: value for key, value in table.items() if key not in _WORDS}
    words = {key: str(table.get(key, "")) for key in ("summary", "citation", "checked", "weights_from")}
    return Preset(name, str(table["of"]), options, weights=tuple(table.get("weights", ())), **words)
