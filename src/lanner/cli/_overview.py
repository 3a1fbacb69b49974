"""The commands by what one wants to do, each with its line; read from their text, so that nothing is imported."""

from __future__ import annotations

import ast
from importlib import resources

HEADINGS = {
    "Start": ("demo", "doctor", "protocols", "protocol"),
    "Prepare texts": ("import", "formats", "prepare"),
    "Run a campaign": (
        "design",
        "plan",
        "new",
        "links",
        "serve",
        "campaign",
        "promote",
        "guidelines",
        "judge",
        "prompt",
        "replay",
        "ledger",
        "metric",
        "export",
    ),
    "Analyse": ("report", "scores", "facets", "diagnose", "agreement", "prefer", "effort", "associate", "regress"),
    "Compare": ("compare", "audit", "replace", "metaeval", "reproduce"),
    "Operate": ("accounts", "backup", "restore", "verify"),
    "Integrate": ("tokens", "webhooks"),
}
OTHERS = "More"


def grouped(names: list[str]) -> dict[str, list[str]]:
    """The commands that exist under their headings; what other packages bring comes last."""
    listed_names = {name for row in HEADINGS.values() for name in row}
    groups = {heading: [name for name in row if name in names] for heading, row in HEADINGS.items()}
    groups[OTHERS] = [name for name in names if name not in listed_names]
    return {heading: row for heading, row in groups.items() if row}


def line(stem: str) -> str:
    """What a command of ours says of itself in a list: the `short_help` of its decorator; empty if it is not ours."""
    file = resources.files("lanner.cli") / f"{stem}.py"
    if not file.is_file():
        return ""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            for decorator in node.decorator_list:
                for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
                    if keyword.arg == "short_help" and isinstance(keyword.value, ast.Constant):
                        return str(keyword.value.value)
    return ""
