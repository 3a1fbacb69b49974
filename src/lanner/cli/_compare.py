"""`lanner compare`: two or more protocols on the same texts, question by question, on one page."""

from __future__ import annotations

import re
from pathlib import Path

from lanner.analysis.material import Material
from lanner.analysis.rows import group_of
from lanner.cli._contexts import print_standings
from lanner.cli._output import Output
from lanner.cli._source import materials
from lanner.cli.compare import split_source
from lanner.errors import InputError, did_you_mean
from lanner.judges.comparison import compare as compare_judges
from lanner.reports.comparison.build import compare
from lanner.reports.files import write
from lanner.stats.resample import Resampling
from lanner.store import Store

_KEPT = {"people": ("people",), "models": ("models", "metrics")}


def run(
    sources: tuple[str, ...],
    out: Path | None,
    hourly: float | None,
    currency: str,
    resamples: int,
    seed: int,
    judges: bool,
    svg_only: bool,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Compare campaigns, files, parts of a file (FILE:PART), or the scenarios of one campaign. NAME=A gives a name;"""
    output = Output("compare", as_json)
    if judges:
        _compare_judges(output, sources, store_place, Resampling(n=resamples, seed=seed))
        return
    materials_by_name = [pair for source in sources for pair in _named(source, store_place, format_name, protocol)]
    how = Resampling(n=resamples, seed=seed)
    page, rows = compare(_distinct(materials_by_name), resampling=how, hourly=hourly, currency=currency)
    folder = out or Path(re.sub(r"[^\w.-]+", "-", page.title))
    files = write(page, folder, pictures=not svg_only)
    [table] = page.tables
    overall = [row for row in table.rows if "group" not in row]
    columns = [(column.key, column.heading) for column in table.columns]
    Output("compare", as_json).table(overall, [pair for pair in columns if any(row.get(pair[0]) for row in overall)])
    output.say()
    for sentence in page.findings:
        output.say(sentence.replace("**", ""))
    output.rows.extend(rows)
    for row in rows:
        if row.get("reason"):
            output.note(f"{row['question'].replace('_', ' ')}: not answered, {row['reason']}")
    output.note(f"Page: {files}")
    output.sign(table.signature)
    output.end()


def _compare_judges(output: Output, sources: tuple[str, ...], store_place: str, how: Resampling) -> None:
    """The model judges of a campaign: `lanner compare --judges CAMPAIGN [JUDGE ...]`."""
    with Store.open(store_place, create=False) as store:
        standings = compare_judges(store, sources[0], sources[1:], resampling=how)
    print_standings(output, standings)
    if len(standings) > 1:
        output.note(f"Gains and changes are against {standings[0].judge}, item by item.")
    if not any(standing.agreement for standing in standings):
        output.note("No person has judged these texts, so there is no agreement to show.")
    output.end()


def _named(source: str, place: str, format_name: str | None, protocol: str | None) -> list[tuple[str, Material]]:
    """The parts of a source with their names; `FILE:PART` picks one, `NAME=FILE` names it, `@people` keeps some."""
    label, path, part, judges = split_source(source)
    parts = materials(path, place, format_name, protocol)
    if part:
        matches = [material for material in parts if material.name == part]
        if not matches:
            raise InputError(f"{path} has no part {part!r}.", next_step=did_you_mean(part, [m.name for m in parts]))
        parts = matches
    label = label if len(parts) == 1 else ""
    if judges:
        return [(label or judges, _of(material, judges)) for material in parts if _of(material, judges).judges]
    return [(label or material.name, material) for material in parts]


def _of(material: Material, judges: str) -> Material:
    """The same with people, models or some judges only."""
    if judges not in ("people", "models"):
        return material.only(judges.split(","))
    return material.only([judge.id for judge in material.judges if group_of(judge) in _KEPT[judges]])


def _distinct(pairs: list[tuple[str, Material]]) -> list[tuple[str, Material]]:
    """Names that are taken get the protocol's name added, then a number."""
    distinct: list[tuple[str, Material]] = []
    for name, material in pairs:
        names = {name for name, _ in distinct}
        tries = [name, f"{name} ({material.protocol.name})" if material.protocol else name]
        tries += [f"{name} {number}" for number in range(2, len(pairs) + 2)]
        distinct.append((next(one for one in tries if one not in names), material))
    return distinct
