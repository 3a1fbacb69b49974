"""The wheel that people install: it has what the program reads, nothing else, and works without the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
import yaml

from lanner import __version__

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "lanner"
LEFT_OUT = {"__pycache__"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the backend that pyproject.toml names, without asking a registry."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel, and other packages from the one that runs the tests.

    The wheel is unpacked into its own folder, which stands before everything else, so ours is the Lanner that is found;
    the repository is not on its way at all.
    """
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    place = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    others = [entry for entry in sys.path if entry.endswith("-packages")]
    Path(place, "others.pth").write_text("\n".join(others) + "\n", encoding="utf-8")
    return python


def _run(python: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """With no Node, no make and no git to be found, and a home of its own."""
    bare = {"PATH": str(python.parent), "HOME": str(folder), "LANG": "C.UTF-8"}
    done = subprocess.run([python, *words], cwd=folder, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_every_file_of_the_package_is_in_the_wheel_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    ours = {
        path.relative_to(SOURCE.parent).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and not LEFT_OUT & set(path.parts)
    }
    assert packed == ours
    for pattern in (
        "web/templates/judge/*.html",
        "web/static/*.js",
        "web/static/*.css",
        "web/messages/*.toml",
        "web/messages/organiser/*.toml",
        "reports/templates/*.html",
        "protocols/h_falcon.toml",
        "corpus/recipes/*",
        "corpus/demo.jsonl",
        "stats/presets.toml",
        "judges/prompts/*",
        "py.typed",
    ):
        assert any(SOURCE.glob(pattern)), f"{pattern} is no longer where it was"
    assert not [name for name in packed if "test" in Path(name).parts or "node_modules" in name]


def test_it_says_what_it_is_and_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        told = Parser().parsestr(archive.read(name).decode())
        assert any(each.endswith("licenses/LICENSE") for each in archive.namelist())
        (points,) = (each for each in archive.namelist() if each.endswith("/entry_points.txt"))
        assert "lanner = lanner.cli:main" in archive.read(points).decode()
    assert told["Version"] == __version__
    assert told["License-Expression"] == "Apache-2.0"
    assert "machine translation" in told["Summary"]


@pytest.mark.soak
def test_the_demo_runs_without_the_repository(installed: Path, tmp_path: Path) -> None:
    assert _run(installed, tmp_path, "-m", "lanner", "--version").stdout.strip() == f"lanner {__version__}"
    where = _run(installed, tmp_path, "-c", "import lanner; print(lanner.__file__)").stdout
    assert str(ROOT) not in where
    assert str(installed.parent.parent) in where
    said = _run(installed, tmp_path, "-m", "lanner", "demo", "--no-serve").stdout
    assert "/j/" in said
    assert "<html" in (tmp_path / "lanner-demo" / "report" / "report.html").read_text(encoding="utf-8")
    assert "Nothing is wrong" in _run(installed, tmp_path, "-m", "lanner", "doctor").stdout


def test_the_shell_can_complete_commands(installed: Path, tmp_path: Path) -> None:
    """What the completion of bash and zsh asks the program, and what it answers."""
    program = installed.parent / "lanner"
    program.write_text(f"#!{installed}\nfrom lanner.cli import main\nmain()\n", encoding="utf-8")
    program.chmod(0o755)
    for shell in ("bash", "zsh", "fish"):
        asked = {**os.environ, "_LANNER_COMPLETE": f"{shell}_source"}
        script = subprocess.run([program], env=asked, capture_output=True, text=True, check=False).stdout
        assert "_LANNER_COMPLETE" in script, shell
    asked = {**os.environ, "_LANNER_COMPLETE": "bash_complete", "COMP_WORDS": "lanner agr", "COMP_CWORD": "1"}
    answer = subprocess.run([program], env=asked, capture_output=True, text=True, check=False).stdout
    assert "agreement" in answer


def test_the_citation_and_the_forms_for_issues_are_whole() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    for form in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"):
        _, head, body = form.read_text(encoding="utf-8").split("---\n", 2)
        assert {"name", "about"} <= set(yaml.safe_load(head))
        assert body.strip()
    assert f"**{__version__}.**" in (ROOT / "RELEASING.md").read_text(encoding="utf-8")
