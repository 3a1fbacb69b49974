"""A model's marks offered to people: where they come from, who starts from them, and what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lanner import campaign, formats, protocols
from lanner.errors import AnswerError, CampaignError, InputError, ProtocolError
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from lanner.protocols.prefilled import Help, help_of, of_text, withheld_of
from lanner.store import Store

SYSTEMS = ("A", "B")
MODEL = Judge("gemba", kind=JudgeKind.MODEL)
MARK = {"side": "target", "start": 0, "end": 3, "severity": "minor"}
"""What the model marks in every first sentence; it finds nothing in any second."""


def texts(number: int = 10) -> list[Document]:
    def segment(name: str) -> Segment:
        return Segment(name, "eins zwei", {system: f"one two {system}" for system in SYSTEMS})

    return [Document(f"d{n}", (segment("1"), segment("2")), "de", "en") for n in range(number)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One database serves most of these tests: what they are about is no matter of the database."""
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def judged_by_model(
    store: Store, name: str = "models", people: tuple[Judge, ...] = (), *, backwards: bool = False
) -> None:
    """A campaign in which the model has answered everything."""
    campaign.create(store, name, texts(), "esa", [MODEL, *people])
    campaign.open(store, name)
    answers = [
        campaign.Submission(task.id, place, {"errors": marks, "score": 70}, f"m{task.id}-{place}")
        for task in campaign.tasks(store, name, MODEL.id)
        for place, item in enumerate(task.items)
        for marks in [[MARK] if item.segment == "1" else []]
    ]
    campaign.submit_many(store, answers[::-1] if backwards else answers)


def assisted(store: Store, name: str = "people", **setting: object) -> None:
    judged_by_model(store)
    settings = {"prefill": {"model": "gemba", "from": "models", **setting}}
    campaign.create(store, name, texts(), "esa", [Judge("ana"), Judge("ben")], settings=settings, seed=3)
    campaign.open(store, name)


def helps(store: Store, name: str) -> dict[tuple[str, str], Help]:
    documents = campaign.documents(store, name)
    return {(d.id, system): help_of(d.segments[0], system) for d in documents for system in SYSTEMS}


def test_every_system_keeps_the_same_share_without_help_by_the_seed(store: Store) -> None:
    assisted(store)
    states = helps(store, "people")
    for system in SYSTEMS:
        withheld = [document for (document, name), state in states.items() if (name, state) == (system, Help.WITHHELD)]
        assert len(withheld) == 2, "a fifth of ten"
    assert set(states.values()) == {Help.OFFERED, Help.WITHHELD}
    campaign.create(store, "again", texts(), "esa", [Judge("ana")], settings={"prefill": setting_of(store)}, seed=3)
    campaign.create(store, "other", texts(), "esa", [Judge("ana")], settings={"prefill": setting_of(store)}, seed=4)
    assert helps(store, "again") == states != helps(store, "other")
    (event,) = [event for event in campaign.events(store, "people") if event.kind == "prefilled"]
    recorded = {tuple(pair) for pair in event.detail["unassisted_texts"]}
    assert recorded == {pair for pair, state in states.items() if state is Help.WITHHELD}
    assert (event.detail["model"], event.detail["marks"], event.detail["left_out"]) == ("gemba", 16, 0)


def setting_of(store: Store) -> dict[str, object]:
    return dict(campaign.get(store, "people").settings["prefill"])


def test_nobody_works_without_help_where_the_share_is_nought(store: Store) -> None:
    assisted(store, unassisted=0)
    assert set(helps(store, "people").values()) == {Help.OFFERED}


def first_item(store: Store, state: Help, judge: str = "ana") -> int:
    """The task of an output that is judged with or without help."""
    states = helps(store, "people")
    for task in campaign.tasks(store, "people", judge):
        if states[task.items[0].document, task.items[0].systems[0]] is state:
            return task.id
    raise AssertionError(state)


def stored(store: Store, task: int) -> list[dict[str, object]]:
    return campaign.current(store, task)[0]["errors"].value


def test_the_server_says_where_each_mark_came_from_and_believes_no_client(store: Store) -> None:
    assisted(store)
    task = first_item(store, Help.OFFERED)
    claimed = {"side": "target", "start": 4, "end": 7, "severity": "major", "origin": "kept", "model": "gpt"}
    campaign.submit(store, task, 0, {"errors": [claimed], "score": 50}, submission="1")
    assert [(m["text"], m["origin"], m.get("model")) for m in stored(store, task)] == [
        ("two", "added", None),
        ("one", "removed", "gemba"),
    ]
    wider = {**MARK, "end": 7, "origin": "added"}
    campaign.submit(store, task, 0, {"errors": [wider]}, submission="2")
    (mark,) = stored(store, task)
    assert (mark["origin"], mark["model"], mark["was"]["end"]) == ("changed", "gemba", 3)
    assert len(campaign.history(store, "people", question="errors")) == 2, "both are kept"


def test_a_text_without_help_offers_nothing_and_no_mark_can_claim_it(store: Store) -> None:
    assisted(store)
    task = first_item(store, Help.WITHHELD)
    campaign.submit(store, task, 0, {"errors": [{**MARK, "origin": "kept", "model": "gemba"}]}, submission="1")
    (mark,) = stored(store, task)
    assert (mark["origin"], "model" in mark) == ("added", False)


def test_without_prefill_no_source_can_be_claimed_at_all(store: Store) -> None:
    campaign.create(store, "plain", texts(1), "esa", [Judge("ana")])
    campaign.open(store, "plain")
    (task, *_) = campaign.tasks(store, "plain", "ana")
    claimed = {**MARK, "origin": "kept", "model": "gemba", "was": {}}
    campaign.submit(store, task.id, 0, {"errors": [claimed], "score": 50}, submission="1")
    assert not {"origin", "model", "was"} & set(stored(store, task.id)[0])


def test_a_sentence_with_marks_that_were_not_looked_at_is_not_done(store: Store) -> None:
    assisted(store)
    task = first_item(store, Help.OFFERED)
    waiting = {**MARK, "origin": "offered"}
    saved = campaign.submit(store, task, 0, {"errors": [waiting], "score": 50}, submission="1")
    assert saved.open == ("errors",)
    campaign.submit(store, task, 1, {"errors": [], "score": 50}, submission="2")
    with pytest.raises(campaign.UnfinishedError):
        campaign.finish(store, task)
    saved = campaign.submit(store, task, 0, {"errors": [MARK]}, submission="3")
    assert saved.open == ()
    assert stored(store, task)[0]["origin"] == "kept"
    campaign.finish(store, task)


def test_marks_that_were_never_offered_cannot_be_called_so(store: Store) -> None:
    assisted(store)
    task = first_item(store, Help.OFFERED)
    other = {**MARK, "start": 4, "end": 7, "origin": "offered"}
    campaign.submit(store, task, 0, {"errors": [other], "score": 50}, submission="1")
    assert [mark["origin"] for mark in stored(store, task)] == ["added", "removed"]


def test_the_same_campaign_may_bring_the_marks_before_people_begin(place: str) -> None:
    with Store.open(place) as store:
        prefill_the_same_campaign(store)


def prefill_the_same_campaign(store: Store) -> None:
    judged_by_model(store, "both", people=(Judge("ana"),))
    before = campaign.get(store, "both").protocol_hash
    result = campaign.prefill(store, "both", "gemba", unassisted=0.5)
    assert (result.marks, len(result.unassisted)) == (10, 10)
    assert campaign.get(store, "both").protocol_hash != before, "another question is asked now"
    task = campaign.tasks(store, "both", "ana")[0]
    campaign.submit(store, task.id, 0, {"errors": [], "score": 50}, submission="a")
    with pytest.raises(CampaignError, match="People have judged"):
        campaign.prefill(store, "both", "gemba")


def test_a_model_is_offered_nothing(store: Store) -> None:
    judged_by_model(store, "both")
    campaign.prefill(store, "both", "gemba", unassisted=0)
    task = campaign.tasks(store, "both", "gemba")[0]
    campaign.submit(store, task.id, 0, {"errors": [MARK], "score": 50}, submission="again")
    assert "origin" not in stored(store, task.id)[0]


def test_who_works_without_help_does_not_depend_on_the_order_of_the_models_answers(store: Store) -> None:
    assisted(store)
    judged_by_model(store, "again", backwards=True)
    settings = {"prefill": {"model": "gemba", "from": "again"}}
    campaign.create(store, "others", texts(), "esa", [Judge("ana")], settings=settings, seed=3)
    assert helps(store, "others") == helps(store, "people")


def test_a_duplicate_keeps_the_marks_and_a_draft_is_filled_anew(store: Store) -> None:
    assisted(store)
    campaign.duplicate(store, "people", "copy")
    assert helps(store, "copy") == helps(store, "people")
    campaign.redefine(store, "copy", documents=texts(5))
    states = helps(store, "copy")
    assert sorted(states.values()).count(Help.WITHHELD) == 2, "one of five for each system"
    assert campaign.protocol(store, "copy").find("errors")[1].prefilled  # type: ignore[index]


def test_marks_from_a_file_of_judgements(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "gemba"
    judgements = [
        Judgement("gemba", "rating", "errors", document.id, "1", (system,), [{**MARK, "text": "one"}])
        for document in texts(4)
        for system in SYSTEMS
    ]
    formats.write("native", path, texts(4), judgements, [MODEL])
    settings = {"prefill": {"model": "gemba", "from": str(path)}}
    campaign.create(store, "people", texts(4), "esa", [Judge("ana")], settings=settings)
    states = helps(store, "people")
    assert sorted(states.values()).count(Help.WITHHELD) == 2
    assert all(help_of(document.segments[1], "A") is Help.NONE for document in campaign.documents(store, "people"))


def test_marks_that_do_not_stand_in_the_text_are_left_out_and_counted(store: Store) -> None:
    judged_by_model(store)
    others = [
        Document(d.id, tuple(Segment(s.id, s.source, dict.fromkeys(SYSTEMS, "x")) for s in d), "de", "en")
        for d in texts()
    ]
    settings = {"prefill": {"model": "gemba", "from": "models"}}
    campaign.create(store, "people", others, "esa", [Judge("ana")], settings=settings)
    (event,) = [event for event in campaign.events(store, "people") if event.kind == "prefilled"]
    assert (event.detail["marks"], event.detail["left_out"]) == (0, 20)
    document = campaign.documents(store, "people")[0]
    assert of_text(document.segments[0], "A") + withheld_of(document.segments[0], "A") == []


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"model": "gemba", "from": "nowhere"}, "no campaign and no file 'nowhere'"),
        ({"model": "gamba", "from": "models"}, "has no judge 'gamba'"),
        ({"model": "gemba"}, "does not say where"),
        ({"model": "", "from": "models"}, "prefill.model cannot be"),
        ({"model": "gemba", "from": "models", "unassisted": 1}, "unassisted cannot be 1"),
        ({"model": "gemba", "from": "models", "share": 1}, "prefill.share cannot be"),
    ],
)
def test_settings_that_make_no_sense_are_refused_and_nothing_is_made(
    store: Store, setting: dict[str, object], message: str
) -> None:
    judged_by_model(store)
    with pytest.raises(InputError, match=message):
        campaign.create(store, "people", texts(), "esa", [Judge("ana")], settings={"prefill": setting})
    assert [entry.name for entry in campaign.campaigns(store)] == ["models"]


def test_a_protocol_without_marks_and_a_person_are_refused(store: Store) -> None:
    judged_by_model(store, people=(Judge("eva"),))
    settings = {"prefill": {"model": "gemba", "from": "models"}}
    with pytest.raises(ProtocolError, match="asks for no marks"):
        campaign.create(store, "people", texts(), "da", [Judge("ana")], settings=settings)
    with pytest.raises(InputError, match="eva is a person"):
        campaign.create(
            store, "people", texts(), "esa", [Judge("ana")], settings={"prefill": {"model": "eva", "from": "models"}}
        )
    elsewhere = [Document("other", texts()[0].segments, "de", "en")]
    with pytest.raises(InputError, match="judged none of these texts"):
        campaign.create(store, "people", elsewhere, "esa", [Judge("ana")], settings=settings)


@pytest.mark.parametrize("name", ["mqm", "falcon", "dela", "esa_preannotated"])
def test_any_protocol_with_marks_can_start_from_a_models(store: Store, name: str) -> None:
    protocol = protocols.load(name)
    stage, question = next((s, q) for s, q in protocol.questions if q.kind == "spans")
    about_source = question.sides == ("source",)  # type: ignore[union-attr]
    mark = {"side": "source" if about_source else "target", "start": 0, "end": 3}
    mark |= {"category": question.categories[0].id} if question.categories else {}  # type: ignore[union-attr]
    mark |= {"severity": question.severities[0].id} if question.severities else {}  # type: ignore[union-attr]
    campaign.create(store, "models", texts(4), name, [MODEL])
    campaign.open(store, "models")
    systems = () if about_source else ("A",)
    rows = [Judgement("gemba", stage.id, question.id, f"d{n}", "1", systems, [mark]) for n in range(4)]
    campaign.import_judgements(store, "models", rows)
    settings = {"prefill": {"model": "gemba", "from": "models", "unassisted": 0}}
    campaign.create(store, "people", texts(4), name, [Judge("ana")], settings=settings)
    campaign.open(store, "people")
    for task in campaign.tasks(store, "people", "ana"):
        for place, item in enumerate(task.items):
            if task.page == stage.page_id and item.segment == "1" and "B" not in item.systems:
                campaign.submit(store, task.id, place, {question.id: [mark]}, submission="s")
                value = campaign.current(store, task.id)[place][question.id].value
                assert [(m["origin"], m["model"]) for m in value] == [("kept", "gemba")]
                return
    raise AssertionError("nothing was asked")


def test_a_wrong_mark_is_still_refused(store: Store) -> None:
    assisted(store)
    with pytest.raises(AnswerError, match="ends at 99"):
        task = first_item(store, Help.OFFERED)
        campaign.submit(store, task, 0, {"errors": [{**MARK, "end": 99}]}, submission="1")
