from pathlib import Path

import pytest

from data_sets import data_dir
from lanner.errors import InputError, LannerError
from lanner.studies.reproduce import COMPUTATIONS
from lanner.studies.study import CellResult, Data, check_folder, judgements, load, metric_scores, names
from reports.world import material

FILE = """
name = "x"
title = "X"
citation = "X 2020"
data = "x"
[[table]]
where = "Table 1"
compute = "texts"
part = "p"
digits = 0
[table.columns]
documents = { count = "documents" }
segments = { count = "segments", digits = 1 }
[table.rows]
news = { domain = "news", paper = [3, ""] }
all = { paper = [4, 5], differs = ["segments"], note = "why" }
"""


def test_a_cell_has_the_options_of_table_column_and_row(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE)
    first, second, third = load(tmp_path / "x.toml").cells
    assert first.options == {"part": "p", "count": "documents", "domain": "news"}
    assert (first.paper, first.digits, first.expected) == (3, 0, "agrees")
    assert (second.row, second.column, second.expected) == ("all", "documents", "agrees")
    assert (third.digits, third.expected, third.note) == (1, "differs", "why")


@pytest.mark.parametrize(("old", "new"), [('[3, ""]', "[3]"), ('name = "x"', ""), ("[[table]]", "[[table")])
def test_a_broken_file_is_named(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "x.toml").write_text(FILE.replace(old, new))
    with pytest.raises(LannerError, match="not a study"):
        load(tmp_path / "x.toml")


def test_unknown_study() -> None:
    with pytest.raises(LannerError, match="Did you mean 'kim2025'"):
        load("kim2024")


@pytest.mark.parametrize("name", names())
def test_every_study_names_known_computations(name: str) -> None:
    study = load(name)
    assert study.cells
    assert {cell.compute for cell in study.cells} <= {*COMPUTATIONS, "not_computable"}


DATA = Data({"h": material("h_falcon"), "f": material("falcon")})


def test_cuts_of_a_table_are_kept() -> None:
    one = DATA.table("f", ["j0"], domain="news", question="context")
    assert set(one["judge"]) == {"j0"}
    assert set(one["domain"]) == {"news"}
    assert DATA.table("f", ["j0"], domain="news", question="context") is one


def test_documents_by_pattern() -> None:
    first = DATA.documents("f")[0].id
    assert set(DATA.table("f", documents=f"^{first}$")["document"]) == {first}


def test_unknown_parts_and_judges_are_named() -> None:
    with pytest.raises(InputError, match="no part 'x'"):
        DATA.table("x")
    with pytest.raises(InputError, match="no judge 'j9' in f"):
        DATA.table("f", ["j9"])


def test_labels_are_the_protocol_s() -> None:
    assert "global" in DATA.labels("f", "context")["labels"]
    assert DATA.labels("h", "holistic") == {}


def test_a_wrong_folder_is_told_and_a_near_one_guessed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        check_folder(tmp_path / "nowhere", ["a.csv"], "the release")
    with pytest.raises(InputError, match=r"a\.csv is missing") as caught:
        check_folder(tmp_path, ["a.csv"], "the release")
    assert "the release" in str(caught.value.next_step)
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "a.csv").write_text("")
    with pytest.raises(InputError, match=r"a\.csv is missing") as caught:
        check_folder(tmp_path, ["a.csv"], "the release")
    assert str(tmp_path / "release") in str(caught.value.next_step)
    check_folder(tmp_path / "release", ["a.csv"], "the release")


@pytest.mark.data
def test_released_judgements_and_scores() -> None:
    assert set(judgements(data_dir("parity")).parts) == {"parity"}
    found = metric_scores(data_dir("mtme/wmt23"), "en-de", "mqm", ["BLEU-refA"]).scores
    assert found is not None
    assert [scorer.name for scorer in found.scorers] == ["BLEU-refA"]
    assert found.references


def test_plain_values_become_found_ones() -> None:
    assert CellResult.of(0.5) == CellResult(0.5)
    assert CellResult.of("news").value == "news"
    made = CellResult(1.0, 0.5, 1.5, "n 3")
    assert CellResult.of(made) is made
