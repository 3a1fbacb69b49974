"""Every English text of the organiser's pages, found in the templates and the code that make them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment, nodes

import lanner.monitor
import lanner.reports
import lanner.web
from lanner import designs
from lanner.analysis import diagnosis, scores
from lanner.campaign.accounts import SCOPES
from lanner.designs import plan
from lanner.model import JudgeKind, alarms
from lanner.monitor.snapshot import STATE_WORDS
from lanner.reports import guidelines
from lanner.reports.sections import diagnosis as diagnosis_section
from lanner.store import AccountRole
from lanner.web import access, auth, problems
from lanner.web.organising import files, live, log

WEB = Path(lanner.web.__file__).parent
MONITOR = Path(lanner.monitor.__file__).parent
REPORTS = Path(lanner.reports.__file__).parent
ANALYSIS = tuple(Path(module.__file__) for module in (alarms, diagnosis, diagnosis_section, guidelines, scores, plan))
"""Sentences of the analysis, of the plan and of the report that pages show, too."""
SPEAKING = ("lanner.web.speech", "lanner.model.messages")
SAYS = {"say": 1, "mark": 1, "amount": 3, "message": 1}
"""How many of the first arguments can be texts."""


@cache
def texts() -> frozenset[str]:
    return frozenset(text for text in (*_of_templates(), *_of_code(), *_from_tables()) if text)


def _of_templates() -> Iterator[str]:
    environment = Environment()
    for path in (*(WEB / "templates").rglob("*.html"), REPORTS / "templates" / "report.html"):
        for call in environment.parse(path.read_text(encoding="utf-8")).find_all(nodes.Call):
            name = getattr(call.node, "name", "")
            for argument in call.args[: SAYS.get(name, 0)]:
                if isinstance(argument, nodes.Const) and isinstance(argument.value, str):
                    yield argument.value


def _of_code() -> Iterator[str]:
    for path in (*WEB.rglob("*.py"), *MONITOR.rglob("*.py"), *ANALYSIS):
        nodes_of_file = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        imports = [node for node in nodes_of_file if isinstance(node, ast.ImportFrom) and node.module in SPEAKING]
        if path.name not in ("speech.py", "guidelines.py") and not any(
            alias.name in SAYS for node in imports for alias in node.names
        ):
            continue  # what judges read has keys of its own
        for node in nodes_of_file:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYS:
                for argument in node.args[: SAYS[node.func.id]]:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield argument.value


def _headings_of_reports() -> Iterator[str]:
    for path in (*(REPORTS / "sections").glob("*.py"), REPORTS / "build.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Section":
                assert isinstance(node.args[1], ast.Constant), "a heading that can be translated"
                yield str(node.args[1].value)


def _from_tables() -> Iterator[str]:
    """Texts that pages take from tables and hand to `say`."""
    yield from _headings_of_reports()
    yield from designs.titles().values()
    for design in designs.titles():
        for option, default in designs.options(design).items():
            if isinstance(default, bool | int | float | str):
                yield option.replace("_", " ").capitalize()
    yield from (about for _, _, about in files.FORMATS.values())
    yield from (label for label, _ in live.STATES.values())
    yield from map(str, JudgeKind)
    yield from map(str, AccountRole)
    yield from (text for pair in problems._WORDS.values() for text in pair)
    yield from (access.FROM_ELSEWHERE, access.TOO_OLD, auth._WRONG)
    yield from log.SETTINGS.values()
    yield from (text for pair in problems.BY_CODE.values() for text in pair)
    yield from problems.KINDS
    yield from SCOPES.values()
    yield from STATE_WORDS.values()
