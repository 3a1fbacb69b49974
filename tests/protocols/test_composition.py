"""Merging protocol tables and leaving parts out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lanner import protocols
from lanner.errors import ProtocolError
from lanner.model import Grid, Protocol
from lanner.protocols.composition import merged, place_in, spelled_out, without
from lanner.protocols.derived import scores as item_scores
from lanner.protocols.wording import Wording

# Merging protocol tables and leaving parts out.


REPOSITORY = Path(__file__).resolve().parents[2]

BASE = {
    "groups": ["g", "h"],
    "stage": [
        {"id": "one", "question": [{"id": "a", "options": [{"id": "x", "group": "g"}, {"id": "y", "group": "h"}]}]},
        {"id": "two", "question": [{"id": "b"}, {"id": "c"}]},
    ],
    "score": [{"id": "g", "question": "b"}, {"id": "s", "question": "a"}],
    "analysis": [{"statistic": "z.z", "of": "g"}, {"statistic": "z.z", "of": "a"}],
    "text": {"en": {"questions": {"a": {}, "b": {}}, "groups": {"g": {}}}},
}


def test_lists_of_tables_merge_by_id_and_keep_the_order_of_the_base() -> None:
    over = {"stage": [{"id": "two", "page": "p"}, {"id": "three"}]}
    stages = merged(BASE, over)["stage"]
    assert [stage["id"] for stage in stages] == ["one", "two", "three"]
    assert stages[1]["page"] == "p" and len(stages[1]["question"]) == 2
    assert "page" not in BASE["stage"][1]


def test_bare_ids_pick_from_the_base_in_the_given_order() -> None:
    options = BASE["stage"][0]["question"][0]["options"]
    assert merged(options, ["y", "x", "new"]) == [options[1], options[0], {"id": "new"}]
    assert merged(["a"], ["b"]) == ["b"]


def test_a_score_may_share_its_name_with_a_group() -> None:
    left = without(BASE, {"two"})
    assert [score["id"] for score in left["score"]] == ["s"]
    assert [entry["of"] for entry in left["analysis"]] == ["a"]
    assert left["groups"] == ["g", "h"]
    assert left["text"]["en"]["questions"] == {"a": {}}


def test_short_option_lists_are_spelled_out() -> None:
    table = {"stage": [{"question": [{"id": "q", "rows": ["r"], "options": [{"id": "o"}]}]}]}
    assert spelled_out(table)["stage"][0]["question"][0]["rows"] == [{"id": "r"}]


def test_places_are_found_by_id_not_by_number() -> None:
    own = {"stage": [{"id": "two", "question": [{"id": "c", "max": 1}]}]}
    whole = merged(BASE, own)
    assert place_in(own, whole, ("stage", 1, "question", 1, "max")) == ("stage", 0, "question", 0, "max")
    assert place_in(own, whole, ("stage", 0, "question", 0)) == ("stage",)


def test_a_question_like_another_takes_its_fields_and_words() -> None:
    table = {
        "stage": [
            {
                "id": "s",
                "question": [{"id": "a", "kind": "scale", "key": "a", "min": 1}, {"id": "b", "like": "a", "max": 9}],
            }
        ],
        "text": {"en": {"questions": {"a": {"label": "A", "help": "h"}, "b": {"label": "B"}}}, "de": {}},
    }
    question = spelled_out(table)["stage"][0]["question"][1]
    assert question == {"id": "b", "kind": "scale", "min": 1, "max": 9}
    assert table["text"]["en"]["questions"]["b"] == {"label": "B", "help": "h"}


def test_a_list_with_a_bare_id_is_complete() -> None:
    base = [{"id": "x", "v": 1}, {"id": "y"}]
    assert merged(base, ["new", {"id": "x", "w": 2}]) == [{"id": "new"}, {"id": "x", "v": 1, "w": 2}]


def test_one_analysis_of_several_questions() -> None:
    table = {"analysis": [{"statistic": "a.b", "of": ["x", "y"]}]}
    assert [entry["of"] for entry in spelled_out(table)["analysis"]] == ["x", "y"]


def test_an_analysis_that_needs_a_dropped_question_goes_with_it() -> None:
    base = {**BASE, "analysis": [{"statistic": "c.m", "of": "a", "options": {"against": "b"}}]}
    assert without(base, {"two"})["analysis"] == []


def test_the_skills_can_be_grouped_otherwise_by_a_file_as_the_page_on_protocols_shows(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "protocols.md").read_text(encoding="utf-8")
    example = page.split("A file of your own can group them otherwise:")[1].split("```toml\n")[1].split("```")[0]
    file = tmp_path / "two_groups.toml"
    file.write_text(example, encoding="utf-8")
    protocol = protocols.load(file)
    found = protocol.find("skills")
    assert found is not None and isinstance(found[1], Grid)
    assert Counter(row.group for row in found[1].rows) == {"ideas": 5, "people": 4}
    answers = {"skills": {row.id: "high" for row in found[1].rows}}
    scores = {score.id: score.options.get("group") for score in protocol.scores}
    assert (scores["ideas"], scores["people"]) == ("ideas", "people")
    assert not {"field", "tenor", "mode"} & set(scores)
    assert {name: value for name, value in item_scores(protocol, answers).items() if name in protocol.groups} == {
        "ideas": 15.0,
        "people": 12.0,
    }


# Questionnaires before and after a protocol, as one protocol.


BEFORE = [protocols.load("consent"), protocols.load("background")]
AFTER = [protocols.load("post_task")]


def composed(name: str = "h_falcon") -> Protocol:
    return protocols.compose(protocols.load(name), before=BEFORE, after=AFTER)


def test_stages_stand_in_the_order_they_are_asked() -> None:
    protocol = composed()
    assert [stage.id for stage in protocol.stages] == ["consent", "background", "rating", "post_task"]
    assert protocol.label == "h_falcon@1.0"
    assert protocol.hash != protocols.load("h_falcon").hash
    assert "effort_mean" in [score.id for score in protocol.scores]


def test_words_stay_with_whom_they_belong_to() -> None:
    words, alone = Wording(composed()), Wording(protocols.load("h_falcon"))
    assert words.title == alone.title == "H-FALCON"
    assert words.line("instructions") == alone.line("instructions")
    assert words.stage("consent", "title") == "Before you begin"
    assert words.option("skills", "high").label == "high"
    assert words.option("effort", "fatigue").high == "not tiring at all"
    assert words.option("experience", "none").label == "not at all"
    assert Wording(composed(), "ko").question("skills").label == "번역 기술"


def test_every_shipped_protocol_takes_them() -> None:
    for name in protocols.names():
        protocol = protocols.load(name)
        if all(stage.unit != "judge" for stage in protocol.stages):
            assert len(composed(name).stages) == len(protocol.stages) + 3


def test_a_stored_composition_reads_back_the_same() -> None:
    protocol = composed()
    assert Protocol.model_validate(protocol.model_dump(mode="json", by_alias=True)).hash == protocol.hash


def test_nothing_to_add_changes_nothing() -> None:
    protocol = protocols.load("esa")
    assert protocols.compose(protocol) is protocol


def test_only_questionnaires_and_no_clashes() -> None:
    with pytest.raises(ProtocolError, match="asks about texts"):
        protocols.compose(protocols.load("da"), before=[protocols.load("esa")])
    with pytest.raises(ProtocolError, match="Two stages are called"):
        protocols.compose(protocols.load("da"), before=BEFORE, after=BEFORE)
