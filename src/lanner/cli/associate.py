"""`lanner associate`: do judges rank alike, and do two measures go together: correlations with document intervals."""

from __future__ import annotations

import click

from lanner.cli._output import Output, json_option, print_rows
from lanner.cli._source import chosen_judges, from_option, part_that_asks, protocol_option, store_option
from lanner.errors import LannerError
from lanner.stats.association import between_measures, correlations
from lanner.stats.resample import Resampling


@click.command("associate", short_help="Correlations between judges, or between two measures.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN")
@click.option("--of", help="The question or score to compare between judges (several with commas between).")
@click.option("--x", "first", help="With --y: correlate two measures instead.")
@click.option("--y", "second")
@click.option("--given", default="", help="With --x and --y: hold these measures constant (partial correlation).")
@click.option("--by", default="", help="Each group by itself: judge, domain, system, with commas between.")
@click.option("--judges", help="Only these judges, with commas between.")
@click.option("--resamples", default=2000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@from_option
@protocol_option
@store_option
@json_option
def command(
    source: str,
    of: str | None,
    first: str | None,
    second: str | None,
    given: str,
    by: str,
    judges: str | None,
    resamples: int,
    seed: int,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Correlate a question or score between judges, or two measures with each other.

    Example: lanner associate h-falcon --of sentence,holistic,skill_sum
    """
    if bool(of) == bool(first and second):
        raise LannerError("Say what to correlate.", next_step="Give --of MEASURE, or --x MEASURE and --y MEASURE.")
    measures = _names(of or "") or [str(first), str(second)]
    part = chosen_judges(part_that_asks(source, store_place, format_name, protocol, measures[0]), judges)
    resampling = Resampling(n=resamples, seed=seed)
    if of:
        result = correlations(part.table, measures, by=_names(by), resampling=resampling)
    else:
        result = between_measures(
            part.table, measures[0], measures[1], by=_names(by), given=_names(given), resampling=resampling
        )
    print_rows(Output("associate", as_json), result, ["of", "x", "y", *_names(by), "statistic", "estimate", "n"])


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
