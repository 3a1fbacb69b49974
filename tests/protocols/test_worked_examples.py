"""Worked examples: every protocol about texts has some, in all languages, and their answers are ones it allows."""

from __future__ import annotations

import tomllib

import pytest

from lanner import protocols
from lanner.campaign.practice import practised_page
from lanner.model import Unit
from lanner.protocols.context import in_contexts
from lanner.protocols.worked_examples import FOLDER, has_examples, page_examples, teaching

LANGUAGES = {"en", "ko", "de", "es", "pt", "zh", "ja", "ar"}
ABOUT_TEXTS = [
    name for name in protocols.names() if any(stage.unit is not Unit.JUDGE for stage in protocols.load(name).stages)
]
NINE = {
    "information_density", "idea_development", "terminology_control", "style_register", "relational_address",
    "modality_attitude", "reference_consistency", "participant_focus", "logical_connectivity",
}  # fmt: skip


@pytest.mark.parametrize("name", ABOUT_TEXTS)
def test_every_protocol_about_texts_has_examples_in_two_language_pairs(name: str) -> None:
    lesson = teaching(protocols.load(name))
    assert lesson.examples
    pairs = {example.languages for example in lesson.examples} - {""}
    assert pairs in ({"en-ko", "en-de"}, set())


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_no_case_of_a_file_is_dropped_by_the_protocol_it_is_written_for(path) -> None:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    lesson = teaching(protocols.load(path.stem))
    borrowed = table.get("borrowed", {}).get("as")
    own = [example for example in lesson.examples if borrowed not in example.right]
    assert len(own) == sum(len(example["case"]) for example in table["example"])
    asked = {name for example in own for name in example.right}
    assert asked == {name for entry in table["example"] for case in entry["case"] for name in case["right"]}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_explanation_is_there_in_every_language(path) -> None:
    why = tomllib.loads(path.read_text(encoding="utf-8"))["why"]
    assert set(why) == LANGUAGES
    for language in LANGUAGES:
        assert why[language].keys() == why["en"].keys()
        assert language == "en" or not {*why[language].values()} & {*why["en"].values()}


@pytest.mark.parametrize("pair", ["en-ko", "en-de"])
def test_h_falcon_shows_each_skill_handled_well_and_badly(pair: str) -> None:
    shown = {
        (row, option)
        for example in teaching(protocols.load("h_falcon")).in_languages(pair)
        for row, option in dict(example.right.get("skills", {}).get("rows", {})).items()
    }
    assert shown == {(skill, option) for skill in NINE for option in ("high", "low")}


@pytest.mark.parametrize("pair", ["en-ko", "en-de"])
def test_falcon_shows_how_each_skill_is_rated(pair: str) -> None:
    examples = [e for e in teaching(protocols.load("falcon")).in_languages(pair) if "ratings" in e.right]
    rated = {(row, *rule) for example in examples for row, rule in example.right["ratings"]["rows"].items()}
    assert rated == {(skill, bound) for skill in NINE for bound in ("at_least", "at_most")}
    assert all(example.earlier["skills"] == list(example.right["ratings"]["rows"]) for example in examples)


def test_falcon_shows_every_level_the_pronoun_rule_and_the_way_to_decide() -> None:
    lesson = teaching(protocols.load("falcon"))
    levels = [example.right["context"]["is"] for example in lesson.examples if "context" in example.right]
    assert set(levels) == {"sentence_level", "local", "extended", "global", "universal"}
    assert lesson.decision_questions == {"context"}
    assert len(lesson.steps("ko")) == len(lesson.steps("en")) == 5
    pronouns = [example for example in lesson.examples if example.id.startswith("pronoun")]
    assert {example.wrong["context"] for example in pronouns} == {"local"}


def test_a_mark_given_by_its_words_is_placed_in_the_text() -> None:
    major = next(e for e in teaching(protocols.load("esa")).examples if "sonntags" in e.targets[0])
    (mark,) = major.right["errors"]["is"]
    assert major.targets[0][mark["start"] : mark["end"]] == "sonntags"


def test_texts_suit_the_pair_of_languages() -> None:
    lesson = teaching(protocols.load("esa"))
    assert {example.languages for example in lesson.in_languages("fr-ko")} == {"en-ko"}
    assert {example.languages for example in lesson.in_languages("en-cs")} == {"en-de"}


def test_a_protocol_of_ones_own_has_the_examples_of_its_base_as_far_as_they_fit() -> None:
    own = protocols.parse_toml('name = "mine"\nversion = "1"\nextends = "esa"\nwithout = ["errors"]\n')
    examples = teaching(own).examples
    assert examples and all(set(example.right) == {"score"} for example in examples)


def test_a_protocol_without_examples_teaches_nothing() -> None:
    text = 'name = "x"\nversion = "1"\n[[stage]]\nid = "a"\nunit = "document"\nobject = "output"\n'
    text += '[[stage.question]]\nid = "q"\nkind = "text"\n[text.en.questions.q]\nlabel = "Q"\n'
    assert teaching(protocols.parse_toml(text)).examples == ()


def test_answers_are_shown_in_the_words_of_the_judges_language() -> None:
    falcon, esa = protocols.load("falcon"), protocols.load("esa")
    local = next(example for example in teaching(falcon).examples if example.id == "local")
    assert local.right_in_words(falcon, "ko") == [("문맥 수준", "인접 문맥")]
    assert local.wrong_in_words(falcon, "de") == [("Kontextebene", "Satzebene")]
    minor = next(example for example in teaching(esa).examples if "bis Dämmerung" in example.targets[0])
    assert minor.right_in_words(esa) == [("Errors", "“bis Dämmerung” (minor)"), ("Score", "66–95")]


@pytest.mark.parametrize("name", ABOUT_TEXTS)
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_answer_has_words(name: str, language: str) -> None:
    protocol = protocols.load(name)
    for example in teaching(protocol).examples:
        answers = [*example.right_in_words(protocol, language), *example.wrong_in_words(protocol, language)]
        assert all(label and answer for label, answer in answers)
        assert example.explain(language)


def test_a_protocol_in_contexts_has_the_examples_that_each_context_lets_be_judged() -> None:
    protocol = protocols.load("h_falcon")
    in_all = in_contexts(protocol, ["none", "source±1", "own±1"])
    [page] = [name for name in protocol.pages if has_examples(protocol, name)]
    base = page_examples(protocol, page, "en-ko")
    count = {}
    for name in ("none", "source_1", "own_1"):
        examples = page_examples(in_all, f"{page}_{name}", "en-ko")
        count[name] = len(examples)
        assert practised_page(in_all, f"{page}_{name}") == page
        by_text = {(example.source, example.targets): example for example in base}
        for example in examples:
            same = by_text[example.source, example.targets]
            assert {f"{question}_{name}": rule for question, rule in same.right.items()} == example.right
            assert example.right_in_words(in_all, "en") == same.right_in_words(protocol, "en")
    assert count["own_1"] == len(base)
    assert count["none"] == sum(not example.source_before for example in base)
    assert count["source_1"] == sum(not example.target_before for example in base)
    assert 0 < count["none"] < count["source_1"] <= count["own_1"]
