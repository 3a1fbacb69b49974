import pytest
from pydantic import ValidationError

from lanner.model import Choice, Grid, Labels, Option, Protocol, Scale, Stage, Unit


def protocol(**changes: object) -> Protocol:
    question = {"id": "q", "kind": "scale", "min": 1, "max": 4}
    stage = {"id": "s", "unit": "document", "object": "output", "question": [question]}
    return Protocol.model_validate({"name": "p", "version": "1", "stage": [stage], **changes})


def test_the_hash_changes_with_any_content_and_only_then() -> None:
    assert protocol().hash == protocol().hash
    assert protocol().hash != protocol(version="2").hash
    assert protocol().hash != protocol(text={"en": {"title": "P"}}).hash
    assert Protocol.model_validate_json(protocol().model_dump_json(by_alias=True)).hash == protocol().hash


def test_unknown_fields_are_mistakes() -> None:
    with pytest.raises(ValidationError):
        protocol(colour="blue")


def test_pages_group_stages_in_order() -> None:
    scale = {"kind": "scale", "min": 1, "max": 4}
    stages = [
        {"id": "one", "page": "both", "unit": "document", "object": "source", "question": [{"id": "a", **scale}]},
        {"id": "two", "page": "both", "unit": "document", "object": "source", "question": [{"id": "b", **scale}]},
        {"id": "three", "unit": "document", "object": "output", "question": [{"id": "c", **scale}]},
    ]
    made = protocol(stage=stages)
    assert {page: [stage.id for stage in stages] for page, stages in made.pages.items()} == {
        "both": ["one", "two"],
        "three": ["three"],
    }
    found = made.find("b")
    assert found is not None
    assert found[0].id == "two"
    assert made.find("zzz") is None


def test_every_kind_lists_what_it_can_store() -> None:
    low, high = Option(id="low"), Option(id="high")
    assert Choice(id="c", options=(low, high)).choices == (low, high)
    assert Labels(id="l", options=(low, high)).choices == (low, high)
    assert Grid(id="g", rows=(Option(id="r"),), options=(low, high)).choices == (Option(id="r"), low, high)
    assert Scale(id="s", min=1, max=4).choices == ()


def test_a_stage_has_a_unit_and_an_object() -> None:
    [stage] = protocol().stages
    assert isinstance(stage, Stage)
    assert stage.unit is Unit.DOCUMENT
    assert stage.page_id == "s"
