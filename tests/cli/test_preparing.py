from __future__ import annotations

from pathlib import Path

import pytest

from lanner import formats
from lanner.cli._output import Output
from lanner.cli._preparing import Job
from lanner.corpus import recipe, verify
from lanner.errors import InputError, LannerError
from lanner.model import Document

SOURCE = "The council met on Tuesday. It was late. Nobody had expected the vote to be so close, least of all the mayor."
TARGET = "Der Rat trat am Dienstag spät zusammen. Mit einer so knappen Abstimmung hatte niemand gerechnet."


def job(folder: Path, recipe_name: str | Path = "sentences") -> Job:
    path = folder / "t.en-de.csv"
    path.write_text(f'document,segment,source,target\nd,1,"{SOURCE}","{TARGET}"\n', encoding="utf-8")
    return Job(Output("prepare", True), path, None, recipe.load(recipe_name), None, (), folder / "c.jsonl")


def test_the_list_of_doubtful_rows_comes_and_goes(tmp_path: Path) -> None:
    prepared = job(tmp_path)
    sheet = tmp_path / "c.doubtful.csv"
    assert prepared.write([]).doubtful
    rows = verify.load(sheet)
    done = tmp_path / "done.csv"
    verify.save(done, lambda: [{**row, "action": "accept"} for row in rows])
    edits = prepared.edits_of(done, [], "Ana")
    assert {(edit.kind, edit.by) for edit in edits} == {("accept", "Ana")}
    assert prepared.write(edits).doubtful == 0
    assert not sheet.exists()
    assert [len(d.segments) for d in formats.read_documents(tmp_path / "c.jsonl")] == [2]


def test_running_without_writing_gathers_what_is_in_doubt(tmp_path: Path) -> None:
    doubtful: list[tuple[Document, object]] = []
    job(tmp_path).run([], doubtful)  # type: ignore[arg-type]
    assert [document.id for document, _ in doubtful] == ["d"]
    assert not (tmp_path / "c.jsonl").exists()


def test_a_mistake_in_the_list_is_shown_with_its_file_and_line(tmp_path: Path) -> None:
    prepared = job(tmp_path)
    prepared.write([])
    sheet = tmp_path / "c.doubtful.csv"
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("d,'1.1,", "d,'9.1,"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        prepared.edits_of(sheet, [], "")
    assert (Path(str(caught.value.where.file)), caught.value.where.line) == (sheet, 2)


def test_nothing_left_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "none.toml").write_text(
        'name = "none"\n[[step]]\ndo = "filter"\nrules = ["too_long"]\nmax_words = 1\naction = "drop"\n'
    )
    with pytest.raises(LannerError, match="Nothing is left"):
        job(tmp_path, tmp_path / "none.toml").write([])
    assert not (tmp_path / "c.jsonl").exists()


def test_systems_are_chosen_by_any_metric_that_lanner_has(tmp_path: Path) -> None:
    recipes = tmp_path / "best.toml"
    recipes.write_text('name = "best"\n[[step]]\ndo = "choose"\nbest = 1\nmetric = "d-chrf"\n', encoding="utf-8")
    rows = "".join(
        f"d{n},1,Source {n}.,The cat sat on mat {n}.,The cat sat on mat {n}.,Dogs run far away.\n" for n in range(3)
    )
    texts = tmp_path / "t.csv"
    texts.write_text(f"document,segment,source,reference,output:good,output:bad\n{rows}", encoding="utf-8")
    how = recipe.load(recipes)
    Job(Output("prepare", True), texts, None, how, None, (), tmp_path / "c.jsonl").write([])
    kept = {system for d in formats.read_documents(tmp_path / "c.jsonl") for system in d.systems}
    assert kept == {"good"}
    recipes.write_text(recipes.read_text(encoding="utf-8").replace("d-chrf", "comet"), encoding="utf-8")
    with pytest.raises(LannerError, match="COMET needs the weights"):
        Job(Output("prepare", True), texts, None, recipe.load(recipes), None, (), tmp_path / "c.jsonl").write([])
