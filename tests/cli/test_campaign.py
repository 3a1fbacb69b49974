"""The commands of `lanner campaign`, as they are declared: what they do is tested with their implementations."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cli.command import Command
from lanner import campaign, formats
from lanner.campaign import Submission
from lanner.cli.campaign import judges_from
from lanner.cli.commands.campaign import campaign as group
from lanner.errors import InputError
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, JudgeKind, Role, Segment
from lanner.store import Store

# The commands of `lanner campaign`, as they are declared: what they do is tested with their implementations.


def test_every_command_has_help_and_an_unknown_one_is_refused(lanner: Command) -> None:
    for name in group.commands:
        assert lanner("campaign", name, "--help").code == 0
    assert lanner("campaign", "frobnicate").code == 2


def test_progress_per_judge_and_document(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert (row["judge"], row["items"], row["done"]) == ("ana", 2, 0)
    assert "0 of 2 items and questionnaires done" in lanner("campaign", "show", pilot).out
    assert "items and questionnaires" in lanner("campaign", "list").out
    assert len(lanner("campaign", "show", pilot, "--by", "document", "--json").envelope["rows"]) == 2


def test_what_judges_consented_to_is_shown(lanner: Command, pilot: str, tmp_path: Path) -> None:
    assert "consent" not in lanner("campaign", "show", pilot, "--json").envelope["rows"][0]
    with Store.open(tmp_path / "lanner.sqlite", create=False) as store:
        campaign.consent(store, pilot, "ana", "consent@1.0 0123abcd")
    [row] = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert row["consent"].startswith("consent@1.0 0123abcd, 20")


def test_states_are_changed_and_listed(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "set", pilot, "pause").code == 0
    [row] = lanner("campaign", "list", "--json").envelope["rows"]
    assert row["state"] == "paused"
    assert lanner("campaign", "set", "pilott", "open").code == 2


def test_there_is_no_calibration_round(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "calibrated", pilot)
    assert ran.code == 4
    assert "no calibration round" in ran.err


def test_the_archive_is_listed_apart(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "archive", pilot).code == 0
    assert lanner("campaign", "list", "--json").envelope["rows"] == []
    [row] = lanner("campaign", "list", "--archived", "--json").envelope["rows"]
    assert row["name"] == pilot


def test_settings_are_shown_changed_and_taken_away(lanner: Command, pilot: str) -> None:
    ran = lanner(
        "campaign",
        "settings",
        pilot,
        "hourly_rate=21.5",
        "deadline=2026-12-01",
        "time_zone=Asia/Seoul",
        "note=Ask us.",
        "--title",
        "Ours",
        "--json",
    )
    rows = {row["setting"]: row["value"] for row in ran.envelope["rows"]}
    assert (rows["title"], rows["hourly_rate"], rows["deadline"]) == ("Ours", 21.5, "2026-12-01")
    assert (rows["time_zone"], rows["note"]) == ("Asia/Seoul", "Ask us.")
    code = lanner("campaign", "settings", pilot, "completion_code=0042", "--json").envelope["rows"]
    assert {"setting": "completion_code", "value": "0042"} in code, "a text is kept as it is, digits or not"
    elsewhere = lanner("campaign", "settings", pilot, "time_zone=Europe/Berlim")
    assert elsewhere.code and "Did you mean 'Europe/Berlin'?" in elsewhere.err
    rows = {row["setting"] for row in lanner("campaign", "settings", pilot, "deadline=", "--json").envelope["rows"]}
    assert "deadline" not in rows and "hourly_rate" in rows


@pytest.mark.parametrize(
    "change",
    ["deadline=soon", "hourly_rate=much", "hourly_rate=nan", "hourly_rate=1e999", "minimum_agreement=2", "deadline"],
)
def test_settings_that_make_no_sense_are_refused(lanner: Command, pilot: str, change: str) -> None:
    assert lanner("campaign", "settings", pilot, change).code == 2


def test_a_setting_that_nothing_reads_is_refused_and_can_be_removed(lanner: Command, pilot: str) -> None:
    refused = lanner("campaign", "settings", pilot, "practise_agreement=0.8")
    assert refused.code == 2
    assert "Did you mean 'practice_agreement'?" in refused.err
    frozen = lanner("campaign", "settings", pilot, "calibration=d0")
    assert frozen.code == 2 and "decided when a campaign is created" in frozen.err
    assert lanner("campaign", "settings", pilot, "practise_agreement=").code == 0
    rows = {row["setting"] for row in lanner("campaign", "settings", pilot, "--json").envelope["rows"]}
    assert "practise_agreement" not in rows and "calibration" not in rows


def test_into_the_archive_and_out(lanner: Command, pilot: str) -> None:
    lanner("campaign", "archive", pilot)
    assert "All campaigns are in the archive" in lanner("campaign", "list").out
    assert lanner("campaign", "archive", pilot, "--out").code == 0
    assert len(lanner("campaign", "list", "--json").envelope["rows"]) == 1


def test_a_duplicate_is_a_draft_with_the_same_judges_or_others(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "duplicate", pilot, "second", "--json").envelope["rows"]
    assert row == {"name": "second", "state": "draft"}
    lanner("campaign", "duplicate", pilot, "third", "--judges", "Ben, Chi")
    lanner("campaign", "duplicate", pilot, "fourth", "--no-judges")
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        found = {name: [j.id for j in campaign.judges(store, name)] for name in ("second", "third", "fourth")}
    assert found == {"second": ["ana"], "third": ["ben", "chi"], "fourth": []}


def test_commands_that_are_named_can_be_run_as_they_stand(lanner: Command, pilot: str) -> None:
    """A name may have spaces, which end a word for the shell."""
    name = "second pilot's"
    word = shlex.quote(name)
    assert f"lanner links {word}; lanner campaign set {word} open" in lanner("campaign", "duplicate", pilot, name).out
    for shown, ran in (
        (f"`lanner campaign show {word} --by document`", lanner("campaign", "reopen", name, "ana", "d")),
        (f"`lanner campaign show {word}`", lanner("agreement", name)),
        (f"lanner campaign count-again {word} ana", lanner("campaign", "leave-out", name, "ana", "--reason", "asked")),
        (f"lanner agreement {word}", lanner()),
    ):
        assert shown in " ".join((ran.out + ran.err).split())


def test_deleting_needs_the_name_and_keeps_a_copy_that_brings_it_back(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "delete", pilot).code == 2
    [row] = lanner("campaign", "delete", pilot, "--typed", pilot, "--json").envelope["rows"]
    assert Path(row["copy"]).stat().st_size
    assert lanner("campaign", "list", "--json").envelope["rows"] == []
    back = lanner("restore", row["copy"], "--campaign", pilot)
    assert back.code == 0 and "is back, open as it was" in back.out
    assert [entry["name"] for entry in lanner("campaign", "list", "--json").envelope["rows"]] == [pilot]
    assert "called 'pilot' here" in lanner("restore", row["copy"], "--campaign", pilot).err


def test_without_a_copy_nothing_is_deleted(lanner: Command, pilot: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    ran = lanner("campaign", "delete", pilot, "--typed", pilot, "--folder", tmp_path / "taken" / "below")
    assert ran.code == 4 and "Nothing was deleted" in ran.err
    assert len(lanner("campaign", "list", "--json").envelope["rows"]) == 1


def test_a_models_marks_are_offered_in_the_same_campaign(lanner: Command, tmp_path: Path) -> None:
    model = Judge("gemba", kind=JudgeKind.MODEL)
    segments = (Segment("1", "eins", {"alder": "one two", "birch": "two one"}),)
    texts = [Document(f"d{n}", segments, "de", "en") for n in range(4)]
    with Store.open(tmp_path / "lanner.sqlite") as store:
        campaign.create(store, "both", texts, "esa", [model, Judge("ana")])
        campaign.open(store, "both")
        mark = {"side": "target", "start": 0, "end": 3, "severity": "minor"}
        for task in campaign.tasks(store, "both", "gemba"):
            campaign.submit(store, task.id, 0, {"errors": [mark], "score": 50}, submission=str(task.id))
    assert "no judge 'gamba'" in lanner("campaign", "prefill", "both", "gamba").err
    ran = lanner("campaign", "prefill", "both", "gemba", "--unassisted", "0.5", "--json")
    assert ran.envelope["rows"] == [{"name": "both", "model": "gemba", "marks": 4, "unassisted": 4}]
    formats.write("native", tmp_path / "texts", texts)
    new = ("new", "more", "--texts", "texts", "--protocol", "esa", "--judges", "2")
    assert "whose marks" in lanner(*new, "--prefill", "gemba").err
    assert lanner(*new, "--prefill", "gemba@both").code == 0
    with Store.open(tmp_path / "lanner.sqlite") as store:
        assert campaign.get(store, "more").settings["prefill"] == {"model": "gemba", "from": "both"}


def outputs(folder: Path, store: Store, pilot: str) -> Path:
    document = campaign.documents(store, pilot)[0]
    path = folder / "outputs.jsonl"
    path.write_text(f'{{"document": "{document.id}", "segment": "{document.segments[0].id}", "holistic": 4}}\n')
    return path


def test_a_file_is_looked_at_and_then_taken_in(lanner: Command, pilot: str, tmp_path: Path) -> None:
    with Store.open("lanner.sqlite", create=False) as store:
        if campaign.get(store, pilot).state == "draft":
            campaign.open(store, pilot)
        path = outputs(tmp_path, store, pilot)
        before = len(campaign.judgements(store, pilot))
        looked = lanner("campaign", "import", pilot, str(path), "--model", "m", "--look", "--json")
        assert looked.envelope["rows"] == [{"judge": "m", "answers": 1, "new": True}]
        assert len(campaign.judgements(store, pilot)) == before
        assert lanner("campaign", "import", pilot, str(path), "--model", "m").code == 0
        assert len(campaign.judgements(store, pilot)) == before + 1
    again = lanner("campaign", "import", pilot, str(path), "--model", "m")
    assert "before" in again.out


def test_what_is_wrong_is_named_with_its_line(lanner: Command, pilot: str, tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"segment": "nowhere", "holistic": 4}\n')
    ran = lanner("campaign", "import", pilot, str(path), "--model", "m")
    assert ran.code == 2
    assert "outputs.jsonl:1" in ran.err


def survey(lanner: Command, folder: Path) -> None:
    rows = "".join(f"d,{n},Sentence number {n}.,Satz {n}.\n" for n in range(1, 13))
    (folder / "t.csv").write_text(f"document,segment,source,target\n{rows}", encoding="utf-8")
    lanner("new", "survey", "--texts", "t.csv", "--protocol", "context_survey", "--judges", "Ana, Ben, Cleo")
    with Store.open(folder / "lanner.sqlite") as store:
        fill(store, "survey", {judge: Temper() for judge in ("ana", "ben", "cleo")}, {}, seed=1)


def test_units_are_listed_then_assigned(lanner: Command, tmp_path: Path) -> None:
    survey(lanner, tmp_path)
    rows = lanner("promote", "survey", "--page", "phase_two", "--json").envelope["rows"]
    assert rows
    before = _tasks(tmp_path)
    ran = lanner("promote", "survey", "--page", "phase_two", "--drop", rows[0]["unit"], "--assign")
    assert ran.code == 0
    assert rows[0]["unit"] not in ran.out
    added = _tasks(tmp_path) - before
    assert added == 3 * (len(rows) - 1)


def test_later_answers_promote_more_and_who_is_left_out_has_no_say(lanner: Command, tmp_path: Path) -> None:
    survey(lanner, tmp_path)
    again = ("promote", "survey", "--page", "phase_two")
    rows = lanner(*again, "--json").envelope["rows"]
    assert lanner(*again, "--drop", rows[0]["unit"], "--assign").code == 0
    before = _tasks(tmp_path)
    assert lanner(*again, "--assign").code == 0
    assert _tasks(tmp_path) == before + 3, "the others have been given out"
    assert {row["given"].partition(" of ")[2] for row in rows} == {"3"}
    assert lanner("campaign", "leave-out", "survey", "ana", "--reason", "by chance").code == 0
    rows = lanner(*again, "--json").envelope["rows"]
    assert {row["given"].partition(" of ")[2] for row in rows} == {"2"}


def test_the_list_shows_each_sentence_and_what_stands_before_it(lanner: Command, tmp_path: Path) -> None:
    survey(lanner, tmp_path)
    rows = lanner("promote", "survey", "--page", "phase_two", "--json").envelope["rows"]
    assert all(row["sentence"] == f"Sentence number {row['unit'].partition('/')[2]}." for row in rows)
    assert all(row["sentences before"] == int(row["unit"].partition("/")[2]) - 1 for row in rows)
    later = lanner("promote", "survey", "--page", "phase_two", "--drop-first", "--json").envelope["rows"]
    assert later == [row for row in rows if row["sentences before"]]
    assert len(later) < len(rows), "the simulated survey promotes a first sentence"
    wrong = lanner("promote", "survey", "--page", "phase_two", "--drop", "d/99", "--assign")
    assert wrong.code == 2
    assert "d/99" in wrong.err


def _tasks(folder: Path) -> int:
    with Store.open(folder / "lanner.sqlite") as store:
        return campaign.progress(store, "survey").whole.items


def test_a_page_that_nothing_is_promoted_to(lanner: Command, tmp_path: Path) -> None:
    survey(lanner, tmp_path)
    ran = lanner("promote", "survey", "--page", "phase_too")
    assert ran.code == 2
    assert "Did you mean 'phase_two'" in ran.err


def tasks(judge: str) -> int:
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        return len(campaign.tasks(store, "pilot", judge))


def test_a_judge_who_comes_later_gets_a_link_and_the_same_texts(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "add-judges", pilot, "Ben", "--json").envelope["rows"]
    assert "/j/" in row["link"]
    judges = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert [judge["items"] for judge in judges] == [2, 2]


def test_someone_else_takes_over_and_the_old_link_stops_working(lanner: Command, pilot: str) -> None:
    mine = tasks("ana")
    [row] = lanner("campaign", "replace-judge", pilot, "ana", "Cleo", "--json").envelope["rows"]
    assert (row["judge"], row["tasks"]) == ("cleo", mine)
    assert "/j/" in row["link"]
    assert lanner("campaign", "replace-judge", pilot, "ana", "Cleo, Dae").code == 2


def test_a_finished_document_is_reopened(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "reopen", pilot, "ana", "d").code == 4, "nothing is finished yet"
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        task = next(task for task in campaign.tasks(store, pilot, "ana") if task.items[0].document == "d")
        with store.writing() as tx:
            tx.tasks.set_finished(task.id, campaign.now())
        assert campaign.task(store, task.id).finished_at
    [row] = lanner("campaign", "reopen", pilot, "ana", "d", "--json").envelope["rows"]
    assert row["task"] == task.id
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        assert campaign.task(store, task.id).finished_at is None


def test_overlap_gives_only_what_is_missing(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "add-overlap", pilot, "--judges", "ana", "--documents", "d, e", "--json")
    assert ran.envelope["rows"][0]["tasks"] == 0
    assert lanner("campaign", "add-overlap", pilot, "--judges", "ana", "--documents", "x").code == 2


def test_a_link_is_revoked(lanner: Command, pilot: str) -> None:
    [row] = lanner("links", pilot, "--judge", "ana", "--json").envelope["rows"]
    secret = row["link"].rpartition("/")[2]
    assert lanner("campaign", "revoke", pilot, "ana").code == 0
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        assert campaign.invitations.lookup(store, secret) is None


def test_forgetting_needs_the_id_written_out(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "forget", pilot, "ana")
    assert ran.code == 2 and "--typed" in ran.err
    assert lanner("campaign", "forget", pilot, "ana", "--typed", "ben").code == 2
    [row] = lanner("campaign", "forget", pilot, "ana", "--typed", "ana", "--json").envelope["rows"]
    assert row["called"].startswith("judge-")
    gone = lanner("campaign", "forget", pilot, row["called"], "--answers", "--typed", row["called"], "--json")
    assert gone.envelope["rows"][0]["deleted"] == 0


LEVELS = ("sentence_level", "local", "extended")


def pilot(lanner: Command, folder: Path) -> None:
    """Two judges who differ on every second sentence of the first document and agree on the second document."""
    rows = "".join(f"d{d},{n},Sentence {d}.{n}.,Satz {d}.{n}.\n" for d in (1, 2) for n in range(1, 13))
    (folder / "t.csv").write_text(f"document,segment,source,target\n{rows}", encoding="utf-8")
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "falcon_labels", "--judges", "Ana, Ben")
    with Store.open(folder / "lanner.sqlite") as store:
        for judge in ("ana", "ben"):
            for task in campaign.tasks(store, "pilot", judge):
                for place, item in enumerate(task.items):
                    number = int(item.segment)
                    differs = item.document == "d1" and number % 2 and judge == "ben"
                    level = LEVELS[(number + bool(differs)) % 3]
                    late = timedelta(days=2 if item.document == "d2" else 0)
                    at = datetime(2026, 3, 1, tzinfo=UTC) + late
                    name = f"{judge}-{task.id}-{place}"
                    sent = Submission(task.id, place, {"context": level}, name, judge=judge, answered_at=at)
                    campaign.submit_many(store, [sent])


def test_the_most_disputed_sentences_are_listed_and_given_again(lanner: Command, tmp_path: Path) -> None:
    pilot(lanner, tmp_path)
    rows = lanner("campaign", "calibrate", "pilot", "--sentences", "4", "--json").envelope["rows"]
    assert len(rows) == 4
    assert all(row["unit"].startswith("d1/") and int(row["unit"].partition("/")[2]) % 2 for row in rows)
    assert all(row["sentence"].startswith("Sentence 1.") for row in rows)
    assert lanner("campaign", "calibrate", "pilot", "--sentences", "4", "--assign").code == 0
    with Store.open(tmp_path / "lanner.sqlite") as store:
        for judge in ("ana", "ben"):
            items = [item for task in campaign.tasks(store, "pilot", judge) for item in task.items]
            again = [item for item in items if item.role is Role.CALIBRATION]
            assert [f"{item.document}/{item.segment}" for item in again] == [row["unit"] for row in rows]


def test_agreement_before_and_after(lanner: Command, tmp_path: Path) -> None:
    pilot(lanner, tmp_path)
    rows = lanner("campaign", "training", "pilot", "--since", "2026-03-02", "--json").envelope["rows"]
    whole = next(row for row in rows if row["question"] == "context" and not row["part"])
    assert (whole["before_items"], whole["after_items"]) == (12, 12)
    assert whole["after"] == 1.0
    assert whole["difference"] > 0.5
    assert {row["part"] for row in rows} >= {"sentence_level", "local"}
    assert "not a date" in lanner("campaign", "training", "pilot", "--since", "soon").err
    assert "Nothing was answered after" in lanner("campaign", "training", "pilot", "--since", "2027-01-01").err


def test_a_day_begins_by_the_clocks_of_the_campaign(lanner: Command, tmp_path: Path) -> None:
    pilot(lanner, tmp_path)  # the second document was judged at midnight in London
    assert lanner("campaign", "training", "pilot", "--since", "2026-03-03").code == 0
    lanner("campaign", "settings", "pilot", "time_zone=America/New_York")
    assert "Nothing was answered after" in lanner("campaign", "training", "pilot", "--since", "2026-03-03").err
    assert lanner("campaign", "training", "pilot", "--since", "2026-03-03T00:00+00:00").code == 0


def test_a_new_link_replaces_the_old_one(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    made = lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana", "--json")
    [again] = lanner("links", "pilot", "--judge", "ana", "--json").envelope["rows"]
    assert again["link"] != made.envelope["rows"][0]["link"]


def test_an_unknown_judge(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana")
    ran = lanner("links", "pilot", "--judge", "anna")
    assert ran.code == 2
    assert "Did you mean 'ana'" in ran.err


def test_a_number_names_or_a_file(tmp_path: Path) -> None:
    assert [judge.id for judge in judges_from("2")] == ["judge1", "judge2"]
    assert [(judge.id, judge.name) for judge in judges_from("Ana María, Ben")] == [
        ("ana-maría", "Ana María"),
        ("ben", "Ben"),
    ]
    assert [judge.id for judge in judges_from("김 지수, 박민호, ليلى")] == ["김-지수", "박민호", "ليلى"]
    path = tmp_path / "j.csv"
    path.write_text("id,name,language\nj1,Ana,ko\n", encoding="utf-8")
    [judge] = judges_from(str(path))
    assert (judge.id, judge.name, judge.attributes) == ("j1", "Ana", {"language": "ko"})


def test_a_file_without_names(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("who\nana\n", encoding="utf-8")
    with pytest.raises(InputError, match="column id or name"):
        judges_from(str(path))
