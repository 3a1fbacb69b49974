"""The commands as they are declared: names, options and help, one module for each heading of `lanner --help`.

What is imported here is light, so that help and mistakes are answered at once. What a command does is in a module of
`lanner.cli`, which is imported when the command runs.
"""

from __future__ import annotations

from importlib import import_module

import click

from lanner import registry

HEADINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "Start": {"start": ("demo", "doctor", "protocols", "protocol")},
    "Prepare texts": {"texts": ("import", "formats", "prepare")},
    "Run a campaign": {
        "campaigns": ("design", "plan", "new", "links", "serve", "promote", "guidelines", "export"),
        "campaign": ("campaign",),
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
    "Compare": {"comparison": ("compare", "audit", "replace", "metaeval", "reproduce")},
    "Operate": {"operation": ("accounts", "backup", "restore", "verify")},
    "Integrate": {"operation": ("tokens", "webhooks")},
}
"""What one wants to do, the module that declares the commands for it, and their names."""
OTHERS = "More"

_MODULES = {name: module for modules in HEADINGS.values() for module, names in modules.items() for name in names}


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
