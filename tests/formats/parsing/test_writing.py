from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.errors import InputError
from lanner.formats.parsing.textfile import whole
from lanner.formats.parsing.writing import bare, guarded, replacing, text_file


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_written_text_is_read_again(tmp_path: Path, name: str) -> None:
    with text_file(tmp_path / "new" / name) as out:
        out.write("ä\r\n😀\n")
    assert whole(tmp_path / "new" / name) == "ä\r\n😀\n"


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with text_file(tmp_path / name) as out:
            out.write("x" * 100)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), text_file(path) as out:
        out.write("new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="surrogate"), text_file(tmp_path / "a.txt") as out:
        out.write("\ud83d")
        out.flush()


def test_a_folder_with_something_in_it_is_not_replaced(tmp_path: Path) -> None:
    wanted = tmp_path / "out"
    wanted.mkdir()
    with replacing(wanted) as made:
        made.mkdir()
        (made / "x").write_text("1")
    assert (wanted / "x").read_text() == "1"
    with pytest.raises(InputError, match="not empty"), replacing(wanted) as made:
        made.mkdir()
    assert (wanted / "x").read_text() == "1"


RISKY = st.text(st.sampled_from("'=+-@\t\r\n＝＠a1.e "), max_size=6)


@given(st.one_of(st.text(), RISKY))
def test_what_is_guarded_comes_back_to_the_letter(text: str) -> None:
    kept = guarded(text)
    assert bare(kept) == text
    assert kept in (text, f"'{text}")


@given(RISKY)
def test_nothing_that_runs_is_left(text: str) -> None:
    kept = guarded(text)
    assert kept[:1] not in set("=+@\t\r\n＝＠") and (kept[:1] != "-" or float(kept) <= 0)


@pytest.mark.parametrize("text", ["=1+1", "+49 30", "-5+cmd", "@SUM(A1)", "\t=1", "＝1", "'=1", "''-x", "-"])
def test_formulas_are_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "-5.25", "-1e-3", "5", "don't", "'tis", "a=b", ""])
def test_other_texts_are_not(text: str) -> None:
    assert guarded(text) == text == bare(text)
