"""Claims made in words, held against the data: which domain is slowest, which interval leaves out 0, what is commonest.

Each gives words that can be compared with the paper's, and the numbers behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from lanner.model import Result
from lanner.stats import regression
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.ratings import EVERY_KIND
from lanner.stats.resample import Resampling
from lanner.studies.data import Data, Found
from lanner.studies.sentences import agreed_labels, given, numbers_chosen, rates

_QUICK = Resampling(n=1)


def model(
    data: Data, part: str, judge: str, outcome: str, predictors: Sequence[str], *, fill: float | None = None
) -> Result:
    """The least-squares model of one judge, with classical intervals as the paper has them."""
    key = ("model", part, judge, outcome, tuple(predictors), fill)
    if key not in data.kept:
        table = data.table(part, [judge])
        data.kept[key] = regression.regress(
            table, outcome, predictors, errors="classical", fill=fill, resampling=_QUICK
        )
    result: Result = data.kept[key]
    return result


def extreme_domain(data: Data, *, part: str, judge: str, of: str, which: str, without: str = "") -> Found:
    """The domain in which a judge is slowest or fastest; "between" for the one that is neither."""
    rate_by_name = {name: rate for name, rate in rates(data, part, judge, of, without=without).items() if name != "all"}
    ranking = sorted(rate_by_name, key=lambda name: rate_by_name[name])
    if not ranking:
        return Found(None)
    place = {"slowest": 0, "fastest": -1, "between": len(ranking) // 2}[which]
    return Found(ranking[place], detail=_listed(rate_by_name, 2, "a minute"))


def slowdown(data: Data, *, judge: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Found:
    """Speed in one protocol as a share of that in another, for the same judge."""
    first, second = (rates(data, judge=judge, **how).get("all") for how in (before, after))
    if not first or second is None:
        return Found(None)
    return Found(second / first, detail=f"{second:.2f} against {first:.2f} a minute")


def interval_and_zero(
    data: Data,
    *,
    part: str,
    judge: str,
    outcome: str,
    predictors: Sequence[str],
    term: str,
    fill: float | None = None,
) -> Found:
    """Whether a coefficient's 95 % interval lies above 0, below 0, or includes it."""
    rows = model(data, part, judge, outcome, predictors, fill=fill).rows
    row = next((row for row in rows if row["term"] == term), None)
    if row is None:
        return Found(None)
    low, high = float(row["low"]), float(row["high"])
    words = "above 0" if low > 0 else "below 0" if high < 0 else "includes 0"
    return Found(words, low, high, f"{row['value']:.3f} [{low:.3f}, {high:.3f}]".replace("-", "−"))


def commonest_number(data: Data, *, part: str, question: str, judge: str) -> Found:
    """How many labels a judge chose most often."""
    counts = Counter(numbers_chosen(data, part, question, judge))
    if not counts:
        return Found(None)
    number, times = counts.most_common(1)[0]
    return Found(float(number), detail=f"{100 * times / counts.total():.1f} % of sentences")


def commonest_agreed(data: Data, *, part: str, question: str, judges: Sequence[str], most: int = 3) -> Found:
    """The labels that two judges most often both choose, commonest first."""
    counts = Counter(agreed_labels(data, part, question, judges))
    shares = {name: 100 * times / counts.total() for name, times in counts.most_common(most)}
    return Found(", ".join(name.replace("_", " ") for name in shares) or None, detail=_listed(shares, 1, "%"))


def commonest_in_domain(
    data: Data, *, part: str, question: str, judges: Sequence[str], domain: str, most: int = 2
) -> Found:
    """The labels with the largest shares in a domain, averaged over judges."""
    shares: Counter[str] = Counter()
    for judge in judges:
        counts = Counter(label for labels in given(data, part, question, judge, domain) for label in labels)
        for label, times in counts.items():
            shares[label] += 100 * times / counts.total() / len(judges)  # type: ignore[assignment]
    top = dict(shares.most_common(most))
    return Found(" and ".join(name.replace("_", " ") for name in top) or None, detail=_listed(top, 1, "%"))


def closest_pair(
    data: Data, *, part: str, question: str, statistic: str, ones: Sequence[str], others: Sequence[str]
) -> Found:
    """The pair with the highest agreement, one judge from each side."""
    value_by_pair = {
        f"{one}–{other}": COEFFICIENTS[statistic](
            data.table(part, [one, other]), question, kinds=EVERY_KIND, resampling=_QUICK, **data.labels(part, question)
        ).value
        for one, other in product(ones, others)
    }
    defined = {pair: value for pair, value in value_by_pair.items() if value is not None}
    best = sorted(defined, key=lambda pair: -defined[pair])[:2]
    return Found(best[0] if best else None, detail=_listed({pair: defined[pair] for pair in best}, 4))


def _listed(numbers: Mapping[str, float], digits: int, unit: str = "") -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.{digits}f}" for name, value in numbers.items()) + (
        f" {unit}" if unit and numbers else ""
    )


COMPUTATIONS: tuple[Callable[..., Found], ...] = (
    extreme_domain,
    slowdown,
    interval_and_zero,
    commonest_number,
    commonest_agreed,
    commonest_in_domain,
    closest_pair,
)
