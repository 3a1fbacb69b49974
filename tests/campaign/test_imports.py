from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from campaign_parts import JUDGES, NOW, corpus, first_task, known, opened, save, scales
from data_sets import data_dir
from lanner import campaign, formats, protocols
from lanner.analysis.material import from_file
from lanner.campaign import imports
from lanner.campaign.imports import import_file, inspect_file
from lanner.errors import CampaignError, InputError, StoreError
from lanner.judges.replay import inspect_outputs, replay
from lanner.model import Judge, JudgeKind, Judgement, Protocol, Role, Task
from lanner.protocols import definition_of
from lanner.stats.frame import frame
from lanner.stats.spans import spans
from lanner.store import NewAnswer, Store
from lanner.store.backup import verify
from lanner.store.judgements import Judgements
from web_clients import complete, open_campaign


def label(context: str, segment: str = "0", judge: str = "eve", **more: object) -> Judgement:
    return Judgement(judge, "", "context", "d0", segment, (), context, origin=f"labels.csv:{segment}", **more)  # type: ignore[arg-type]


def test_aliases_are_resolved_and_counted_and_violations_flagged_and_counted(store: Store) -> None:
    few = Judgement("eve", "", "skills", "d0", "0", (), ["Stylistic Register"])
    report = campaign.import_campaign(
        store, "first", [label("Local contextual"), label("global", "1"), few], "falcon", documents=corpus(), at=NOW
    )
    assert (report.judgements, report.revisions, report.new_judges, report.already) == (3, 0, ("eve",), False)
    assert dict(report.repairs) == {"context": 1, "skills": 1}
    assert dict(report.flags) == {"skills too_few": 1} and len(report.notes) == 3
    stored = {(j.question, j.segment): j for j in campaign.judgements(store, "first")}
    assert stored["context", "0"].value == "local" and stored["context", "0"].origin == "labels.csv:0"
    assert stored["skills", "0"].value == ["style_register"] and stored["skills", "0"].flags == ("too_few",)
    assert stored["context", "1"].stage == "context" and stored["context", "1"].task is None
    event = campaign.events(store, "first")[-1]
    assert event.kind == "imported" and event.detail["rows"] == 3 and event.detail["flags"] == {"skills too_few": 1}


def test_a_mark_that_quotes_what_does_not_stand_in_the_text_has_no_place_and_the_other_rows_are_read(
    store: Store,
) -> None:
    """The error was found, so it counts; where it stands cannot be compared."""
    [document] = corpus((20,), ("alder",))
    quotes = {segment.id: "barks" if segment.id == "1" else "says" for segment in document}
    rows = [
        Judgement(judge, "", "errors", document.id, segment.id, ("alder",), [{"text": words, "severity": "major"}])
        for judge in ("eve", "ian")
        for segment in document
        for words in [quotes[segment.id]]
    ]
    report = campaign.import_campaign(store, "first", rows, "esa", documents=[document])
    absent = [row for row in rows if quotes[row.segment] not in (document.segment(row.segment).text("alder") or "")]
    assert (report.judgements, dict(report.flags)) == (len(rows), {"errors text_not_found": len(absent)})
    stored = campaign.judgements(store, "first")
    assert [j.flags for j in stored if j.segment == "1"] == [("text_not_found",)] * 2
    assert [j.value for j in stored if j.segment == "1"] == [
        [{"side": "target", "text": "barks", "severity": "major"}]
    ] * 2
    for entry in (j for j in stored if j.segment == "0"):
        [mark] = entry.value
        assert document.segment("0").text("alder")[mark["start"] : mark["end"]] == "says"
        assert entry.flags == ()
    assert any("no place in the text" in note for note in spans(frame(stored, protocols.load("esa"))).notes)


def test_an_unknown_label_names_its_place_and_the_nearest_and_nothing_is_stored(store: Store) -> None:
    with pytest.raises(InputError) as caught:
        campaign.import_campaign(store, "first", [label("local"), label("Lokal", "1")], "falcon", documents=corpus())
    assert "labels.csv:1" in str(caught.value) and "local" in caught.value.next_step
    assert campaign.campaigns(store) == []
    opened(store, "falcon")
    with pytest.raises(InputError):
        campaign.import_judgements(store, "first", [label("local"), label("Lokal", "1")])
    with pytest.raises(InputError, match="no document 'd7'"):
        campaign.import_judgements(store, "first", [label("local"), replace(label("local"), document="d7")])
    with pytest.raises(InputError, match="no segment '77'") as caught:
        campaign.import_judgements(store, "first", [label("local", "77")])
    assert "labels.csv:77" in str(caught.value)
    assert campaign.history(store, "first") == [] and campaign.judges(store, "first") == list(JUDGES)


def test_several_campaigns_come_all_or_none(store: Store) -> None:
    falcon = protocols.load("falcon")
    one = campaign.CampaignContent("one", (label("local"),), falcon, corpus())
    with pytest.raises(CampaignError, match="one"):
        campaign.import_campaigns(store, [one, one])
    assert not campaign.campaigns(store)
    done = campaign.import_campaigns(store, [one, replace(one, name="two")])
    assert [(each.campaign.name, each.judgements) for each in done] == [("one", 1), ("two", 1)]


def test_without_texts_spans_are_not_held_against_nothing(store: Store) -> None:
    span = {"side": "target", "start": 4, "end": 9, "severity": "minor"}
    marked = Judgement("eve", "rating", "errors", "d", "1", ("oak",), [span])
    assert campaign.import_campaign(store, "bare", [marked], "esa").flags == {}


def test_the_same_rows_are_taken_in_once(store: Store) -> None:
    opened(store, "falcon")
    rows = [label("local"), label("global", "1")]
    assert campaign.import_judgements(store, "first", rows).judgements == 2
    moved = [replace(row, origin="elsewhere.csv:9") for row in rows]
    again = campaign.import_judgements(store, "first", moved)
    assert again.already and again.judgements == 0 and again.notes
    assert len(campaign.history(store, "first")) == 2


def test_an_import_that_was_cut_off_goes_on_where_it_was(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows are taken in some at a time, so that judges can save in between."""
    opened(store, "falcon", documents=corpus((8,), ("alder",)))
    early = NOW + timedelta(days=1)  # of what has no time, the first import's is kept
    rows = [label("local", str(n), judge="eve" if n % 2 else "fay") for n in range(6)]
    rows += [label("global", "0", judge="fay"), label("global", "1", answered_at=NOW)]
    monkeypatch.setattr(imports, "ROWS_AT_A_TIME", 3)
    pauses = list[float]()
    monkeypatch.setattr(imports, "time", SimpleNamespace(sleep=pauses.append))
    add, sizes = Judgements.add, list[int]()

    def add_or_fail(table: Judgements, new: list[NewAnswer]) -> None:
        sizes.append(len(new))
        if len(sizes) == 2:
            raise StoreError("The disk is full.", next_step="Make room.")
        add(table, new)

    monkeypatch.setattr(Judgements, "add", add_or_fail)
    with pytest.raises(StoreError) as caught:
        campaign.import_judgements(store, "first", rows, at=early)
    assert caught.value.what == "The disk is full. 3 of 8 answers were taken in."
    assert caught.value.next_step.startswith("Make room. Import the same answers again")
    assert len(campaign.history(store, "first")) == 3 and campaign.events(store, "first")[-1].kind == "opened"
    report = campaign.import_judgements(store, "first", rows, at=early + timedelta(days=1))
    assert (report.judgements, report.revisions, sizes) == (5, 1, [3, 3, 3, 2])
    assert not campaign.import_judgements(store, "first", rows).judgements
    history = campaign.history(store, "first")
    assert [(j.judge, j.segment, j.value) for j in history[:1]] == [("eve", "1", "global")], "the oldest first"
    assert len(history) == 8 and len({(j.judge, j.segment) for j in history}) == 6
    assert campaign.judgements(store, "first")[-1].value == "global", "the later of two answers counts"
    last = campaign.events(store, "first")[-1]
    assert (last.kind, last.detail["rows"]) == ("imported", 8)
    assert not any(finding.problems for finding in verify(store))
    assert pauses == ([imports.PAUSE_SECONDS] * 2 if store.kind == "sqlite" else []), "others get the lock in between"


def test_later_answers_supersede_earlier_ones_in_a_file_and_in_the_store(store: Store) -> None:
    opened(store, "falcon")
    task = first_task(store)
    segment, document = task.items[0].segment, task.items[0].document
    save(store, task, 0, {"context": "local", "skills": ["style_register", "idea_development", "participant_focus"]})
    late, early = NOW + timedelta(hours=2), NOW + timedelta(hours=1)
    rows = [
        replace(label("global", segment, "ana"), document=document, answered_at=late),
        replace(label("extended", segment, "ana"), document=document, answered_at=early),
    ]
    report = campaign.import_judgements(store, "first", rows, at=NOW)
    assert (report.judgements, report.revisions, report.new_judges) == (2, 2, ())
    assert [j.value for j in campaign.history(store, "first", question="context")] == ["local", "extended", "global"]
    assert campaign.current(store, task.id)[0]["context"].value == "global"
    assert save(store, task, 0, {"context": "universal"}).ids  # and a person can revise what was imported


def test_imported_answers_tick_off_the_tasks_of_their_judges(store: Store) -> None:
    opened(store, "falcon")
    task = first_task(store)
    skills = ["style_register", "idea_development", "participant_focus"]
    units = [(item.document, item.segment) for item in task.items]
    complete = [
        Judgement("ana", "", question, document, segment, (), value, elapsed_seconds=9.0)
        for document, segment in units[:-1]
        for question, value in (("context", "local"), ("skills", skills))
    ]
    campaign.import_judgements(store, "first", complete, at=NOW)
    part = next(each for each in campaign.progress(store, "first").judges if each.name == "ana")
    assert (part.done, part.finished) == (len(units) - 1, 0)
    assert part.elapsed_minutes * 60 == pytest.approx(9.0 * (len(units) - 1))
    document, segment = units[-1]
    campaign.import_judgements(
        store, "first", [replace(label("local", segment, "ana"), document=document)], at=NOW
    )  # half an answer ticks nothing off
    part = next(each for each in campaign.progress(store, "first").judges if each.name == "ana")
    assert (part.done, part.finished) == (len(units) - 1, 0)
    last = Judgement("ana", "", "skills", document, segment, (), skills)
    campaign.import_judgements(store, "first", [last], at=NOW)
    part = next(each for each in campaign.progress(store, "first").judges if each.name == "ana")
    assert (part.done, part.finished) == (len(units), 1)
    following = campaign.next_task(store, "first", "ana")
    assert following is None or following.id != task.id


SURE = {"id": "sure", "kind": "choice", "options": [{"id": "yes"}, {"id": "no"}]}
DOUBT = {"id": "doubt", "kind": "text", "required": True, "when": {"question": "sure", "is": ["no"]}}
LABELS = {"id": "labels", "unit": "sentence_in_context", "object": "source", "question": [
    SURE,
    {"id": "skills", "kind": "labels", "required": False, "options": [{"id": "a"}, {"id": "b"}]},
]}  # fmt: skip
RATINGS = {"id": "ratings", "unit": "sentence_in_context", "object": "output", "question": [
    {"id": "rating", "kind": "scale", "min": 1, "max": 4, "for_each": "skills"},
    DOUBT,
    {"id": "remark", "kind": "text"},
]}  # fmt: skip
LABELS_THEN_RATINGS = Protocol.model_validate({"name": "two", "version": "1", "stage": [LABELS, RATINGS]})


def on_the_page(store: Store, answers: dict[str, Any]) -> None:
    (task, _) = campaign.tasks(store, "first", "ana")
    campaign.reopen_task(store, task.id)
    save(store, task, 0, answers)
    with suppress(campaign.UnfinishedError):
        campaign.finish(store, task.id, at=NOW)


def from_a_file(store: Store, answers: dict[str, Any]) -> None:
    rows = [Judgement("ana", "", question, "d0", "0", (), value) for question, value in answers.items()]
    campaign.import_judgements(store, "first", rows, at=NOW)


@pytest.mark.parametrize("revise", [on_the_page, from_a_file])
@pytest.mark.parametrize(
    ("answers", "finished", "done", "counts"),
    [
        # another label: its rating is asked, and what was answered stays until then
        ({"skills": ["b"]}, [True, False], 3, {"rating": {"a": 3}, "doubt": "why", "remark": "hm"}),
        # no label any more: the rating is pointless
        ({"skills": None}, [True, True], 4, {"doubt": "why", "remark": "hm"}),
        ({"skills": None, "sure": "yes"}, [True, True], 4, {"remark": "hm"}),
        # the same as before, and an answer that nothing depends on
        ({"skills": ["a"], "sure": "no"}, [True, True], 4, {"rating": {"a": 3}, "doubt": "why", "remark": "hm"}),
        # what decides is open again: nothing is taken back before it is answered
        ({"sure": None}, [False, True], 3, {"rating": {"a": 3}, "doubt": "why", "remark": "hm"}),
    ],
)
def test_answers_that_are_revised_by_a_file_reopen_and_take_back_what_they_do_on_the_page(
    store: Store,
    revise: Callable[[Store, dict[str, Any]], None],
    answers: dict[str, Any],
    finished: list[bool],
    done: int,
    counts: dict[str, Any],
) -> None:
    opened(store, LABELS_THEN_RATINGS, documents=corpus((2,), ("alder",)), judges=[Judge("ana")])
    labelling, rating = campaign.tasks(store, "first", "ana")
    for item in (0, 1):
        save(store, labelling, item, {"sure": "no", "skills": ["a"]})
    campaign.finish(store, labelling.id, at=NOW)
    for item in (0, 1):
        save(store, rating, item, {"rating": {"a": 3}, "doubt": "why", "remark": "hm"})
    campaign.finish(store, rating.id, at=NOW)
    revise(store, answers)
    assert [task.finished_at is not None for task in campaign.tasks(store, "first", "ana")] == finished
    assert campaign.progress(store, "first").whole.done == done
    standing = [j for j in campaign.judgements(store, "first") if j.stage == "ratings" and j.value is not None]
    assert {j.question: j.value for j in standing if j.segment == "0"} == counts
    assert len([j for j in standing if j.segment == "1"]) == 3, "nothing was revised there"
    flagged = [j.question for j in campaign.history(store, "first") if j.flags == ("not_asked",)]
    assert flagged == [name for name in ("rating", "doubt") if name not in counts]
    assert not any(finding.problems for finding in verify(store))


def test_a_file_keeps_what_it_says_itself_and_what_nothing_has_decided_about(store: Store) -> None:
    opened(store, LABELS_THEN_RATINGS, documents=corpus((1,), ("alder",)), judges=[Judge("ana")])
    rating = Judgement("ana", "", "doubt", "d0", "0", ("alder",), "why")
    campaign.import_judgements(store, "first", [rating], at=NOW)
    sure = Judgement("ana", "", "sure", "d0", "0", (), "yes")
    campaign.import_judgements(store, "first", [sure, replace(rating, value="because")], at=NOW)
    assert {j.question: j.value for j in campaign.judgements(store, "first")}["doubt"] == "because"
    one_page = scales(SURE, DOUBT, {"id": "remark", "kind": "text"}, unit="sentence_in_context")
    opened(store, one_page, name="second", documents=corpus((1,), ("alder",)), judges=[Judge("ana")])
    for row in (rating, replace(rating, question="remark", value="hm")):
        campaign.import_judgements(store, "second", [row], at=NOW)
    assert [j.value for j in campaign.judgements(store, "second")] == ["why", "hm"], "nobody has said how sure they are"


@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize("role", [role for role in Role if role is not Role.MAIN])
def test_an_imported_answer_ticks_off_no_second_showing_of_the_sentence(
    store: Store, role: Role, required: bool
) -> None:
    """A control item, or one of a calibration round, was credited with the answer to the sentence itself, and its time
    was counted twice."""
    question = {"id": "score", "kind": "scale", "min": 1, "max": 5, "required": required}
    opened(store, scales(question), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    [item] = task.items
    campaign.assign(store, "first", [Task(0, "ana", task.page, (replace(item, role=role),))])
    answer = Judgement("ana", "s", "score", "d0", "", ("alder",), 3, active_seconds=40.0)

    def done() -> tuple[list[bool], float]:
        [mine] = [part for part in campaign.progress(store, "first").judges if part.name == "ana"]
        finished = [entry.finished_at is not None for entry in campaign.tasks(store, "first", "ana")]
        return finished, mine.active_minutes * 60

    campaign.import_judgements(store, "first", [answer], at=NOW)
    assert done() == ([True, False], 40.0)
    campaign.import_judgements(store, "first", [replace(answer, role=role, active_seconds=5.0)], at=NOW)
    assert done() == ([True, True], 45.0)


def test_an_export_under_code_names_is_not_taken_in_beside_the_people_themselves(store: Store) -> None:
    """Imported into its own campaign, everybody was there twice and agreed with themselves."""
    opened(store)
    save(store, first_task(store))
    [code_name] = [name for judge, name in campaign.pseudonyms(store, "first").items() if judge == "ana"]
    copies = [replace(row, judge=code_name) for row in campaign.judgements(store, "first")]
    with pytest.raises(InputError, match="count twice"):
        campaign.import_judgements(store, "first", copies)
    assert code_name not in {judge.id for judge in campaign.judges(store, "first")}
    others = [replace(row, value=3 if row.value == 2 else 2) for row in copies if row.question == "sentence"]
    assert campaign.import_judgements(store, "first", others).judgements == 1, "somebody else of that name"


def test_judges_bring_what_is_known_about_them(store: Store) -> None:
    judges = [Judge("eve", JudgeKind.MODEL, "Eve", {"native": "de"})]
    campaign.import_campaign(store, "first", [label("local"), label("local", judge="sam")], "falcon", judges=judges)
    assert campaign.judges(store, "first") == [*judges, Judge("sam")]
    assert [(d.id, [s.id for s in d]) for d in campaign.documents(store, "first")] == [("d0", ["0"])]


def test_models_can_join_an_imported_campaign(store: Store) -> None:
    campaign.import_campaign(store, "first", [label("local")], "falcon", documents=corpus((1,), ("alder",)))
    assert campaign.add_judges(store, "first", [Judge("llm", JudgeKind.MODEL)]) == 2
    task = first_task(store, "llm")
    save(store, task, 0)
    assert {j.judge for j in campaign.judgements(store, "first")} == {"eve", "llm"}


def test_a_draft_and_a_closed_campaign_take_nothing(store: Store) -> None:
    campaign.create(store, "draft", corpus(), "falcon", JUDGES)
    opened(store, "falcon")
    campaign.close(store, "first")
    for name in ("draft", "first"):
        with pytest.raises(CampaignError):
            campaign.import_judgements(store, name, [label("local")])


@pytest.mark.data
def test_the_released_h_falcon_files(sqlite_path: Path) -> None:
    """Every row of the released labels and ratings is taken in, with its violations counted."""
    readings = formats.read(data_dir("h-falcon"), "h-falcon")
    assert readings
    with Store.open(sqlite_path) as store:
        for reading in readings:
            given = {"documents": reading.documents, "judges": reading.judges}
            report = campaign.import_campaign(store, reading.name, reading.judgements, reading.protocol, **given)
            assert report.judgements == len(reading.judgements)
            held = campaign.judgements(store, reading.name)
            assert len(held) == report.judgements - report.revisions
            assert {j.question for j in held} <= {q.id for _, q in known(reading.protocol).questions}
            assert sum(len(j.flags) for j in held) == sum(report.flags.values())
            assert campaign.documents(store, reading.name) == list(reading.documents)


@pytest.fixture
def number(store: Store) -> int:
    open_campaign(store)
    return campaign.get(store, "trial").id


def test_looking_counts_and_stores_nothing_then_all_is_taken_in(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(
        '{"document": "doc0", "segment": "0", "system": "secret-system-one", "holistic": 4, "sentence": 2}\n'
    )
    found = inspect_outputs(store, number, path, "m")
    assert (found.answers, found.judges) == (2, (("m", 2, False),))
    assert dict(found.questions) == {"holistic": 1, "sentence": 1}
    assert not campaign.judgements(store, number)
    assert replay(store, number, path, "m").judgements == 2
    assert inspect_outputs(store, number, path, "m").judges == (("m", 2, True),)


def test_texts_alone_are_no_answers(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("document,segment,source,system:a\nd,1,Hello,Hallo\n")
    with pytest.raises(InputError, match="no judgements"):
        inspect_file(store, number, path)


def test_an_unknown_format_says_so_by_its_code(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x00\x01")
    with pytest.raises(InputError) as caught:
        inspect_file(store, number, path)
    assert caught.value.code == "unrecognised"


def write_copy(store: Store, reference: int | str, path: Path) -> Path:
    """What versions before this one kept of a campaign that was deleted."""
    definition = campaign.protocol(store, reference)
    about = {
        "name": campaign.get(store, reference).name,
        "protocol": definition.name,
        "definition": definition_of(definition),
        "left_out": campaign.left_out(store, reference),
    }
    texts, people = campaign.documents(store, reference), campaign.judges(store, reference)
    path.parent.mkdir(parents=True, exist_ok=True)
    formats.write("native", path, texts, campaign.history(store, reference), people, **about)
    return path


def test_a_copy_can_be_inspected_and_imported_as_a_whole(store: Store, number: int, tmp_path: Path) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 0, complete(), submission="one")
    path = write_copy(store, number, tmp_path / "deep" / "copy.jsonl")
    (reading,) = formats.read(path, "native")
    assert len(reading.judgements) == 3
    open_campaign(store, "other")
    incoming = inspect_file(store, "other", path)
    assert (incoming.answers, incoming.judges) == (3, (("J1", 3, True),))
    assert import_file(store, "other", path).judgements == 3
    assert len(campaign.judgements(store, "other")) == 3


def own_protocol() -> Protocol:
    return scales({"id": "quality", "kind": "scale", "min": 1, "max": 7})


def judged_and_one_left_out(store: Store) -> None:
    """A campaign by a protocol of one's own, in which a judge who answered counts in no result."""
    opened(store, own_protocol())
    for judge in ("ana", "bo"):
        task = first_task(store, judge)
        for item in range(len(task.items)):
            save(store, task, item, {"quality": 1 + item})
    save(store, first_task(store), 0, {"quality": 5})
    campaign.leave_out(store, "first", "bo", "always the same")


def test_a_complete_copy_brings_back_protocol_history_and_who_is_left_out(store: Store, tmp_path: Path) -> None:
    judged_and_one_left_out(store)
    copy = write_copy(store, "first", tmp_path / "copy.jsonl")
    before = [(j.judge, j.document, j.question, j.value) for j in campaign.history(store, "first")]
    (reading,) = formats.read(copy)
    (part,) = from_file(copy)
    assert part.protocol is not None and part.protocol.hash == own_protocol().hash
    assert dict(part.left_out) == {"bo": "always the same"}
    texts = {"documents": reading.documents, "judges": reading.judges, "left_out": reading.left_out}
    campaign.import_campaign(store, "again", reading.judgements, part.protocol, **texts)
    assert [(j.judge, j.document, j.question, j.value) for j in campaign.history(store, "again")] == before
    assert campaign.left_out(store, "again") == {"bo": "always the same"}
    assert campaign.protocol(store, "again").hash == own_protocol().hash


def test_judges_who_come_with_a_file_stay_left_out_and_those_who_are_here_as_they_are(
    store: Store, tmp_path: Path
) -> None:
    judged_and_one_left_out(store)
    copy = write_copy(store, "first", tmp_path / "copy.jsonl")
    opened(store, own_protocol(), name="second", judges=[Judge("ana")])
    opened(store, own_protocol(), name="third")
    for name in ("second", "third"):
        import_file(store, name, copy)
    assert campaign.left_out(store, "second") == {"bo": "always the same"}
    assert campaign.left_out(store, "third") == {}


@pytest.mark.parametrize(
    ("systems", "told"),
    [
        (("typo",), "no output of 'typo'"),
        (("Alder",), "no output of 'Alder'"),
        ((), "about 0"),
        (("alder", "birch"), "about 2"),
    ],
)
def test_answers_about_an_output_that_the_campaign_does_not_have_make_no_new_system(
    store: Store, systems: tuple[str, ...], told: str
) -> None:
    opened(store, "da")
    right = Judgement("ana", "da", "score", "d0", "0", ("alder",), 50)
    for answers in ([replace(right, systems=systems)], [right, replace(right, judge="bo", systems=systems)]):
        with pytest.raises(InputError, match=told):
            campaign.import_judgements(store, "first", answers)
    assert campaign.history(store, "first") == []
    assert campaign.import_judgements(store, "first", [right]).judgements == 1


def test_where_texts_are_not_known_any_system_may_come(store: Store) -> None:
    answers = [Judgement("ana", "da", "score", "d0", "0", (system,), 50) for system in ("alder", "birch")]
    campaign.import_campaign(store, "first", answers[:1], "da")
    assert campaign.import_judgements(store, "first", answers).judgements == 2


@pytest.mark.parametrize(
    "field",
    [
        *('"elapsed_seconds": 1e400', '"active_seconds": -1e400', '"elapsed_seconds": -5', '"active_seconds": 1e7'),
        *('"answered_at": "0001-01-01T00:00:00+14:00"', '"answered_at": "9999-12-31T23:59:59-14:00"'),
    ],
)
def test_a_time_that_can_be_none_is_left_out_and_the_answer_is_flagged(
    store: Store, tmp_path: Path, field: str
) -> None:
    """Judgements are never changed: one such time would keep the whole campaign from being read, for good."""
    opened(store, "da")
    path = tmp_path / "answers.jsonl"
    about = '"judge": "ana", "stage": "da", "question": "score", "document": "d0", "segment": "0", "systems": ["alder"]'
    path.write_text(f'{{{about}, "value": 50, {field}}}\n', encoding="utf-8")
    assert import_file(store, "first", path).flags == {"score unreadable_time": 1}
    [row] = campaign.judgements(store, "first")
    assert (row.value, row.flags) == (50, ("unreadable_time",))
    assert (row.elapsed_seconds, row.active_seconds, row.answered_at) == (None, None, None)
