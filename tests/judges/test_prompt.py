"""What a model is told: the protocol's words, the right context, nothing across a document's border."""

from __future__ import annotations

import jsonschema
import pytest

from lanner import protocols
from lanner.judges.prompt import Prompter, Settings, prompt
from lanner.model import Document, Item, Segment

DOCUMENT = Document(
    id="d",
    segments=tuple(
        Segment(
            id=str(n), source=f"Source {n}.", outputs={"oak": f"Output {n}."}, references={"ref": f"Reference {n}."}
        )
        for n in range(1, 8)
    ),
    source_language="en",
    target_language="ko",
    title="A title",
    domain="news",
    text_type="report",
    note="Written in haste.",
    glossary={"tide": "조수"},
)
HEADING = {"title": "Title: A title", "domain": "news", "type": "report", "note": "haste", "glossary": "- tide: 조수"}


@pytest.mark.parametrize("name", protocols.names())
def test_every_protocol_has_a_prompt_and_a_valid_schema(name: str) -> None:
    protocol = protocols.load(name)
    for stage in protocol.stages:
        systems = ("oak",) * (stage.outputs if stage.object.value == "outputs" else stage.object.value == "output")
        made = prompt(protocol, [stage], DOCUMENT, Item("d", "3", systems))
        jsonschema.Draft202012Validator.check_schema(dict(made.schema))
        for question in stage.questions:
            assert f'"{question.id}"' in made.system


def shown(user: str, side: str) -> list[int]:
    return [n for n in range(1, 8) if f"{side} {n}." in user]


def test_a_model_sees_what_a_person_sees() -> None:
    """A document as short as this is shown to people whole, with the system's own translation and no reference."""
    protocol = protocols.load("h_falcon")
    user = prompt(protocol, protocol.stages, DOCUMENT, Item("d", "4", ("oak",))).user
    assert shown(user, "Source") == shown(user, "Output") == [1, 2, 3, 4, 5, 6, 7]
    assert shown(user, "Reference") == []


@pytest.mark.parametrize(
    ("name", "stage", "kept"),
    [
        ("h_falcon", 0, {"title", "domain", "type", "note"}),
        ("mqm_localisation", 0, set(HEADING)),
        ("parity", 0, set()),
        ("context_survey", 0, set()),
    ],
)
def test_what_stands_above_a_text_is_what_people_see_there(name: str, stage: int, kept: set[str]) -> None:
    protocol = protocols.load(name)
    asked = protocol.stages[stage]
    systems = ("oak",) * (asked.outputs if asked.object.value == "outputs" else asked.object.value == "output")
    item = Item("d", "3", systems)
    alone = prompt(protocol, [asked], DOCUMENT, item).user
    together = Prompter(protocol, Settings()).sentences([asked], DOCUMENT, [item], answers=[{}]).user
    for user in (alone, together):
        assert {part for part, words in HEADING.items() if words in user} == kept


def test_the_published_way_is_two_sentences_of_source_and_reference_and_the_output_of_the_one_asked() -> None:
    protocol = protocols.load("h_falcon")
    settings = Settings("kim2025")
    user = prompt(protocol, protocol.stages, DOCUMENT, Item("d", "4", ("oak",)), settings=settings).user
    assert shown(user, "Source") == [2, 3, 4, 5, 6]
    assert shown(user, "Reference") == [2, 3, 5, 6]
    assert shown(user, "Output") == [4]


def test_stage_three_of_falcon_asks_about_the_chosen_skills_only() -> None:
    protocol = protocols.load("falcon")
    rating = [stage for stage in protocol.stages if stage.id == "rating"]
    skills = ["style_register", "modality_attitude", "participant_focus"]
    made = prompt(protocol, rating, DOCUMENT, Item("d", "4", ("oak",)), answers={"skills": skills})
    assert list(made.schema["properties"]["ratings"]["properties"]) == skills
    assert "information_density" not in made.system


def test_a_control_text_replaces_the_output() -> None:
    protocol = protocols.load("h_falcon")
    user = prompt(protocol, protocol.stages, DOCUMENT, Item("d", "4", ("oak",), texts={"oak": "Shuffled words."})).user
    assert "Shuffled words." in user
    assert "Output 4." not in user


def test_the_hash_changes_with_any_word() -> None:
    protocol = protocols.load("h_falcon")
    one = prompt(protocol, protocol.stages, DOCUMENT, Item("d", "4", ("oak",)))
    same = prompt(protocol, protocol.stages, DOCUMENT, Item("d", "4", ("oak",)))
    other = prompt(protocol, protocol.stages, DOCUMENT, Item("d", "5", ("oak",)))
    korean = prompt(protocol, protocol.stages, DOCUMENT, Item("d", "4", ("oak",)), settings=Settings(language="ko"))
    assert one.hash == same.hash
    assert len({one.hash, other.hash, korean.hash}) == 3
