"""The tidy table as a file: CSV, JSONL or Parquet, with a codebook that explains every column and value.

Judges appear by id, never by name or address. In CSV, lists are JSON and text that a spreadsheet would run as a
formula is given an apostrophe in front.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from lanner.analysis import GROUPS
from lanner.analysis import counted as count_rows
from lanner.analysis.material import Material
from lanner.errors import LannerError, Where, did_you_mean
from lanner.reports.codebook import write_beside
from lanner.reports.files import write_whole
from lanner.reports.parts import csv_text


def excluded(material: Material) -> list[tuple[str, int]]:
    """Why rows do not count in results, and how many for each reason."""
    return [(str(reason), number) for reason, number in material.counted(of=tuple(GROUPS)).excluded.items()]


def export(material: Material, path: Path, *, counted: bool = False) -> int:
    """Write the tidy table in the format that the file's ending names, and the codebook beside it; returns the rows.
    With `counted`, only those rows that count in results."""
    table = material.table_with_every_mark
    if counted:
        table = count_rows(table, of=tuple(GROUPS), left_out=material.left_out).table
    if material.protocol is not None and material.protocol.wording:  # in which words each answer was asked for
        table = table.with_columns(pl.lit(material.protocol.wording).alias("wording"))
    writers: dict[str, Callable[[pl.DataFrame, Path], None]] = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    writer = writers.get(path.suffix)
    if writer is None:
        raise LannerError(
            f"Files ending in {path.suffix!r} are not written.",
            where=Where(path),
            next_step=did_you_mean(path.suffix, writers),
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer(table, path)
        write_beside(path, material)
    except OSError as error:
        raise LannerError(f"It cannot be written: {error.strerror}.", where=Where(path)) from error
    return table.height


def _csv(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, csv_text(table.rows(named=True)))


def _jsonl(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, table.with_columns(pl.col("answered_at").dt.to_string("iso:strict")).write_ndjson())


def _parquet(table: pl.DataFrame, path: Path) -> None:
    temporary = path.with_name(f".{path.name}.part")
    try:
        table.write_parquet(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
