"""Protocol files: what loads, what is derived, and how a mistake is named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lanner import protocols
from lanner.errors import ProtocolError
from lanner.model import Grid, Protocol, Scale
from lanner.model.protocol import Wording
from lanner.protocols.derived import scores as item_scores
from lanner.protocols.reading import TomlLines, merge, mistakes, place_in, spell_out, without

# Protocol files: what loads, what is derived, and how a mistake is named.


SMALL = """\
name = "small"
version = "1"

[[stage]]
id = "rating"
unit = "sentence_in_context"
object = "output"

[[stage.question]]
id = "quality"
kind = "scale"
min = 1
max = 5

[text.en.questions.quality]
label = "Quality"
"""


def broken(text: str, path: str = "mine.toml") -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        protocols.parse_toml(text, path)
    return caught.value


def test_ten_lines_make_a_protocol() -> None:
    protocol = protocols.parse_toml(SMALL)
    assert protocol.label == "small@1"
    assert [question.id for _, question in protocol.questions] == ["quality"]


def test_every_named_protocol_loads_by_name_and_with_a_hyphen() -> None:
    assert {"falcon", "h_falcon"} <= set(protocols.names())
    assert protocols.load("h-falcon").hash == protocols.load("h_falcon").hash
    assert not any(name.startswith("_") for name in protocols.names())


def test_the_hash_follows_content_and_nothing_else() -> None:
    first = protocols.parse_toml(SMALL)
    assert protocols.parse_toml("# a remark\n" + SMALL).hash == first.hash
    assert protocols.parse_toml(SMALL.replace("max = 5", "max = 7")).hash != first.hash
    spelled = SMALL.replace("max = 5", "max = 5\nstep = 1\nrequired = true")
    assert protocols.parse_toml(spelled).hash == first.hash
    kind = SMALL.replace('kind = "scale"', 'kind = "number"')
    assert protocols.parse_toml(kind).hash != first.hash


@pytest.mark.parametrize(
    ("old", "new", "line", "what", "hint"),
    [
        ("min = 1", "min = ", 12, "not valid TOML", ""),
        ("min = 1", "minn = 1", 9, "'min' is missing", "min = "),
        ("min = 1", "min = 1\nlevels = 3", 13, "'levels' is not a field here", "Known: "),
        ("max = 5", "max = 5\ndirektion = 1", 14, "'direktion' is not a field here", "'direction'"),
        ('kind = "scale"', 'kind = "scal"', 9, "'scal' is none", "'scale'"),
        ('kind = "scale"', "", 9, "no kind", "One of: scale, number"),
        ('"sentence_in_context"', '"sentence"', 6, "unit", ""),
        ("min = 1", "min = 9", 12, "min 9 is not below its max 5", ""),
        ("[text.en.questions.quality]", "[text.en.questions.qualty]", 15, "which is no question", "'quality'"),
    ],
)
def test_a_mistake_names_file_line_and_what_was_meant(old: str, new: str, line: int, what: str, hint: str) -> None:
    error = broken(SMALL.replace(old, new))
    assert str(error.where.file) == "mine.toml"
    assert error.where.line == line
    assert what in error.what
    assert hint in error.next_step


def test_a_mistake_in_a_question_names_the_question() -> None:
    assert "question 'quality'" in str(broken(SMALL.replace("min = 1", 'min = "low"')))


def test_unknown_names_suggest_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError) as caught:
        protocols.load("h_falkon")
    assert "'h_falcon'" in caught.value.next_step
    with pytest.raises(ProtocolError, match="no such file"):
        protocols.load(tmp_path / "absent.toml")
    assert "'falcon'" in broken('extends = "falcn"').next_step


def test_all_mistakes_of_a_file_can_be_had_at_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SMALL.replace("min = 1", "min = 9").replace("quality]", "qualty]"), encoding="utf-8")
    assert [error.where.line for error in mistakes(file)] == [12, 15, 15]
    file.write_text(SMALL.replace("min = 1", "mn = 1"), encoding="utf-8")
    said = [error.what for error in mistakes(file)]
    assert said == ["'min' is missing.", "'mn' is not a field here."], "not also that no question is left"
    file.write_text(SMALL, encoding="utf-8")
    assert mistakes(file) == []
    file.write_bytes(b"\xff\xfe")
    assert "cannot be read" in mistakes(file)[0].what


DERIVED = """\
name = "mine"
version = "1"
extends = "h_falcon"
without = ["comment", "mode", "ko"]

[[stage]]
id = "rating"
context = { whole_up_to = 30 }

[[stage.question]]
id = "skills"
rows = ["style_register", "modality_attitude"]

[[stage.question]]
id = "holistic"
max = 7
"""


def test_a_derived_protocol_changes_only_what_it_names() -> None:
    protocol, base = protocols.parse_toml(DERIVED), protocols.load("h_falcon")
    stage = protocol.stages[0]
    skills, sentence, holistic = stage.questions
    assert isinstance(skills, Grid) and isinstance(holistic, Scale)
    assert [row.id for row in skills.rows] == ["style_register", "modality_attitude"]
    assert skills.rows[0].aliases == ("Stylistic Register",)
    assert (holistic.min, holistic.max) == (1, 7)
    assert sentence == base.stages[0].questions[1]
    assert stage.context.whole_up_to == 30
    assert "mode" not in [score.id for score in protocol.scores]
    assert "ko" not in protocol.text and "ko" in base.text
    assert protocol.hash != base.hash


def test_leaving_out_a_stage_leaves_out_its_questions_scores_analyses_and_words() -> None:
    protocol = protocols.parse_toml('name = "labels"\nversion = "1"\nextends = "falcon"\nwithout = ["rating"]\n')
    assert [stage.id for stage in protocol.stages] == ["context", "skills"]
    assert protocol.scores == ()
    assert {analysis.of for analysis in protocol.analyses} == {"context", "skills", "spans"}


def test_leaving_out_a_group_leaves_out_its_options() -> None:
    protocol = protocols.parse_toml('name = "two"\nversion = "1"\nextends = "h_falcon"\nwithout = ["mode"]\n')
    skills = protocol.stages[0].questions[0]
    assert isinstance(skills, Grid)
    assert {row.group for row in skills.rows} == {"field", "tenor"}
    assert protocol.groups == ("field", "tenor")


def test_a_mistake_in_a_derived_file_has_the_line_of_that_file() -> None:
    error = broken(DERIVED.replace("max = 7", "max = 0"))
    assert "not below its max 0" in error.what
    assert error.where.line in (14, 16)  # the key itself is in the base; the table that breaks it is here
    assert broken(DERIVED.replace("max = 7", "maks = 7")).where.line == 16


def test_files_are_found_beside_the_one_that_extends_or_includes_them(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('include = ["words"]\n' + SMALL.split("[text", maxsplit=1)[0], encoding="utf-8")
    (tmp_path / "_words.toml").write_text('[text.en.questions.quality]\nlabel = "How good"\n', encoding="utf-8")
    mine = tmp_path / "mine.toml"
    mine.write_text('name = "mine"\nversion = "2"\nextends = "base"\n', encoding="utf-8")
    assert protocols.load(mine).text["en"]["questions"]["quality"]["label"] == "How good"


def test_a_circle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('extends = "b"\n', encoding="utf-8")
    (tmp_path / "b.toml").write_text('extends = "a"\n', encoding="utf-8")
    with pytest.raises(ProtocolError, match="circle"):
        protocols.load(tmp_path / "a.toml")


def test_leaving_out_needs_something_to_leave_out_of() -> None:
    assert "extends none" in broken('without = ["x"]\n' + SMALL).what


def test_translations_lie_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SMALL)
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations" / "mine.toml").write_text('[ko.questions.quality]\nlabel = "품질"\n')
    text = protocols.load(tmp_path / "mine.toml").text
    assert text["ko"]["questions"]["quality"]["label"] == "품질"
    assert text["en"]["questions"]["quality"]["label"] == "Quality"


def test_what_a_derived_protocol_words_anew_is_not_shown_in_an_old_translation() -> None:
    """Korean judges read the new English question, not the Korean one of the protocol it was derived from."""
    derived = protocols.parse_toml(
        'name = "mine"\nversion = "1"\nextends = "esa"\n[text.en.questions.score]\nlabel = "Usefulness"\n'
    )
    korean = Wording(derived, "ko")
    assert korean.question("score").label == "Usefulness"
    assert korean.question("errors").label == "오류"
    assert korean.question("score").help == Wording(protocols.load("esa"), "ko").question("score").help


# Line numbers of keys, for messages.


FILE = '''\
name = "x"
"quoted" = 1

[[stage]]
id = "one"
[[stage.question]]
id = "a"
[[stage.question]]
id = "b"
min = 3

[[stage]]
id = "two"
[[stage.question]]
id = "c"

[text.en]
instructions = """
min = 7
[stage]
"""
title = "y"
'''


def test_keys_tables_and_arrays_of_tables() -> None:
    lines = TomlLines(FILE)
    assert lines.find(("name",)) == 1
    assert lines.find(("quoted",)) == 2
    assert lines.find(("stage", 0)) == 4
    assert lines.find(("stage", 0, "question", 1)) == 8
    assert lines.find(("stage", 0, "question", 1, "min")) == 10
    assert lines.find(("stage", 1, "question", 0, "id")) == 15
    assert lines.find(("text", "en", "title")) == 22


def test_text_that_looks_like_toml_is_not_read_as_keys() -> None:
    assert TomlLines(FILE).find(("text", "en", "min")) == 17


def test_a_place_the_file_does_not_spell_out_falls_back_to_its_nearest_parent() -> None:
    lines = TomlLines(FILE)
    assert lines.find(("stage", 0, "question", 1, "scale", "min")) == 10
    assert lines.find(("stage", 1, "question", 0, "max")) == 14
    assert lines.find(("nothing",)) is None


# Merging protocol tables and leaving parts out.


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
    stages = merge(BASE, over)["stage"]
    assert [stage["id"] for stage in stages] == ["one", "two", "three"]
    assert stages[1]["page"] == "p" and len(stages[1]["question"]) == 2
    assert "page" not in BASE["stage"][1]


def test_bare_ids_pick_from_the_base_in_the_given_order() -> None:
    options = BASE["stage"][0]["question"][0]["options"]
    assert merge(options, ["y", "x", "new"]) == [options[1], options[0], {"id": "new"}]
    assert merge(["a"], ["b"]) == ["b"]


def test_a_score_may_share_its_name_with_a_group() -> None:
    left = without(BASE, {"two"})
    assert [score["id"] for score in left["score"]] == ["s"]
    assert [entry["of"] for entry in left["analysis"]] == ["a"]
    assert left["groups"] == ["g", "h"]
    assert left["text"]["en"]["questions"] == {"a": {}}


def test_short_option_lists_are_spelled_out() -> None:
    table = {"stage": [{"question": [{"id": "q", "rows": ["r"], "options": [{"id": "o"}]}]}]}
    assert spell_out(table)["stage"][0]["question"][0]["rows"] == [{"id": "r"}]


def test_places_are_found_by_id_not_by_number() -> None:
    own = {"stage": [{"id": "two", "question": [{"id": "c", "max": 1}]}]}
    whole = merge(BASE, own)
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
    question = spell_out(table)["stage"][0]["question"][1]
    assert question == {"id": "b", "kind": "scale", "min": 1, "max": 9}
    assert table["text"]["en"]["questions"]["b"] == {"label": "B", "help": "h"}


def test_a_list_with_a_bare_id_is_complete() -> None:
    base = [{"id": "x", "v": 1}, {"id": "y"}]
    assert merge(base, ["new", {"id": "x", "w": 2}]) == [{"id": "new"}, {"id": "x", "v": 1, "w": 2}]


def test_one_analysis_of_several_questions() -> None:
    table = {"analysis": [{"statistic": "a.b", "of": ["x", "y"]}]}
    assert [entry["of"] for entry in spell_out(table)["analysis"]] == ["x", "y"]


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


def test_a_file_brings_a_protocol_along_where_lanner_does_not_have_it() -> None:
    known = protocols.load("da")
    assert protocols.definition_of(known) == ""
    for change in ({"version": "7"}, {"name": "mine"}):
        own = Protocol.model_validate({**known.model_dump(by_alias=True), **change})
        assert Protocol.model_validate_json(protocols.definition_of(own)) == own
