from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import formats
from lanner.cli import lanner
from lanner.formats import appraise, mtme, wmt_mqm
from lanner.formats.parsing.values import (
    _SCRIPTS,
    Heading,
    _function_words,
    are_durations,
    counted,
    dots_in_thousands,
    duration,
    duration_heading,
    file_languages,
    from_utf16,
    guess_language,
    is_missing,
    is_numeric,
    literal_list,
    missing_codes,
    number,
    plain_number,
    preferred_side,
    preferred_sides,
    problems,
    to_utf16,
)
from lanner.model import languages
from lanner.studies.formats import h_falcon

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
        ("test.pt-br-en.csv", ("pt-BR", "en")),
        ("en-zh-tw.csv", ("en", "zh-TW")),
        ("en-de-pilot.csv", ("en", "de")),
        ("de-en-it-team.csv", ("de", "en")),
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
    assert counted(Counter(a=2, b=1), {"a": "{n} of a."}) == ["2 of a.", "1 judgement is flagged 'b'."]


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
        ([0, 1, 2, 3, 4, -1, -2], {-1: 1, -2: 1}),
        ([1, 2, 3, -1, -2], {-1: 1, -2: 1}),
        ([0, 1, 2, 3, -1, -2, 99, 99, 1, 2], {99: 2}),
        # numbers that are answers
        ([98, 99, 100, 85, 70], {}),
        ([-1, 0, 1, 1, -1], {}),
        ([-1, -5, 0, -25], {}),
        ([0, -1, -1, 0], {}),
        ([-2, -1, 0, 1, 3, 3], {}),
        ([-3, -2, -1, 0, 1, 2, 3], {}),
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


# How long something took


SECONDS = [12.0, 30.0, 18.0, 45.0, 21.0, 60.0]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("seconds", "seconds"),
        ("time", ""),
        ("time taken", ""),
        ("Duration", ""),
        ("time_ms", "milliseconds"),
        ("Answer time [ms]", "milliseconds"),
        ("milliseconds", "milliseconds"),
        ("Duration (min)", "minutes"),
        ("minutes", "minutes"),
        ("Time (s)", "seconds"),
        ("duration_seconds", "seconds"),
        ("WorkTimeInSeconds", "seconds"),
        ("소요 시간(초)", "seconds"),
        ("소요 시간(분)", "minutes"),
        ("所要時間（秒）", "seconds"),
        ("Dauer (Min.)", "minutes"),
    ],
)
def test_the_unit_is_what_the_heading_says(name: str, unit: str) -> None:
    assert duration_heading(name) == Heading(unit)


@pytest.mark.parametrize(
    "name",
    [
        "start time",
        "time stamp",
        "words per minute",
        "min",
        "second judge",
        "score",
        "h",
        "timeline",
        "time of end",
        "ms min",
    ],
)
def test_other_headings_name_no_duration(name: str) -> None:
    assert duration_heading(name) is None


def test_active_time_is_told_apart() -> None:
    assert duration_heading("active time (s)") == Heading("seconds", active=True)


def test_cells_with_units_of_their_own() -> None:
    assert duration("12.5") == 12.5
    assert duration("12,5", 60.0) == 750.0
    assert duration("1:23") == 83.0
    assert duration("01:02:03.5", 60.0) == 3723.5
    assert duration("2 min 5 s", 1.0) == 125.0
    assert duration("850 ms") == pytest.approx(0.85)
    assert duration("1h 3m") == 3780.0
    assert [duration(text) for text in ("", "soon", "2 apples", "-3", "2026-01-01")] == [None] * 5
    assert not are_durations(["1794909576", "1794909600"])  # moments since 1970


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("time", [f"{value}" for value in SECONDS]),
        ("time_ms", [f"{1000 * value:.0f}" for value in SECONDS]),
        ("Duration (min)", [f"{value / 60:.6f}" for value in SECONDS]),
        ("Dauer (Min.)", [f"{value / 60:.6f}".replace(".", ",") for value in SECONDS]),
        ("elapsed", [f"0:{value:02.0f}" if value < 60 else "1:00" for value in SECONDS]),
        ("time spent", [f"{value / 60:.6f} min" for value in SECONDS]),
        ("소요 시간(초)", [f"{value}" for value in SECONDS]),
    ],
)
def test_a_table_has_the_same_pace_in_every_unit(name: str, cells: list[str], tmp_path: Path) -> None:
    """And what took long is no answer: nothing ranks systems by it."""
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["judge", "document", "segment", "system", "score", name, "Started", "Session"])
        for judge in ("ann", "ben"):
            for number, cell in enumerate(cells):
                start, code = f"2026-01-01 10:0{number}:{ord(judge[0]) % 60}", f"3XY{judge}{number}ZQ"
                rows.writerow([judge, f"d{number}", 1, "oak", 1 + number % 5, cell, start, code])
    result = CliRunner().invoke(lanner, ["effort", str(tmp_path / "t.csv"), "--json"])
    rates = {
        row["judge"]: row["value"] for row in json.loads(result.stdout)["rows"] if row.get("judge") in ("ann", "ben")
    }
    pace = 60 / (sum(SECONDS) / len(SECONDS))
    assert rates == {"ann": pytest.approx(pace, rel=1e-4), "ben": pytest.approx(pace, rel=1e-4)}
    (reading,) = formats.read(tmp_path / "t.csv")
    assert {judgement.question for judgement in reading.judgements} == {"score"}


# Which of two outputs an answer prefers, however it is worded


WORDINGS = [
    ("A", "B", "="),
    ("a", "b", "tie"),
    ("A better", "B better", "Equal"),
    ("A is a bit better", "B is a bit better", "a tie"),
    ("System A", "System B", "No preference"),
    ("Translation 1", "Translation 2", "Both bad"),
    ("Left", "Right", "about the same"),
    ("1st", "2nd", "draw"),
    ("A>B", "B>A", "A=B"),
    (">", "<", "="),
    ("Prefer A over B", "Prefer B over A", "Neither"),
    ("Übersetzung A ist besser", "Übersetzung B ist besser", "gleich gut"),
    ("premier", "deuxième", "égal"),
    ("первый", "второй", "одинаково"),
    ("A가 더 좋음", "B가 더 좋음", "비슷함"),
    ("첫 번째", "두 번째", "동일"),
    ("译文A更好", "译文B更好", "一样好"),
    ("左の方が良い", "右の方が良い", "同じ"),
    ("الأول", "الثاني", "متساويان"),
]


@pytest.mark.parametrize(("first", "second", "tie"), WORDINGS)
def test_sides_in_the_words_of_many_languages(first: str, second: str, tie: str) -> None:
    assert preferred_sides([first, second, tie]) == {first: "a", second: "b", tie: "tie"}


@pytest.mark.parametrize(
    "text", ["A is worse", "Not B", "B schlechter", "A and B", "GPT-4", "yes", "3", "", "not sure", "the same as A"]
)
def test_what_is_not_certain_is_not_read(text: str) -> None:
    assert preferred_side(text) is None
    assert preferred_sides(["A", "B", text]) is None


def test_numbers_are_sides_only_where_a_preference_was_asked_for() -> None:
    assert preferred_sides(["1", "2"], "Preferred") == {"1": "a", "2": "b"}
    assert preferred_sides(["2", "0", "1"], "better") == {"1": "a", "2": "b", "0": "tie"}
    assert preferred_sides(["1", "2"], "confidence") is None
    assert preferred_sides(["1", "2", "3"], "preference") is None  # 3 may be a tie, or a step of a scale
    assert preferred_sides(["-1", "0", "1"], "preference") is None


@pytest.mark.parametrize(
    ("text", "side"), [("A is better", "a"), ("system B", "b"), ("about equal", "tie"), ("2", "b"), ("1", None)]
)
def test_one_answer_alone_is_read_where_a_preference_was_asked_for(text: str, side: str | None) -> None:
    expected = {text: side} if side else None
    assert preferred_sides([text], "preference") == expected
    assert preferred_sides([text], "remark") is None
    assert preferred_sides([], "preference") is None


def written(path: Path, wording: tuple[str, str, str]) -> None:
    """Oak wins 2 of 3 in each of eight documents, wherever it is shown; one comparison in four is a tie."""
    lines = ["annotator,doc_id,seg_id,MT1,MT2,better"]
    for document in range(8):
        for segment, winner in enumerate(("oak", "oak", "elm", "")):
            first, second = ("oak", "elm") if (document + segment) % 2 else ("elm", "oak")
            answer = wording[2] if not winner else wording[0] if winner == first else wording[1]
            lines.append(f'ann,d{document},{segment},{first},{second},"{answer}"')
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("wording", [*WORDINGS, ("1", "2", "0")])
def test_a_table_of_preferences_is_counted_however_it_is_worded(wording: tuple[str, str, str], tmp_path: Path) -> None:
    written(tmp_path / "t.csv", wording)
    result = CliRunner().invoke(lanner, ["prefer", str(tmp_path / "t.csv"), "--favour", "oak", "--json"])
    [row] = [row for row in json.loads(result.stdout)["rows"] if row["judge"] == "all"]
    assert (row["for"], row["wins"], row["ties"], row["losses"]) == ("oak", 16, 8, 8)


def test_an_answer_that_names_no_side_is_quoted_as_it_stands(tmp_path: Path) -> None:
    written(tmp_path / "t.csv", ("A", "B", "모름"))
    result = CliRunner().invoke(lanner, ["prefer", str(tmp_path / "t.csv")])
    assert "'모름' to 'better'" in str(result.exception)
    written(tmp_path / "t.csv", ("-1", "1", "0"))
    result = CliRunner().invoke(lanner, ["prefer", str(tmp_path / "t.csv")])
    assert "numbers (-1, 0, 1)" in str(result.exception)


# Notes of readers, in number


@pytest.mark.parametrize("module", [appraise, mtme, wmt_mqm, h_falcon], ids=lambda module: module.__name__)
def test_notes_about_one_judgement_are_in_the_singular(module: ModuleType) -> None:
    sentences: dict[str, str] = module._SENTENCES
    for note in counted(Counter(dict.fromkeys(sentences, 1)), sentences):
        assert re.match(r"1 (judgement|score|row)\b", note), note
        assert not re.match(r"1 \w+ (are|hold|have|show|name)\b", note), note
    assert counted(Counter(dict.fromkeys(sentences, 2)), sentences) == [s.format(n=2) for s in sentences.values()]


# Languages of short texts, as a column of a table holds them; sentences were written for this test.


SENTENCES = {
    "en": "The ferry had left before the tide turned, and nobody on the pier was waiting for it.",
    "de": "Die Fähre war abgefahren, bevor die Flut kam, und niemand wartete auf sie.",
    "es": "El barco había salido antes de que subiera la marea y nadie lo esperaba en el muelle.",
    "fr": "Le bateau était parti avant la marée et personne ne l'attendait sur le quai.",
    "it": "Il traghetto era partito prima della marea e nessuno lo aspettava sul molo con una valigia.",
    "pt": "O barco partiu antes da maré e ninguém esperava por ele no cais, mas não foi um problema.",
    "nl": "De boot was vertrokken voor het tij keerde en niemand wachtte op hem bij de haven.",
    "pl": "Prom odpłynął przed przypływem i nikt nie czekał na niego na molo, ale to nie jest problem.",
    "cs": "Loď odplula před přílivem a nikdo na ni nečekal, ale to se v přístavu stává, že je pryč.",
    "sv": "Färjan hade gått innan tidvattnet vände och det var inte en människa som väntade på den.",
    "fi": "Lautta oli lähtenyt ennen vuorovettä, ja hän sanoi että se ei ollut niin kuin ennen.",
    "hu": "A komp már elment, és nem volt egy ember sem, hogy várja, de az is csak egy nap volt.",
    "tr": "Vapur gelgitten önce gitmişti ve iskelede bir kişi bile yoktu, ama bu çok da önemli değil.",
    "ru": "Паром ушёл до прилива, и никто не ждал его на причале, но это было не так важно.",
    "uk": "Пором відплив до припливу, і ніхто не чекав на нього, але це не так важливо, як він думав.",
    "ar": "غادرت العبارة قبل المد ولم يكن أحد في انتظارها على الرصيف من هذا الجانب",
    "hi": "नाव ज्वार से पहले चली गई थी और घाट पर कोई नहीं था, यह सब को पता है।",
    "ko": "배는 밀물이 들기 전에 떠났다.",
    "ja": "フェリーは潮が変わる前に出た。",
    "zh": "渡轮在涨潮之前就离开了码头。",
    "el": "Το πλοίο έφυγε πριν από την παλίρροια.",
    "he": "המעבורת עזבה לפני הגאות.",
    "th": "เรือออกก่อนน้ำขึ้น",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_tells_its_language(code: str) -> None:
    guess = guess_language([SENTENCES[code]])
    assert guess.code == code
    assert 0.5 < guess.sure < 1


def test_names_of_other_scripts_do_not_decide() -> None:
    assert guess_language([f"{SENTENCES['de']} (東京)"]).code == "de"


@pytest.mark.parametrize("texts", [[], ["", "  "], ["12", "13.5"], ["doc-01", "doc-02", "doc-03"], ["Claude"]])
def test_where_nothing_can_be_told_nothing_is(texts: list[str]) -> None:
    assert guess_language(texts) == ("", 0.0)


def test_every_language_guessed_can_be_chosen() -> None:
    assert set(_function_words()) | set(_SCRIPTS.values()) <= set(languages.table())
