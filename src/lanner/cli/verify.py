"""`lanner verify`: whether a store or a backup is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import implementation, store_option
from lanner.cli._output import json_option


@click.command("verify", short_help="Check the integrity of a store or a backup.")
@click.argument("copy", metavar="[BACKUP]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--chain", "published", metavar="HASH", help="Also check that this hash, from an export, is in the chain."
)
@store_option
@json_option
def command(**options: Any) -> None:
    """Check the database and its invariants: references resolve, revisions form chains, saves are complete, texts and
    protocols are unchanged, and judgements match the hash chain. Changes nothing.

    Example: lanner verify
    """
    implementation("_verify").run(**options)
