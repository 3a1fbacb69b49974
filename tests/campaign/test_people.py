from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from campaign_parts import NOW, corpus, fill, first_task, opened, save, valid
from lanner import campaign
from lanner.campaign import Submission
from lanner.campaign.people import LONGEST, messages_in, parse_judges, send_message
from lanner.campaign.submit import save_all
from lanner.errors import CampaignError, InputError
from lanner.model import CampaignState, Judge, JudgeKind, Judgement
from lanner.store import Store
from lanner.store.backup import verify


@pytest.mark.parametrize("way", ["new", "added", "taking over", "in a file"])
def test_judges_nobody_could_tell_apart_or_no_database_could_hold_are_refused(store: Store, way: str) -> None:
    opened(store, "da", judges=[Judge("caf\u00e9"), Judge("bo")])
    known = {judge.id for judge in campaign.judges(store, "first")}

    def come(*judges: Judge) -> None:
        if way == "new":
            opened(store, "da", name="second", judges=[Judge("caf\u00e9"), Judge("bo"), *judges])
        elif way == "added":
            campaign.add_judges(store, "first", judges)
        elif way == "taking over":
            campaign.replace_judge(store, "first", "bo", judges[0])
        else:
            answers = [Judgement(judge.id, "da", "score", "d0", "0", ("alder",), 50) for judge in judges]
            campaign.import_judgements(store, "first", answers, judges=judges)

    hostile = [Judge(""), Judge("  "), Judge("n\x00l"), Judge("a\nb"), Judge("\ud800"), Judge("k", name="\ud800")]
    for judge in [Judge("cafe\u0301"), *hostile]:
        with pytest.raises((CampaignError, InputError)) as refused:
            come(judge)
        expected = "other code points" if judge.id.startswith("caf") else "judge"
        assert expected in refused.value.what
    assert {judge.id for judge in campaign.judges(store, "first")} == known
    come(Judge("zoë", name="Zoë \u200f ש"))


def test_consent_is_kept_with_its_version(store: Store) -> None:
    opened(store)
    campaign.consent(store, "first", "ana", "v2", at=NOW)
    ana, bo = campaign.participants(store, "first")
    assert (ana.consent, ana.consented_at, bo.consent) == ("v2", NOW, None)


def test_an_identity_can_be_erased_and_the_answers_stay(store: Store) -> None:
    opened(store, judges=[Judge("Ana Lis", name="Ana Lis", attributes={"mail": "ana@example.org"}), Judge("bo")])
    secret = campaign.invitations.issue(store, "first", "Ana Lis")
    save(store, first_task(store, "Ana Lis"))
    before = campaign.judgements(store, "first")
    name = campaign.erase(store, "first", "Ana Lis")
    after = campaign.judgements(store, "first")
    assert [(j.id, j.value) for j in after] == [(j.id, j.value) for j in before]
    assert {j.judge for j in after} == {name}
    assert campaign.invitations.lookup(store, secret) is None
    everything = repr((after, campaign.participants(store, "first"), campaign.events(store, "first")))
    everything += repr(campaign.tasks(store, "first", name))
    assert "Ana" not in everything and "ana@" not in everything


@pytest.mark.parametrize("forget", [campaign.erase, campaign.withdraw])
def test_a_code_name_that_another_judge_has_as_an_id_is_not_given_twice(
    store: Store, forget: Callable[..., object]
) -> None:
    """As after an export under code names was imported: ids of the old store meet numbers of the new one."""
    taken = [Judge("judge-2"), Judge("zoe"), Judge("judge-3", JudgeKind.MODEL), Judge("kim"), Judge("judge-4-2")]
    opened(store, judges=taken)
    save(store, first_task(store, "zoe"))
    names = campaign.pseudonyms(store, "first")
    assert names == {"judge-2": "judge-1", "zoe": "judge-2-2", "kim": "judge-4", "judge-4-2": "judge-5"}
    forget(store, "first", "zoe")
    assert [participant.judge.id for participant in campaign.participants(store, "first")][1] == names["zoe"]
    assert campaign.erase(store, "first", "judge-2-2") == "judge-2-2", "whoever was forgotten keeps the name"


@pytest.mark.parametrize("forget", [campaign.erase, campaign.withdraw])
def test_no_message_to_a_webhook_names_a_judge_who_was_erased(store: Store, forget: Callable[..., object]) -> None:
    opened(store)
    opened(store, name="second")
    with store.writing() as tx:
        tx.webhooks.add("https://example.org/all", "", ["task.finished"], NOW)
    for name in ("first", "second"):
        for judge in ("ana", "bo"):
            task = first_task(store, judge, name)
            for item in range(len(task.items)):
                save(store, task, item, valid(store, task, item, name=name))
            campaign.finish(store, task.id, at=NOW)
    forget(store, "first", "ana")
    with store.writing() as tx:
        bodies = [json.loads(tx.webhooks.take(NOW, timedelta(days=1)).body) for _ in range(4)]
    told = [(body["campaign"], body["judge"]) for body in bodies]
    assert told == [("first", "judge-1"), ("first", "bo"), ("second", "ana"), ("second", "bo")]


def test_a_judge_who_withdraws_leaves_nothing(store: Store) -> None:
    opened(store)
    task = first_task(store)
    fill(store, task)
    campaign.finish(store, task.id)
    save(store, first_task(store, "bo"))
    with store.writing() as tx:
        tx.sessions.add("token", NOW + timedelta(days=1), NOW, judge=campaign.participants(store, "first")[0].number)
    answers = sum(j.judge == "ana" for j in campaign.history(store, "first"))
    assert campaign.withdraw(store, "first", "ana") == answers
    assert {j.judge for j in campaign.history(store, "first")} == {"bo"}
    gone, bo = campaign.progress(store, "first").judges
    assert (gone.done, gone.finished, gone.active_minutes, bo.done) == (0, 0, 0.0, 1)
    with store.reading() as tx:
        assert tx.sessions.find("token", NOW) is None


@pytest.mark.parametrize("leave", [campaign.invitations.revoke, campaign.erase, campaign.withdraw])
def test_nothing_is_saved_for_a_judge_whose_link_was_revoked_however_it_comes(
    store: Store, leave: Callable[..., object]
) -> None:
    """A page may be open still in a browser that another server knows, and a save be on its way."""
    opened(store)
    task = first_task(store)
    save(store, task, 0)
    participants = tuple(participant.number for participant in campaign.participants(store, "first"))
    leave(store, "first", "ana")
    before = campaign.history(store, "first")
    for who in (None, participants):
        with pytest.raises(CampaignError) as refused:
            save(store, task, 1, judge=who)
        assert refused.value.code == "revoked"
    assert campaign.history(store, "first") == before
    save(store, first_task(store, "bo"), 1)
    campaign.invitations.issue(store, "first", campaign.participants(store, "first")[0].judge.id)
    save(store, task, 1)


@pytest.mark.postgres
def test_a_save_that_had_begun_when_its_judge_withdrew_is_deleted_too(postgres_url: str) -> None:
    with Store.open(postgres_url) as store:
        opened(store)
        task = first_task(store)
        answers = Submission(task.id, 0, valid(store, task), "begun-before")
        withdrawing = threading.Thread(target=lambda: campaign.withdraw(store, "first", "ana"))
        with store.writing() as tx:
            save_all(tx, [answers], NOW)
            withdrawing.start()
            while withdrawing.is_alive() and not waiting_for_a_lock(store):
                pass
        withdrawing.join()
        assert campaign.history(store, "first") == []
        assert not any(finding.problems for finding in verify(store))


def replace_ana(store: Store, name: str, judge: str) -> None:
    campaign.replace_judge(store, name, judge, Judge("cy"))


@pytest.mark.postgres
@pytest.mark.parametrize("leave", [campaign.erase, campaign.withdraw, replace_ana, campaign.invitations.revoke])
def test_a_save_that_waited_while_its_link_was_revoked_is_refused(
    postgres_url: str, leave: Callable[..., object]
) -> None:
    """It looked at the judge before it waited. Whoever only revokes waits for no save, so that comes in between."""
    with Store.open(postgres_url) as store:
        opened(store)
        task = first_task(store)
        ana = campaign.participants(store, "first")[0].number
        with ThreadPoolExecutor(2) as pool:
            with store.writing() as tx:
                tx.tasks.lock_of(ana)
                waits = leave is not campaign.invitations.revoke
                leaving = pool.submit(leave, store, "first", "ana") if waits else None
                wait_for_locks(store, int(waits))
                saving = pool.submit(save, store, task, 0)
                wait_for_locks(store, waits + 1)
                if not waits:
                    leave(store, "first", "ana")
            if leaving is not None:
                leaving.result()
            assert isinstance(refused := saving.exception(), CampaignError) and refused.code == "revoked"
        assert campaign.history(store, "first") == []


@pytest.mark.postgres
@pytest.mark.parametrize("stop", [campaign.close, campaign.pause])
@pytest.mark.parametrize("act", ["save", "save nothing", "finish", "take back"])
def test_what_waited_while_the_campaign_was_stopped_is_refused(
    postgres_url: str, act: str, stop: Callable[..., object]
) -> None:
    """It waits for its task; whoever stops the campaign does not."""
    with Store.open(postgres_url) as store:
        opened(store)
        task = first_task(store)
        fill(store, task)
        if act == "take back":
            campaign.finish(store, task.id, at=NOW)
        before = campaign.history(store, "first"), campaign.progress(store, "first")
        ana = campaign.participants(store, "first")[0].number
        answers = valid(store, task, seed=1) if act == "save" else {}
        acts = {
            "finish": lambda: campaign.finish(store, task.id, at=NOW),
            "take back": lambda: campaign.take_back_finish(store, task.id, at=NOW),
        }
        with ThreadPoolExecutor(1) as pool:
            with store.writing() as tx:
                tx.tasks.lock_of(ana)
                waits = pool.submit(acts.get(act, lambda: save(store, task, 0, answers, active=99.0)))
                wait_for_locks(store, 1)
                stop(store, "first")
            assert isinstance(refused := waits.exception(), CampaignError)
            assert refused.code == {"close": "closed", "pause": "paused"}[stop.__name__]
        assert (campaign.history(store, "first"), campaign.progress(store, "first")) == before


@pytest.mark.postgres
def test_a_save_that_waited_for_whoever_was_closing_the_campaign_is_refused(postgres_url: str) -> None:
    """It has been checked, and waits to be written after whatever else is written to the campaign. A save to another
    campaign that came with it is stored."""
    with Store.open(postgres_url) as store:
        first = opened(store)
        opened(store, name="second")
        task, other = first_task(store), first_task(store, name="second")
        entries = [
            Submission(each.id, 0, valid(store, each, name=name), f"save-{name}")
            for each, name in ((task, "first"), (other, "second"))
        ]
        with ThreadPoolExecutor(1) as pool:
            with store.writing() as tx:
                tx.campaigns.lock(first.id)
                saving = pool.submit(campaign.submit_many, store, entries)
                wait_for_locks(store, 1)
                tx.campaigns.set_state(first.id, CampaignState.CLOSED, closed_at=NOW)
            refused, saved = saving.result()
        assert isinstance(refused, CampaignError) and refused.code == "closed"
        assert isinstance(saved, campaign.SaveResult) and saved.done
        assert campaign.history(store, "first") == [] != campaign.history(store, "second")
        assert not any(finding.problems for finding in verify(store))


def waiting_for_a_lock(store: Store) -> int:
    with store.snapshot() as connection:
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return int(connection.exec_driver_sql(waiting).scalar_one())


def wait_for_locks(store: Store, number: int) -> None:
    while waiting_for_a_lock(store) < number:
        pass


def test_a_judge_can_be_left_out_for_a_reason_and_counted_again(store: Store) -> None:
    opened(store)
    with pytest.raises(CampaignError, match="reason"):
        campaign.leave_out(store, "first", "ana", " ")
    assert campaign.left_out(store, "first") == {}
    campaign.leave_out(store, "first", "ana", "answered four times as fast as the others", at=NOW)
    campaign.leave_out(store, "first", "bo", "missed the controls", at=NOW)
    assert campaign.left_out(store, "first")["ana"] == "answered four times as fast as the others"
    campaign.count_again(store, "first", "bo", at=NOW)
    assert set(campaign.left_out(store, "first")) == {"ana"}
    name = campaign.erase(store, "first", "ana")
    assert set(campaign.left_out(store, "first")) == {name}, "a new name changes nothing"
    kinds = [event.kind for event in campaign.events(store, "first")]
    assert kinds.count("judge_left_out") == 2 and kinds.count("judge_counted_again") == 1


# Messages of judges to the organiser: kept in the log, shown newest first, gone with a judge who withdraws.


def texts(store: Store) -> list[str]:
    return [message.text for message in messages_in(campaign.events(store, "first"))]


def test_a_message_names_its_judge_task_and_document(store: Store) -> None:
    opened(store)
    task = first_task(store)
    send_message(store, task.id, "  The second page is missing. ", at=NOW)
    send_message(store, task.id, "And the third.", at=NOW + timedelta(minutes=1))
    (newest, first) = messages_in(campaign.events(store, "first"))
    assert (newest.text, first.text) == ("And the third.", "The second page is missing.")
    ana = campaign.participants(store, "first")[0]
    assert (first.participant, first.task, first.document, first.at) == (
        ana.number,
        task.id,
        task.items[0].document,
        NOW,
    )


@pytest.mark.parametrize("text", ["", "   ", "x" * (LONGEST + 1)])
def test_a_message_is_neither_empty_nor_endless(store: Store, text: str) -> None:
    opened(store)
    with pytest.raises(InputError):
        send_message(store, first_task(store).id, text)
    assert texts(store) == []


def test_a_message_needs_a_task(store: Store) -> None:
    opened(store)
    with pytest.raises(CampaignError):
        send_message(store, 999, "Hello")


def test_messages_go_with_the_judge_who_withdraws_and_no_others(store: Store) -> None:
    opened(store)
    send_message(store, first_task(store, "ana").id, "from Ana")
    send_message(store, first_task(store, "bo").id, "from Bo")
    campaign.withdraw(store, "first", "ana")
    assert texts(store) == ["from Bo"]


def test_lines_in_any_order() -> None:
    found = parse_judges("Ana Ruiz <ana@example.org>, ko\nBen; ben@example.org\n\nChi, German, ten years, freelance\n")
    assert [(entry.judge.id, entry.judge.name, entry.email) for entry in found] == [
        ("ana-ruiz", "Ana Ruiz", "ana@example.org"),
        ("ben", "Ben", "ben@example.org"),
        ("chi", "Chi", ""),
    ]
    assert found[0].judge.attributes == {"language": "ko"}
    assert found[2].judge.attributes == {"language": "de", "note": "ten years, freelance"}


@pytest.mark.parametrize("text", ["Ana, ko, German", 'name,language\nAna,"ko, de"'])
def test_whoever_is_named_with_languages_gets_texts_in_these(store: Store, text: str) -> None:
    [named] = [entry.judge for entry in parse_judges(text)]
    codes = ("de", "ja", "ko")
    texts = [replace(each, target_language=code) for each, code in zip(corpus((1, 1, 1)), codes, strict=True)]
    opened(store, "da", documents=texts, judges=[named, Judge("bo")])
    campaign.add_judges(store, "first", [replace(named, id="cy")])
    campaign.replace_judge(store, "first", named.id, Judge("di"))
    for judge in (named.id, "cy", "di"):
        given = {item.document for task in campaign.tasks(store, "first", judge) for item in task.items}
        assert given == {"d0", "d2"}
    assert campaign.judges(store, "first")[-1].attributes["target_language"] == named.attributes["language"]


def test_where_texts_have_one_language_that_of_a_judge_decides_nothing(store: Store) -> None:
    opened(store, "da", judges=[Judge("ana", attributes={"language": "ja"}), Judge("bo")])
    first, second = (len(campaign.tasks(store, "first", judge)) for judge in ("ana", "bo"))
    assert first == second > 0


def test_addresses_are_not_kept_with_the_judge() -> None:
    found = parse_judges("name\temail\tlanguage\nAna\tana@example.org\tko")
    assert "example" not in str(found[0].judge)
    assert found[0].email == "ana@example.org"


def test_a_table_with_its_own_columns() -> None:
    found = parse_judges('id,name,years\nj1,"Ruiz, Ana",12\nj2,Ben,')
    assert [(entry.judge.id, entry.judge.name) for entry in found] == [("j1", "Ruiz, Ana"), ("j2", "Ben")]
    assert found[0].judge.attributes == {"years": "12"}


def test_a_table_of_a_european_spreadsheet_may_have_commas_in_its_cells() -> None:
    [found] = parse_judges("ID;Name;E-Mail;L1\nJudge 7;Ana;ana@example.org;German, Dutch")
    assert (found.judge.id, found.judge.attributes, found.email) == (
        "Judge 7",
        {"L1": "German, Dutch"},
        "ana@example.org",
    )


def test_ids_are_unique_and_keep_their_script() -> None:
    found = parse_judges("Kim\nKim\n김 민수\n!!!", existing_ids={"kim"}, same_names=True)
    assert [entry.judge.id for entry in found] == ["kim-2", "kim-3", "김-민수", "judge"]


@pytest.mark.parametrize(("text", "taken"), [("Kim\nBo\nkim", ()), ("Kim", ("kim",)), ("id,name\nx,A\nx,B", ())])
def test_two_of_one_name_in_a_text_are_asked_about(text: str, taken: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        parse_judges(text, taken)
    assert caught.value.code == "same_name"
    assert caught.value.where.line == text.count("\n") + 1


@pytest.mark.parametrize("text", ["", "  \n ", ", ,", "name\n,", "x" * 200])
def test_what_names_nobody_is_refused_in_words(text: str) -> None:
    with pytest.raises(InputError):
        parse_judges(text)


@pytest.mark.parametrize("kind", [JudgeKind.MODEL, JudgeKind.METRIC, JudgeKind.ADJUDICATED])
def test_what_is_no_person_has_no_identity_to_erase(store: Store, kind: JudgeKind) -> None:
    """Under a pseudonym nobody would know which model it was, and run once more it would be there twice."""
    opened(store, judges=[Judge("ana"), Judge("gpt", kind)])
    for leave in (campaign.erase, campaign.withdraw):
        with pytest.raises(CampaignError, match="gpt is no person") as caught:
            leave(store, "first", "gpt")
        assert caught.value.code == "no_person"
    with pytest.raises(CampaignError, match="gpt is no person"):
        campaign.replace_judge(store, "first", "gpt", Judge("bo"))
    assert [(entry.judge.id, entry.revoked_at) for entry in campaign.participants(store, "first")] == [
        ("ana", None),
        ("gpt", None),
    ]
