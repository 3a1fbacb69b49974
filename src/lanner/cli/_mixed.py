"""`lanner regress --mixed`: judges and documents as samples of many, and how much of the spread is due to which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lanner.analysis.material import Material
from lanner.cli._output import Output, add_rows
from lanner.figures.typeset import percent
from lanner.model import Json, Result
from lanner.stats.mixed import mixed
from lanner.stats.reading import band
from lanner.stats.wide import wide

_WIDE = 0.4  # an R² that may lie anywhere in so much of its range is hardly known
_DUE = {"judge": "how strict the judge is", "document": "the document", "residual": "the sentence and chance"}


def print_mixed(output: Output, part: Material, domain: str, outcome: str, predictors: Sequence[str]) -> None:
    """Fixed effects, then variances with their shares, then both in words."""
    result = mixed(wide(part.table), outcome, predictors)
    about: dict[str, Json] = {"domain": domain} if domain else {}
    if domain:
        output.say(domain, style="bold")
    if result.value is None:
        output.say(result.notes[0])
        return
    fixed_effects = [row for row in result.rows if row["kind"] == "fixed"]
    add_rows(output, result, ["term", "estimate", "p"], rows=fixed_effects, about=about, bounded=False)
    variances: list[dict[str, Json]] = [
        {**row, "value": row["share"], "low": row["share_low"], "high": row["share_high"], "variance": row["value"]}
        for row in result.rows
        if row["kind"] == "variance"
    ]
    output.say()
    headings = {"term": "spread between", "estimate": "share [95 %]"}
    add_rows(
        output, result, ["term", "variance", "sd", "estimate", "levels"], rows=variances, about=about, headings=headings
    )
    output.say()
    for line in _words(result, outcome, variances):
        output.say(line)


def _words(result: Result, outcome: str, variances: Sequence[Json]) -> Iterator[str]:
    assert result.value is not None
    due = [f"{percent(row['share'], 0)} to {_DUE.get(str(row['term']), str(row['term']))}" for row in variances]
    yield f"Of how {outcome} varies once the predictors are allowed for: {', '.join(due)}."
    large = band(result.value / (1 - result.value), "cohen_f2") if result.value < 1 else "large"
    sure = f" (95 %: {percent(result.low, 0)} to {percent(result.high, 0)})" if result.interval else ""
    if result.interval and result.interval.high - result.interval.low > _WIDE:
        few = min((row["levels"], str(row["term"])) for row in variances if row["levels"])
        sure += f", hardly known with {few[0]} {few[1]}s"
    yield (
        f"Predictors, judges and documents together explain {percent(result.value, 0)} of it{sure}, a {large} effect "
        "by Cohen's f² (1988). More judges make their share surer, more documents theirs; more sentences of the same "
        "documents hardly."
    )
