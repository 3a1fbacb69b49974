"""`lanner backup`: a copy of the whole store, made while it is in use and read back before it counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import implementation, store_option
from lanner.cli._output import json_option


@click.command("backup", short_help="Back up the store while judges work, and verify the copy.")
@click.option("--out", type=click.Path(path_type=Path), help="Output file (default: a new file in --folder).")
@click.option(
    "--folder", type=click.Path(path_type=Path), default="lanner-backups", show_default=True, help="Folder for backups."
)
@click.option(
    "--keep", type=click.IntRange(0), default=0, help="Keep only this many of the newest backups in the folder."
)
@store_option
@json_option
def command(**options: Any) -> None:
    """Copy the store, SQLite or PostgreSQL, to one SQLite file, consistent as of one moment. Judges can keep working.
    The file appears only after it has been read back and every row matches.

    Example: lanner backup --folder safe --keep 14
    """
    implementation("_backup").run(**options)
