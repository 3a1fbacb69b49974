"""`lanner restore`: a new store from a copy that `lanner backup` made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import implementation, store_option
from lanner.cli._output import json_option


@click.command("restore", short_help="Restore a store from a backup.")
@click.argument("copy", metavar="BACKUP", type=click.Path(path_type=Path))
@store_option
@json_option
def command(**options: Any) -> None:
    """Restore a backup to a new SQLite file or an empty PostgreSQL database, and verify every row. A store that is not
    empty is never overwritten. Everyone has to sign in again; judges' links keep working.

    Example: lanner restore lanner-backups/lanner-20260301T120000Z.sqlite --store postgresql://localhost/lanner
    """
    implementation("_restore").run(**options)
