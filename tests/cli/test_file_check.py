from __future__ import annotations

from pathlib import Path

import click
import pytest

from lanner import registry
from lanner.cli.file_check import READ_TWICE, check_format, check_judgements, check_texts
from lanner.cli.source import Source
from lanner.errors import InputError


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ratings") / "ratings.csv"
    rows = [f"{judge},d,{at},X,{at % 3 + 1}" for judge in ("ana", "ben") for at in range(1, 5)]
    path.write_text("\n".join(["judge,document,segment,system,score", *rows]), encoding="utf-8")
    return path


def protocol_file(name: str) -> Path:
    path = registry.data_file("protocols", name, ".toml")
    assert path is not None
    return path


def test_what_is_right_passes(ratings: Path) -> None:
    check_judgements(ratings, None, None, None, [])
    check_judgements(ratings, None, None, "score", ["ana", "ben"])
    check_judgements(ratings, "table", "da", "score", ["ben"])


def test_it_says_what_the_command_says(ratings: Path) -> None:
    late = Source(str(ratings), "nowhere.sqlite", judges="ana,bne")
    with pytest.raises(InputError) as early_error:
        check_judgements(ratings, None, None, None, ["ana", "bne"])
    with pytest.raises(InputError) as late_error:
        late.parts()
    assert str(early_error.value) == str(late_error.value)
    with pytest.raises(InputError) as early_error:
        check_judgements(ratings, None, None, "scroe", [])
    with pytest.raises(InputError) as late_error:
        late.part_that_asks("scroe")
    assert str(early_error.value) == str(late_error.value)


def test_columns_are_looked_for_in_the_file(ratings: Path) -> None:
    context = click.Context(click.Command("agreement"))
    context.meta["lanner.reading"] = {"columns": "judge=whom"}
    with context, pytest.raises(InputError, match="There is no column 'whom'"):
        check_judgements(ratings, None, None, None, [])


def test_texts_are_refused_and_a_table_without_judges_is_one_judges(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    with pytest.raises(InputError, match="only texts"):
        check_judgements(path, None, None, None, [])
    path.write_text("document,segment,source,target,score\nd,1,One.,Eins.,3\n", encoding="utf-8")
    check_judgements(path, None, None, "score", [])


@pytest.mark.parametrize("protocol", [None, "da", "sqm", "mine.toml"])
def test_the_questions_are_those_of_the_protocol_that_was_named(
    ratings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(protocol_file("da").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError) as early_error:
        check_judgements(ratings, None, protocol, "zzz", [])
    with pytest.raises(InputError) as late_error:
        Source(str(ratings), "nowhere.sqlite", protocol=protocol).part_that_asks("zzz")
    assert str(early_error.value) == str(late_error.value)


def test_rows_of_a_document_that_stand_apart_are_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "apart.csv"
    path.write_text("document,source\nd,One.\ne,Two.\nd,Three.\n", encoding="utf-8")
    check_texts(path)


def test_large_files_and_folders_are_left_to_the_command(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    path.write_bytes(bytes(range(256)) * (READ_TWICE // 256 + 1))
    for check in (check_texts, check_format, check_judgements):
        check(path, None)
        check(tmp_path, None)
    path.write_bytes(bytes(range(256)))
    for check in (check_texts, check_format, check_judgements):
        with pytest.raises(InputError, match="none of the formats known"):
            check(path, None)


def test_a_question_of_the_file_alone_passes(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("judge,segment,system,klangfarbe\nana,1,X,3\nben,1,X,4\n", encoding="utf-8")
    check_judgements(path, None, None, "klangfarbe", [])
