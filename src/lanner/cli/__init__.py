"""The command line. A command reads its options, calls the library and prints; no more.

Commands are declared in `commands`; the other modules do what they say, and are imported when a command runs.
"""

from __future__ import annotations

import io
import sys
from errno import ENAMETOOLONG
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from lanner import __version__, registry
from lanner.cli import options
from lanner.errors import ExitCode, LannerError

_OF_A_NAME = (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError)
HEADINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "Start": {"start": ("demo", "doctor", "protocols", "protocol")},
    "Prepare texts": {"start": ("import", "formats", "prepare")},
    "Run a campaign": {
        "campaign": ("design", "plan", "new", "links", "serve", "promote", "guidelines", "export", "campaign"),
        "judges": ("judge", "prompt", "replay", "ledger", "metric"),
    },
    "Analyse": {
        "analysis": (
            "report",
            "scores",
            "facets",
            "diagnose",
            "agreement",
            "prefer",
            "effort",
            "associate",
            "regress",
        )
    },
    "Compare": {"analysis": ("compare", "audit", "replace", "metaeval", "reproduce")},
    "Operate": {"operation": ("accounts", "backup", "restore", "verify")},
    "Integrate": {"operation": ("tokens", "webhooks")},
}
"""What one wants to do, the module that declares the commands for it, and their names."""
OTHERS = "More"

_MODULES = {name: module for modules in HEADINGS.values() for module, names in modules.items() for name in names}


@cache
def names() -> list[str]:
    """Every command: ours, and what other packages add."""
    return sorted({*_MODULES, *(name.replace("_", "-") for name in registry.added_names("cli"))})


def load(name: str) -> click.Command:
    """A command by its name. Another package's is the `command` of the module that its entry point names."""
    module = _MODULES.get(name)
    if module is None:
        added: click.Command = registry.module("cli", name, registry.added_names("cli")).command
        return added
    attribute = "import_" if name == "import" else name
    command: click.Command = getattr(import_module(f"lanner.cli.commands.{module}"), attribute)
    return command


def grouped(every: list[str]) -> dict[str, list[str]]:
    """The commands under their headings; what other packages bring comes last."""
    groups = {
        heading: [name for row in modules.values() for name in row if name in every]
        for heading, modules in HEADINGS.items()
    }
    groups[OTHERS] = [name for name in every if name not in _MODULES]
    return {heading: row for heading, row in groups.items() if row}


class Commands(options.Group):
    """Imports only the command that is run, so that `lanner` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in names():
            return None
        command = load(cmd_name)
        path = options.find_settings(Path.cwd())
        if path is not None:
            settings = options.settings_for(options.read_settings(path), cmd_name, command, path)
            ctx.default_map = {**(ctx.default_map or {}), cmd_name: settings}
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        every = names()
        width = max(map(len, every))
        for heading, row in grouped(every).items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), load(name).short_help or "") for name in row])


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lanner", message="%(prog)s %(version)s")
@click.pass_context
def lanner(context: click.Context) -> None:
    """Document-level evaluation of machine translation by people, models and metrics.

    Without a command, suggests what to do next.
    """
    if context.invoked_subcommand is None:
        context.invoke(options.implementation("doctor").next_steps)


def _end_with(error: LannerError, code: ExitCode | None = None) -> NoReturn:
    options.implementation("output").print_error(error, as_json="--json" in sys.argv)
    sys.exit(code or error.exit_code)


def _unusable(error: OSError) -> str:
    names = " and ".join(repr(str(name)[:200]) for name in (error.filename, error.filename2) if name is not None)
    reason = error.strerror or str(error) or type(error).__name__
    return f"{names} cannot be used: {reason}." if names else f"The system refused: {reason}."


def main() -> None:
    """Run `lanner`; what goes wrong ends with a sentence and an `ExitCode`, never with a traceback."""
    for stream in (sys.stdout, sys.stderr):  # names of files may hold bytes that are no text
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        lanner.main(standalone_mode=False)
    except LannerError as error:
        _end_with(error)
    except click.ClickException as error:
        if "--json" in sys.argv:
            _end_with(LannerError(error.format_message(), next_step="See --help."))
        error.show()
        sys.exit(ExitCode.MISTAKE)
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("\nStopped. Nothing half-done was kept.\n")
        sys.exit(ExitCode.STOPPED)
    except BrokenPipeError:
        sys.exit(ExitCode.DONE)
    except OSError as error:  # of a path that was named: too long, a folder where a file belongs, not ours to read
        step = "Check the name, what is there, and who may read it."
        # a name is the user's mistake, a full disk or a missing right is not
        code = ExitCode.MISTAKE if isinstance(error, _OF_A_NAME) or error.errno == ENAMETOOLONG else ExitCode.SYSTEM
        _end_with(LannerError(_unusable(error), next_step=step), code)
    except UnicodeEncodeError as error:
        _end_with(LannerError(f"{error.object!a} is not text that can be written: {error.reason}."))
