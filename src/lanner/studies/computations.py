"""The computations that study files name. Each takes the data and options, and gives a number, words, or nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import product
from typing import Any

import polars as pl

from lanner.errors import InputError, check_known
from lanner.model import Result
from lanner.stats import association, diagnosis, effort, preference, regression
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.association import Coefficient
from lanner.stats.metaeval import metaeval
from lanner.stats.ratings import EVERY_KIND
from lanner.stats.resample import Resampling
from lanner.studies import error_spans, simulation  # noqa: F401 - their computations are among those that files name
from lanner.studies import punkt as sentence_ends
from lanner.studies.study import CellResult, Data, computation

_QUICK = Resampling(n=1)
"""Only the estimate is compared with print, so no resamples are drawn for intervals nobody looks at."""


def _only(results: Sequence[Result], **labels: str) -> float | None:
    fitting = [r for r in results if all(r.labels.get(name) == value for name, value in labels.items())]
    return fitting[0].value if fitting else None


@computation
def agreement(
    data: Data,
    *,
    part: str,
    statistic: str,
    question: str,
    judges: Sequence[str] = (),
    documents: str = "",
    same: str = "",
    scale: float = 1.0,
    **options: Any,
) -> float | None:
    """A coefficient on one question. `same` is a pattern that finds what makes two documents one item."""
    table = data.table(part, judges, documents, question=question)
    who = {"kinds": EVERY_KIND} if judges else {}  # a study names whom it compares: people and models, as a rule
    arguments = {**data.labels(part, question), **who, **options}
    value = COEFFICIENTS[statistic](_as_items(table, same), question, resampling=_QUICK, **arguments).value
    return None if value is None else scale * value


def _as_items(table: pl.DataFrame, pattern: str) -> pl.DataFrame:
    if not pattern:
        return table
    return table.with_columns(pl.col("document").str.extract(pattern, 1).fill_null(pl.col("document")))


def _diagnose_pair(
    data: Data,
    diagnose: Callable[..., Sequence[Result]],
    part: str,
    question: str,
    judges: Sequence[str],
    *,
    documents: str = "",
    same: str = "",
) -> Sequence[Result]:
    """What two judges see differently on one question; many cells of a table read it."""
    key = (diagnose.__name__, part, question, tuple(judges), documents, same)

    def results() -> Sequence[Result]:
        table = _as_items(data.table(part, judges, documents, question=question), same)
        return diagnose(table, question, resampling=_QUICK, **data.labels(part, question))

    return data.keep(key, results)


@computation
def merged(data: Data, *, part: str, question: str, judges: Sequence[str], labels: Sequence[str]) -> float | None:
    """κ of two judges after two labels are taken as one."""
    results = _diagnose_pair(data, diagnosis.merging, part, question, judges)
    return next((r.value for r in results if set(r.labels["merged"].split(" + ")) == set(labels)), None)


@computation
def disagreement(
    data: Data, *, part: str, question: str, judges: Sequence[str], label: str, side: str = "both"
) -> float | None:
    """The share of a label among the items on which two judges differ, in percent."""
    results = _diagnose_pair(data, diagnosis.disagreements, part, question, judges)
    value = _only(results, side=side, label=label)
    return None if value is None else 100 * value


@computation
def confusion_count(
    data: Data,
    *,
    part: str,
    question: str,
    judges: Sequence[str],
    one: str,
    other: str,
    documents: str = "",
    same: str = "",
) -> float | None:
    """How often the first judge gave one label where the second gave the other."""
    results = _diagnose_pair(data, diagnosis.confusion, part, question, judges, documents=documents, same=same)
    if not results:
        return None
    rows, (first, _) = results[0].rows, (results[0].labels["judge"], results[0].labels["other"])
    pick, across = (one, other) if first == judges[0] else (other, one)
    row = next((row for row in rows if pick in row.values()), None)
    return None if row is None else float(row.get(across, 0))


@computation
def label_share(
    data: Data, *, part: str, question: str, judge: str, label: str, domain: str = "", among: str = "items"
) -> float | None:
    """In percent, how many of a judge's items have the label, or its share among all labels the judge gave."""
    answers = given(data, part, question, judge, domain)
    if not answers:
        return None
    if among == "items":
        return 100 * sum(label in labels for labels in answers) / len(answers)
    labels_given = sum(map(len, answers))
    return 100 * sum(labels.count(label) for labels in answers) / labels_given if labels_given else None


@computation
def correlation(data: Data, *, part: str, of: str, method: Coefficient, judges: Sequence[str] = ()) -> float | None:
    """Correlation of a measure between two judges."""
    return association.correlations(data.table(part, judges), of, methods=[method], resampling=_QUICK).value


@computation
def regress(
    data: Data,
    *,
    part: str,
    judge: str,
    outcome: str,
    predictors: Sequence[str],
    give: str = "r2",
    term: str = "",
    fill: float | None = None,
) -> float | None:
    """From a least-squares model of one judge: R², the intercept, or a coefficient with its classical interval."""
    result = model(data, part, judge, outcome, predictors, fill=fill)
    if give == "r2":
        return result.value
    term_name = "intercept" if give == "intercept" else term
    row = next((row for row in result.rows if row["term"] == term_name), None)
    return None if row is None else row[{"intercept": "value", "coefficient": "value"}.get(give, give)]


@computation
def throughput(
    data: Data, *, part: str, judge: str, of: str, domain: str = "all", pooled: bool = False, without: str = ""
) -> float | None:
    """Sentences a minute, by the time of a question; answers that carry the flag `without` are left out."""
    return rates(data, part, judge, of, pooled=pooled, without=without).get(domain)


@computation
def chosen_number(data: Data, *, part: str, question: str, judge: str, number: int) -> float | None:
    """In percent, on how many items a judge chose exactly so many labels."""
    sizes = numbers_chosen(data, part, question, judge)
    return 100 * sizes.count(number) / len(sizes) if sizes else None


@computation
def preferred(
    data: Data, *, part: str, question: str, favour: str, give: str, documents: str = "", judge: str = "all"
) -> float | None:
    """From the sign test: wins, ties, losses, x, n, a p-value (p_drop, p_split), or percent_ of wins, ties, losses."""
    key = ("sign test", part, question, favour, documents)
    table = data.table(part, (), documents)
    result = data.keep(key, lambda: preference.sign_test(table, question, favour=favour, resampling=_QUICK))
    row = next((row for row in result.rows if row["judge"] == judge), None)
    if row is None:
        return None
    if give.startswith("percent_"):
        total = row["wins"] + row["ties"] + row["losses"]
        return 100 * float(row[give.removeprefix("percent_")]) / total if total else None
    return float(row[give])


@computation
def majority(data: Data, *, part: str, question: str, give: str, documents: str = "", same: str = "") -> float | None:
    """From the majority vote on each item: percent_one, percent_tie, percent_two."""
    table = _as_items(data.table(part, (), documents), same)
    result = preference.majority(table, question, resampling=_QUICK)
    return float(result.rows[0][give]) if result.rows else None


@computation
def control_misses(data: Data, *, part: str, questions: str, give: str) -> float | None:
    """Control items, how many of them were missed, and how many of those by a tie, over questions that fit."""
    material = data.part(part)
    answers = [j for j in material.judgements if j.role == "control" and re.search(questions, j.question)]
    if give == "items":
        return float(len(answers))
    spoiled_output = {document.id: str(document.meta.get("spam")) for document in material.documents}
    misses = [j for j in answers if not _won(j.systems, j.value, spoiled_output.get(j.document, ""))]
    if give == "raters without a miss":
        return float(len({j.judge for j in answers} - {j.judge for j in misses}))
    if give == "ties":
        return float(sum(j.value[0] == j.value[1] for j in misses))
    return float(len(misses))


def _won(systems: Sequence[str], ranks: Sequence[int], nonsense: str) -> bool:
    """Whether the output that was not made nonsense is strictly preferred."""
    sound = next(place for place, system in enumerate(systems) if system != nonsense)
    return ranks[sound] < ranks[1 - sound]


@computation
def of_printed(data: Data, *, numbers: Sequence[float]) -> float:  # noqa: ARG001 - every computation takes the data
    """The plain mean of numbers that the paper itself prints: whether its own rows give its own summary."""
    return sum(numbers) / len(numbers)


# Metrics against gold scores: one meta-evaluation for all cells that ask for one.


def evaluated(data: Data) -> Result:
    """Every scorer against gold, human references left out as systems."""
    if data.scores is None:
        raise InputError("The data has no metric scores.")
    tables = data.scores
    about: dict[str, Any] = {"without": tables.references, "documents": tables.documents}
    # soft pairwise accuracy is the slow one, and no cell asks for it
    return data.keep("metaeval", lambda: metaeval(tables.gold, tables.scorers, swaps_of_segments=1, **about))


@computation
def metric(data: Data, *, name: str, give: str) -> CellResult:
    """One number of one metric: acc_eq, sys_pairwise_accuracy, segment_pearson, or another column of the result."""
    rows = {str(row["metric"]): row for row in evaluated(data).rows}
    check_known(name, rows, f"There is no metric {name!r}.", InputError)
    return CellResult(rows[name][give])


@computation
def scored(data: Data, *, give: str) -> float:
    """How many systems, or segments of one system, the gold scores cover."""
    counts = evaluated(data).counts
    return float(counts[give])


# Claims made in words, held against the data: which domain is slowest, which interval leaves out 0, what is commonest.
# Each gives words that can be compared with the paper's, and the numbers behind them.


def model(
    data: Data, part: str, judge: str, outcome: str, predictors: Sequence[str], *, fill: float | None = None
) -> Result:
    """The least-squares model of one judge, with classical intervals as the paper has them."""
    key = ("model", part, judge, outcome, tuple(predictors), fill)
    how: dict[str, Any] = {"errors": "classical", "fill": fill, "resampling": _QUICK}
    return data.keep(key, lambda: regression.regress(data.table(part, [judge]), outcome, predictors, **how))


@computation
def extreme_domain(data: Data, *, part: str, judge: str, of: str, which: str, without: str = "") -> CellResult:
    """The domain in which a judge is slowest or fastest; "between" for the one that is neither."""
    rate_by_name = {name: rate for name, rate in rates(data, part, judge, of, without=without).items() if name != "all"}
    ranking = sorted(rate_by_name, key=lambda name: rate_by_name[name])
    if not ranking:
        return CellResult(None)
    place = {"slowest": 0, "fastest": -1, "between": len(ranking) // 2}[which]
    return CellResult(ranking[place], detail=_list_numbers(rate_by_name, 2, "a minute"))


@computation
def slowdown(data: Data, *, judge: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> CellResult:
    """Speed in one protocol as a share of that in another, for the same judge."""
    first, second = (rates(data, judge=judge, **how).get("all") for how in (before, after))
    if not first or second is None:
        return CellResult(None)
    return CellResult(second / first, detail=f"{second:.2f} against {first:.2f} a minute")


@computation
def interval_and_zero(
    data: Data,
    *,
    part: str,
    judge: str,
    outcome: str,
    predictors: Sequence[str],
    term: str,
    fill: float | None = None,
) -> CellResult:
    """Whether a coefficient's 95 % interval lies above 0, below 0, or includes it."""
    rows = model(data, part, judge, outcome, predictors, fill=fill).rows
    row = next((row for row in rows if row["term"] == term), None)
    if row is None or row["low"] is None or row["high"] is None:
        return CellResult(None)
    low, high = float(row["low"]), float(row["high"])
    words = "above 0" if low > 0 else "below 0" if high < 0 else "includes 0"
    return CellResult(words, low, high, f"{row['value']:.3f} [{low:.3f}, {high:.3f}]".replace("-", "−"))


@computation
def commonest_number(data: Data, *, part: str, question: str, judge: str) -> CellResult:
    """How many labels a judge chose most often."""
    counts = Counter(numbers_chosen(data, part, question, judge))
    if not counts:
        return CellResult(None)
    numbers = commonest(counts, 1)
    value = float(numbers[0]) if len(numbers) == 1 else " and ".join(map(str, numbers))
    return CellResult(value, detail=f"{100 * counts[numbers[0]] / counts.total():.1f} % of sentences")


def commonest(counts: Mapping[Any, float], most: int) -> list[Any]:
    """What is counted most often, commonest first, and all that are as common as the last: none of equals is first."""
    sizes = {name: round(count, 9) for name, count in counts.items()}
    ranking = sorted(sizes, key=lambda name: (-sizes[name], str(name)))
    return [name for name in ranking if sizes[name] >= sizes[ranking[:most][-1]]]


@computation
def commonest_agreed(data: Data, *, part: str, question: str, judges: Sequence[str], most: int = 3) -> CellResult:
    """The labels that two judges most often both choose, commonest first."""
    counts = Counter(agreed_labels(data, part, question, judges))
    shares = {name: 100 * counts[name] / counts.total() for name in commonest(counts, most)}
    return CellResult(
        ", ".join(name.replace("_", " ") for name in shares) or None, detail=_list_numbers(shares, 1, "%")
    )


@computation
def commonest_in_domain(
    data: Data, *, part: str, question: str, judges: Sequence[str], domain: str, most: int = 2
) -> CellResult:
    """The labels with the largest shares in a domain, averaged over judges."""
    shares: Counter[str] = Counter()
    for judge in judges:
        counts = Counter(label for labels in given(data, part, question, judge, domain) for label in labels)
        for label, times in counts.items():
            shares[label] += 100 * times / counts.total() / len(judges)  # type: ignore[assignment]
    top = {name: shares[name] for name in commonest(shares, most)}
    return CellResult(" and ".join(name.replace("_", " ") for name in top) or None, detail=_list_numbers(top, 1, "%"))


@computation
def closest_pair(
    data: Data, *, part: str, question: str, statistic: str, ones: Sequence[str], others: Sequence[str]
) -> CellResult:
    """The pair with the highest agreement, one judge from each side."""
    value_by_pair = {
        f"{one}–{other}": COEFFICIENTS[statistic](
            data.table(part, [one, other]),
            question,
            kinds=EVERY_KIND,
            resampling=_QUICK,
            **data.labels(part, question),
        ).value
        for one, other in product(ones, others)
    }
    values = {pair: value for pair, value in value_by_pair.items() if value is not None}
    best = sorted(values, key=lambda pair: -values[pair])[:2]
    return CellResult(best[0] if best else None, detail=_list_numbers({pair: values[pair] for pair in best}, 4))


def _list_numbers(numbers: Mapping[str, float], digits: int, unit: str = "") -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.{digits}f}" for name, value in numbers.items()) + (
        f" {unit}" if unit and numbers else ""
    )


def given(data: Data, part: str, question: str, judge: str, domain: str = "") -> list[list[str]]:
    """The labels of every answer of a judge, repeated ones included, as the judge gave them."""
    key = ("given", part, question, judge, domain)

    def labels() -> list[list[str]]:
        ids = {document.id for document in data.documents(part, domain)}
        return [
            list(j.value) if isinstance(j.value, list) else [j.value]
            for j in data.part(part).judgements
            if j.question == question and j.judge == judge and j.value is not None and j.document in ids
        ]

    return data.keep(key, labels)


def rates(data: Data, part: str, judge: str, of: str, *, pooled: bool = False, without: str = "") -> dict[str, float]:
    """Sentences a minute in each domain, and "all" for the judge."""
    key = ("rates", part, judge, of, pooled, without)

    def rate_by_domain() -> dict[str, float]:
        table = data.table(part, [judge], question=of)
        if without:
            table = table.filter(~pl.col("flags").list.contains(without).fill_null(False))
        results = effort.throughput(table, pooled=pooled, resampling=_QUICK)
        return {str(row["domain"]): float(row["value"]) for row in results.rows}

    return data.keep(key, rate_by_domain)


def numbers_chosen(data: Data, part: str, question: str, judge: str) -> list[int]:
    """How many labels a judge chose on each item."""
    return data.table(part, [judge], question=question)["labels"].list.len().drop_nulls().to_list()


@computation
def texts(
    data: Data, *, part: str, count: str, domain: str = "", punkt: Mapping[str, Any] | None = None
) -> float | None:
    """How many documents, segments, or sentences found inside segments, in all or in a domain; or two of them divided.

    Sentences are counted by Punkt. `punkt` states what a trained model knows of the words that decide in the texts
    with the digest `texts`; of other texts nothing is counted, as nobody looked up what decides there.
    """
    documents = data.documents(part, domain)
    segments = [segment.source for document in documents for segment in document]
    if count == "documents":
        return float(len(documents))
    if count == "segments":
        return float(len(segments))
    if punkt is None or digest(data, part) != punkt["texts"]:
        raise InputError("The study says what Punkt's model knows of the released texts; these texts are others.")
    learnt = sentence_ends.Model(frozenset(punkt["abbreviations"]), frozenset(), frozenset(), punkt["written"])
    sentence_count = sum(len(sentence_ends.sentences(segment, learnt)) for segment in segments)
    over = len(documents) if count == "sentences per document" else len(segments)
    return sentence_count / over if over else None


@computation
def words(data: Data, *, part: str, give: str, domain: str = "") -> float | None:
    """How many words, divided by spaces, the source of a segment has: the mean, the least, the most."""
    counts = [len(segment.source.split()) for document in data.documents(part, domain) for segment in document]
    if not counts:
        return None
    return float({"mean": sum(counts) / len(counts), "least": min(counts), "most": max(counts)}[give])


@computation
def judge_mean(data: Data, *, part: str, attribute: str, over: int | None = None) -> float | None:
    """The mean of what is known about the judges, or its sum divided by `over` where some shared a place."""
    values = [float(judge.attributes[attribute]) for judge in data.part(part).judges if attribute in judge.attributes]
    return sum(values) / (over or len(values)) if values else None


def digest(data: Data, part: str) -> str:
    """What tells the source texts of a part from others."""
    sources = (segment.source for document in data.documents(part) for segment in document)
    return sha256("\n".join(sources).encode()).hexdigest()


@computation
def agreed_share(data: Data, *, part: str, question: str, judges: Sequence[str], label: str, domain: str = "") -> float:
    """In percent, a label's share among the labels that two judges both chose for a sentence."""
    labels = agreed_labels(data, part, question, judges, domain)
    return 100 * labels.count(label) / len(labels) if labels else 0.0


def agreed_labels(data: Data, part: str, question: str, judges: Sequence[str], domain: str = "") -> list[str]:
    """Every label that two judges both chose, once for each sentence."""
    key = ("agreed", part, question, tuple(judges), domain)

    def labels() -> list[str]:
        keys = ["document", "segment"]
        one, other = (data.table(part, [judge], "", domain, question).select(*keys, "labels") for judge in judges)
        both = one.join(other, on=keys, suffix="_other")
        intersection = both.select(pl.col("labels").list.set_intersection("labels_other"))["labels"]
        return intersection.explode().drop_nulls().to_list()

    return data.keep(key, labels)


@computation
def differing_domain(data: Data, *, part: str, question: str, judges: Sequence[str], domain: str) -> CellResult:
    """In percent, how many of the sentences on which two judges differ belong to a domain."""
    keys = ["document", "segment", "domain"]
    one, other = (data.table(part, [judge], question=question).select(*keys, "label") for judge in judges)
    differ = one.join(other, on=keys, suffix="_other").filter(pl.col("label") != pl.col("label_other"))
    inside = differ.filter(pl.col("domain") == domain).height
    share = 100 * inside / differ.height if differ.height else None
    return CellResult(share, detail=f"{inside} of {differ.height} differing sentences")
