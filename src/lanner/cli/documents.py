"""`lanner report`, `export` and `guidelines`: what is written of a campaign, for readers, programs and judges."""

from __future__ import annotations

from pathlib import Path

from lanner import formats
from lanner.cli import notes_of, parse_options
from lanner.cli.output import Output
from lanner.cli.source import Source, documents_of, materials
from lanner.errors import InputError, LannerError, Where
from lanner.formats.parsing.textfile import write_whole
from lanner.model.messages import in_number
from lanner.reports.build import build
from lanner.reports.export import excluded, export, export_as, without_place
from lanner.reports.guidelines import campaign_guidelines
from lanner.reports.parts import without_marks
from lanner.reports.rendering import render, write
from lanner.stats.resample import Resampling
from lanner.store import Store

# `lanner report`: one HTML file that says what the judgements mean, with every table and figure beside it.


def run_report(
    output: Output,
    source: Source,
    out: Path | None,
    language: str,
    resamples: int,
    seed: int,
    identified: bool,
    svg_only: bool,
) -> None:
    """Write a report on a campaign or a file of judgements."""
    parts = source.parts(unjudged=True)
    folder = out or Path(f"{Path(source.place).name}-report")
    rows = []
    for part in parts if identified else [part.under_code_names() for part in parts]:
        report = build(part, resampling=Resampling(n=resamples, seed=seed), language=language)
        page = write(report, folder / part.name if len(parts) > 1 else folder, pictures=not svg_only)
        rows.append(
            {"part": part.name, "report": str(page), "tables": len(report.tables), "figures": len(report.figures)}
        )
        for sentence in report.findings:
            output.say(without_marks(sentence))
        output.note(*notes_of(part))
    output.say()
    output.table(rows, ["report", "tables", "figures"])


# `lanner export`: judgements as a file: a tidy table with its codebook, or another tool's format.


def run_export(
    output: Output,
    source: str,
    out: Path,
    to_format: str | None,
    options: tuple[str, ...],
    texts_only: bool,
    counted: bool,
    identified: bool,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
) -> None:
    """Write all current judgements, or with --texts only the texts."""
    format_options = parse_options(options)
    if texts_only:
        if not to_format:
            hint = "For instance: --to table, or --to xliff."
            raise LannerError("Which format should the texts have?", next_step=hint)
        if Path(source).exists():
            documents = list(documents_of(source, format_name))
        else:
            documents = [each for part in materials(source, store_place, format_name) for each in part.documents]
        formats.write(to_format, out, documents, (), (), **format_options)
        output.table([{"file": str(out), "documents": len(documents)}])
        return
    if counted and to_format:
        raise LannerError("--counted goes with the tidy table.", next_step="Leave out --to, or --counted.")
    parts = materials(source, store_place, format_name, protocol)
    if not identified and not Path(source).exists():
        parts = [part.pseudonymised(part.code_names) for part in parts]
        output.note("People go by pseudonyms (judge-7), the same in every export; --identified writes their own ids.")
    rows = []
    for part in parts:
        path = out if len(parts) == 1 else out.with_name(f"{out.stem}-{part.name}{out.suffix}")
        if to_format:
            count = export_as(part, to_format, path, **format_options)
            if answers_left_out := without_place(part, to_format, **format_options):
                answers = ", ".join(f"{number:,} to {question}" for question, number in answers_left_out.items())
                output.note(f"{to_format} has no place for these answers: {answers}. --to native keeps all.")
            if part.left_out and to_format != "native":
                output.note(
                    f"{to_format} cannot say who is left out of all results: {', '.join(part.left_out)}. Their answers "
                    "are in the file and count for whoever reads it; the codebook names them, --to native keeps it."
                )
        else:
            if options:
                raise LannerError("The tidy table has no options.", next_step="Name another format with --to.")
            count = export(part, path, counted=counted)
            if counted:
                rows_out, one, many = excluded(part), "{n} row does not count: {why}.", "{n} rows do not count: {why}."
                output.note(*(in_number(number, one, many, why=reason) for reason, number in rows_out))
        rows.append({"part": part.name, "file": str(path), "rows": count})
        output.note(f"{path.stem}.codebook.csv says what every column and value of {path.name} means.")
    output.table(rows, ["file", "rows"])


# `lanner guidelines`: the guidelines of a campaign as a versioned file, with examples from its own decisions.


def run_guidelines(output: Output, store: Store, name: str, out: Path | None, language: str) -> None:
    """Print the guidelines of a campaign as they stand, or write them to a file."""
    text = campaign_guidelines(store, name, language=language)
    if out is not None:
        if out.suffix not in (".md", ".html"):
            raise InputError("The name must end in .md or .html.", where=Where(out))
        write_whole(out, text.markdown() if out.suffix == ".md" else render(text.report()))
        output.say(f"{out}: version {text.version}, {len(text.decisions)} decisions")
    else:
        output.say(text.markdown())
    output.rows.append(
        {"version": text.version, "digest": text.digest, "decisions": len(text.decisions), "protocol": text.protocol}
    )
    output.sign(text.byline)
