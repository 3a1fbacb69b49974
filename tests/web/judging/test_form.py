"""Questions as the page shows them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from lanner.model.protocol import Wording
from lanner.protocols import load, parse_toml
from lanner.web.judging.form import FormOption, FormQuestion, asks
from lanner.web.speech import Messages

ASK = FormQuestion(
    id="q", kind="scale", display="list", label="Q", short="Q", help="", definition="", low="", high="",
    letter="q", hint="", required=True, stage="s",
)  # fmt: skip


def test_labelled_points_stand_two_to_a_line_where_they_fit() -> None:
    short, long = FormOption("1", "bad"), FormOption("2", "a label that takes more than half the rail")
    assert replace(ASK, options=(short, short)).short_marks
    assert not replace(ASK, options=(short, long)).short_marks
    assert not replace(ASK, options=(short, short, short)).short_marks


def test_a_grid_takes_digits_directly_if_its_lines_have_keys() -> None:
    assert not ASK.direct
    assert not replace(ASK, rows=(FormOption("a", "A"),)).direct
    assert replace(ASK, rows=(FormOption("a", "A", key="1"),)).direct


def made(name: str, page: str, language: str = "en", outputs: int = 2) -> dict[str, FormQuestion]:
    protocol = load(name)
    words = Messages(language)
    return {ask.id: ask for ask in asks(protocol, protocol.pages[page], Wording(protocol, language), words, outputs)}


def own(questions: str, unit: str = "sentence_in_context", target: str = "output") -> dict[str, FormQuestion]:
    ids = [line.split('"')[1] for line in questions.splitlines() if line.startswith("id =")]
    words = "\n".join(f"[text.en.questions.{name}]\nlabel = '{name}'" for name in ids)
    head = f'name = "own"\nversion = "1"\n[[stage]]\nid = "s"\nunit = "{unit}"\nobject = "{target}"\n'
    protocol = parse_toml(f"{head}{questions}\n{words}")
    return {ask.id: ask for ask in asks(protocol, protocol.stages, Wording(protocol), Messages())}


def test_h_falcon_takes_bare_digits_for_its_lines() -> None:
    found = made("h_falcon", "rating")
    grid = found["skills"]
    assert [row.key for row in grid.rows] == list("123456789")
    assert [(option.short, option.key) for option in grid.options] == [("–", "0"), ("L", "1"), ("M", "2"), ("H", "3")]
    assert set(json.loads(grid.preset).values()) == {"not_relevant"}
    assert [(group.label, group.tone, len(group.picks)) for group in grid.groups] == [
        ("Field", 1, 3),
        ("Tenor", 2, 3),
        ("Mode", 3, 3),
    ]
    assert grid.direct and grid.next == ""
    assert (found["sentence"].next, found["holistic"].next) == ("holistic", "")
    assert [option.key for option in found["holistic"].options] == list("1234567890")
    assert found["sentence"].hint == "Choose 1 to 4"


def test_words_come_in_the_language_of_the_reader() -> None:
    found = made("h_falcon", "rating", "ko")
    assert found["skills"].options[3].label == "높음"
    assert found["sentence"].hint == "1~4에서 고르세요"


def test_labels_say_how_many() -> None:
    skills = made("falcon", "label")["skills"]
    assert (skills.need, skills.most, skills.hint) == (3, 3, "Choose 3")
    errors = made("scenarios", "sc")["errors_sc"]
    assert (errors.display, errors.exclusive) == ("counts", "no_errors")


def test_that_no_label_applies_is_an_answer_where_the_protocol_allows_it() -> None:
    issues = made("dela", "issues")["issues"]
    assert (issues.need, issues.preset, issues.hint) == (0, "[]", "")
    options = 'kind = "labels"\noptions = [{ id = "a" }, { id = "none" }]'
    counted = own(f'[[stage.question]]\nid = "o"\n{options}\ncounts = true')["o"]
    assert (counted.need, counted.preset) == (0, "{}")
    said = own(f'[[stage.question]]\nid = "o"\n{options}\nexclusive = "none"')["o"]
    assert (said.need, said.preset, said.hint) == (1, "", "Choose one")
    left_out = own(f'[[stage.question]]\nid = "o"\n{options}\nrequired = false')["o"]
    assert (left_out.need, left_out.preset) == (0, "")


def test_repeated_questions_have_a_line_for_every_label() -> None:
    ratings = made("falcon", "rating")["ratings"]
    assert ratings.each == "skills" and len(ratings.rows) == 9
    assert not any(row.key for row in ratings.rows), "digits rate; the lines follow each other"


def test_severities_have_levels_from_mild_to_grave() -> None:
    assert [pick.level for pick in made("esa", "rating")["errors"].severities] == [2, 3]
    assert [pick.level for pick in made("mqm", "marking")["errors"].severities] == [1, 2, 3, 4]
    assert made("falcon", "label")["spans"].severities == ()


def test_categories_are_numbered_within_their_parent() -> None:
    options = made("mqm", "marking")["errors"].options
    assert [pick.key for pick in options if not pick.parent] == list("12345678")
    assert [pick.key for pick in options if pick.parent == "style"] == list("123")


def test_ranks_of_two_and_of_more() -> None:
    pair = made("parity", "adequacy_sentence")["adequacy_of_sentence"]
    assert [(pick.id, pick.key) for pick in pair.options] == [("1,2", "1"), ("1,1", "2"), ("2,1", "3")]
    three = made("parity", "adequacy_sentence", outputs=3)["adequacy_of_sentence"]
    assert (three.display, [row.label for row in three.rows]) == (
        "order",
        ["Translation A", "Translation B", "Translation C"],
    )
    assert three.help.startswith("1 is the best") and "1 is" not in pair.help
    strict = own('[[stage.question]]\nid = "o"\nkind = "rank"\nties = false', target="outputs")["o"]
    assert [(option.id, option.key) for option in strict.options] == [("1,2", "1"), ("2,1", "2")]


def test_conditions_of_stage_and_question_travel_together() -> None:
    skills = made("falcon_skip", "label")["skills"]
    assert json.loads(skills.when) == [{"question": "context", "is_not": ["sentence_level"]}]


@pytest.mark.parametrize(
    ("scale", "display", "keys"),
    [
        ("min = 1\nmax = 4", "buttons", "1234"),
        ("min = 0\nmax = 9", "buttons", "0123456789"),
        ("min = 0\nmax = 10", "buttons", "1234567890"),
        ("min = -2\nmax = 2", "buttons", "12345"),
        ("min = 0\nmax = 100", "slider", ""),
        ("min = 0\nmax = 1\nstep = 0", "slider", ""),
        ('min = 1\nmax = 4\ndisplay = "slider"', "slider", ""),
    ],
)
def test_scales_take_the_form_that_fits(scale: str, display: str, keys: str) -> None:
    ask = own(f'[[stage.question]]\nid = "score"\nkind = "scale"\n{scale}')["score"]
    assert ask.display == display
    assert "".join(option.key for option in ask.options) == keys


def test_letters_are_given_out_without_clashes_and_not_in_questionnaires() -> None:
    questions = "\n".join(
        f'[[stage.question]]\nid = "{name}"\nkind = "number"' for name in ("jump", "jam", "undo", "kid")
    )
    letters = [ask.letter for ask in own(questions).values()]
    assert len(set(letters)) == len(letters) and not set(letters) & set("jkudgiof")
    assert not any(ask.letter for ask in own(questions, "judge", "none").values())


def test_how_choices_are_shown() -> None:
    short = own('[[stage.question]]\nid = "c"\nkind = "choice"\noptions = ["yes", "no"]')["c"]
    many = own(
        '[[stage.question]]\nid = "c"\nkind = "choice"\noptions = [' + ", ".join(f'"o{n}"' for n in range(14)) + "]"
    )["c"]
    assert (short.display, many.display) == ("buttons", "select")
    assert made("falcon", "label")["context"].display == "list"


def test_a_listed_choice_shows_the_gist_of_its_definition() -> None:
    found = {pick.id: pick.help for pick in made("falcon", "label")["context"].options}
    assert found["local"] == "A sentence next to it settles the matter"
    assert made("falcon", "label", "ja")["context"].options[1].help
    german = {pick.id: pick.help for pick in made("falcon", "label", "de")["context"].options}
    assert german["extended"] == "Nötig ist die weitere Szene, der Absatz oder der Verlauf der Gefühle"
    assert all(german.values())
