"""The scripts of the pages: unit tests in node, types by JSDoc, and their size on the wire."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from lanner import protocols
from lanner.web.rendering import Assets

HERE = Path(__file__).parent
JUDGES_FILES = ("judging.js", "home.js", "prefs.js", "early.js", "judge.css", "icon.svg")
COMPRESSED_LIMIT = 70_000


def needed(program: str | None, reason: str) -> str:
    """The program, or a loud skip; in CI its absence is a failure."""
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return program


def node_tool(name: str) -> str:
    """A program that tests/js/install-tools.sh put into the environment."""
    local = Path(sys.prefix) / "node" / "node_modules" / ".bin" / name
    program = shutil.which(name) or (str(local) if local.exists() else None)
    return needed(program, f"NO {name.upper()}: run tests/js/install-tools.sh")


def test_pure_modules_in_node() -> None:
    node = needed(shutil.which("node"), "NO NODE: install node to run the unit tests of the scripts")
    tests = sorted(str(path) for path in HERE.glob("*.test.js"))
    ran = subprocess.run([node, "--test", *tests], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert "# fail 0" in ran.stdout and "# pass 0" not in ran.stdout


@pytest.mark.parametrize("project", ["tsconfig.json", "tsconfig.worker.json"])
def test_types(project: str) -> None:
    command = [node_tool("tsc"), "-p", str(HERE / project)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout


def test_format_and_lint() -> None:
    command = [node_tool("biome"), "check", "--error-on-warnings", "--colors=off"]
    ran = subprocess.run(command, cwd=HERE.parent.parent, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]


def test_no_line_of_a_script_is_longer_than_a_hundred_characters() -> None:
    paths = [*HERE.glob("*.js"), *(HERE.parent.parent / "src" / "lanner").rglob("*.js")]
    assert len(paths) > 40
    long = [f"{path.name}: {line}" for path in paths for line in path.read_text().splitlines() if len(line) > 100]
    assert not long


def compressed(assets: Assets, names: Iterable[str]) -> dict[str, int]:
    """The size of files and of all the scripts they import, as the server sends them."""
    sizes: dict[str, int] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        asset = assets.find(name)
        assert asset is not None, name
        sizes[name] = len(asset.packed or asset.body)
        folder = posixpath.dirname(name)
        imports = re.findall(r"from ?'([^']+)'", asset.body.decode())
        paths = (posixpath.normpath(posixpath.join(folder, each)) for each in imports)
        waiting += [path for path in paths if path not in sizes]
    return sizes


@pytest.mark.parametrize("protocol", protocols.names())
def test_size_of_the_judges_pages_on_the_wire(protocol: str) -> None:
    """Everything that a judging page of the protocol and the list of work load. Practice and the matching of long
    segments are loaded where they are needed."""
    assets = Assets()
    for stage in protocols.load(protocol).stages:
        widgets = {f"widgets/{question.kind}.js" for question in stage.questions}
        sizes = compressed(assets, [*JUDGES_FILES, *widgets])
        assert len(sizes) > 20
        assert sum(sizes.values()) < COMPRESSED_LIMIT, sorted(sizes.items(), key=lambda entry: -entry[1])
