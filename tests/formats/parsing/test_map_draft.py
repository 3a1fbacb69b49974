from __future__ import annotations

import re
import shlex

import pytest

from lanner.errors import InputError
from lanner.formats.parsing.columns import column_map, parse
from lanner.formats.parsing.map_draft import MapDraft, as_option, each_as
from lanner.formats.parsing.readings import UNNAMED

HEADER = ["who", "text", "source", "label", "when", "score"]
ROWS = [
    [judge, f"t{at}", f"The ferry was late {at} times.", label, f"2026-03-0{at}", str(at + len(label))]
    for judge in ("ann", "ben")
    for at, label in enumerate(("Poor", "Fair", "Good"), 1)
]


@pytest.mark.parametrize("columns", [{"source": "src"}, {"answer:score about GPT, 4": "a=b"}, {"judge:Kim Lee": "x y"}])
def test_an_option_that_is_advised_is_read_back(columns: dict[str, str]) -> None:
    _, value = shlex.split(as_option(columns))
    assert parse(value) == columns
    assert parse(shlex.split(each_as("answer", ["F", "A"]))[1]) == {"answer:F": "F", "answer:A": "A"}


def test_what_stands_below_a_heading_tells_what_it_may_be() -> None:
    table = MapDraft(HEADER, ROWS, "")
    assert [name for name in HEADER if table.are_numbers(name)] == ["score"]
    assert [name for name in HEADER if table.are_ratings(name)] == ["label", "score"]
    assert [name for name in HEADER if table.are_moments(name)] == ["when"]
    assert table.text_columns() == ["source"]


def test_a_column_that_differs_between_rows_about_one_text_may_name_judges() -> None:
    table = MapDraft(HEADER, ROWS, "")
    table.assign("source", "source", 1.0)
    assert table.judge_candidates(table.free) == ("who",)
    table.assign("judge", "who", 1.0)
    assert table.judge_candidates(table.free) is None
    assert table.varies("score") is False, "both judges gave the same scores"


def test_rows_that_are_short_hold_nothing_in_the_last_columns() -> None:
    table = MapDraft(["a", "b"], [["1"], ["2", "x"]], "")
    assert (table.values("a"), table.values("b")) == (["1", "2"], ["x"])


_SEGMENTS = [(document, segment) for document in "de" for segment in "123"]


def test_answers_about_each_system_stand_in_columns_of_their_own() -> None:
    header = ["judge", "doc", "seg", "rank_A", "rank_B", "rank_C"]
    rows = [[judge, *segment, 1, 2, 3] for judge in ("ann", "bob") for segment in _SEGMENTS]
    answers = column_map(header, sample=rows).answers
    assert [(answer.question, answer.system) for answer in answers] == [("rank", name) for name in "ABC"]


def test_severities_are_no_systems() -> None:
    header = ["judge", "doc", "seg", "accuracy_minor", "accuracy_major", "fluency_minor", "fluency_major"]
    rows = [[judge, *segment, 1, 0, 0, 2] for judge in ("ann", "bob") for segment in _SEGMENTS]
    answers = column_map(header, sample=rows).answers
    assert [answer.question for answer in answers] == header[3:]
    assert not any(answer.system for answer in answers)


def test_a_measure_is_taken_besides_the_answers_that_are_guessed() -> None:
    header = ["judge", "document", "segment", "system", "score", "comet"]
    sample = [[judge, "d", str(at), "X", str(at % 3), f"0.{at}"] for at in range(1, 9) for judge in ("ana", "ben")]
    assert [answer.question for answer in column_map(header, sample=sample).answers] == ["score"]
    mapped = column_map(header, "measure:comet=comet", sample=sample)
    assert [answer.question for answer in mapped.answers] == ["score", "comet"]
    assert mapped.rest == ()
    assert [answer.question for answer in column_map(header, "answer:comet=comet", sample=sample).answers] == ["comet"]


def test_names_of_systems_and_judges_are_kept_as_they_are_written() -> None:
    header = ["judge", "segment", "score_GPT-4", "score_nmt_base"]
    sample = [[judge, str(at), str(at % 5), str(at % 3)] for at in range(1, 5) for judge in ("ann", "ben")]
    assert [answer.system for answer in column_map(header, sample=sample).answers] == ["GPT-4", "nmt_base"]
    header = ["segment", "system", "score ann-marie", "score_b.o."]
    sample = [[str(at), "X", "3", "4"] for at in range(1, 5)]
    assert [answer.judge for answer in column_map(header, sample=sample).answers] == ["ann-marie", "b.o"]


def test_a_note_is_a_mark_where_it_is_a_number_and_a_remark_elsewhere() -> None:
    header = ["segment", "system", "note_ann", "note_ben"]
    marks = column_map(header, sample=[[str(at), "X", "3", "4"] for at in range(1, 5)])
    assert [(answer.question, answer.judge) for answer in marks.answers] == [("note", "ann"), ("note", "ben")]
    with pytest.raises(InputError):
        column_map(header, sample=[[str(at), "X", "too late", "fine"] for at in range(1, 5)])


def test_a_column_may_name_question_system_and_judge() -> None:
    answers = ["score_A_ana", "score_A_ben", "score_GPT-4_ana", "ben GPT-4 score"]
    header = ["id", "source", "target_A", "target_GPT-4", *answers]
    sample = [[str(at), f"Sentence {at}.", "Satz.", "Ein Satz.", "1", "2", "3", "4"] for at in range(1, 4)]
    expected = [("ana", "A"), ("ben", "A"), ("ana", "GPT-4"), ("ben", "GPT-4")]
    assert [(answer.judge, answer.system) for answer in column_map(header, sample=sample).answers] == expected


def test_judges_and_systems_in_one_name_are_told_apart_or_asked_for() -> None:
    sample = [[str(at), "1", "2", "3", "4"] for at in range(1, 4)]
    header = ["segment", "score_GPT_ana", "score_GPT_ben", "score_DeepL_ana", "score_DeepL_ben"]
    expected = [("ana", "GPT"), ("ben", "GPT"), ("ana", "DeepL"), ("ben", "DeepL")]
    assert [(answer.judge, answer.system) for answer in column_map(header, sample=sample).answers] == expected
    header = ["segment", "score_Alder_ana", "score_Alder_ben", "score_Birch_ana", "score_Birch_ben"]
    with pytest.raises(InputError, match="which part names the judge is not clear") as error:
        column_map(header, sample=sample)
    assert "judge:ana about Alder=score_Alder_ana" in error.value.next_step


@pytest.mark.parametrize("name", ["length", "comet", "tokens"])
def test_judges_do_not_agree_on_a_number_that_they_were_not_asked_for(name: str) -> None:
    header = ["judge", "document", "segment", "system", "score", name]
    sample = [[judge, "d", str(at), "X", str(at % 3), str(at * 2)] for at in range(1, 9) for judge in ("ana", "ben")]
    mapped = column_map(header, sample=sample)
    assert [answer.question for answer in mapped.answers] == ["score"]
    assert mapped.rest == (name,)


@pytest.mark.parametrize(("items", "expected"), [(4, ["score", "grade_level"]), (5, ["score"])])
def test_judges_who_agree_on_few_items_were_asked(items: int, expected: list[str]) -> None:
    header = ["judge", "segment", "system", "score", "grade_level"]
    sample = [[judge, str(at), "X", str(at % 3), str(at % 4)] for at in range(items) for judge in ("ana", "ben")]
    assert [answer.question for answer in column_map(header, sample=sample).answers] == expected


@pytest.mark.parametrize(
    ("headings", "cells", "judges"),
    [
        (["Reviewer decision"], ["accept", "reject", "accept"], []),
        (["Reviewer decision", "Reviewer priority"], ["accept,low", "reject,high", "accept,low"], []),
        (["Rater X"], ["5", "4", "3"], ["Rater X"]),
        (["Rater X"], ["Good", "Poor", "Fair"], ["Rater X"]),
        (["Reviewer 1", "Reviewer 2"], ["yes,no", "no,no", "yes,yes"], ["Reviewer 1", "Reviewer 2"]),
        (["Rater A", "Rater B", "Rater C"], ["5,4,late", "3,3,typo", "4,4,late"], ["Rater A", "Rater B"]),
        (["Rater A score", "Rater X", "Rater Y"], ["5,fine,fine", "3,typo,fine", "4,fine,typo"], ["Rater A"]),
    ],
)
def test_a_word_below_the_name_of_a_judge_is_an_answer_where_others_give_it_too(
    headings: list[str], cells: list[str], judges: list[str]
) -> None:
    sample = [[f"Sentence {at} is here.", f"Satz {at} steht hier.", *row.split(",")] for at, row in enumerate(cells)]
    mapped = column_map(["source", "translation", *headings], sample=sample)
    assert [answer.judge for answer in mapped.answers] == judges
    assert mapped.rest == tuple(heading for heading in headings if not any(map(heading.startswith, judges)))


@pytest.mark.parametrize("word", ["late", "Poor"])
def test_words_and_numbers_are_no_answers_to_one_question(word: str) -> None:
    header = ["segment", "Anna score", "Ben score"]
    sample = [["1", "4", word], ["2", "3", "Fair"], ["3", "5", "Good"]]
    with pytest.raises(InputError, match="Below 'Anna score' are numbers and below 'Ben score' words") as refused:
        column_map(header, sample=sample)
    _, value = shlex.split(refused.value.next_step.rpartition(": ")[2].rstrip("."))
    assert [answer.judge for answer in column_map(header, value, sample=sample).answers] == ["Anna"]


@pytest.mark.parametrize("word", ["Sentence", "Text", "Item"])
def test_columns_called_after_items_are_no_judges_beside_items(word: str) -> None:
    columns = [f"{word} {at}" for at in (1, 2, 3)]
    with pytest.raises(InputError, match="nothing says whose the answers are") as refused:
        column_map(["segment", *columns], sample=[["1", "1", "2", "3"], ["2", "3", "4", "5"]])
    assert refused.value.code == "no_judge_column"
    given = column_map(
        ["segment", *columns], {f"judge:{name}": name for name in columns}, sample=[["1", "1", "2", "3"]]
    )
    assert [answer.judge for answer in given.answers] == columns


@pytest.mark.parametrize(
    ("words", "why"),
    [(("yes", "no"), "no column says whose they are"), (("Good", "Fair", "Poor"), "what the answers are is not clear")],
)
def test_answers_are_no_names_of_judges(words: tuple[str, ...], why: str) -> None:
    header, named = ["id", "score", "Rater A"], ["Kim", "Lee", "Ono"]
    sample = [[str(at), str(at % 5), word] for word in words for at in range(6)]
    with pytest.raises(InputError, match=why):
        column_map(header, sample=sample)
    sample = [[str(at), str(at % 5), judge] for judge in named for at in range(6)]
    assert column_map(header, sample=sample).roles["judge"] == "Rater A"


def test_words_below_judges_beside_scores_are_asked_about() -> None:
    header = ["id", "fluency", "Rater 1", "Rater 2"]
    sample = [["1", "4", "fine", "typo"], ["2", "3", "typo", "fine"], ["3", "5", "fine", "fine"]]
    with pytest.raises(InputError, match="Below fluency are numbers and below Rater 1, Rater 2 words") as refused:
        column_map(header, sample=sample)
    _, value = shlex.split(refused.value.next_step.partition(": ")[2].partition(". If")[0])
    assert [answer.judge for answer in column_map(header, value, sample=sample).answers] == ["Rater 1", "Rater 2"]
    labels = column_map(["id", "chrF", "Rater 1", "Rater 2"], sample=sample).answers
    assert [answer.judge for answer in labels] == ["Rater 1", "Rater 2"]


LABELS = [
    ["1", "A text.", "Ein Text.", "Yes", "No"],
    ["2", "More.", "Mehr.", "No", "No"],
    ["3", "End.", "Ende.", "Yes", "Yes"],
]


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Acceptable? (Rater {})", "Acceptable?"),
        ("Rater {}: Would you publish it?", "Would you publish it?"),
        ("Decision reviewer {}", "Decision"),
    ],
)
def test_a_question_in_own_words_with_a_column_for_each_judge(heading: str, question: str) -> None:
    header = ["id", "source", "mt", heading.format(1), heading.format(2)]
    found = column_map(header, sample=LABELS)
    assert [(answer.question, answer.judge[-1]) for answer in found.answers] == [(question, "1"), (question, "2")]


@pytest.mark.parametrize("heading", ["Comment (Rater {})", "Time spent, Rater {}", "Ours_rater{}"])
def test_remarks_times_and_unshared_words_of_judges_are_no_answers(heading: str) -> None:
    header = ["id", "source", "mt", heading.format(1), heading.format(2)]
    rows = [[*row[:3], f"about {at}", f"other {at}"] for at, row in enumerate(LABELS)]
    assert not column_map(header, sample=rows).answers


def _compared(*headings: str) -> tuple[list[str], list[list[str]]]:
    """Two outputs of every source text, with preferences below these headings."""
    texts = [[f"House {at} is red.", f"Das Haus {at} ist rot.", f"Das Gebäude {at} ist rot."] for at in range(6)]
    rows = [[*row, *("AABBAB"[at], "ABBABA"[at])[: len(headings)]] for at, row in enumerate(texts)]
    return ["source", "system A", "system B", *headings], rows


@pytest.mark.parametrize(
    "headings",
    [
        ("Präferenz Anna", "Präferenz Ben"),
        ("선호 민수", "선호 지은"),
        ("선호(민수)", "선호(지은)"),
        ("Which is better? (Anna)", "Which is better? (Ben)"),
        ("preferred_anna", "preferred_ben"),
        ("Präferenz Inhalt", "Präferenz Ausdruck"),
    ],
)
def test_words_beside_a_preference_may_be_judges_or_questions(headings: tuple[str, str]) -> None:
    header, rows = _compared(*headings)
    with pytest.raises(InputError) as caught:
        column_map(header, sample=rows, judge=UNNAMED)
    assert caught.value.code == "no_judge_column"
    by_judge, by_question = re.findall(r"--columns (.+?)\.(?: |$)", caught.value.next_step)
    answers = column_map(header, shlex.split(by_judge)[0], sample=rows, judge=UNNAMED).answers
    assert [(answer.column, answer.question) for answer in answers] == [(name, "preference") for name in headings]
    assert len({answer.judge for answer in answers}) == 2
    answers = column_map(header, shlex.split(by_question)[0], sample=rows, judge=UNNAMED).answers
    assert [(answer.question, answer.judge) for answer in answers] == [(name, "") for name in headings]


@pytest.mark.parametrize("word", ["Preference", "Score", "Quality", "Better"])
def test_what_is_asked_for_is_called_like_no_judge(word: str) -> None:
    headings = (f"{word} fluency", f"{word} adequacy")
    header, rows = _compared(*headings)
    assert column_map(header, sample=rows).answers == ()
    answers = column_map(header, sample=rows, judge=UNNAMED).answers
    assert [(answer.question, answer.judge) for answer in answers] == [(name, "") for name in headings]


def test_words_below_one_rater_are_asked_about() -> None:
    header, rows = _compared("Rater X")
    for row, word in zip(rows, ["good", "bad", "late"] * 2, strict=True):
        row[-1] = word
    with pytest.raises(InputError) as caught:
        column_map(header, sample=rows, judge=UNNAMED)
    assert caught.value.code == "no_judge_column"
    (answer,) = column_map(header, "judge:Rater X=Rater X", sample=rows, judge=UNNAMED).answers
    assert (answer.question, answer.judge) == ("score", "Rater X")
