import json

from lanner import protocols
from lanner.protocols.wording import Wording
from lanner.web.asking import Ask, asks
from lanner.web.messages import Messages


def page(name: str, page_id: str, language: str = "en") -> dict[str, Ask]:
    protocol = protocols.load(name)
    made = asks(protocol, protocol.pages[page_id], Wording(protocol, language), Messages(language))
    return {ask.id: ask for ask in made}


def test_h_falcon_is_a_grid_picked_by_digits_and_two_scales_armed_by_letters() -> None:
    questions = page("h_falcon", "rating")
    skills, sentence, holistic = (questions[name] for name in ("skills", "sentence", "holistic"))
    assert skills.direct
    assert [row.key for row in skills.rows] == list("123456789")
    assert [group.id for group in skills.groups] == ["field", "tenor", "mode"]
    assert [pick.key for pick in skills.options] == list("0123")
    assert set(json.loads(skills.preset).values()) == {"not_relevant"}
    assert (sentence.letter, sentence.next, holistic.letter) == ("s", "holistic", "h")
    assert [pick.key for pick in holistic.options] == [*"123456789", "0"]


def test_falcon_wants_three_skills_and_one_level() -> None:
    questions = page("falcon", "label")
    assert (questions["skills"].need, questions["skills"].most) == (3, 3)
    assert (questions["context"].need, len(questions["context"].options)) == (1, 5)
    assert not questions["comment"].required


def test_repeated_questions_list_every_label_that_could_have_been_chosen() -> None:
    ratings = page("falcon", "rating")["ratings"]
    assert ratings.each == "skills"
    assert len(ratings.rows) == 9


def test_a_long_scale_is_a_slider_with_its_marks() -> None:
    score = page("da_sqm", next(iter(protocols.load("da_sqm").pages)))["score"]
    assert score.display == "slider"
    assert len(score.options) == 7
    assert (score.numbers["min"], score.numbers["max"]) == (0, 100)


def test_words_come_in_the_language_of_the_judge() -> None:
    assert page("h_falcon", "rating", "ko")["holistic"].label == "종합 점수"


def test_no_letter_is_used_twice_on_a_page() -> None:
    for name in protocols.names():
        for page_id in protocols.load(name).pages:
            letters = [ask.letter for ask in page(name, page_id).values() if ask.letter]
            assert len(letters) == len(set(letters)), (name, page_id)
