"""What a model is told: the protocol's words, the right context, nothing across a document's border."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from lanner import campaign, protocols
from lanner.campaign import SaveResult, Submission
from lanner.errors import LannerError
from lanner.judges import template as templates
from lanner.judges.prompt import Prompter, PromptExamples, PromptSettings, find_examples, prompt, require_examples
from lanner.judges.replies import ItemRequest, verdict
from lanner.judges.schemas import mistake
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Item, Judge, JudgeKind, Judgement, Segment
from lanner.protocols.kinds.base import JudgedTexts
from lanner.store import Store
from model_campaign import corpus, judge, opened
from stub_server import Stub

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
    together = Prompter(protocol, PromptSettings()).sentences([asked], DOCUMENT, [item], answers=[{}]).user
    for user in (alone, together):
        assert {part for part, words in HEADING.items() if words in user} == kept


def test_the_published_way_is_two_sentences_of_source_and_reference_and_the_output_of_the_one_asked() -> None:
    protocol = protocols.load("h_falcon")
    settings = PromptSettings("kim2025")
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


def about(system: str, question: str) -> str:
    """What instructions say about a question."""
    return system.split(f'"{question}": ', 1)[1].split("\n\n", maxsplit=1)[0]


@pytest.mark.parametrize(
    ("name", "stages", "question", "ids"),
    [
        ("context_survey", [0], "reasons", ["translatable", "no"]),  # asked only then
        ("falcon_skip", [0, 1], "skills", ["context", "sentence_level"]),
        ("adequacy_fluency_sc", [0], "errors_sc", ["no_errors is"]),  # it stands alone
        ("esa", [0], "errors", ['"missing"', '"source"']),
    ],
)
def test_what_a_page_sees_to_is_told_to_a_model(name: str, stages: list[int], question: str, ids: list[str]) -> None:
    protocol = protocols.load(name)
    made = prompt(protocol, [protocol.stages[place] for place in stages], DOCUMENT, Item("d", "3", ("oak",)))
    assert [entry for entry in ids if entry not in about(made.system, question)] == []


def test_what_is_decided_already_is_no_condition() -> None:
    """Asked by itself, because of an earlier answer, a stage is asked whatever it depends on."""
    protocol = protocols.load("falcon_skip")
    made = prompt(protocol, protocol.stages[1:2], DOCUMENT, Item("d", "3"), answers={"context": "local"})
    assert "sentence_level" not in about(made.system, "skills")


def test_of_many_sentences_the_skills_that_any_of_them_may_have_are_explained() -> None:
    protocol = protocols.load("falcon")
    items = [Item("d", number, ("oak",)) for number in ("3", "4")]
    chosen = [{"context": "local", "skills": skills} for skills in (["style_register"], ["idea_development"])]
    made = Prompter(protocol, PromptSettings()).sentences(protocol.stages[2:3], DOCUMENT, items, answers=chosen)
    options = [option.id for option in protocol.stages[1].questions[0].choices]
    assert [name for name in options if f"- {name}: " not in about(made.system, "ratings")] == []


def test_marks_on_outputs_side_by_side_say_which_one() -> None:
    """The letter is what an output is called in the prompt; words that stand in both are no answer to that."""
    marks = protocols.load("esa").stages[0].questions[0]
    compared = protocols.load("ranking_sc")
    stage = compared.stages[0].model_copy(update={"questions": (marks,)})
    asked = compared.model_copy(update={"stages": (stage,)})
    made = prompt(asked, [stage], DOCUMENT, Item("d", "3", ("oak", "elm")))
    assert made.schema["properties"]["errors"]["items"]["properties"]["output"]["enum"] == ["A", "B"]
    mark = {"side": "target", "text": "Output", "severity": "minor", "missing": False}
    reply = json.dumps(
        {
            "errors": [
                {**mark, "output": "B"},
                {**mark, "side": "source", "text": "Source", "missing": True, "output": "A"},
            ]
        }
    )
    texts = JudgedTexts("Source 3.", ("Output 3.", "Output 3."))
    answers = verdict(reply, ItemRequest(asked, [stage], texts, {}), made.schema).answers
    assert answers is not None
    assert [(span["side"], span.get("output"), span["start"]) for span in answers["errors"]] == [
        ("target", 1, 0),
        ("source", None, 0),
    ]


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
    korean = prompt(
        protocol, protocol.stages, DOCUMENT, Item("d", "4", ("oak",)), settings=PromptSettings(language="ko")
    )
    assert one.hash == same.hash
    assert len({one.hash, other.hash, korean.hash}) == 3


def calibrated(store: Store, scores: tuple[int, ...] = (40, 60, 60)) -> int:
    """People have scored every sentence of the shared document."""
    people = [Judge(f"p{n}") for n in range(len(scores))]
    number = opened(store, "da", corpus(2, 2), judges=people, settings={"calibration": ["d0"]})
    for person, score in zip(people, scores, strict=True):
        for task in campaign.tasks(store, number, person.id):
            given = [
                Submission(task.id, place, {"score": score}, f"{person.id}-{item.document}-{item.segment}")
                for place, item in enumerate(task.items)
            ]
            assert all(isinstance(saved, SaveResult) for saved in campaign.submit_many(store, given))
    return number


def test_people_are_combined_into_one_answer(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        found = find_examples(store, calibrated(store))
        assert {(e.document.id, e.item.segment): e.answers["score"] for e in found} == {
            ("d0", "0"): 60, ("d0", "1"): 60,
        }  # fmt: skip


def test_an_example_is_never_from_the_document_that_is_judged(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        found = find_examples(store, calibrated(store))
    protocol = protocols.load("da")
    prompter = Prompter(protocol, PromptSettings(comments=False))
    lesson = PromptExamples(found, prompter, 1)
    stages = prompter.asked(protocol.stages)
    assert lesson.messages(stages, corpus(2, 2)[0]) == ()
    question, answer = lesson.messages(stages, corpus(2, 2)[1])
    assert "ferry 0.0" in question["content"]
    assert json.loads(answer["content"]) == {"score": 60}
    assert PromptExamples(found, prompter, 0).messages(stages, corpus(2, 2)[1]) == ()


def test_a_model_sees_them_before_its_question(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = calibrated(store)
        stub = Stub()
        judge(store, number, stub, examples=2)
    bodies = {len(body["messages"]): body["messages"] for body in stub.bodies}
    assert set(bodies) == {2, 6}  # the calibration document itself is asked without
    assert [m["role"] for m in bodies[6]] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "ferry 1." in bodies[6][-1]["content"]


def test_an_adjudicated_answer_stands_for_all_others_and_is_an_example_anywhere(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = calibrated(store)
        final = Judge("adjudicated", JudgeKind.ADJUDICATED)
        answers = [
            Judgement("adjudicated", "rating", "score", document, "0", ("oak",), value=value)
            for document, value in (("d0", 12), ("d1", 34))
        ]
        campaign.import_judgements(store, number, answers, judges=[final])
        examples = {(e.document.id, e.item.segment): e.answers["score"] for e in find_examples(store, number)}
    assert examples == {("d0", "0"): 12, ("d0", "1"): 60, ("d1", "0"): 34}


@pytest.mark.parametrize("name", ["mqm", "falcon_labels", "adequacy_fluency_sc", "context_survey", "h_falcon"])
@pytest.mark.parametrize("calls", ["pages", "skills"])
def test_an_example_is_an_answer_that_would_be_taken(name: str, calls: str, tmp_path: Path) -> None:
    """Marks as they are quoted, counts of all labels, nothing where a question does not apply: a model imitates it."""
    stub = Stub()
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, name, corpus(2, 1), judges=[Judge("kim")])
        fill(store, number, {"kim": Temper()}, {"oak": 0.1})
        final = Judge("adjudicated", JudgeKind.ADJUDICATED)
        settled = [replace(entry, judge="adjudicated") for entry in campaign.judgements(store, number)]
        campaign.import_judgements(store, number, settled, judges=[final])
        judge(store, number, stub, examples=1, calls=calls)
    shown = [(body, json.loads(body["messages"][2]["content"])) for body in stub.bodies if len(body["messages"]) == 4]
    assert shown
    for body, reply in shown:
        schema = body["response_format"]["json_schema"]["schema"]
        assert mistake(schema, reply) == "", reply


def test_a_sentence_that_stands_in_the_judged_document_too_is_no_example(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        examples = find_examples(store, calibrated(store))
    protocol = protocols.load("da")
    prompter = Prompter(protocol, PromptSettings(comments=False))
    stages = prompter.asked(protocol.stages)
    first, second = corpus(2, 2)
    copied = replace(second, segments=(replace(second.segments[0], source=first.segments[0].source),))
    [question, _] = PromptExamples(examples, prompter, 2).messages(stages, copied)
    assert ">>> The sentence you judge:\nSource: The ferry 0.1" in question["content"]


def test_examples_have_the_languages_of_what_is_judged(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        examples = find_examples(store, calibrated(store))
    protocol = protocols.load("da")
    prompter = Prompter(protocol, PromptSettings(comments=False))
    stages = prompter.asked(protocol.stages)
    german = corpus(2, 2)[1]
    korean = replace(german, target_language="ko")
    lesson = PromptExamples(examples, prompter, 1)
    assert lesson.messages(stages, german) and not lesson.messages(stages, korean)
    require_examples(examples, 1, [german])
    require_examples(examples, 0, [korean])
    with pytest.raises(LannerError, match="en-ko"):
        require_examples(examples, 1, [german, korean])


def test_a_run_without_examples_in_a_pair_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    stub, people = Stub(), [Judge("p")]
    first, second = corpus(2, 1)
    with Store.open(tmp_path / "s.db") as store:
        texts = [first, replace(second, target_language="ko")]
        number = opened(store, "da", texts, judges=people, settings={"calibration": ["d0"]})
        for task in campaign.tasks(store, number, "p"):
            campaign.submit_many(store, [Submission(task.id, 0, {"score": 50}, f"a{task.id}")])
        with pytest.raises(LannerError, match="en-ko"):
            judge(store, number, stub, examples=1)
    assert not stub.bodies


def test_examples_and_reasons_exclude_each_other(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        examples = find_examples(store, calibrated(store))
    reasons = PromptSettings(comments=False, template=replace(templates.default(), rationale=True))
    with pytest.raises(LannerError, match="no reasons"):
        PromptExamples(examples, Prompter(protocols.load("da"), reasons), 1)
