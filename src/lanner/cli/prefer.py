"""`lanner prefer`: which of two systems judges prefer: counts, sign tests with ties dropped and split, majority."""

from __future__ import annotations

import click

from lanner.cli._output import Output, json_option
from lanner.cli._source import chosen_judges, from_option, materials, protocol_option, store_option
from lanner.errors import InputError
from lanner.model import Rank
from lanner.reports.typeset import estimate, p_value, percent
from lanner.stats.preference import majority, sign_test
from lanner.stats.resample import Resampling


@click.command("prefer", short_help="Which of two systems is preferred, with sign tests.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN")
@click.option("--question", "-q", help="Only this question.")
@click.option("--favour", help="The system whose wins are counted.")
@click.option("--judges", help="Only these judges, with commas between.")
@click.option("--documents", help="Only documents whose id fits this regular expression.")
@click.option("--votes", is_flag=True, help="The majority vote on each item instead.")
@click.option("--seed", default=0, show_default=True)
@from_option
@protocol_option
@store_option
@json_option
def command(
    source: str,
    question: str | None,
    favour: str | None,
    judges: str | None,
    documents: str | None,
    votes: bool,
    seed: int,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Say which of two systems is preferred, all judges together and each alone.

    Example: lanner prefer parity --favour human --documents "^[^U]"
    """
    output = Output("prefer", as_json)
    resampling = Resampling(seed=seed)
    for part in materials(source, store_place, format_name, protocol):
        kept = chosen_judges(part.matching(documents) if documents else part, judges)
        ranked = [q.id for _, q in kept.protocol.questions if isinstance(q, Rank)] if kept.protocol else []
        asked = [name for name in ranked if name in set(kept.table["question"]) and question in (None, name)]
        if not asked:
            raise InputError(
                f"{part.name} asks for no preference.", next_step="Preferences are questions of kind rank."
            )
        for name in asked:
            if votes:
                result = majority(kept.table, name, resampling=resampling)
                output.table([{"question": name, **row} for row in result.rows])
            else:
                result = sign_test(kept.table, name, favour=favour, resampling=resampling)
                rows = [
                    {
                        **row,
                        "question": name,
                        "preferred": percent(row["share"]),
                        "interval": estimate(row["share"], row["low"], row["high"]),
                        "ties dropped": p_value(row["p_drop"]),
                        "ties split": p_value(row["p_split"]),
                    }
                    for row in result.rows
                ]
                columns = [
                    "question",
                    "judge",
                    "for",
                    "wins",
                    "ties",
                    "losses",
                    "interval",
                    "ties dropped",
                    "ties split",
                ]
                output.table(rows, columns)
            output.say()
            output.notes.extend(note for note in result.notes if note not in output.notes)
            output.signature = str(result.signature or "")
    output.end()
