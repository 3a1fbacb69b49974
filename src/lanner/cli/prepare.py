"""`lanner prepare`: from files people have to documents ready to judge, by a recipe that others can repeat."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import click

from lanner import formats
from lanner.cli._output import Output, json_option
from lanner.cli._source import from_option
from lanner.corpus import describe, manifest, recipe, verify
from lanner.corpus.edits import Edit
from lanner.corpus.prepare import prepare
from lanner.errors import InputError, LannerError, Where
from lanner.model import Document
from lanner.reports.files import csv_text, write_whole


@click.command("prepare", short_help="Make documents ready to judge, by a recipe.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--recipe", "recipe_name", default="sentences", show_default=True, help="A shipped recipe, or a TOML file."
)
@click.option("--out", type=click.Path(path_type=Path), help="The corpus to write (default: PATH-RECIPE.jsonl).")
@click.option("--seed", type=int, help="In place of the recipe's own seed.")
@click.option("--verified", type=click.Path(path_type=Path), help="The list of doubtful rows, corrected by hand.")
@click.option("--by", default="", help="With --verified: who corrected it, for the log.")
@click.option("--avoid", type=click.Path(path_type=Path), help="An earlier corpus that a sample must not overlap.")
@click.option("--describe-only", is_flag=True, help="Only the table of documents and sentences; write nothing.")
@click.option("--latex", is_flag=True, help="The table as LaTeX.")
@from_option
@json_option
def command(
    path: Path,
    recipe_name: str,
    out: Path | None,
    seed: int | None,
    verified: Path | None,
    by: str,
    avoid: Path | None,
    describe_only: bool,
    latex: bool,
    format_name: str | None,
    as_json: bool,
) -> None:
    """Split into sentences, align, filter and sample, as a recipe says. Beside the result lie a manifest, with which
    another person gets the same bytes, and the list of rows that a person should look at.

    Example: lanner prepare wmt24 --recipe wmt24
    """
    output = Output("prepare", as_json)
    if describe_only:
        _show(output, describe.describe(formats.read_documents(path, format_name)), latex=latex)
        output.end()
        return
    how = recipe.load(recipe_name)
    target = out or Path(f"{path.name.split('.')[0]}-{how.name}.jsonl")
    documents = list(formats.read_documents(path, format_name))
    hand: list[Edit] = []
    avoided = [document.id for document in formats.read_documents(avoid)] if avoid else []
    inputs = manifest.inputs(path)
    made = prepare(documents, how, seed, avoid=avoided, inputs=inputs)
    if verified:
        hand = _edits(made.documents, verified, by)
        made = prepare(documents, how, seed, hand=hand, avoid=avoided, inputs=inputs)
    if not made.documents:
        raise LannerError("Nothing is left after this recipe.", next_step="Loosen its filters.")
    formats.write("native", target, made.documents)
    write_whole(target.with_suffix(".manifest.json"), made.manifest.to_json())
    sheet = list(verify.table(made.documents, made.doubts))
    doubtful = target.with_suffix(".doubtful.csv")
    if sheet:
        write_whole(doubtful, csv_text(sheet))
    _show(output, describe.describe(made.documents), latex=latex)
    output.say()
    for step in made.manifest.steps:
        counted = ", ".join(f"{name} {number:,}" for name, number in step.counts.items())
        output.note(f"{step.do}: {counted or 'nothing changed'}")
    if sheet:
        output.say(f"{len(made.doubts):,} texts are doubtful: correct {doubtful} and give it back with --verified.")
    output.say(f"Wrote {target} and {target.with_suffix('.manifest.json')}.", style="bold")
    output.signature = f"recipe {how.name} · seed {made.manifest.seed} · edits {len(hand)}"
    output.end()


def _show(output: Output, rows: Iterable[dict[str, object]], *, latex: bool) -> None:
    found = list(rows)
    output.rows.extend(found)
    output.say(describe.to_latex(found) if latex else describe.to_text(found))


def _edits(documents: Iterable[Document], path: Path, by: str) -> list[Edit]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            sheet = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The corrected list cannot be read: {error}.", where=Where(path)) from error
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return verify.edits({document.id: document for document in documents}, sheet, by=by, when=when)
