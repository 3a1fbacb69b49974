"""`lanner agreement`: how far judges agree, question by question, with intervals that resample documents."""

from __future__ import annotations

from collections.abc import Mapping

import click

from lanner import material as materials_of
from lanner.cli._output import Output, json_option
from lanner.cli._source import chosen_judges, from_option, materials, protocol_option, store_option
from lanner.material import Material
from lanner.model import Json, Result
from lanner.reports.coefficients import Coefficient, all_coefficients
from lanner.reports.typeset import estimate
from lanner.stats.kappa import pairwise
from lanner.stats.resample import Resampling


@click.command("agreement", short_help="How far judges agree, with honest intervals.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN")
@click.option("--question", "-q", help="Only this question (default: all that can be compared).")
@click.option("--judges", help="Only these judges, by name, with commas between.")
@click.option("--by", type=click.Choice(["domain"]), help="Each domain by itself.")
@click.option(
    "--unit", type=click.Choice(["document", "item", "judge", "two-way"]), default="document", show_default=True
)
@click.option("--resamples", default=2000, show_default=True, help="How many bootstrap resamples.")
@click.option("--seed", default=0, show_default=True)
@from_option
@protocol_option
@store_option
@json_option
def command(
    source: str,
    question: str | None,
    judges: str | None,
    by: str | None,
    unit: str,
    resamples: int,
    seed: int,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Say how far judges agree: for each pair, and all together.

    Example: lanner agreement h-falcon --question context
    """
    found = materials(source, store_place, format_name, protocol)
    if question:
        found = [materials_of.with_question(found, question)]
    found = [chosen_judges(part, judges) for part in found]
    output = Output("agreement", as_json)
    resampling = Resampling(unit=unit, n=resamples, seed=seed)  # type: ignore[arg-type]
    for part in found:
        for note in part.notes:
            output.note(f"{part.name}: {note}")
        for name, share in _shares(part, by):
            _print(output, share, name, question, resampling)
    output.end()


def _shares(part: Material, by: str | None) -> list[tuple[str, Material]]:
    if not by:
        return [("", part)]
    domains = sorted({document.domain for document in part.documents})
    return [(domain, part.in_domain(domain)) for domain in domains]


def _print(output: Output, part: Material, domain: str, question: str | None, resampling: Resampling) -> None:
    rows = []
    answered = set(part.table["question"])
    for asked, coefficient in all_coefficients(part.protocol) if part.protocol else ():
        if question and question not in (asked.id, coefficient.question):
            continue
        if coefficient.question not in answered and not question:
            continue
        for result in _results(part, coefficient, resampling):
            row = {"part": part.name, "question": coefficient.question, "row": coefficient.row}
            row |= {"domain": domain} if domain else {}
            row |= {"sign": coefficient.sign, **result.row()}
            row["pair"] = _who(part, row)
            row["what"] = coefficient.row or coefficient.question
            row["estimate"] = estimate(result.value, result.low, result.high)
            rows.append(row)
            output.notes.extend(note for note in result.notes if note not in output.notes)
            output.signature = output.signature or str(result.signature or "")
    columns = [("what", "question"), ("pair", "judges"), ("sign", ""), ("estimate", "estimate [95 %]"), ("n", "n")]
    output.table(rows, columns, title=" · ".join(filter(None, (part.name, domain))))
    output.say()


def _who(part: Material, row: Mapping[str, Json]) -> str:
    if row.get("judge"):
        return f"{row['judge']} – {row['other']}"
    return " – ".join(judge.id for judge in part.judges) if len(part.judges) == 2 else "all"


def _results(part: Material, coefficient: Coefficient, resampling: Resampling) -> list[Result]:
    options = {**coefficient.options, **({"row": coefficient.row} if coefficient.row else {})}
    everyone = coefficient.statistic(part.table, coefficient.question, resampling=resampling, **options)
    if not coefficient.pairwise or len(part.judges) <= 2:
        return [everyone]
    pairs = pairwise(part.table, coefficient.question, of=coefficient.statistic, resampling=resampling, **options)
    return [*pairs, everyone]
