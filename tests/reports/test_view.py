from dataclasses import replace
from functools import cache

from lanner.model import JudgeKind
from lanner.reports.view import View
from reports.world import material


@cache
def view(name: str = "falcon", **options: object) -> View:
    """The same view for all tests that ask for it: what it has computed is kept."""
    made = material(name, **options)  # type: ignore[arg-type]
    assert made.protocol is not None
    return View(made, made.protocol)


def test_agreement_of_every_question_that_can_be_compared() -> None:
    found = view().agreements
    assert [agreement.question for agreement in found] == ["context", "spans", "skills", "ratings"]
    assert all(len(agreement.pairs) == 3 for agreement in found)
    assert found[0].headline.counts["items"] == 24


def test_labels_that_are_counted_are_compared_by_which_they_are() -> None:
    found = {agreement.question: agreement for agreement in view("scenarios", documents=2).agreements}
    assert found["errors_rs"].coefficient.sign == "α Jaccard"
    assert found["errors_rs"].headline.value is not None


def test_a_score_that_repeats_a_question_is_called_like_it() -> None:
    german = replace(view("h_falcon"), language="de")
    assert german.short("holistic_score") == german.short("holistic") == "Gesamtnote"
    assert german.short("skill_sum") == "skill sum"


def test_one_judge_cannot_agree_with_anybody() -> None:
    assert view(judges=1).agreements == []


def test_people_come_first_and_models_are_no_people() -> None:
    made = view(kind=JudgeKind.MODEL)
    assert (made.people, len(made.models)) == ([], 3)
    assert made.pair_kind(made.agreements[0].pairs[0]) == "models"
    assert not made.simulated


def test_the_signature_names_protocol_and_n() -> None:
    made = view()
    text = made.signature(made.agreements[0].pairs[0])
    assert "falcon@1.0 · items 24 · documents 4" in text
    made = view("h_falcon")
    skills, sentence, holistic = (agreement.headline for agreement in made.agreements)
    fewer = replace(sentence, counts={**sentence.counts, "items": 1200})
    text = made.signature(skills, fewer, holistic)
    assert "· items 48–1,200 · documents 4 ·" in text
    assert "· level ordinal / interval · of mean of 9 rows / – ·" in text, "how each of them was made, not the first"
    assert made.signed == made.printed == [skills, fewer, holistic]


def test_names_in_print() -> None:
    made = view("h_falcon")
    assert made.label("skills_chosen") == "Skills chosen"
    assert made.label("skill_sum") == "skill sum"
    assert made.pair_name(made.agreements[0].pairs[0]) == "Judge 0 – Judge 1"
    assert (made.short("sentence"), made.heading("sentence")) == ("sentence score", "Sentence score")
    several = view("scenarios", documents=2)
    assert several.label("adequacy_rs") == "Adequacy (adequacy rs)", "three scenarios ask the same"
    assert several.short("adequacy_rs") == "adequacy rs"
    asked = view("ranking_sc")
    assert asked.short("ranking_sc") == "“Which is better?”", "in a sentence, a sentence is quoted"
    assert asked.heading("ranking_sc") == "Which is better?"


def test_two_judges_of_one_name_are_told_apart() -> None:
    made = view("h_falcon")
    namesakes = tuple(replace(judge, name="Ana" if judge.id != "j2" else "Ben") for judge in made.material.judges)
    renamed = replace(made, material=replace(made.material, judges=namesakes))
    assert renamed.names == {"j0": "Ana (j0)", "j1": "Ana (j1)", "j2": "Ben"}
