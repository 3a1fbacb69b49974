"""`lanner reproduce`: recompute what a paper printed from its released data, and say where it agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import implementation
from lanner.cli._output import json_option


@click.command("reproduce", short_help="Recompute a paper's figures from its released data.")
@click.argument("name", metavar="[STUDY]", required=False)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The folder of the released data (default: this one, or the one under LANNER_DATA that fits).",
)
@click.option("--only", help="Only tables whose name contains this.")
@click.option("--report", is_flag=True, help="Also write a page with every table and the paper's figures drawn again.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for --report (default: STUDY-report).")
@click.option("--list", "listing", is_flag=True, help="List the studies and the data each needs.")
@json_option
def command(**options: Any) -> None:
    """Recompute the values printed in a paper and compare. Differences are reported, never adjusted.

    ✓ agrees, ✓* agrees with a proviso, △ differs, – cannot be computed, · was not printed; of simulated judges
    ◇ recovered, ◆ missed. STUDY is a name of --list, or a file of your own.

    Example: lanner reproduce kim2025 --data h-falcon
    """
    implementation("_reproduce").run(**options)
