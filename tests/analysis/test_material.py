from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from adaptive_campaign import made, work
from campaign_parts import first_task, opened, save
from data_sets import released
from lanner import campaign, protocols
from lanner.analysis import material
from lanner.analysis.material import Material, from_campaign, from_readings, with_domains
from lanner.designs.expected import ControlCounts
from lanner.errors import InputError
from lanner.formats import Reading
from lanner.model import (
    Choice,
    Document,
    Json,
    Judge,
    Judgement,
    Object,
    Option,
    Question,
    Role,
    Scale,
    Segment,
    Stage,
    Unit,
)
from lanner.store import Store, Transaction


def falcon_folder(folder: Path) -> Path:
    """A tiny data set in the shape of the published one."""
    (folder / "data").mkdir()
    (folder / "human" / "evalset").mkdir(parents=True)
    (folder / "data" / "evalset.csv").write_text(
        "idx,domain,doc,source,reference,target\n0,news,n.1,One.,하나.,일.\n1,news,n.1,Two.,둘.,이.\n", encoding="utf-8"
    )
    for judge, levels in (("judge1", ("Local", "Extended")), ("judge2", ("Local", "Universal"))):
        skills = "\"['Style Register', 'Idea Development', 'Participant Focus']\""
        rows = [f"{n},news,{level},{skills},,1.5" for n, level in enumerate(levels)]
        text = "\n".join(["idx,domain,context,skill,span,time", *rows, ""])
        (folder / "human" / "evalset" / f"{judge}.csv").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_becomes_a_tidy_table_of_ids(tmp_path: Path) -> None:
    [made] = material.from_file(falcon_folder(tmp_path))
    context = made.table.filter(question="context").sort("judge", "segment")
    assert context["label"].to_list() == ["local", "extended", "local", "universal"]
    assert set(context["domain"]) == {"news"}


def test_words_of_every_source(tmp_path: Path) -> None:
    [made] = material.from_file(falcon_folder(tmp_path))
    assert made.words == {("n.1", "0"): 1, ("n.1", "1"): 1}


def test_only_some_judges(tmp_path: Path) -> None:
    [made] = material.from_file(falcon_folder(tmp_path))
    assert set(made.only(["judge2"]).table["judge"]) == {"judge2"}
    with pytest.raises(InputError, match="Did you mean 'judge2'"):
        made.only(["judg2"])


def test_the_part_that_asks_a_question(tmp_path: Path) -> None:
    made = material.from_file(falcon_folder(tmp_path))
    assert material.with_question(made, "context") is made[0]
    with pytest.raises(InputError, match="Did you mean 'context'"):
        material.with_question(made, "contxt")


def test_a_file_without_judgements_is_said(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    with pytest.raises(InputError, match="only texts"):
        material.from_file(path)


@pytest.mark.data
def test_scores_stand_beside_answers() -> None:
    parts = released("h-falcon")
    table = parts["subset"].table
    assert {"skill_sum", "skill_count", "holistic_score"} <= set(table["question"])
    assert table.filter(question="skill_count", judge="judge2").height == 298


def test_people_under_pseudonyms_keep_what_they_said_and_lose_who_they_are(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        about = {"native": "ko", "Email": "ana@example.org", "note": "Ana taught in Busan"}
        people = (Judge("ana", name="Ana K.", attributes=about), Judge("bo"))
        opened(store, judges=people)
        save(store, first_task(store))
        found = from_campaign(store, "first")
        names = campaign.pseudonyms(store, "first")
        hidden = found.pseudonymised(names)
    assert [judge.id for judge in hidden.judges] == list(names.values())
    assert hidden.judges[0].attributes == {"native": "ko"}
    assert {row.judge for row in hidden.judgements} == {names["ana"]}
    assert "ana" not in repr((hidden.judges, hidden.judgements)).casefold()
    assert hidden.table.height == found.table.height


def test_all_of_a_campaign_is_read_as_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An adaptive campaign's draws were read later than the answers: a document was drawn by more than were counted."""
    with Store.open(tmp_path / "lanner.sqlite") as store:
        made(store)
        task = first_task(store, name="study")
        save(store, task, answers={"score": 50})
        moments = 0
        read = store.reading

        def reading() -> AbstractContextManager[Transaction]:
            nonlocal moments
            moments += 1
            return read()

        monkeypatch.setattr(store, "reading", reading)
        found = from_campaign(store, "study")
    assert moments == 1
    assert task.items[0].document in found.drawn and any("one after another" in note for note in found.notes)


def test_no_real_id_is_left_in_controls_or_among_those_left_out() -> None:
    who = Judge("ana", name="Ana")
    found = Material(
        "m",
        None,
        (),
        (who,),
        (),
        controls=(ControlCounts("ana", "page", 2, 2, 1, 0),),
        left_out={"ana": "too fast"},
        code_names={"ana": "judge-1"},
    )
    hidden = found.pseudonymised({"ana": "judge-1"})
    assert [miss.judge for miss in hidden.controls] == ["judge-1"]
    assert hidden.left_out == {"judge-1": "too fast"}
    assert not hidden.code_names, "or who is behind a code name went along"
    assert "ana" not in repr(hidden).casefold()


@pytest.mark.parametrize(
    ("heading", "value"),
    [
        *(
            ("E-mail (work)", "see above"),
            ("emailAddress", "x"),
            ("phone number", "5"),
            ("Nachname", "K."),
            ("Prénom", "A"),
        ),
        *(("TELÉFONO", "5"), ("correo electrónico", "x"), ("Mailadresse", "x"), ("endereço", "x"), ("worker_id", "x7")),
        *(
            ("氏名", "x"),
            ("電話番号", "5"),
            ("联系电话", "5"),
            ("이메일 주소", "x"),
            ("имя", "A"),
            ("البريد الإلكتروني", "x"),
        ),
        *(("Remarks", "came late"), ("備考", "x"), ("how to reach me", "a.k@example.org"), ("reach", "+49 30 901820")),
        *(("reach", "030 901820"), ("from", "a course with Ana Kim in Busan"), ("desk", "ANA-77")),
    ],
)
def test_who_a_judge_is_stays_behind_whatever_column_says_it(heading: str, value: str) -> None:
    kept = {"native": "ko", "judge": True, "years": 4, "seit": "2015-2020", "mobility": "yes", "titles": "BA, MA"}
    who = Judge("ana-77", name="Ana Kim", attributes={**kept, heading: value})
    [hidden] = Material("m", None, (), (who,), ()).pseudonymised({"ana-77": "judge-1"}).judges
    assert hidden.attributes == kept


def test_a_judge_left_out_of_a_campaign_counts_nowhere(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        save(store, first_task(store))
        assert set(from_campaign(store, "first").counted().table["judge"]) == {"ana"}
        campaign.leave_out(store, "first", "ana", "too fast")
        found = from_campaign(store, "first")
        assert found.counted().table.is_empty() and found.judgements, "kept, not counted"
        assert "1 judge left out" in str(found.counted().selection)
        campaign.count_again(store, "first", "ana")
        assert not from_campaign(store, "first").left_out


def test_what_a_judge_took_back_is_no_answer(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store, "da")
        task = first_task(store)
        save(store, task, 0, {"score": 3, "comment": "Odd."})
        save(store, task, 0, {"comment": None})
        read = from_campaign(store, "first")
        assert [judgement.question for judgement in read.judgements] == ["score"]
        assert "comment" not in set(read.table["question"])


def test_documents_of_a_calibration_round_are_not_among_those_that_are_drawn(tmp_path: Path) -> None:
    with Store.open(tmp_path / "study.db") as store:
        made(store, documents=4, settings={"calibration": ["d0"]})
        work(store, most=3)
        campaign.after_calibration(store, "study")
        work(store, looks=False)
        assert from_campaign(store, "study").notes[0].startswith("3 of 3 documents were drawn")


def test_judges_who_have_withdrawn_are_told_of(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        assert from_campaign(store, "first").notes == ()
        saved = save(store, first_task(store))
        campaign.withdraw(store, "first", "ana")
        (note,) = from_campaign(store, "first").notes
    assert note.startswith(f"One judge has withdrawn; {len(saved.ids)} answers were deleted")


def test_an_answer_saved_again_counts_once_and_the_latest_counts() -> None:
    first = Judgement(
        "ann", "rating", "score", "d", "1", ("alder",), 40, answered_at=datetime(2026, 3, 1, 12, tzinfo=UTC)
    )
    later = replace(first, value=60, answered_at=datetime(2026, 3, 1, 13, tzinfo=UTC))
    repeat = replace(first, value=50, role=Role.REPEAT)
    other = replace(first, judge="ben")
    undated = [replace(first, segment="2", answered_at=None), replace(first, segment="2", answered_at=None)]
    reading = Reading("file", (), protocol="da", judgements=(later, first, repeat, other, *undated))
    [material] = from_readings([reading])
    kept = [(j.judge, j.segment, j.value, str(j.role)) for j in material.judgements]
    assert kept == [
        ("ann", "1", 60, "main"), ("ann", "1", 50, "repeat"), ("ben", "1", 40, "main"),
        ("ann", "2", 40, "main"), ("ann", "2", 40, "main"),
    ]  # fmt: skip
    assert "1 answer was saved again by its judge; the latest counts." in material.notes


TABLE = pl.DataFrame({"document": ["d1", "items", "d9"], "segment": ["7", "2", "x"], "role": ["main"] * 3})


def test_domains_by_document_then_by_line_counted_with_the_canary(tmp_path: Path) -> None:
    path = tmp_path / "en-de.docs"
    path.write_text("canary\tcanary\nnews\td1\ntalk\td2\n", encoding="utf-8")
    made, notes = with_domains(TABLE, path)
    assert made["domain"].to_list() == ["news", "talk", ""]
    assert notes == ("1 document is not in en-de.docs: its domain is unknown.",)


def test_a_line_without_two_fields(tmp_path: Path) -> None:
    path = tmp_path / "en-de.docs"
    path.write_text("news\td1\nnews\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        with_domains(TABLE, path)
    assert caught.value.where.line == 2


def test_the_error_about_an_answer_names_the_protocol_that_the_format_has(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    mark = '"[{""start_i"": 0, ""end_i"": 1, ""severity"": ""minor"", ""error_type"": [""no_such""]}]"'
    path.write_text(f"ann,oak,1,TGT,eng,deu,0,d#oak,False,{mark},0.0,1.0\n", encoding="utf-8")
    for protocol, step in ((None, "taken for answers to mqm_core; --protocol NAME"), ("mqm", "Known: ")):
        with pytest.raises(InputError, match="no_such") as caught:
            material.from_file(path, protocol=protocol)
        assert step in caught.value.next_step


@pytest.mark.parametrize(
    ("question", "value", "turned", "column"),
    [
        (Scale(id="q", min=-3, max=3), 2, -2, "score"),
        (Choice(id="q", options=(Option(id="left_much"), Option(id="right_much"))), "left_much", "right_much", "label"),
    ],
)
def test_how_much_better_an_output_is_counts_for_it_in_whichever_order_it_was_shown(
    question: Question, value: Json, turned: Json, column: str
) -> None:
    """Two judges who say the same of the same two outputs agree; files keep what was answered."""
    stage = Stage(id="s", unit=Unit.ISOLATED, object=Object.OUTPUTS, questions=(question,))
    compared = protocols.load("ranking_rs").model_copy(update={"stages": (stage,), "scores": ()})
    given = [
        Judgement(judge, "s", "q", "d", "1", systems, value=each)
        for judge, systems, each in (("ann", ("oak", "ash"), value), ("ben", ("ash", "oak"), turned))
    ]
    text = Document("d", (Segment("1", "One.", {"oak": "Eins.", "ash": "Ein."}),))
    found = Material("m", compared, (text,), (Judge("ann"), Judge("ben")), tuple(given))
    assert found.table["system"].to_list() == ["ash|oak"] * 2
    assert found.table[column].to_list() == [turned] * 2
    assert found.table_with_every_mark[column].to_list() == [value, turned]
