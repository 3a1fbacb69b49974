"""The look comes from a few variables: a colour is written once, where its variable is made, and so is a space."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "lanner"
SHEETS = [*sorted((SOURCE / "reports" / "style").glob("*.css")), *sorted((SOURCE / "web" / "static").rglob("*.css"))]
COLOUR = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|oklab)a?\(|\b(?:black|white|gr[ae]y|red|green|blue)\b", re.IGNORECASE
)
WIDEST_STEP = 24
USED = re.compile(r"var\((--[\w-]+)\)")  # with a fallback, a variable may be unset


def rules(path: Path) -> str:
    """A sheet without its comments, and without @page: the margin of a page knows no variables."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"@page \{(?:[^{}]|\{[^{}]*\})*\}", "", text)


def declarations(path: Path) -> list[tuple[str, str]]:
    return re.findall(r"(?<=[{;\s])([\w-]+):\s*([^;{}]+)[;}]", rules(path))


def test_there_are_sheets_with_declarations() -> None:
    assert len(SHEETS) > 6
    assert all(declarations(path) for path in SHEETS)


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_colours_are_written_where_a_variable_is_made(path: Path) -> None:
    literal = [
        f"{name}: {value}" for name, value in declarations(path) if COLOUR.search(value) and not name.startswith("--")
    ]
    assert not literal


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_spaces_and_corners_are_steps_of_one_scale(path: Path) -> None:
    """A hairline is a line; and what is wider than the widest step is the measure of a layout."""
    odd = []
    for name, value in declarations(path):
        if re.match(r"margin|padding|(row-|column-)?gap$|border-radius", name):
            odd += [f"{name}: {value}" for length in re.findall(r"(\d+)px", value) if 1 < int(length) <= WIDEST_STEP]
    assert not odd


def test_every_variable_used_is_made_somewhere() -> None:
    made = {name for path in SHEETS for name, _ in declarations(path) if name.startswith("--")}
    used = {name for path in SHEETS for name in USED.findall(rules(path))}
    assert used <= made, sorted(used - made)


def test_every_variable_made_is_used_somewhere() -> None:
    text = "".join(rules(path) for path in SHEETS) + (SOURCE / "cli" / "tour.html").read_text(encoding="utf-8")
    made = {name for path in SHEETS for name, _ in declarations(path) if name.startswith("--")}
    scripts = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "web" / "static").rglob("*.js"))
    by_script = tuple(re.findall(r"var\((--[\w-]+)\$\{", scripts))  # the lines under marks, one for each severity
    unused = [name for name in made if not re.search(rf"var\({name}\b", text) and not name.startswith(by_script)]
    assert not sorted(unused)


@pytest.mark.parametrize(
    "path", sorted((SOURCE / "web" / "static" / "styles").glob("*.css")), ids=lambda path: path.name
)
def test_screens_are_measured_in_the_size_of_the_font(path: Path) -> None:
    """Else a reader who has set a large font gets the page of a large screen, with half of its bar outside."""
    assert not re.findall(r"@media[^{]*\d+px", rules(path))
