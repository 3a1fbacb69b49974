from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.formats.parsing.values import (
    counted,
    dots_in_thousands,
    file_languages,
    from_utf16,
    is_missing,
    is_numeric,
    literal_list,
    missing_codes,
    number,
    plain_number,
    problems,
    to_utf16,
)

TEXT = st.text(st.characters(exclude_categories=("Cs",)) | st.sampled_from("😀𝄞"), max_size=12)


@settings(deadline=None)
@given(TEXT, st.data())
def test_both_ways(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    units = len(text[:offset].encode("utf-16-le")) // 2
    assert to_utf16(text, offset) == units
    assert from_utf16(text, units) == offset


def test_inside_a_pair_and_beyond_the_end() -> None:
    assert from_utf16("a😀b", 2) == 1
    assert from_utf16("😀", 1) == 0
    assert from_utf16("a😀b", 4) == 3
    assert from_utf16("a😀b", 6) == 5
    assert from_utf16("abc", 9) == 9


def test_problems() -> None:
    assert problems("a😀bc", 2, 4, "bc") == ()
    assert problems("a😀bc", 2, 4, "😀b") == ("text_mismatch",)
    assert problems("abc", 2, 4, None) == ("bad_offsets",)
    assert problems("abc", 2, 2, "") == ("bad_offsets",)
    assert problems("abc", "1", 2, None) == ("bad_offsets",)
    assert problems(None, 5, 9, "words") == ()


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("test.en-de.tsv", ("en", "de")),
        ("batches_wmt23_en-de_esa.json", ("en", "de")),
        ("en-pt_BR.jsonl", ("en", "pt-BR")),
        ("well-known.csv", ("und", "und")),
        ("a-b.csv", ("und", "und")),
    ],
)
def test_file_languages(name: str, pair: tuple[str, str]) -> None:
    assert file_languages(Path(name)) == pair


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("4.0", 4),
        ("4", 4),
        (" 4.5 ", 4.5),
        (4.0, 4),
        ("", None),
        ("None", None),
        ("nan", None),
        ("inf", None),
        (True, None),
    ],
)
def test_number(cell: object, value: object) -> None:
    assert number(cell) == value
    assert type(number(cell)) is type(value)


def test_missing() -> None:
    assert all(map(is_missing, [None, "", " ", "None", "NaN", "nan", float("nan")]))
    assert not any(map(is_missing, [0, "0", "x", []]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("['a', 'b']", ["a", "b"]),
        ('["a"]', ["a"]),
        ("('a',)", ["a"]),
        ("nonsense", None),
        ("{}", None),
        ("[" * 5000, None),
    ],
)
def test_literal_list(text: str, value: object) -> None:
    assert literal_list(text) == value


def test_code_in_a_cell_is_not_run() -> None:
    assert literal_list("[__import__('os').getcwd()]") is None


def test_counted() -> None:
    assert counted(Counter(a=2, b=1), {"a": "{n} of a."}) == ["2 of a.", "1 judgements are flagged 'b'."]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1.250,5", "980,25", "7"], True),
        (["1.250,5", "1.250"], True),
        (["1.250", "980"], False),  # nothing says that these are not 1.25 and 980
        (["1.250,5", "1.5"], False),
        (["0,5", "3"], False),
        (["1.250,5", "0.500"], False),
    ],
)
def test_dots_between_thousands_are_certain_or_none(texts: list[str], expected: bool) -> None:
    assert dots_in_thousands(texts) is expected


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("−4", "-4"),
        ("４．５", "4.5"),
        ("٥٫٥", "5.5"),
        ("1 250,5", "1250,5"),
        ("1\u202f250", "1250"),
        ("1’250’000", "1250000"),
        ("4½", "4.5"),
        ("¾", "0.75"),
        ("12 34", "12 34"),
        ("good", "good"),
    ],
)
def test_numbers_are_written_plainly(text: str, plain: str) -> None:
    assert plain_number(text) == plain
    assert is_numeric(text) == (text not in ("12 34", "good"))


@pytest.mark.parametrize(
    ("numbers", "codes"),
    [
        ([1, 2, 3, 4, 5, 999, 999], {999: 2}),
        ([1, 2, 3, 4, 5, -1], {-1: 1}),
        ([70, 85, 100, 0, -999, 9999], {-999: 1, 9999: 1}),
        ([1, 2, 3, 4, 5, 1, 2, 99, 98], {99: 1, 98: 1}),
        ([1, 2, 3, 4, 5] * 4 + [9, 8], {8: 1, 9: 1}),
        ([0.25, 0.5, 0.75, -99], {-99: 1}),
        # numbers that are answers
        ([98, 99, 100, 85, 70], {}),
        ([-1, 0, 1, 1, -1], {}),
        ([-1, -5, 0, -25], {}),
        ([0, -1, -1, 0], {}),
        ([-0.4, 0.2, 1.3, -1], {}),
        ([1, 2, 9], {}),
        ([1, 3, 5, 6, 7, 9, 9, 2, 4, 1, 2], {}),
        ([12, 15, 999, 700, 400], {}),
        ([999, 999], {}),
        ([], {}),
    ],
)
def test_codes_for_missing_answers_are_far_from_the_scale(numbers: list[float], codes: dict[float, int]) -> None:
    assert missing_codes(numbers) == codes
