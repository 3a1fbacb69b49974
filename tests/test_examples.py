"""Examples are programs, and programs run: the notebook is executed, and its figures are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="NO JUPYTER: install the extra dev to execute the notebook")
nbclient = pytest.importorskip("nbclient", reason="NO JUPYTER: install the extra dev to execute the notebook")
pytest.importorskip("anywidget", reason="NO ANYWIDGET: install the extra notebook to execute the notebook")

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "analyse_a_campaign.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """The cells with what they showed, and the folder in which they ran."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook, folder


def shown(notebook: Any, code: str) -> dict[str, Any]:
    """What the cell that ends in this code showed, by type."""
    [cell] = [each for each in notebook.cells if each.cell_type == "code" and each.source.endswith(code)]
    return {kind: data for output in cell.outputs for kind, data in output.get("data", {}).items()}


def test_every_cell_ran_and_shows_something(executed: tuple[Any, Path]) -> None:
    notebook, _ = executed
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert all(outputs[1:]), "only the first cell prepares"
    assert not [output for cell in outputs for output in cell if output.output_type == "error"]


def test_results_come_with_their_figures(executed: tuple[Any, Path]) -> None:
    notebook, folder = executed
    assert "<svg" in shown(notebook, "lanner.agreement(data, resamples=200)")["text/html"]
    assert "<svg" in shown(notebook, "\nscores")["text/html"]
    assert shown(notebook, "\nscores.plot()")["image/svg+xml"].startswith("<svg")
    assert (folder / "scores.svg").read_text(encoding="utf-8").startswith("<svg")


def test_what_the_text_says_is_true(executed: tuple[Any, Path]) -> None:
    notebook, _ = executed
    sentence = shown(notebook, 'without"')["text/plain"]
    everybody, without_cleo = (float(word) for word in sentence.strip("'").split() if word[0].isdigit())
    assert everybody < without_cleo
    assert "alder" in shown(notebook, "\nscores")["text/plain"].splitlines()[1], "the best system comes first"


def test_pages_are_widgets(executed: tuple[Any, Path]) -> None:
    notebook, _ = executed
    for code in ('notebook.disagreements("pilot", store=STORE)', "\npage"):
        assert "application/vnd.jupyter.widget-view+json" in shown(notebook, code)


def test_it_is_kept_without_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
