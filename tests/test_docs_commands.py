"""Every command line that README and docs show is run, in the order of its page.

Simulated judges stand in for people, a small server for a model, small files for released data; servers are started
and stopped as a person would.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

import test_docs
from data_sets import data_dir
from docs_workspace import STORE, add_pilot, answered, lay_out
from lanner.cli import lanner
from lanner.errors import LannerError
from lanner.store import Store
from ports import free_port
from stub_server import Stub, running
from test_docs import FENCE, FRONT, PAGES, REFERENCE, TUTORIALS

PROTOCOLS = {"metaeval": "da", "planning": "da", "scores": "esa", "wmt_mqm": "mqm", "mtme": "esa"}
"""Which protocol the campaign `pilot` of a page has, where it is not H-FALCON."""
WALKED = {*TUTORIALS, "quickstart.md"}
"""Roads on which everything is made by the page itself."""
SERVES = {"serve": "web.server", "demo": "cli.demo"}
"""Commands that end in a server, with the module they take it from."""
STARTED: dict[str, str] = {}
"""Those of them that ran as a process of their own: with other options they take the same way."""
STOPPED: set[str] = set()
"""Lines that were started and stopped already: the same server for another page shows nothing new."""
QUICKER = {name: ["--resamples", "100"] for name in ("report", "agreement", "associate", "compare")} | {
    "metaeval": ["--swaps", "20"],
}
"""Options that make commands faster: what the lines say of them themselves is left as it is."""
DRAWN: set[str] = set()
"""Commands that have written their figures as PDF and PNG: once each, since that takes longer than the rest."""


def _shown(page: str) -> list[str]:
    return [line.split("  #")[0].strip() for line in test_docs._shown(page)]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workshop")
    lay_out(folder)
    return folder


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with running(Stub()) as url:
        yield url


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANNER_STORE", raising=False)
    monkeypatch.setattr("lanner.cli.plan.CAMPAIGNS", 4)  # that a plan comes out, not that it is precise
    return tmp_path


LONG = {"operating.md", "studies.md"}
"""Pages whose lines take longest: `make soak` runs them. What they do is tested beside their commands."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.soak] if page in LONG else []) for page in (*PAGES, *FRONT)],
)
def test_the_lines_of_a_page_run(page: str, place: Path, workshop: Path, model: str) -> None:
    lines = _shown(page)
    if not lines:
        return
    if page.startswith("format/"):
        REFERENCE.format_pages.example(Path(page).stem, place)
    elif page == "quickstart.md":
        shutil.copytree(workshop / "h-falcon", "h-falcon")
    elif page not in WALKED:
        _furnish(place, workshop, page, lines)
    for block in FENCE.finditer(test_docs.text(page)):
        if block["language"] == "csv":
            Path("texts.csv").write_text(block["body"], encoding="utf-8")
        elif block["language"] == "toml" and not block["body"].startswith("[[step]]"):  # one step is no recipe
            Path("mine.toml").write_text(block["body"], encoding="utf-8")
    needed = test_docs._needed(page)
    for line in lines:
        if line.startswith("lanner reproduce kim2025") and "--only" not in line:
            continue  # minutes: tests/studies recomputes all of it
        if line in needed and not Path(needed[line]).exists():
            Path(needed[line]).symlink_to(data_dir(needed[line]))
        _run(line, model)
    if page == "quickstart.md":
        _check_quick_start()


def _check_quick_start() -> None:
    assert "박 선생님께" in Path("texts.jsonl").read_text(encoding="utf-8")
    assert "<html" in Path("pilot-report/report.html").read_text(encoding="utf-8")
    rows = Path("pilot.csv").read_text(encoding="utf-8").splitlines()
    assert sum(",holistic," in row for row in rows) == 4  # two judges, two sentences
    assert Path("pilot.codebook.csv").is_file()


def _furnish(place: Path, workshop: Path, page: str, lines: list[str]) -> None:
    """What the lines name and do not make: files, campaigns, a backup, tokens."""
    if any(line.startswith("lanner reproduce") for line in lines):  # a study checks its data: only the released will do
        return
    names = set(shlex.split(" ".join(lines).replace(":", " ").replace("=", " ")))
    for source in workshop.iterdir():
        made = source.name == "texts.jsonl" and any(line.startswith("lanner import texts.csv") for line in lines)
        if (source.name in names or source.name == STORE) and not made:
            (shutil.copytree if source.is_dir() else shutil.copy)(source, place / source.name)
    if "pilot" in names and not any(line.startswith("lanner new pilot") for line in lines):
        add_pilot(place, PROTOCOLS.get(Path(page).stem, "h_falcon"))
    if any("tokens revoke 3" in line for line in lines):
        for name in ("first", "second"):
            assert _invoke(["tokens", "add", name, "--scope", "judgements"]) == 0
    if "safe/lanner-20260301T120000Z.sqlite" in names:
        assert _invoke(["backup", "--folder", "safe"]) == 0
        (found,) = Path("safe").glob("*.sqlite")
        found.rename("safe/lanner-20260301T120000Z.sqlite")


def _run(line: str, model: str) -> None:
    words = shlex.split(re.sub(r"http://127\.0\.0\.1:\d+/v1", model, line))[1:]
    if words[0] in SERVES or "--verify" in words:
        if line not in STOPPED and words[0] in STARTED:
            with pytest.MonkeyPatch.context() as patch:  # what the line says is taken, and one server ran before
                patch.setattr(f"lanner.{STARTED[words[0]]}.serve", lambda *_given, **_options: None)
                _invoke(words)
        elif line not in STOPPED:
            _serve(words)
        STOPPED.add(line)
        if words[0] in SERVES:
            STARTED[words[0]] = SERVES[words[0]]
        return
    for name in ("h-falcon", "parity"):
        if words[0] == "reproduce" and name in words and not Path(name).exists():
            Path(name).symlink_to(data_dir(name))
    if words[0] == "metric" and "comet" in words:  # checkpoints are gigabytes: `make test-metrics` runs them
        with pytest.raises(LannerError, match=r"optional package|checkpoint"):
            CliRunner().invoke(lanner, words, catch_exceptions=False)
        return
    if words[0] == "plan" and "studies=" not in line:  # that a plan comes out, not that it is precise
        words += ["--set", "studies=20"]
    if words[0] in QUICKER and QUICKER[words[0]][0] not in words:  # that numbers come out, not that they are precise
        words += QUICKER[words[0]]
    if words[0] in ("report", "compare") and words[0] in DRAWN and "--svg-only" not in words:
        words.append("--svg-only")
    DRAWN.add(words[0])
    if words[0] == "restore" and not Path(words[1]).exists():  # the copy of a deleted campaign is called by the moment
        words[1] = str(max(Path(words[1]).parent.glob("*.sqlite")))
    assert _invoke(words) == 0, line
    made = words[1] if words[0] == "new" else words[1] if "--assign" in words else ""
    if made:
        with Store.open(STORE) as store:
            answered(store, made)


def _invoke(words: list[str]) -> int:
    done = CliRunner().invoke(lanner, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.exit_code


def _serve(words: list[str]) -> None:
    """Start it, wait until it answers, stop it as an impatient person does: one line, no traceback."""
    port = free_port()
    command = [sys.executable, "-m", "lanner", *words, "--port", str(port)]
    told = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=told) as started:
        assert started.stdout is not None
        said = []
        for line in started.stdout:
            said.append(line)
            if "Ctrl+C" in line:
                _wait_for(port, started)
                started.send_signal(signal.SIGINT)
            elif line.startswith("Stopped."):
                started.send_signal(signal.SIGINT)
    assert started.returncode == 0, "".join(said)
    assert said[-1].startswith("Stopped."), "".join(said)
    assert "Traceback" not in "".join(said)


def _wait_for(port: int, started: subprocess.Popen[str]) -> None:
    pause = threading.Event()
    while started.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        pause.wait(0.05)
