"""`lanner associate`: do judges rank alike, and do two measures go together: correlations with document intervals."""

from __future__ import annotations

from lanner.cli._options import names
from lanner.cli._output import Output, print_rows
from lanner.cli._source import Source, check_domains
from lanner.errors import LannerError
from lanner.model import Interval, Json, Result
from lanner.stats.association import between_measures, correlations
from lanner.stats.effort import SECONDS, with_seconds
from lanner.stats.reading import reading
from lanner.stats.resample import Resampling
from lanner.stats.wide import wide


def run(
    source: Source,
    of: str | None,
    first: str | None,
    second: str | None,
    given: str,
    by: str,
    resamples: int,
    seed: int,
    as_json: bool,
) -> None:
    """Correlate a question or score between judges, or two measures with each other."""
    if bool(of) == bool(first and second):
        step = f"Give --question MEASURE, or --x MEASURE and --y MEASURE. {_known(source)}"
        raise LannerError("Say what to correlate.", next_step=step.strip())
    measures = names(of) or [str(first), str(second)]
    named = [name for name in (*measures, *names(given)) if name != SECONDS]
    # judges are compared only on what they were asked
    find_part = source.part_with if first else lambda measures: source.part_that_asks(measures[0])
    part = find_part(named) if named else source.parts()[0]
    if "domain" in names(by):
        check_domains(part)
    table = with_seconds(part.table) if SECONDS in (*measures, *names(given)) else part.table
    resampling = Resampling(n=resamples, seed=seed)
    if of:
        result = correlations(table, measures, by=names(by), resampling=resampling)
    else:
        result = between_measures(
            table, measures[0], measures[1], by=names(by), given=names(given), resampling=resampling
        )
    columns = ["of", "x", "y", *names(by), "statistic", "estimate", "p", "n"]
    print_rows(Output("associate", as_json), result, columns, words=_words(result))


def _known(source: Source) -> str:
    """The measures one could name; a source or a judge that is not there is told first."""
    measures = list(dict.fromkeys(name for part in source.parts() for name in wide(part.table).measures))
    return f"Measures here: {', '.join(measures[:12])}{', …' if len(measures) > 12 else ''}." if measures else ""


def _words(result: Result) -> list[str]:
    """What each kind of coefficient says, by its first row."""
    spellings: dict[str, str] = {}
    for row in result.rows:
        name = str(row["statistic"]).removeprefix("partial ")
        if name not in spellings and row["value"] is not None:
            about = ", ".join(str(row[key]) for key in ("of", "x", "y") if row.get(key))
            spellings[name] = f"{about}: {reading(_read(row, name))}"
    return list(spellings.values())


def _read(row: Json, name: str) -> Result:
    interval = None if row["low"] is None else Interval(row["low"], row["high"])
    return Result(name, row["value"], interval, counts={"documents": row.get("n_documents") or 0})
