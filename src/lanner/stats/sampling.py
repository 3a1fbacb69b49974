"""Estimates from documents drawn one after another with known probabilities, however the probabilities came about.

A campaign has N documents. Each draw takes one of those not drawn yet; its probability may depend on everything that
was answered before. With rₘ the value of the m-th document drawn and qₘ its probability,

    tₘ = (r₁ + … + rₘ₋₁ + rₘ/qₘ) / N

is an unbiased estimate of the mean over all documents given the past (Des Raj 1956, J. Am. Stat. Assoc. 51), so the tₘ
are uncorrelated whatever the rule of drawing. They are averaged with the weights that are best for equal probabilities
(Farquhar, Gal & Rainforth 2021, ICLR), so that equal probabilities give the plain mean and a complete campaign gives
exactly what the complete campaign says.

r is what predictions and the length of a document leave over: y − θ·size − λ·prediction (prediction-powered inference
with a tuned λ: Angelopoulos, Duchi & Zrnic 2023). λ is shrunk by what tuning it costs, and is 0 where predictions do
not help.

Documents differ in length, some tenfold. A long one pulls the estimate towards itself, so distances are taken from the
estimate without the document, and the degrees of freedom count documents as equally long ones that would say as much.

Two variances add up: that of the draws, 0 once everything is judged, and that of the documents themselves, which a
complete campaign has too. The intervals therefore hold for documents of this kind, as all others in Lanner do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import special

from lanner.errors import StatisticError
from lanner.stats.resample import Array, Indices


@dataclass(frozen=True)
class Draws:
    """The documents drawn so far: `order` holds their places among `sizes` (segments of every document of the
    campaign), `probability` the chance each had when it was drawn."""

    sizes: Array
    order: Indices
    probability: Array

    def __post_init__(self) -> None:
        if len(self.order) != len(self.probability):
            raise StatisticError(f"{len(self.order)} draws have {len(self.probability)} probabilities.")
        if len(np.unique(self.order)) != len(self.order):
            raise StatisticError("A document was drawn twice.")
        if np.any((self.probability <= 0) | (self.probability > 1 + 1e-9)):
            raise StatisticError("A probability of drawing lies above 0 and at most at 1.")

    @property
    def documents(self) -> int:
        return len(self.sizes)

    @property
    def relative_sizes(self) -> Array:
        """Segments of each document, 1 on average."""
        return np.asarray(self.sizes / self.sizes.mean())

    def first(self, count: int) -> Draws:
        if count >= len(self.order):
            return self
        return Draws(self.sizes, self.order[:count], self.probability[:count])


@dataclass(frozen=True)
class Estimates:
    """For each column: the estimate, the plain mean of what was judged, λ, the two variances and degrees of freedom.

    `residual` (draws × columns) is what predictions and length leave over, for the rule that draws the next ones.
    """

    value: Array
    plain: Array
    weight: Array
    draw_variance: Array
    document_variance: Array
    df: Array
    residual: Array

    def variance(self, *, of_complete: bool = False) -> Array:
        """Of the value as an estimate for documents of this kind, or of what the complete campaign would say."""
        return self.draw_variance if of_complete else self.draw_variance + self.document_variance

    @property
    def is_constant(self) -> npt.NDArray[np.bool_]:
        """Whether all documents say the same. How far others would differ is then unknown, not 0."""
        return np.asarray(self.document_variance == 0)

    def p(self, null: float = 0.0, *, of_complete: bool = False) -> Array:
        """Two-sided p that the value is `null`, for one look at the data. Where all documents say the same there is no
        t statistic, and it is that of the sign test: they all lie on one side."""
        distance = np.abs(self.value - null)
        error = np.sqrt(self.variance(of_complete=of_complete))
        t = np.divide(distance, error, out=np.where(distance > 0, np.inf, 0.0), where=error > 0)
        by_sign = self.is_constant & (distance > 0)
        return np.where(by_sign, 2.0**-self.df, 2 * special.stdtr(self.df, -t))

    def half_width(self, level: float | Array, *, of_complete: bool = False) -> Array:
        """Half the width of an interval that misses with probability `level`; infinite where it is unknown."""
        error = np.sqrt(self.variance(of_complete=of_complete))
        return np.where(self.is_constant, np.inf, -special.stdtrit(self.df, np.asarray(level) / 2) * error)


def draw_weights(draws: Draws) -> Array:
    """What each drawn document counts in the estimated mean over all: 1/M at equal probabilities, 1/N if all are
    drawn. Their sum is 1 on average, not always."""
    n, m = draws.documents, len(draws.order)
    left = n - np.arange(1, m + 1)
    beyond = np.divide(n - m, left, out=np.zeros(m), where=left > 0)
    return np.asarray((1 + beyond * (1 / ((left + 1) * draws.probability) - 1)) / m)


def estimate(draws: Draws, values: Array, predictions: Array | None = None) -> Estimates:
    """Means over all documents of the columns of `values` (draws × columns: document totals of a score or of a
    difference), with `predictions` for every document (documents × columns). Means are per segment."""
    m, n = len(draws.order), draws.documents
    if m < 2:
        raise StatisticError("An estimate needs at least two documents.", next_step="Wait for more answers.")
    y = values / draws.sizes.mean()
    size = draws.relative_sizes[draws.order][:, None]
    weights = draw_weights(draws)[:, None]
    total = float((weights * size).sum())
    ratio = (weights * y).sum(0) / total
    own = y - ratio * size
    slope, shift = np.zeros(y.shape[1]), np.zeros_like(y)
    if predictions is not None and m > 3:
        shift = _centred(draws, predictions)
        slope = _slope(own, shift, size, weights, total)
    value = ratio - slope * (weights * shift).sum(0) / total
    residual = y - slope * shift - value * size
    tuned = 1 + (predictions is not None and m > 3)
    part = weights[:, 0] * size[:, 0] / total
    draw_variance, df = _draw_variance(draws, residual, _own_share(part), tuned)
    df = np.minimum(df, max(1.0, float(part.sum() ** 2 / (part**2).sum()) - tuned))
    document_variance = (weights * (own / _own_share(part)) ** 2).sum(0) * (m - 1) / m / n
    varies = np.abs(own).max(0) > 1e-9 * np.abs(y).max(0)  # by more than rounding
    plain = y.sum(0) / size.sum()
    document_variance = np.maximum(document_variance, 0.0) * varies
    return Estimates(value, plain, slope, draw_variance * varies, document_variance, df, residual)


def moderate(own: Estimates, drawn: Array, documents: int) -> Estimates:
    """Estimates of several systems, the variances of which know of one another; `drawn` documents for each.

    A few documents may make one variance look small by chance, and a rule that stops for small variances picks just
    those. Variances of systems judged on one scale are alike, so one that is smaller than the others is drawn towards
    them, by as much as they agree beyond chance (empirical Bayes: Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3); it then
    has the degrees of freedom of both. None becomes smaller. The others count at most as much as the system's own
    documents, since they were judged on the same ones.
    """
    total = own.variance()
    usable = (drawn >= 2) & (total > 0)
    if usable.sum() < _ALIKE:
        return own
    single = np.where(usable, total * drawn, 1.0)  # of one document
    half = own.df[usable] / 2
    logarithm = np.log(single[usable]) - special.digamma(half) + np.log(half)
    beyond = float(logarithm.var(ddof=1) - special.polygamma(1, half).mean())
    prior_df = 2 * _inverse_trigamma(beyond) if beyond > 0 else np.inf
    usual = np.exp(logarithm.mean())
    if np.isfinite(prior_df):
        usual *= np.exp(special.digamma(prior_df / 2)) / (prior_df / 2)
    weight = np.minimum(prior_df, own.df)
    pooled = (weight * usual + own.df * np.where(total > 0, single, 0.0)) / (weight + own.df) / np.maximum(1, drawn)
    raised = (drawn >= 2) & (pooled > total)
    of_draws = np.divide(own.draw_variance, total, out=np.asarray(1 - drawn / documents), where=total > 0)
    return replace(
        own,
        draw_variance=np.where(raised, pooled * of_draws, own.draw_variance),
        document_variance=np.where(raised, pooled * (1 - of_draws), own.document_variance),
        df=np.where(raised, own.df + weight, own.df),
    )


_ALIKE = 3
"""Fewer systems than this say nothing about how alike variances are."""


def _inverse_trigamma(value: float) -> float:
    """Newton's method on 1/trigamma, which is nearly straight (Smyth 2004, appendix)."""
    found = 0.5 + 1 / value
    for _ in range(20):
        there = float(special.polygamma(1, found))
        step = there * (1 - there / value) / float(special.polygamma(2, found))
        found += step
        if abs(step) < 1e-8 * found:
            break
    return found


def _own_share(part: Array) -> Array:
    """By how much the distance of each document from the estimate is too small, because the document is a part of it:
    1 − `part`, the share of all segments that it stands for. Divided by it, distances are from the estimate without
    the document (the jackknife), and a few long documents among short ones no longer make a variance too small."""
    return np.asarray(1 - np.clip(part, 0.0, 0.9))[:, None]


def _centred(draws: Draws, predictions: Array) -> Array:
    """Predictions of the drawn documents, less what all documents have on average for their length."""
    scaled = predictions / draws.sizes.mean()
    return np.asarray(scaled[draws.order] - scaled.mean(0) * draws.relative_sizes[draws.order][:, None])


def _slope(own: Array, shift: Array, size: Array, weights: Array, total: float) -> Array:
    """λ for each column: least squares with the weights the squares have in the variance, not negative, shrunk by the
    share of it that tuning alone would give (1 − 1/t², Stein's rule)."""
    centred = shift - (weights * shift).sum(0) / total * size
    squares = weights**2
    spread = (squares * centred**2).sum(0)
    usable = spread > 1e-12 * np.maximum(1e-300, (squares * shift**2).sum(0))
    slope = np.divide((squares * own * centred).sum(0), spread, out=np.zeros(own.shape[1]), where=usable)
    left = (squares * (own - slope * centred) ** 2).sum(0) / max(1, len(own) - 2)
    t_squared = np.divide(slope**2 * spread, left, out=np.full(len(slope), np.inf), where=left > 0)
    shrunk = slope * np.maximum(0.0, 1 - 1 / np.maximum(t_squared, 1e-12))
    return np.asarray(np.maximum(0.0, shrunk))


def _draw_variance(draws: Draws, residual: Array, own_share: Array, tuned: int) -> tuple[Array, Array]:
    """Variance that comes from not having drawn all, and its degrees of freedom.

    The steps tₘ are uncorrelated, so their squared deviations add up with the squares of their weights."""
    m, n = len(draws.order), draws.documents
    left = n - np.arange(1, m + 1)
    share = np.divide(n * (n - m), m * left * (left + 1.0), out=np.zeros(m), where=left > 0)
    if m == n:
        share[-1] = 1.0
    before = np.cumsum(residual, 0) - residual
    steps = (before + residual / draws.probability[:, None]) / n / own_share
    variance = (share[:, None] ** 2 * steps**2).sum(0) * (m - 1) / max(1, m - tuned)
    expected = np.divide(1.0, (left + 0.5) ** 2) * (1 / ((left + 1) * draws.probability)) ** 2
    df = expected.sum() ** 2 / (expected**2).sum() - tuned if m < n else m - 1.0
    df = max(1.0, min(float(m - tuned), float(df) if m < 0.5 * n else float(m - tuned)))
    return variance, np.full(residual.shape[1], df)
