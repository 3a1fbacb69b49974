"""How judges use a fine scale, such as 0 to 100: how their answers lie, and who scores higher than the others on the
same texts. Two equal answers are chance there, so nobody is counted as alone."""

from __future__ import annotations

import numpy as np

from lanner.model import Number, Question, Scale
from lanner.stats.diagnosis import severity
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling
from lanner.web.picture.scales import Leaning, Spread

BANDS = 20
_QUICK = Resampling(n=400, seed=1)


def spreading(rated: Ratings, question: Question) -> tuple[int, tuple[float, float] | None, dict[str, Spread]]:
    """On the items that all have judged: how many, the ends of the scale, and each judge's spread."""
    everyone = np.flatnonzero(rated.per_item == len(rated.judges))
    if len(everyone) == 0:
        return 0, None, {}
    codes = rated.code[np.isin(rated.item, everyone)].reshape(len(everyone), -1)  # in order of item and judge
    values = rated.points[codes]
    low, high = _ends(question, values)
    found = {}
    for at, judge in enumerate(rated.judges):
        own = values[:, at]
        counts, _ = np.histogram(own, bins=BANDS, range=(low, high))
        quarter, middle, three_quarters = (float(x) for x in np.quantile(own, (0.25, 0.5, 0.75)))
        found[judge] = Spread(middle, quarter, three_quarters, tuple(float(n) / len(own) for n in counts))
    return len(everyone), (low, high), found


def _ends(question: Question, values: np.ndarray) -> tuple[float, float]:
    given = (float(values.min()), float(values.max()))
    if isinstance(question, Scale):
        return float(question.min), float(question.max)
    low = question.min if isinstance(question, Number) and question.min is not None else given[0]
    high = question.max if isinstance(question, Number) and question.max is not None else given[1]
    return float(low), float(max(high, low + 1))


def leaning(rated: Ratings) -> tuple[Leaning, ...]:
    """Every judge against the mean of the others on the same items, the furthest first."""
    found = [
        Leaning(
            result.labels["judge"], result.value, result.low, result.high,
            result.counts.get("items", 0), str(result.signature or ""),
        )
        for result in severity(rated, resampling=_QUICK)
        if result.value is not None
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda entry: -abs(entry.value)))
