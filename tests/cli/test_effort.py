import shutil
from pathlib import Path

import pytest

from analysis.test_assistance import fill
from analysis.test_material import falcon_folder
from cli.command import Command
from data_sets import data_dir
from lanner.store import Store


@pytest.mark.data
def test_the_published_throughput(lanner: Command) -> None:
    ran = lanner("effort", data_dir("h-falcon"), "--judges", "judge2,judge3")
    assert ran.code == 0
    assert "0.876" in ran.out
    assert "3 items took longer than 10000 s" in ran.out


@pytest.mark.data
def test_all_parts_come_in_one_envelope_and_rates_stay_above_zero(lanner: Command) -> None:
    rows = lanner("effort", data_dir("h-falcon"), "--json").envelope["rows"]
    assert {row["part"] for row in rows} == {"evalset", "subset"}
    assert {row["judge"] for row in rows if row["part"] == "subset"} == {"judge2", "judge3"}
    assert all(row["low"] > 0 for row in rows if row["low"] is not None)


@pytest.mark.data
def test_speed_over_the_session(lanner: Command) -> None:
    ran = lanner("effort", data_dir("h-falcon"), "--judges", "judge2", "--fatigue")
    assert "From the first to the last item of a session" in ran.out


def test_the_bill_and_each_domain(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    asked = ("effort", falcon_folder(tmp_path / "s"))
    assert "seconds of judging at 20 an hour: 0.03 in all" in lanner(*asked, "--rate", 20).out
    assert "items a minute" in lanner(*asked, "--by", "domain").out


def test_what_became_of_a_models_marks(lanner: Command, tmp_path: Path, assisted_store: Path) -> None:
    shutil.copyfile(assisted_store, tmp_path / "lanner.sqlite")
    ran = lanner("effort", "people", "--assistance")
    assert ran.code == 0
    assert "Of " in ran.out and "marks of gemba" in ran.out and "rely on it" in ran.out
    rows = lanner("effort", "people", "--assistance", "--json").envelope["rows"]
    assert {row["what"] for row in rows} >= {"kept", "changed", "removed", "added", "marks", "seconds"}
    assert sum(row["value"] for row in rows if row["what"] in ("kept", "changed", "removed")) == pytest.approx(1)
    ran = lanner("effort", "models", "--assistance")
    assert ran.code == 2 and "--prefill MODEL@CAMPAIGN" in ran.err


def test_agreement_says_that_offered_marks_inflate_it(lanner: Command, tmp_path: Path, assisted_store: Path) -> None:
    shutil.copyfile(assisted_store, tmp_path / "lanner.sqlite")
    ran = lanner("agreement", "people", "--resamples", "20", "--json")
    assert any("agree more than they would on their own" in note for note in ran.envelope["notes"])
    rows = [row for row in ran.envelope["rows"] if row["question"] == "errors" and not row.get("judge")]
    whole, unaided = ([row for row in rows if bool(row.get("help")) is state] for state in (False, True))
    assert [(row["sign"], row["part_of_answer"]) for row in whole] == [
        (row["sign"], row["part_of_answer"]) for row in unaided
    ]
    assert all(row["n"] < other["n"] for row, other in zip(unaided, whole, strict=True) if row["n"])
    assert all(row["headline"] is False for row in unaided)


@pytest.fixture(scope="module")
def assisted_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("assisted") / "store.db"
    with Store.open(path) as store:
        fill(store)
    return path
