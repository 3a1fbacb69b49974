"""Every regular expression of Lanner takes time in proportion to the text it reads, whatever the text is.

A pattern that tries every beginning against every end takes minutes for a long line, and while it runs nobody's answer
is saved. All patterns are found by themselves: those that modules keep, and those written where they are used.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import lanner

ROOT = Path(lanner.__file__).parent
OPENINGS = ("", "[", "<", "(", "```", "**", "<!--", "a@", "1", "「", "https://", "\n")
REPEATED = (
    " ",
    "\n",
    "a",
    "a ",
    "1",
    "[",
    "<",
    "-",
    '"',
    ".",
    " .",
    "a-",
    "<a",
    "🐈",
    "'a",
    "((",
    "</",
    "]",
    "``",
    "*",
)
LENGTH = 5000
ALLOWED = 300
"""How many times the cost of the simplest pattern on the same text. Quadratic ones cost thousands of times as much."""
STEPS = ((LENGTH // 16, 1 / 900), (LENGTH // 4, 1 / 20), (LENGTH, 1.0))
"""Lengths, and the share of what is allowed below which the next length need not be tried: what is quadratic takes a
sixteenth of its time for a quarter of the text. The shortest comes first, since a cubic pattern would not come back."""
ANCHORED = {
    # only ever matched from the beginning of a text, or against all of it, which is linear
    "lanner.cli.output._COUNTED",
    "lanner.corpus.verify._TAKEN",
    "lanner.formats.parsing.textfile._KEPT",
    "lanner.formats.parsing.textfile._RUNS",
    "lanner.studies.punkt._CLOSING",
    "lanner.studies.punkt._TOKEN",
    # sees the last 40 characters before a full stop
    "lanner.corpus.segmenters._LIST_NUMBER",
    "lanner.corpus.segmenters._TWO_WORDS",
    # reads the style sheets of Lanner itself
    "lanner.figures.drawing._RULE",
}


CALLS = re.compile(r"\bre\s*\.\s*(?:sub|search|split|findall|finditer)\b")
"""In the source of a module: what may be a call with a pattern that is written there."""
REPEATS = re.compile(r"[*+]|,\}|\d{3}\}")
"""In the source of a pattern: what may be repeated without end, or a hundred times and more. A pattern without it looks
at a few characters from each place, and is linear."""


def kept(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """The patterns in a variable of a module."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth < 3 and isinstance(value, tuple | list | set | frozenset | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from kept(part, depth + 1)


def of_modules() -> dict[str, re.Pattern[str]]:
    patterns = {}
    for module in pkgutil.walk_packages(lanner.__path__, "lanner."):
        if module.name.endswith("__main__"):
            continue
        try:
            variables = vars(importlib.import_module(module.name))
        except ImportError:  # an extra that is not installed
            continue
        for name, value in variables.items():
            for number, pattern in enumerate(kept(value)):
                patterns[f"{module.name}.{name}" + (f"[{number}]" if number else "")] = pattern
    return patterns


def written_in_place() -> dict[str, re.Pattern[str]]:
    """Patterns in calls such as `re.sub("…", …)`. `match` and `fullmatch` begin at one place only."""
    patterns = {}
    for path in ROOT.rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(code)) if CALLS.search(code) else ():
            match node:
                case ast.Call(
                    func=ast.Attribute(
                        value=ast.Name(id="re"), attr="sub" | "search" | "split" | "findall" | "finditer"
                    ),
                    args=[ast.Constant(value=str(pattern)), *_],
                ):
                    patterns[f"{path.relative_to(ROOT)}:{node.lineno}"] = re.compile(pattern)
    return patterns


def cost(work: Callable[[], object], enough: float) -> float:
    """The CPU time of a call; of several where the first took longer than is allowed, since others use the machine."""
    best = float("inf")
    for _ in range(4):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
        if best <= enough:
            break
    return best


def seconds_allowed() -> float:
    """For a text of `LENGTH` characters."""
    simple = re.compile("[b]+")
    return ALLOWED * max(min(cost(lambda: simple.findall("a" * LENGTH), 0.0) for _ in range(10)), 2e-5)


def nonlinear(pattern: re.Pattern[str], allowed: float) -> str | None:
    """The first text that takes this pattern longer than allowed."""
    for part in REPEATED:
        for opening in OPENINGS:
            for length, enough in STEPS:
                text = opening + part * (length // len(part)) + "\x01"
                spent = cost(lambda text=text: pattern.findall(text), allowed)
                if spent > allowed:
                    return f"{pattern.pattern!r}: {opening!r} + {length} × {part!r}: {spent:.3f} s"
                if spent <= allowed * enough:
                    break
    return None


def test_every_pattern_is_linear() -> None:
    found = of_modules() | written_in_place()
    patterns = {name: each for name, each in found.items() if name not in ANCHORED and "figures" not in name}
    assert len(patterns) > 80
    once = {(each.pattern, each.flags): name for name, each in patterns.items() if REPEATS.search(each.pattern)}
    patterns = {name: patterns[name] for name in once.values()}
    assert len(patterns) > 60
    allowed = seconds_allowed()
    slow = {name: nonlinear(pattern, allowed) for name, pattern in sorted(patterns.items())}
    failures = [f"{name} {text}" for name, text in slow.items() if text]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("pattern", [r"\s+$", r"<[^>]*>", r"a{1,}b", r"a{0,5000}b"])
def test_a_slow_pattern_is_found(pattern: str) -> None:
    assert REPEATS.search(pattern)
    assert any(nonlinear(re.compile(pattern), seconds_allowed()) for _ in range(3))  # a busy moment allows more
