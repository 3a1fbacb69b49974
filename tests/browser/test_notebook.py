"""The widget in a real JupyterLab: judge, browse disagreements and watch a campaign below the cells."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from lanner import campaign
from lanner.store import Store
from ports import free_port

ROOT = Path(__file__).resolve().parents[2]
CELLS = [
    """import polars as pl
from lanner import notebook
sentences = pl.DataFrame({
    "source": ["The ferry is late.", "We waited on the pier."],
    "target": ["Die Fähre ist spät.", "Wir warteten auf dem Kai."],
})
notebook.judge(sentences, "da", languages="en-de", name="slider")""",
    """notebook.judge(sentences, "esa", languages="en-de", name="spans")""",
    """notebook.live("slider")""",
    """ratings = pl.DataFrame({
    "judge": ["ann", "ben"] * 3, "document": ["d1"] * 6, "segment": ["1", "1", "2", "2", "3", "3"],
    "system": ["oak"] * 6, "source": ["One ferry."] * 6, "target": ["Eine Fähre."] * 6,
    "score": [95, 5, 80, 75, 60, 62],
})
notebook.disagreements(ratings)""",
]

SETTINGS = {
    "notebook-extension/tracker": {"autoStartDefaultKernel": True},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
"""So that JupyterLab asks nothing before it runs the cells."""


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """JupyterLab over a folder with one notebook: the notebook's address and the folder."""
    if not (find_spec("jupyterlab") and find_spec("anywidget")):
        reason = "NO JUPYTERLAB: install the extra dev to test the widget where it is used"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("jupyter")
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": code, "outputs": [], "execution_count": None}
        for n, code in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    content = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "widget.ipynb").write_text(json.dumps(content), encoding="utf-8")
    for extension, settings in SETTINGS.items():
        path = folder / "settings" / "@jupyterlab" / f"{extension}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(settings), encoding="utf-8")
    port = free_port()
    token = secrets.token_hex(8)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "HOME": str(folder),
    }
    options = [f"--port={port}", "--ip=127.0.0.1", f"--IdentityProvider.token={token}", f"--notebook-dir={folder}"]
    if hasattr(os, "getuid") and os.getuid() == 0:
        options.append("--allow-root")
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--LabApp.collaborative=False", *options],
        env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", process)
        yield f"http://localhost:{port}/lab/tree/widget.ipynb?token={token}", folder
    finally:
        process.terminate()
        process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(900):
        assert process.poll() is None, "JupyterLab did not start"
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("JupyterLab did not start")


def _answers(folder: Path, name: str) -> dict[str, list[object]]:
    with Store.open(folder / "lanner.sqlite") as store:
        answers: dict[str, list[object]] = {}
        for judgement in campaign.judgements(store, name):
            answers.setdefault(judgement.question, []).append(judgement.value)
    return answers


def _run(page: Page, cell: int) -> None:
    """Run a cell. JupyterLab ignores the keys until its kernel is there, and does not say when that is."""
    prompt = page.locator(".jp-Notebook .jp-InputPrompt").nth(cell)
    for _ in range(60):
        page.locator(".jp-Notebook .cm-content").nth(cell).click()
        page.keyboard.press("Control+Enter")
        try:
            expect(prompt).not_to_have_text("[ ]:", timeout=1000)
            return
        except AssertionError:
            continue
    raise AssertionError(f"cell {cell} does not run")


def _frame(page: Page, title: str) -> FrameLocator:
    frame = page.locator(f"iframe[title='{title}']")
    frame.scroll_into_view_if_needed()
    return frame.content_frame


def _begin(page: Page, title: str) -> FrameLocator:
    """A judge's first sentence, ready to be answered."""
    frame = _frame(page, title)
    frame.get_by_role("link", name="Start").first.click()
    expect(frame.locator("html[data-ready] #accept")).to_be_visible()
    return frame


@pytest.mark.soak
@pytest.mark.browser
def test_pages_work_below_the_cells(page: Page, jupyter: tuple[str, Path]) -> None:
    address, folder = jupyter
    page.goto(address)
    for cell in range(len(CELLS)):
        _run(page, cell)

    judging = _begin(page, "Judging slider as me")
    judging.locator("input[name=score]").fill("64")
    judging.locator("#accept").click()
    expect(judging.locator("#heading")).to_contain_text("2")
    expect(judging.locator("#saved[data-state=saved]")).to_be_attached()
    assert _answers(folder, "slider")["score"] == [64]

    spans = _begin(page, "Judging spans as me")
    spans.locator(".row [data-side=target]").first.dblclick()
    spans.locator(".toolbar:not([hidden]) .panel:not([hidden]) button").first.click()
    spans.locator("input[name=score]").fill("80")
    spans.locator("#accept").click()
    expect(spans.locator("#heading")).to_contain_text("2")
    expect(spans.locator("#saved[data-state=saved]")).to_be_attached()
    stored = _answers(folder, "spans")
    assert stored["score"] == [80]
    assert len(stored["errors"][0]) == 1, "the marked word"

    live = _frame(page, "Live: slider")
    expect(live.locator("body")).to_contain_text("1 of 2 items judged by people")  # it was open before the answer

    disagreements = _frame(page, "Disagreements in data")
    expect(disagreements.locator("body")).to_contain_text("One ferry.")
