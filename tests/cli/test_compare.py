from pathlib import Path

import pytest

from cli.command import Command
from data_sets import data_dir
from lanner.formats import native
from reports.comparison.worlds import scores


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for name, gap, seconds in (("fast", 20, 20.0), ("slow", 20, 60.0)):
        made = scores(title=name, gap=gap, seconds=seconds)
        paths.append(tmp_path / f"{name}.jsonl")
        native.write(paths[-1], made.documents, made.judgements, made.judges, protocol="da")
    return paths


def test_two_files_and_their_page(lanner: Command, files: list[Path], tmp_path: Path) -> None:
    named = [f"{path.stem.upper()}={path}" for path in files]
    ran = lanner("compare", *named, "--hourly", 30, "--out", tmp_path / "page", "--resamples", 100, "--svg-only")
    assert ran.code == 0, ran.err
    assert "3.0 times as long under SLOW as under FAST" in ran.out
    assert "not answered" in ran.out
    assert "FAST against SLOW" in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")


def test_some_of_the_judges(lanner: Command, files: list[Path], tmp_path: Path) -> None:
    sides = [f"{files[0]}@j0,j1", f"REST={files[0]}@people"]
    ran = lanner("compare", *sides, "--out", tmp_path / "page", "--resamples", 50, "--svg-only")
    assert ran.code == 0, ran.err
    assert "J0,j1 against REST" in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    wrong = lanner("compare", f"{files[0]}@j0", f"{files[0]}@j9")
    assert wrong.code == 2
    assert "There is no judge 'j9'" in wrong.err


@pytest.mark.data
def test_scenarios_of_one_file_for_programs(lanner: Command, tmp_path: Path) -> None:
    envelope = lanner(
        "compare", data_dir("parity"), "--json", "--out", tmp_path, "--resamples", 100, "--svg-only"
    ).envelope
    answered = {row["question"] for row in envelope["rows"] if row["value"] is not None}
    assert {"agreement", "preferences", "stability", "verdicts"} <= answered
    assert all(row["reason"] for row in envelope["rows"] if row["value"] is None)


@pytest.mark.data
def test_an_unknown_part_is_named(lanner: Command) -> None:
    ran = lanner("compare", f"{data_dir('h-falcon')}:evalsets", f"{data_dir('h-falcon')}:subset")
    assert ran.code == 2
    assert "Did you mean 'evalset'" in ran.err
