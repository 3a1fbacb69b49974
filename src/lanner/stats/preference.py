"""Which system do judges prefer: sign tests, majority votes, side bias, judges who miss control items, and the
strengths of several systems.

Answers of any form are read as comparisons of two systems. Three forms are understood: ranks of the outputs shown; a
label that names a side ("a", "b", "first", "left", …) of the two outputs shown; and a label that names the preferred
system itself. Systems of a pair stand in alphabetical order, whatever order they were shown in.

Strengths of systems come from paired comparisons with ties (Bradley & Terry 1952; Davidson 1970, J. Am. Stat. Assoc.
65): system i has worth πᵢ; with i against j, P(i wins) ∝ πᵢ, P(j wins) ∝ πⱼ, P(tie) ∝ ν√(πᵢπⱼ). The strengths λᵢ = log
πᵢ are centred at zero and fitted by maximum likelihood; without any tie ν is 0 and the model is Bradley and Terry's.

Intervals are those of the chance to win, Wilson's over documents, carried to the scale of strengths; for two systems
without ties they are those of the share of wins. What a document pulls on the strengths is one step of Newton's method
without it, which is finite also where leaving out the only defeat would leave no maximum. All resamples of a bootstrap
asked for by name are fitted at once on counts per pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.optimize import linprog
from scipy.special import bdtr

from lanner.errors import StatisticError, check_known
from lanner.model import SIDES, TIES, Json, Result
from lanner.model.messages import in_number
from lanner.stats.frame import ITEM, SYSTEMS, check_columns, groups, latest, shared_ranks, tidy, units
from lanner.stats.resample import (
    Array,
    Indices,
    Outcome,
    Replicates,
    Resampling,
    clustered,
    group_sums,
    holm,
    labelled,
    notes_together,
    outcome,
    replicate_ratios,
    replicate_sums,
    share_outcome,
    sign,
    undefined,
)


def comparisons(
    data: Any,
    question: str = "",
    *,
    sides: tuple[str, str] | None = None,
    tie: str | None = None,
    roles: Sequence[str] = ("main",),
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """One row per comparison of two systems, and notes.

    Columns `one` and `two` name the systems; `won` is 1 where `one` was preferred, −1 where `two` was, 0 for a tie;
    `shown_first` is 1, −1 or 0 where the output shown first was preferred, the other, or neither (null if not known).
    """
    table, notes = tidy(data)
    table = table.filter(pl.col("role").is_in(list(roles)))
    questions = table["question"].unique().sort().to_list()
    if question:
        check_known(question, questions, f"No answers to a question {question!r}.", StatisticError)
        table = table.filter(pl.col("question") == question)
    answers = table.filter(pl.col("label").is_not_null() | pl.col("ranks").is_not_null())
    if len(answers) < len(table):
        notes += (
            in_number(
                len(table) - len(answers),
                "{n} comparison has no answer and is left out.",
                "{n} comparisons have no answer and are left out.",
            ),
        )
    answers = answers.with_columns(SYSTEMS.alias("_systems"))
    key = ["judge", "question", "role", *(name for name in ITEM if name != "system"), "_systems"]
    answers, again = latest(answers, key)
    notes += again
    answers = answers.drop("_systems")
    parts = [_from_ranks(answers.filter(pl.col("ranks").is_not_null()))]
    choices = answers.filter(pl.col("ranks").is_null())
    several = choices["system"].str.contains("|", literal=True)
    parts.append(_from_sides(choices.filter(several), sides, tie))
    parts.append(_from_names(choices.filter(~several), tie))
    return pl.concat([part for part in parts if len(part)] or parts[:1], how="diagonal"), notes


def _from_columns(table: pl.DataFrame) -> pl.DataFrame:
    """`left`, `right` and `preferred` (1 left, −1 right, 0 neither) to alphabetical order."""
    turn = pl.col("left") > pl.col("right")
    return table.with_columns(
        pl.when(turn).then("right").otherwise("left").alias("one"),
        pl.when(turn).then("left").otherwise("right").alias("two"),
        pl.when(turn).then(-pl.col("preferred")).otherwise("preferred").alias("won"),
        pl.col("preferred").alias("shown_first"),
    ).drop("left", "right", "preferred")


def _from_ranks(table: pl.DataFrame) -> pl.DataFrame:
    """Every two of the outputs ranked together; rank 1 is best."""
    places: list[int] = []
    left: list[str] = []
    right: list[str] = []
    winners: list[int] = []
    for place, (systems, ranks) in enumerate(zip(table["system"].to_list(), table["ranks"].to_list(), strict=True)):
        for (a, rank_a), (b, rank_b) in combinations(zip(systems.split("|"), ranks, strict=False), 2):
            places.append(place)
            left.append(a)
            right.append(b)
            winners.append((rank_a < rank_b) - (rank_a > rank_b))
    columns = {"left": left, "right": right, "preferred": winners}
    schema = {"left": pl.String(), "right": pl.String(), "preferred": pl.Int64()}
    return _from_columns(pl.concat([table[places], pl.DataFrame(columns, schema=schema)], how="horizontal"))


def _from_sides(table: pl.DataFrame, sides: tuple[str, str] | None, tie: str | None) -> pl.DataFrame:
    labels = set(table["label"].unique().to_list())
    if sides is None and not any(labels & set(pair) for pair in SIDES):
        by_name = _by_name(table, tie)
        if by_name is not None:
            return by_name
    pair = sides or next((words for words in SIDES if labels & set(words)), SIDES[0])
    unknown = labels - set(pair) - TIES - ({tie} if tie else set())
    if unknown:
        raise StatisticError(
            f"It is not clear which side {sorted(unknown)[0]!r} means.",
            code="unclear_side",
            names={"label": sorted(unknown)[0]},
            next_step="Answer a or b, first or second, or with the name of the better system; in Python, name the "
            "two labels that mean the first and the second output shown: sides=(…, …).",
        )
    systems = pl.col("system").str.split("|")
    wins = pl.when(pl.col("label") == pair[0]).then(1).when(pl.col("label") == pair[1]).then(-1).otherwise(0)
    first, second = systems.list.get(0, null_on_oob=True), systems.list.get(1, null_on_oob=True)
    return _from_columns(
        table.with_columns(first.alias("left"), second.alias("right"), wins.cast(pl.Int64).alias("preferred"))
    )


def _by_name(table: pl.DataFrame, tie: str | None) -> pl.DataFrame | None:
    """Answers that name the better of the two outputs shown; None where one of them names neither."""
    systems = pl.col("system").str.split("|")
    first, second = systems.list.get(0, null_on_oob=True), systems.list.get(1, null_on_oob=True)
    ties = [*TIES, *([tie] if tie else [])]
    direction = pl.when(pl.col("label") == first).then(1).when(pl.col("label") == second).then(-1)
    preference = direction.when(pl.col("label").is_in(ties)).then(0).cast(pl.Int64).alias("preferred")
    with_sides = table.with_columns(first.alias("left"), second.alias("right"), preference)
    return None if with_sides["preferred"].is_null().any() else _from_columns(with_sides)


def _from_names(table: pl.DataFrame, tie: str | None) -> pl.DataFrame:
    ties = TIES | ({tie} if tie else frozenset())
    names = sorted(set(table["label"].to_list()) - ties)
    if len(names) > 2:
        raise StatisticError(
            f"The answers name more than two systems: {', '.join(names[:6])}.",
            next_step="Say in `system` which outputs were compared (joined by |), or name the label that means a tie.",
        )
    if len(names) == 1:  # of the first and the second one knows what the other is called
        names = next((list(pair) for pair in SIDES if names[0] in pair), names)
    one, two = [*names, "", ""][:2]
    wins = pl.when(pl.col("label") == one).then(1).when(pl.col("label") == two).then(-1).otherwise(0)
    unknown = pl.lit(None, dtype=pl.Int64).alias("shown_first")
    return table.with_columns(
        pl.lit(one).alias("one"), pl.lit(two).alias("two"), wins.cast(pl.Int64).alias("won"), unknown
    )


Ties = Literal["drop", "split"]


@dataclass(frozen=True, slots=True)
class SignTest:
    """x of n prefer the first system; p is two-sided and exact."""

    x: int
    n: int
    p: float | None


def exact_sign_test(wins: int, losses: int, ties: int = 0, rule: Ties = "drop") -> SignTest:
    """The two-sided sign test: p = min(1, 2 · P(X ≤ min(x, n − x))) for X ~ Binomial(n, ½).

    Ties are dropped (x = wins, n = wins + losses; Dixon & Mood 1946) or split evenly (x = wins + ties/2, n = all;
    Emerson & Simon 1979, Am. Stat. 33). A half that is left over is rounded towards n/2, which errs on the side of no
    difference.
    """
    if rule == "drop":
        x, n = wins, wins + losses
    else:
        n = wins + losses + ties
        twice = 2 * wins + ties
        x = twice // 2 + (1 if twice % 2 and twice < n else 0)
    if n == 0:
        return SignTest(x, n, None)
    return SignTest(x, n, min(1.0, 2 * float(bdtr(min(x, n - x), n, 0.5))))


def sign_test(
    data: Any,
    question: str | Sequence[str] = "",
    *,
    ties: Ties = "drop",
    favour: str | None = None,
    by: Sequence[str] = (),
    per_judge: bool = True,
    sides: tuple[str, str] | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Is one of two systems preferred? All judges together, and each on their own.

    Rows: one per question, group, pair of systems and judge ("all" for the pool, which is `pooled`: a judge may be
    called so), with the counts, x and n, the sign test with ties dropped (`p_drop`) and split (`p_split`), and the
    share preferring `favour` (the first by name unless said, or where it is neither of the two) with an interval over
    documents and the p that goes with it (`p_documents`). The sign tests take every judgement as independent, as
    published ones do; `p_documents` does not, and is the p of the Result, the first row.
    Of the pool, `p_holm` is `p_documents` corrected for the pairs of systems that a question and group compare.
    """
    resampling = clustered(resampling)
    results: list[Result] = []
    rows: list[dict[str, Json]] = []
    pairs, notes = _pairs(data, question, by, sides)
    if favour is not None and pairs:
        systems = sorted({name for _, labels, _ in pairs for name in (labels["one"], labels["two"])})
        check_known(favour, systems, f"There is no system {favour!r}.", StatisticError)
    families: dict[tuple[Json, ...], list[dict[str, Json]]] = {}
    pooled: list[Result] = []
    for about, labels, part in pairs:
        pool = [("all", part), *((judge["judge"], p) for judge, p in groups(part, ["judge"]) if per_judge)]
        for judge, own in pool:
            result, row = _test_pair(own, labels, favour, ties, resampling)
            results.append(result)
            rows.append({**about, "judge": judge, "pooled": own is part, **row, "p_holm": None})
        families.setdefault(tuple(about.values()), []).append(rows[-len(pool)])
        pooled.append(_labelled(results[-len(pool)], about, labels))
    if not results:
        return undefined("sign test", "there are no comparisons.")
    for family in families.values():
        for row, p_holm in zip(family, holm([row["p_documents"] for row in family]), strict=True):
            row["p_holm"] = p_holm
    return replace(results[0], name="sign test", rows=rows, notes=(*notes, *notes_together(pooled)))


def _refuse_unnamed(table: pl.DataFrame) -> None:
    """The error where all answers name one system, and nothing says what it was compared with."""
    alone = table.filter((pl.col("one") != "") & (pl.col("two") == ""))
    if len(alone):
        name = str(alone["one"][0])
        raise StatisticError(
            f"All answers prefer {name!r}, and nothing says what it was compared with.",
            code="unnamed_side",
            names={"label": name},
            next_step="Say in `system` which outputs were compared (joined by |), or name them in two columns "
            "`system_a` and `system_b`.",
        )


def _pairs(
    data: Any, question: str | Sequence[str], by: Sequence[str], sides: tuple[str, str] | None
) -> tuple[list[tuple[dict[str, Json], dict[str, str], pl.DataFrame]], tuple[str, ...]]:
    """The comparisons of each question, group and pair of systems: what a row about them begins with, their labels and
    the comparisons themselves; and notes, those that do not hold for all questions with the name of theirs."""
    pairs: list[tuple[dict[str, Json], dict[str, str], pl.DataFrame]] = []
    notes: dict[str, tuple[str, ...]] = {}
    for name in [question] if isinstance(question, str) else question:
        table, notes[name] = comparisons(data, name, sides=sides)
        _refuse_unnamed(table)
        for labels, part in groups(table, [*by, "one", "two"]):
            about = {"question": name, **{key: label for key, label in labels.items() if key in by}}
            pairs.append((about, labels, part))
    common = set.intersection(*map(set, notes.values())) if notes else set()
    named = (note if note in common else f"{name}: {note}" for name, own in notes.items() for note in own)
    return pairs, tuple(dict.fromkeys(named))


def _labelled(result: Result, about: Mapping[str, Json], labels: Mapping[str, str]) -> Result:
    """A result that says which question, group and pair of systems it is about."""
    words = {name: str(value) for name, value in about.items() if value}
    return labelled(result, {**words, "pair": f"{labels['one']} – {labels['two']}"})


def _counts(comparisons: pl.DataFrame) -> dict[str, int]:
    """How many pairs of outputs were compared, by how many answers and judges, in how many documents."""
    items = [name for name in ("stage", "document", "segment", "one", "two") if name in comparisons.columns]
    return {
        "items": comparisons.select(items).n_unique(),
        "answers": len(comparisons),
        "judges": comparisons["judge"].n_unique(),
        "documents": comparisons["document"].n_unique(),
    }


def _test_pair(
    part: pl.DataFrame, labels: dict[str, str], favour: str | None, ties: Ties, resampling: Resampling
) -> tuple[Result, dict[str, Json]]:
    one, two = labels["one"], labels["two"]
    sense = -1 if favour == two else 1
    for_, against = (two, one) if sense < 0 else (one, two)
    outcomes = part["won"].to_numpy() * sense
    wins, losses, ties_count = (int((outcomes == k).sum()) for k in (1, -1, 0))
    tests = {rule: exact_sign_test(wins, losses, ties_count, rule) for rule in ("drop", "split")}
    test = tests[ties]
    share, spread = _share(part, outcomes, ties, resampling)
    row: dict[str, Json] = {
        "for": for_,
        "against": against,
        "wins": wins,
        "ties": ties_count,
        "losses": losses,
        "x": test.x,
        "n": test.n,
        "share": share,
        **spread.ends(),
        "p": spread.p,
        "p_drop": tests["drop"].p,
        "p_split": tests["split"].p,
        "p_documents": spread.p,
        "notes": list(spread.notes),
    }
    counts = _counts(part)
    row |= counts
    name, signature = f"preference for {for_} over {against}", sign("sign test", resampling, spread.interval, ties=ties)
    if test.p is None:
        return undefined(name, "there is nothing but ties.", counts=counts, signature=signature), row
    return Result(name, share, spread.interval, spread.p, counts, notes=spread.notes, signature=signature), row


def _share(part: pl.DataFrame, outcomes: Array, ties: Ties, resampling: Resampling) -> tuple[float | None, Outcome]:
    """The share of wins (with ties dropped, or counted half), resampled by document."""
    unit, count = units(part, resampling.unit)
    sums = group_sums(np.stack([outcomes == 1, outcomes == -1, outcomes == 0], axis=1).astype(float), unit, count)

    def finish(total: Array) -> Array:
        wins, losses, ties_count = total.T
        half = ties_count / 2 if ties == "split" else 0.0
        with np.errstate(invalid="ignore"):
            return np.asarray((wins + half) / (wins + losses + 2 * half))[:, None]

    if not count:
        return None, Outcome(None, None)
    replicates = replicate_sums(sums, finish, resampling)
    value = float(replicates.value[0])
    columns = sums if ties == "split" else sums[:, :2]
    size = {"units": int((columns.sum(axis=1) > 0).sum()), "answers": int(columns.sum())}
    spread = outcome(replicates, resampling, scale="share", null=0.5, **size)
    return None if np.isnan(value) else value, spread


def majority(
    data: Any,
    question: str | Sequence[str] = "",
    *,
    by: Sequence[str] = (),
    items: Sequence[str] = ("document", "segment"),
    sides: tuple[str, str] | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """The vote of all judges on each item: the side with more votes than the other wins; equal votes are a tie.

    Votes for "tie" count for neither side, so one vote against a tie decides the item (Läubli et al. 2018). `items` are
    the columns that make two judgements votes on the same item. Rows: one per question, group and pair of systems,
    with items won and tied, their percentages, the percentages over single judgements (`average_…`), the sign test on
    the votes, which takes items as independent (`p`), and `p_documents`, which does not and is the Result's. The
    Result's value is the share of items that the first system wins, with its document interval.
    """
    resampling = clustered(resampling)
    results: list[Result] = []
    rows: list[dict[str, Json]] = []
    pairs, notes = _pairs(data, question, by, sides)
    for about, labels, part in pairs:
        check_columns(part, items)
        result, row = _count_votes(part, labels["one"], labels["two"], list(items), resampling)
        results.append(_labelled(result, about, labels))
        rows.append({**about, **row})
    if not results:
        return undefined("majority", "there are no comparisons.")
    combined = (*notes, *notes_together(results))
    return replace(results[0], name="majority", rows=rows, labels={}, notes=combined)


def _count_votes(
    part: pl.DataFrame, one: str, two: str, items: list[str], resampling: Resampling
) -> tuple[Result, dict[str, Json]]:
    keys = list(dict.fromkeys([*items]))
    rest = [pl.col(name).first() for name in ("document", "segment", "judge") if name not in keys]
    votes = part.group_by(keys, maintain_order=True).agg(pl.col("won").sum().sign().alias("vote"), *rest)
    vote, outcomes = votes["vote"].to_numpy(), part["won"].to_numpy()
    vote_counts = {k: int((vote == k).sum()) for k in (1, 0, -1)}
    single = {k: float((outcomes == k).mean()) for k in (1, 0, -1)}
    unit, count = units(votes, resampling.unit)
    replicates = replicate_ratios((vote == 1).astype(float), np.ones(len(vote)), unit, count, resampling)
    spread = outcome(replicates, resampling, scale="share", answers=len(vote))
    test = exact_sign_test(vote_counts[1], vote_counts[-1])
    p_documents = _share(votes, vote, "drop", resampling)[1].p
    row: dict[str, Json] = {
        "one": one,
        "two": two,
        "items": len(vote),
        "won_by_one": vote_counts[1],
        "ties": vote_counts[0],
        "won_by_two": vote_counts[-1],
        "percent_one": 100 * vote_counts[1] / len(vote),
        "percent_tie": 100 * vote_counts[0] / len(vote),
        "percent_two": 100 * vote_counts[-1] / len(vote),
        "average_one": 100 * single[1],
        "average_tie": 100 * single[0],
        "average_two": 100 * single[-1],
        "p": test.p,
        "p_documents": p_documents,
    }
    counts = {"items": len(vote), "judges": part["judge"].n_unique(), "documents": count}
    signature = sign("majority", resampling, spread.interval, ties="neither side")
    share = vote_counts[1] / len(vote)
    return Result(
        f"items won by {one}", share, spread.interval, p_documents, counts, notes=spread.notes, signature=signature
    ), row


def side_bias(
    data: Any,
    question: str = "",
    *,
    by: Sequence[str] = ("judge",),
    sides: tuple[str, str] | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Do judges prefer what is shown first, whatever it is? The share of preferences for it, ties dropped, against ½.

    Outputs are shown in random order, so any departure from ½ is a habit of the judge. Rows: all together ("all",
    which is `pooled`), then one per group, with p over documents, which agrees with the interval, and `p_items`, the
    sign test that takes every item as independent.
    """
    resampling = clustered(resampling)
    table, notes = comparisons(data, question, sides=sides)
    table = table.filter(pl.col("shown_first").is_not_null())
    if not len(table):
        return undefined("side bias", "the order in which outputs were shown is not known.")
    rows: list[dict[str, Json]] = []
    results: list[Result] = []
    for labels, part in [(dict.fromkeys(by, "all"), table), *(groups(table, by) if by else [])]:
        outcomes = part["shown_first"].to_numpy()
        test = exact_sign_test(int((outcomes == 1).sum()), int((outcomes == -1).sum()))
        share, spread = _share(part, outcomes, "drop", resampling)
        low, high = (spread.interval.low, spread.interval.high) if spread.interval else (None, None)
        row = {**labels, "pooled": part is table, "x": test.x, "n": test.n, "share": share, "low": low, "high": high}
        rows.append({**row, "p": spread.p, "p_items": test.p})
        signature = sign("side bias", resampling, spread.interval, ties="dropped")
        counts = _counts(part)
        about = (*notes, *spread.notes)
        results.append(Result("side bias", share, spread.interval, spread.p, counts, notes=about, signature=signature))
    return replace(results[0], rows=rows)


def controls(data: Any, *, spoiled: str = "spoiled", max_misses: int | None = None, tie: str | None = None) -> Result:
    """Control items: one of two outputs was made nonsense; choosing it, or a tie, is a miss (Läubli et al. 2018).

    `data` holds the answers to control items alone or has role "control" for them; the column `spoiled` names the
    system that was made nonsense. With `max_misses`, judges who miss more are to be left out (`excluded`). Rows: one
    per judge with items, misses and how they missed, and the chance that someone who guesses would do as well: each
    answer right with probability ⅓. The Result's value is the share of control items missed by all together.
    """
    table, notes = comparisons(data, tie=tie, roles=("control", "main"))
    check_columns(table, [spoiled])
    if (table["role"] == "control").any():
        table = table.filter(pl.col("role") == "control")
    table = table.filter(pl.col(spoiled).is_not_null())
    if not len(table):
        return undefined("control items missed", "there are no control items.")
    chose = pl.when(pl.col("won") == 1).then("one").when(pl.col("won") == -1).then("two").otherwise(pl.lit("tie"))
    table = table.with_columns(chose.alias("_chose"))
    is_wrong, is_tie = table["_chose"] == table[spoiled], table["_chose"] == "tie"
    table = table.with_columns(is_wrong.alias("_fooled"), is_tie.alias("_tied"))
    per_judge = (
        table.group_by("judge").agg(pl.len().alias("n"), pl.col("_fooled").sum(), pl.col("_tied").sum()).sort("judge")
    )
    rows: list[dict[str, Json]] = []
    for judge, n, wrong, ties in per_judge.iter_rows():
        misses = wrong + ties
        exclude = None if max_misses is None else misses > max_misses
        by_chance = float(bdtr(misses, n, 2 / 3))
        rows.append(
            {
                "judge": judge,
                "items": n,
                "misses": misses,
                "ties": ties,
                "spoiled_chosen": wrong,
                "by_chance": by_chance,
                "excluded": exclude,
            }
        )
    total, total_misses = sum(row["items"] for row in rows), sum(row["misses"] for row in rows)
    counts = {"items": total, "misses": total_misses, "judges": len(rows)}
    signature = sign("control items", Resampling(), None, miss="spoiled or tie")
    return Result(
        "control items missed", total_misses / total, counts=counts, rows=rows, notes=notes, signature=signature
    )


def without_excluded(data: pl.DataFrame, control_result: Result) -> pl.DataFrame:
    """The table without the judges that `controls` marks as excluded."""
    out = [row["judge"] for row in control_result.rows if row["excluded"]]
    return data.filter(~pl.col("judge").is_in(out))


# Strengths of systems


_FAR = 15.0  # a strength beyond this means that the likelihood has no maximum


@dataclass(frozen=True)
class Davidson:
    """The model for some pairs of systems; counts are wins of the first, wins of the second, ties, per pair."""

    systems: int
    pairs: Indices
    ties: bool

    @property
    def _features(self) -> Array:
        """Pairs × outcomes (first, second, tie) × parameters (strengths, then log ν)."""
        k, m = self.systems, len(self.pairs)
        features = np.zeros((m, 3, k + 1))
        rows = np.arange(m)
        features[rows, 0, self.pairs[:, 0]] = 1
        features[rows, 1, self.pairs[:, 1]] = 1
        features[rows, 2, self.pairs[:, 0]] += 0.5
        features[rows, 2, self.pairs[:, 1]] += 0.5
        features[rows, 2, k] = 1
        return features

    def fit(self, counts: Array) -> Array:
        """Strengths and log ν for each row of counts (resamples × pairs × 3); NaN where there is no maximum."""
        features, counts = self._select_features(counts)
        size = features.shape[2]
        at = np.zeros((len(counts), size))
        total = counts.sum(axis=2)
        for _ in range(60):
            slope, spread = self._derivatives(features, counts, at)
            scale = np.maximum(total.sum(axis=1), 1.0)[:, None, None]
            step = np.linalg.solve(spread + scale * self._ridge(size), slope[..., None])[..., 0]
            step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
            at = np.clip(at + step, -2 * _FAR, 2 * _FAR)
            if float(np.abs(step).max(initial=0.0)) < 1e-9:
                break
        strengths = at[:, : self.systems] - at[:, : self.systems].mean(axis=1, keepdims=True)
        log_tie = at[:, self.systems :] if self.ties else np.full((len(at), 1), -np.inf)
        far = np.abs(strengths).max(axis=1, initial=0.0) > _FAR
        return np.where(far[:, None], np.nan, np.hstack([strengths, log_tie]))

    def has_maximum(self, counts: Array) -> bool:
        """Whether the counts (pairs × 3) have a most likely fit: no direction in which the parameters could run for
        ever without any answer becoming less likely. Ties alone do not hold two systems together: where one never
        loses, wins and ties both become likelier the farther apart the systems are and the commoner ties."""
        features, used_counts = self._select_features(counts[None])
        shape = (len(self.pairs), *[features.shape[1]] * 2)
        gains = (features[:, :, None] - features[:, None])[np.broadcast_to(used_counts[0][:, :, None] > 0, shape)]
        gains = gains[:, 1:]  # strengths are known up to a constant: the first stands still
        if np.linalg.matrix_rank(gains) < gains.shape[1]:
            return False
        free = linprog(-gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=(-1, 1))
        return bool(-free.fun < 1e-9)

    def without_each(self, at: Array, counts: Array) -> Array:
        """Parameters without each unit (units × pairs × 3), by one Newton step from the fit `at` of all of them."""
        features, counts = self._select_features(counts)
        size = features.shape[2]
        slope, spread = self._derivatives(features, counts, np.broadcast_to(at[:size], (len(counts), size)))
        whole = spread.sum(axis=0) + max(1.0, float(counts.sum())) * self._ridge(size)
        rest = whole - spread
        solvable = np.linalg.cond(rest) <= 1e12
        steps = np.full(slope.shape, np.nan)
        steps[solvable] = np.linalg.solve(rest[solvable], -slope[solvable][..., None])[..., 0]
        steps[:, : self.systems] -= steps[:, : self.systems].mean(axis=1, keepdims=True)
        left_out = np.broadcast_to(at, (len(counts), len(at))).copy()
        left_out[:, :size] += steps
        return left_out

    def _select_features(self, counts: Array) -> tuple[Array, Array]:
        if self.ties:
            return self._features, counts
        return self._features[:, :2, : self.systems], counts[:, :, :2]

    def _ridge(self, size: int) -> Array:
        """Strengths are only defined up to a constant; this settles it and touches nothing else."""
        ridge = 1e-10 * np.eye(size)
        ridge[: self.systems, : self.systems] += 1.0 / self.systems
        return ridge

    @staticmethod
    def _derivatives(features: Array, counts: Array, at: Array) -> tuple[Array, Array]:
        """Slope and curvature of the log likelihood, for each row of counts at its own parameters."""
        total = counts.sum(axis=2)
        logit = np.einsum("mop,bp->bmo", features, at)
        chance = np.exp(logit - logit.max(axis=2, keepdims=True))
        chance /= chance.sum(axis=2, keepdims=True)
        slope = np.einsum("bmo,mop->bp", counts - total[..., None] * chance, features)
        mean = np.einsum("bmo,mop->bmp", chance, features)
        spread = np.einsum("bm,bmo,mop,moq->bpq", total, chance, features, features, optimize=True)
        spread -= np.einsum("bm,bmp,bmq->bpq", total, mean, mean, optimize=True)
        return slope, spread


def bradley_terry(
    data: Any,
    question: str = "",
    *,
    judges: Sequence[str] = (),
    sides: tuple[str, str] | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Strengths of all systems, best first, and the difference of every two, with intervals over documents.

    Rows: "system" with strength (log worth, mean 0) and the chance to win against an average system when there is no
    tie; "pair" with the difference, its p, p_holm (corrected for the number of pairs) and the chance that the first is
    preferred; "ties" with ν. The Result's value is the strength of the best. Undefined where some systems never lost
    to the others (`Davidson.has_maximum`).
    """
    resampling = clustered(resampling)
    table, notes = comparisons(data, question, sides=sides)
    _refuse_unnamed(table)
    if judges:
        table = table.filter(pl.col("judge").is_in(list(judges)))
    name = "Bradley–Terry strengths"
    names = sorted(set(table["one"].to_list()) | set(table["two"].to_list()))
    if len(names) < 2:
        return undefined(name, "at least two systems must be compared.")
    index = {system: k for k, system in enumerate(names)}
    pairs = np.array(
        [(index[a], index[b]) for a, b in table.select("one", "two").unique().sort("one", "two").iter_rows()]
    )
    place = {(a, b): m for m, (a, b) in enumerate(map(tuple, pairs.tolist()))}
    at = np.array([place[index[a], index[b]] for a, b in table.select("one", "two").iter_rows()])
    outcomes = table["won"].to_numpy()
    column = at * 3 + np.select([outcomes == 1, outcomes == -1], [0, 1], 2)
    unit, count = units(table, resampling.unit)
    sums = group_sums(np.eye(3 * len(pairs))[column], unit, count)
    whole = sums.sum(axis=0).reshape(-1, 3)
    counts = {**_counts(table), "systems": len(names)}
    model = Davidson(len(names), pairs, bool(whole[:, 2].any()))
    if not model.has_maximum(whole):
        why = "some systems never lost to the others, so how much stronger they are has no bound."
        if not whole[:, :2].any():
            why = "every comparison was a tie."
        rows = _odds_bounds(names, sums, resampling) if len(names) == 2 else []
        return replace(undefined(name, why, counts=counts), rows=rows)
    twos = list(combinations(range(len(names)), 2))

    def finish(total: Array) -> Array:
        return _with_differences(model.fit(total.reshape(len(total), -1, 3)), twos)

    if resampling.chosen_method == "t":
        value = model.fit(whole[None])[0]
        left_out = _with_differences(model.without_each(value, sums.reshape(count, -1, 3)), twos)
        replicates = Replicates(
            _with_differences(value[None], twos)[0], np.empty((0, left_out.shape[1])), left_out, count
        )
    else:
        replicates = replicate_sums(sums, finish, resampling)
    decided = sums.reshape(count, -1, 3)[:, :, :2].sum(axis=2)
    about = np.stack([decided[:, (pairs == k).any(axis=1)].any(axis=1) for k in range(len(names))], axis=1)
    about = np.column_stack([about, np.ones(count, bool), *(about[:, i] | about[:, j] for i, j in twos)])
    evidence = _Evidence(replicates, about, int(decided.sum()), resampling)
    order = np.argsort(-replicates.value[: len(names)], kind="stable")
    pair_rows = _pair_rows(evidence, names, twos)
    for row, p_holm in zip(pair_rows, holm([row["p"] for row in pair_rows]), strict=True):
        row["p_holm"] = p_holm
    rows = [*_system_rows(evidence, names, order), *pair_rows]
    rows.append({"kind": "ties", "value": float(np.exp(replicates.value[len(names)]))})
    top = evidence.spread(int(order[0]))
    signature = sign("Bradley–Terry", resampling, top.interval, ties="Davidson" if model.ties else "none seen")
    value_of_best = float(replicates.value[order[0]])
    return Result(
        name, value_of_best, top.interval, None, counts, rows=rows, notes=(*notes, *top.notes), signature=signature
    )


def _with_differences(parameters: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    return np.hstack([parameters, np.stack([parameters[:, i] - parameters[:, j] for i, j in pairs], axis=1)])


def _odds_bounds(names: Sequence[str], sums: Array, resampling: Resampling) -> list[dict[str, Json]]:
    """Of two systems one never lost: how low the odds may be, by Wilson's bound on the share of wins. Documents with
    ties alone say nothing to it."""
    wins = float(sums[:, 0].sum())
    outcomes, other = (names[0], names[1]) if wins else (names[1], names[0])
    documents = int(sums[:, :2].any(axis=1).sum())
    if documents < 2:
        return []
    spread = share_outcome(1.0, 0.0, documents, resampling, null=0.5)
    low = _log_odds(spread.interval.low) if spread.interval else None
    row = {"kind": "pair", "system": outcomes, "other": other, "value": None, "low": low, "high": None}
    return [{**row, "p": spread.p, "chance": 1.0}]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Fitted strengths and their differences (columns), which documents have decided comparisons that are `about` each,
    and how many such comparisons there are in all."""

    replicates: Replicates
    about: npt.NDArray[np.bool_]
    decided: int
    resampling: Resampling

    def spread(self, column: int, null: float | None = None) -> Outcome:
        """Interval and p of a strength or a difference of strengths."""
        replicates, resampling = self.replicates, self.resampling
        if resampling.chosen_method != "t":
            return outcome(replicates, resampling, column=column, null=null)
        if replicates.units < 2 or resampling.method == "none":
            return outcome(replicates, resampling, column=column)
        steps = np.abs(replicates.jackknife[:, column] - replicates.value[column])
        says = np.isnan(steps) | self.about[:, column] | (steps > 1e-12 * np.nanmax(steps, initial=0))
        units = max(int(says.sum()), 2)
        chance = _chance(float(replicates.value[column]))
        variance = (chance * (1 - chance)) ** 2 * replicates.variance_of(column, units)
        chance_null = None if null is None else _chance(null)
        estimate = share_outcome(chance, variance, units, resampling, null=chance_null, answers=self.decided)
        if estimate.interval is None:
            return estimate
        ends = (_log_odds(estimate.interval.low), _log_odds(estimate.interval.high))
        return replace(estimate, interval=replace(estimate.interval, low=ends[0], high=ends[1]))


def _log_odds(chance: float) -> float:
    return float(np.log(chance) - np.log1p(-chance)) if 0 < chance < 1 else float(np.copysign(np.inf, chance - 0.5))


def _chance(difference: float) -> float:
    return float(1 / (1 + np.exp(-difference)))


def _system_rows(evidence: _Evidence, names: Sequence[str], order: Indices) -> list[dict[str, Json]]:
    rows: list[dict[str, Json]] = []
    values = evidence.replicates.value
    ranks = shared_ranks([float(values[k]) for k in order])
    for rank, k in zip(ranks, order, strict=True):
        estimate, value = evidence.spread(int(k)), float(values[k])
        row = {"kind": "system", "system": names[k], "rank": rank, "value": value}
        rows.append({**row, **estimate.ends(), "chance": _chance(value)})
    return rows


def _pair_rows(evidence: _Evidence, names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[dict[str, Json]]:
    """The stronger of two comes first."""
    rows: list[dict[str, Json]] = []
    for column, (i, j) in enumerate(pairs, len(names) + 1):
        estimate, value = evidence.spread(column, null=0.0), float(evidence.replicates.value[column])
        first, second = (names[i], names[j]) if value >= 0 else (names[j], names[i])
        ends = (
            sorted(float(np.sign(value or 1.0)) * end for end in (estimate.interval.low, estimate.interval.high))
            if estimate.interval
            else (None, None)
        )
        rows.append(
            {
                "kind": "pair",
                "system": first,
                "other": second,
                "value": abs(value),
                "low": ends[0],
                "high": ends[1],
                "p": estimate.p,
                "chance": _chance(abs(value)),
            }
        )
    return rows
