"""`lanner export`: judgements as a file: a tidy table with its codebook, or another tool's format."""

from __future__ import annotations

from pathlib import Path

from lanner import campaign, formats
from lanner.cli._options import parse_options
from lanner.cli._output import Output
from lanner.cli._source import documents_of, materials
from lanner.errors import LannerError
from lanner.reports import exchange
from lanner.reports.export import excluded, export
from lanner.store import Store


def run(
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
    as_json: bool,
) -> None:
    """Write all current judgements, with a codebook that explains every column and value. People in a campaign are
    pseudonymised (judge-7), consistently across exports. With --texts only the texts are written, which
    converts one file format to another (see `lanner formats`)."""
    output = Output("export", as_json)
    if texts_only:
        _texts(output, source, out, to_format, parse_options(options), format_name, store_place)
        output.end()
        return
    if counted and to_format:
        raise LannerError("--counted goes with the tidy table.", next_step="Leave out --to, or --counted.")
    parts = materials(source, store_place, format_name, protocol)
    if not identified and not Path(source).exists():
        with Store.open(store_place, create=False) as store:
            names = campaign.pseudonyms(store, source)
        parts = [part.pseudonymised(names) for part in parts]
        output.note("People go by pseudonyms (judge-7), the same in every export; --identified writes their own ids.")
    rows = []
    for part in parts:
        path = out if len(parts) == 1 else out.with_name(f"{out.stem}-{part.name}{out.suffix}")
        if to_format:
            count = exchange.write(part, to_format, path, **parse_options(options))
        else:
            if options:
                raise LannerError("The tidy table has no options.", next_step="Name another format with --to.")
            count = export(part, path, counted=counted)
            if counted:
                output.notes.extend(f"{number:,} rows do not count: {reason}." for reason, number in excluded(part))
        rows.append({"part": part.name, "file": str(path), "rows": count})
        output.note(f"{path.stem}.codebook.csv says what every column and value of {path.name} means.")
    output.table(rows, ["file", "rows"])
    output.end()


def _texts(
    output: Output,
    source: str,
    out: Path,
    to_format: str | None,
    options: dict[str, str],
    format_name: str | None,
    store_place: str,
) -> None:
    """The texts of a file or a campaign in another format."""
    if not to_format:
        raise LannerError("Which format should the texts have?", next_step="For instance: --to table, or --to xliff.")
    if Path(source).exists():
        documents = list(documents_of(source, format_name))
    else:
        documents = [each for part in materials(source, store_place, format_name) for each in part.documents]
    formats.write(to_format, out, documents, (), (), **options)
    output.table([{"file": str(out), "documents": len(documents)}], ["file", "documents"])
