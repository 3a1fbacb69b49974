"""`lanner doctor`: what this machine has, what is missing, and how to get it."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._options import implementation, store_option
from lanner.cli._output import json_option


@click.command("doctor", short_help="Check the installation: what is missing and how to get it.")
@store_option
@json_option
def command(**options: Any) -> None:
    """Check versions, database, disk, browser, fonts and optional packages. Changes nothing. The exit code is 2 only if
    something is broken; missing optional packages are not an error.

    Example: lanner doctor
    """
    implementation("_doctor").run(**options)
