from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign import adjudication
from lanner.campaign.accounts import SCOPES, issue
from lanner.campaign.people import messages_in
from lanner.errors import AnswerError
from lanner.model import Item, Role, Task
from lanner.store import Store
from lanner.web import access, speech
from lanner.web.judging.handlers import answered_at, refusal_text
from lanner.web.judging.page import task_view
from lanner.web.judging.practice import practice_of
from lanner.web.middleware import Throttle
from web_clients import SYSTEMS, another, complete, documents, enter, open_campaign, save, token_in


@pytest.fixture
def secrets(client: TestClient, store: Store) -> dict[str, str]:
    return open_campaign(store)


@pytest.fixture
def tasks(client: TestClient, secrets: dict[str, str]) -> list[int]:
    """The first judge's tasks, with the judge at the door."""
    return enter(client, secrets["J1"])


def test_a_link_becomes_a_session_and_leaves_the_address_bar(client: TestClient, secrets: dict[str, str]) -> None:
    answer = client.get(f"/j/{secrets['J1']}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/work")
    assert secrets["J1"] not in answer.headers["set-cookie"]
    assert client.get("/work").status_code == 200


def test_a_made_up_link_opens_nothing_and_trying_is_slowed_down(client: TestClient, secrets: dict[str, str]) -> None:
    client.app.state.site.addresses.burst = 3
    codes = [client.get(f"/j/{'x' * 32}{number}").status_code for number in range(5)]
    assert codes == [404, 404, 404, 429, 429]


def test_each_opening_makes_a_new_token(client: TestClient, secrets: dict[str, str]) -> None:
    seen = set()
    for _ in range(3):
        client.get(f"/j/{secrets['J1']}")
        (cookie,) = client.cookies.values()
        seen.add(cookie)
    assert len(seen) == 3


def test_links_opened_at_the_same_moment_are_both_kept(
    client: TestClient, store: Store, secrets: dict[str, str]
) -> None:
    """Neither request has the other's cookie: the browser has both afterwards, and each page saves as its judge."""
    replies = [another(client).get(f"/j/{secrets[judge]}", follow_redirects=False) for judge in ("J1", "J2")]
    for reply in replies:
        client.cookies.update(reply.cookies)
    for judge in ("J1", "J2"):
        task = campaign.tasks(store, "trial", judge)[0].id
        assert client.get(f"/task/{task}").status_code == 200
    assert client.get("/work").text.count('class="assignment"') == 2
    client.cookies.delete(access.judge_cookie(campaign.participants(store, "trial")[0].number))
    assert client.get(f"/task/{campaign.tasks(store, 'trial', 'J1')[0].id}").status_code == 404, "as nobody else"


def test_what_a_judge_had_from_a_pool_is_open_to_the_next_one_when_they_withdraw(
    client: TestClient, store: Store
) -> None:
    secrets = open_campaign(store, protocol="da", design="pool")
    task = enter(client, secrets["J1"])[0]
    assert client.get(f"/task/{task}").status_code == 200
    campaign.withdraw(store, "trial", "J1")
    client.cookies.clear()
    assert enter(client, secrets["J2"]) == [task]
    assert client.get(f"/task/{task}").status_code == 200


def test_of_many_links_in_one_browser_the_oldest_go(client: TestClient, store: Store) -> None:
    for number in range(8):
        open_campaign(store, f"round {number}")
        client.get(f"/j/{campaign.invitations.issue(store, f'round {number}', 'J1')}")
    assert len(client.cookies) == 6


def test_an_open_page_learns_that_its_link_was_replaced(client: TestClient, store: Store, tasks: list[int]) -> None:
    json_wanted = {"accept": "application/json"}
    assert client.get(f"/task/{tasks[0]}/session", headers=json_wanted).json() == {"open": True}
    campaign.invitations.issue(store, "trial", "J1")
    client.app.state.site.sessions.forget()
    reply = client.get(f"/task/{tasks[0]}/session", headers=json_wanted)
    assert reply.status_code == 401 and reply.json()["message"]


def test_a_revoked_link_ends_its_sessions(client: TestClient, store: Store, secrets: dict[str, str]) -> None:
    enter(client, secrets["J1"])
    campaign.invitations.revoke(store, "trial", "J1")
    assert client.get("/work").status_code == 401
    assert client.get(f"/j/{secrets['J1']}").status_code == 404


@pytest.mark.parametrize("leave", [campaign.invitations.revoke, campaign.withdraw])
def test_a_link_that_another_process_revoked_shows_and_changes_nothing_from_then_on(
    client: TestClient, store: Store, tasks: list[int], leave: Callable[[Store, str, str], object]
) -> None:
    """This server remembers the session for some seconds more."""
    task = tasks[0]
    assert save(client, task, 0, complete()).status_code == 200
    leave(store, "trial", "J1")
    before = [(event.kind, event.detail) for event in campaign.events(store, "trial")]
    assert client.get(f"/task/{task}/answers").status_code == 200, "the session is remembered"
    assert [client.get(address).status_code for address in (f"/task/{task}", f"/task/{task}/practice")] == [401] * 2
    ours = {"sec-fetch-site": "same-origin", "accept": "application/json"}
    answers = [save(client, task, 1, complete()), client.get("/work", headers=ours)]
    answers += [client.post(f"/task/{task}/{what}", json={}, headers=ours) for what in ("message", "practice")]
    answers += [client.post(f"/task/{task}/{what}", data={}, headers=ours) for what in ("form", "finish", "reopen")]
    assert [answer.status_code for answer in answers] == [401] * 7
    assert {(answer.judge, answer.segment) for answer in campaign.history(store, "trial")} <= {("J1", "0")}
    assert [(event.kind, event.detail) for event in campaign.events(store, "trial")] == before


def test_one_browser_works_for_two_campaigns(client: TestClient, store: Store, secrets: dict[str, str]) -> None:
    first = enter(client, secrets["J1"])
    other = open_campaign(store, "second")
    enter(client, other["J2"])
    second = [task.id for task in campaign.tasks(store, "second", "J2")]
    for task in (first[0], second[0]):
        assert client.get(f"/task/{task}").status_code == 200
        assert save(client, task, 0, {"sentence": 2}).status_code == 200


def test_the_page_has_the_texts_and_no_system_name(client: TestClient, tasks: list[int]) -> None:
    home, page = client.get("/work").text, client.get(f"/task/{tasks[0]}").text
    assert "Title" in home
    assert "Source" in page
    assert "Text" in page
    for text in (home, page):
        assert not [name for name in SYSTEMS if name in text]
        assert "J2" not in text


def test_a_save_is_on_disk_and_says_what_is_missing(client: TestClient, store: Store, tasks: list[int]) -> None:
    answer = save(client, tasks[0], 1, {"sentence": 3, "holistic": 7}, elapsed=20.5, active=12)
    told = answer.json()
    assert answer.status_code == 200
    assert told["missing"] == ["skills"]
    assert told["conflicts"] == []
    assert datetime.fromisoformat(told["received_at"]).tzinfo
    stored = {judgement.question: judgement for judgement in campaign.judgements(store, "trial")}
    assert stored["holistic"].value == 7
    assert stored["holistic"].id == told["saved"]["holistic"]
    assert (stored["holistic"].elapsed_seconds, stored["holistic"].active_seconds) == (20.5, 12)


def test_sent_twice_stored_once(client: TestClient, store: Store, tasks: list[int]) -> None:
    body = {"submission": "the-same-one", "item": 0, "answers": {"sentence": 3}}
    answers = [client.post(f"/task/{tasks[0]}/answers", json=body).json()["saved"] for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(campaign.history(store, "trial")) == 1


def test_two_tabs_are_told_of_each_other(client: TestClient, tasks: list[int]) -> None:
    first = save(client, tasks[0], 0, {"sentence": 3}, base={"sentence": None}).json()
    told = save(client, tasks[0], 0, {"sentence": 1}, base={"sentence": None}).json()
    assert told["conflicts"] == [{"question": "sentence", "id": first["saved"]["sentence"], "value": 3}]
    again = save(client, tasks[0], 0, {"sentence": 2}, base={"sentence": told["saved"]["sentence"]}).json()
    assert again["conflicts"] == []


def test_answers_come_back(client: TestClient, tasks: list[int]) -> None:
    saved = save(client, tasks[0], 1, {"sentence": 3, "comment": "hm"}).json()["saved"]
    told = client.get(f"/task/{tasks[0]}/answers").json()
    assert told["finished"] is False
    assert told["items"][0] == {}
    assert told["items"][1]["comment"] == {"id": saved["comment"], "value": "hm"}


def test_a_wrong_answer_is_named(client: TestClient, store: Store, tasks: list[int]) -> None:
    answer = save(client, tasks[0], 0, {"sentence": 9})
    assert answer.status_code == 422
    error = answer.json()["errors"][0]
    assert (error["question"], error["code"]) == ("sentence", "out_of_range")
    assert "between 1 and 4" in error["message"]
    assert not campaign.history(store, "trial")


@pytest.mark.parametrize("language", sorted(set(speech.available()) - {speech.FALLBACK}))
def test_a_wrong_answer_is_named_in_the_judges_language(client: TestClient, tasks: list[int], language: str) -> None:
    client.headers["accept-language"] = language
    [error] = save(client, tasks[0], 0, {"sentence": 9}).json()["errors"]
    assert error["message"] == speech.Messages(language).get("refusal.out_of_range")
    assert error["message"] != speech.Messages().get("refusal.out_of_range")


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        "[]",
        "{}",
        '{"submission": "12345678", "item": 0}',
        '{"submission": "12345678", "item": 0, "answers": []}',
        '{"submission": "12345678", "item": "0", "answers": {"sentence": 1}}',
        '{"submission": "12345678", "item": true, "answers": {"sentence": 1}}',
        '{"submission": "short", "item": 0, "answers": {"sentence": 1}}',
        '{"submission": "12345678", "item": 0, "answers": {"sentence": 1}, "base": {"sentence": "1"}}',
        '{"submission": "12345678", "item": 0, "answers": ' + "[" * 5000 + "]" * 5000 + "}",
    ],
)
def test_nonsense_is_a_bad_request(client: TestClient, tasks: list[int], body: str) -> None:
    answer = client.post(f"/task/{tasks[0]}/answers", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["message"]


@pytest.mark.parametrize("extra", [{"elapsed": -1}, {"active": "long"}, {"elapsed": 1e99}, {"answered_at": "never"}])
def test_an_odd_time_does_not_cost_the_answer(client: TestClient, tasks: list[int], extra: dict[str, object]) -> None:
    assert save(client, tasks[0], 0, {"sentence": 1}, **extra).status_code == 200


def test_only_json_and_not_too_much_of_it(client: TestClient, tasks: list[int]) -> None:
    assert client.post(f"/task/{tasks[0]}/answers", data={"item": "0"}).status_code == 415
    assert save(client, tasks[0], 0, {"comment": "x" * 300_000}).status_code == 413


def test_another_site_cannot_save(client: TestClient, store: Store, tasks: list[int]) -> None:
    body = {"submission": "12345678", "item": 0, "answers": {"sentence": 1}}
    evil = {"sec-fetch-site": "cross-site"}
    assert client.post(f"/task/{tasks[0]}/answers", json=body, headers=evil).status_code == 403
    assert not campaign.history(store, "trial")


def test_items_and_questions_that_are_not_there(client: TestClient, tasks: list[int]) -> None:
    assert save(client, tasks[0], 99, {"sentence": 1}).status_code == 422
    told = save(client, tasks[0], 0, {"sentense": 1})
    assert told.status_code == 422
    assert "sentence" in told.json()["errors"][0]["message"]


def test_other_peoples_tasks_do_not_exist(client: TestClient, store: Store, secrets: dict[str, str]) -> None:
    enter(client, secrets["J1"])
    theirs = campaign.tasks(store, "trial", "J2")[0].id
    for number in (theirs, 99_999):
        assert client.get(f"/task/{number}").status_code == 404
        assert save(client, number, 0, {"sentence": 1}).status_code == 401
        asked = client.get(f"/task/{number}/answers", headers={"accept": "application/json"})
        assert asked.status_code == 401
    assert not campaign.history(store, "trial")


def test_nobody_is_told_to_open_the_link_again(client: TestClient, store: Store, secrets: dict[str, str]) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    assert save(client, task, 0, {"sentence": 1}).status_code == 401
    page = client.get(f"/task/{task}")
    assert page.status_code == 401
    assert "link" in page.text


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_campaign_that_does_not_run_takes_nothing(
    client: TestClient, store: Store, tasks: list[int], state: str
) -> None:
    {"paused": campaign.pause, "closed": campaign.close}[state](store, "trial")
    answer = save(client, tasks[0], 0, {"sentence": 1})
    assert answer.status_code == 409
    assert answer.json()["reason"] == state
    assert (
        answer.json()["message"]
        == {
            "paused": "This work is paused. Nothing is lost; come back later.",
            "closed": "This work is closed.",
        }[state]
    )
    client.headers["accept-language"] = "ko"
    korean = save(client, tasks[0], 0, {"sentence": 1}).json()
    assert korean["reason"] == state and re.search("[가-힣]", korean["message"])
    assert not re.search("[A-Za-z]", korean["message"] + korean["next"])
    assert client.get(f"/task/{tasks[0]}").status_code == 200


def test_finishing_says_what_is_missing_and_then_closes_the_task(client: TestClient, tasks: list[int]) -> None:
    head = {"accept": "application/json", "sec-fetch-site": "same-origin"}
    for item in range(2):
        save(client, tasks[0], item, complete())
    early = client.post(f"/task/{tasks[0]}/finish", headers=head)
    assert early.status_code == 422
    assert early.json()["missing"] == [{"item": 2, "questions": ["skills", "sentence", "holistic"]}]
    save(client, tasks[0], 2, complete())
    assert client.post(f"/task/{tasks[0]}/finish", headers=head).status_code == 200
    late = save(client, tasks[0], 0, {"sentence": 1})
    assert (late.status_code, late.json()["reason"]) == (409, "finished")
    assert client.get(f"/task/{tasks[0]}/answers").json()["finished"] is True


def test_everything_works_without_a_script(client: TestClient, store: Store, tasks: list[int]) -> None:
    number = tasks[0]
    for item in range(3):
        token = token_in(client.get(f"/task/{number}?row={item + 1}").text)
        fields = {f"skills.{row}": rated for row, rated in complete()["skills"].items()}
        given = {"token": token, "item": str(item), "row": str(item + 1), "sentence": "4", "holistic": "8", **fields}
        answer = client.post(f"/task/{number}/form", data=given)
        assert answer.headers["location"] == f"/task/{number}?row={item + 2}"
    assert client.post(f"/task/{number}/finish", data={"token": token}).headers["location"] == "/work"
    assert campaign.task(store, number).finished_at is not None
    assert len(campaign.judgements(store, "trial")) == 9


def test_a_form_sent_twice_is_stored_once_and_a_changed_one_is_new(
    client: TestClient, store: Store, tasks: list[int]
) -> None:
    page = client.get(f"/task/{tasks[0]}").text
    hidden = re.search(r'name="submission" value="([^"]+)"', page)
    assert hidden
    given = {
        "token": token_in(page),
        "submission": hidden[1],
        "item": "0",
        "row": "1",
        "sentence": "4",
        "holistic": "8",
    }
    for _ in range(2):
        assert client.post(f"/task/{tasks[0]}/form", data=given).status_code == 303
    assert [row.value for row in campaign.history(store, "trial")] == [4, 8]
    assert client.post(f"/task/{tasks[0]}/form", data={**given, "sentence": "2"}).status_code == 303
    assert {row.question: row.value for row in campaign.judgements(store, "trial")} == {"sentence": 2, "holistic": 8}


def test_too_many_saves_of_one_judge_wait_and_others_do_not(client: TestClient, store: Store, tasks: list[int]) -> None:
    client.app.state.site.savers = Throttle(burst=2, seconds=1000)
    codes = [save(client, tasks[0], 0, {"sentence": 1 + n}).status_code for n in range(3)]
    assert codes == [200, 200, 429]
    assert int(save(client, tasks[0], 0, {"sentence": 1}).headers["retry-after"]) > 1
    second = another(client)
    other = enter(second, campaign.invitations.issue(store, "trial", "J2"))
    assert save(second, other[0], 0, {"sentence": 1}).status_code == 200


def test_the_form_needs_its_token(client: TestClient, store: Store, tasks: list[int]) -> None:
    assert client.post(f"/task/{tasks[0]}/form", data={"item": "0", "sentence": "4"}).status_code == 403
    assert client.post(f"/task/{tasks[0]}/finish", data={"token": "x"}).status_code == 403
    assert not campaign.history(store, "trial")


def test_a_wrong_field_of_a_form_is_said_in_words(client: TestClient, tasks: list[int]) -> None:
    token = token_in(client.get(f"/task/{tasks[0]}").text)
    answer = client.post(f"/task/{tasks[0]}/form", data={"token": token, "item": "0", "sentence": "9"})
    assert answer.status_code == 422
    assert "between 1 and 4" in answer.text


def test_the_language_is_remembered(client: TestClient, tasks: list[int]) -> None:
    client.get("/work?language=en")
    assert client.cookies["lanner_language"] == "en"
    client.get("/work?language=<script>")
    assert client.cookies["lanner_language"] == "en"


def test_hostile_texts_are_shown_and_not_run(client: TestClient, store: Store) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    texts = documents(1)
    hostile = [
        type(texts[0])(
            id=f"d{evil}",
            title=evil,
            domain=evil,
            note=evil,
            text_type=evil,
            source_language=f'en"><script>{evil}',
            target_language="ko",
            segments=tuple(type(s)(id=s.id, source=evil, outputs={"a": evil}) for s in texts[0].segments),
        )
    ]
    secrets = open_campaign(store, "evil", documents=hostile)
    tasks = enter(client, secrets["J1"])
    save(client, tasks[0], 0, {"comment": evil})
    for path in ("/work", f"/task/{tasks[0]}"):
        text = client.get(path).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_a_tutorial_item_is_explained_after_its_answer_and_not_before(
    client: TestClient, store: Store, secrets: dict[str, str]
) -> None:
    expected = {"holistic": {"at_least": 5, "explanation": "Each word is kept here."}}
    item = Item("doc0", "1", (SYSTEMS[0],), Role.TUTORIAL, expected=expected)
    campaign.assign(store, "trial", [Task(0, "J1", "rating", (item,))])
    tasks = enter(client, secrets["J1"])
    assert "Each word is kept" not in client.get(f"/task/{tasks[-1]}").text
    assert "feedback" not in save(client, tasks[-1], 0, {"holistic": 3}).json()
    verdict = save(client, tasks[-1], 0, complete()).json()["feedback"]
    assert (verdict["right"], verdict["explanation"]) == (True, "Each word is kept here.")
    assert "Each word is kept" in client.get(f"/task/{tasks[-1]}").text
    verdict = save(client, tasks[-1], 0, {"holistic": 4}).json()["feedback"]
    assert (verdict["right"], verdict["lines"][0]["expected"]) == (False, "≥ 5")


def test_a_message_to_the_organiser_is_kept_and_nonsense_refused(
    client: TestClient, store: Store, tasks: list[int]
) -> None:
    head = {"accept": "application/json", "sec-fetch-site": "same-origin"}

    def post(task: int, body: object) -> int:
        return client.post(f"/task/{task}/message", json=body, headers=head).status_code

    assert post(tasks[0], {"text": "<b>Page 2</b> is missing."}) == 200
    assert [post(tasks[0], body) for body in ({"text": 3}, {}, [])] == [400, 400, 400]
    assert post(tasks[0], {"text": "  "}) == 422
    assert post(9999, {"text": "Hello"}) == 401
    assert [message.text for message in messages_in(campaign.events(store, "trial"))] == ["<b>Page 2</b> is missing."]


def test_the_first_start_leads_to_practice_and_no_later_one(client: TestClient, tasks: list[int]) -> None:
    assert f'href="/task/{tasks[0]}/practice"' in client.get("/work").text
    page = client.get(f"/task/{tasks[0]}/practice")
    assert page.status_code == 200 and "Try the first sentence" in page.text
    assert '<p class="source" lang="en" dir="ltr">' in page.text, "an example is written as its language is"
    assert "/practice" not in client.get("/work").text
    assert "Try the first sentence" in client.get(f"/task/{tasks[0]}/practice").text, "it can be opened again"


def test_whoever_has_opened_the_page_is_not_led_to_practice(client: TestClient, tasks: list[int]) -> None:
    client.get(f"/task/{tasks[1]}")
    assert "/practice" not in client.get("/work").text


def test_a_judge_who_has_answered_is_not_led_to_practice_on_another_device(
    client: TestClient, store: Store, secrets: dict[str, str], tasks: list[int]
) -> None:
    save(client, tasks[0], 0, complete())
    other = another(client)
    enter(other, secrets["J1"])
    assert "/practice" not in other.get("/work").text


def test_a_campaign_can_turn_practice_off(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store, "plain", settings={"practice": False})
    enter(client, secrets["J1"])
    assert "/practice" not in client.get("/work").text


def test_practice_says_right_or_wrong_and_stores_nothing(client: TestClient, store: Store, tasks: list[int]) -> None:
    def answer(skill: str) -> dict[str, object]:
        body = {"item": 0, "answers": {"skills": {**complete()["skills"], "information_density": skill}}}
        head = {"accept": "application/json", "sec-fetch-site": "same-origin"}
        reply = client.post(f"/task/{tasks[0]}/practice", json=body, headers=head)
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    assert answer("high")["right"] is True
    wrong = answer("low")
    assert wrong["right"] is False and wrong["explanation"]
    assert not list(campaign.judgements(store, "trial"))


def test_answers_that_make_no_sense_are_refused_in_practice(client: TestClient, tasks: list[int]) -> None:
    head = {"accept": "application/json", "sec-fetch-site": "same-origin"}

    def post(body: object) -> int:
        return client.post(f"/task/{tasks[0]}/practice", json=body, headers=head).status_code

    assert post([]) == 400
    assert post({"item": "0", "answers": {}}) == 400
    assert post({"item": 999, "answers": {}}) == 422
    assert post({"item": 0, "answers": {"nonsense": 1}}) == 422
    assert post({"item": 0, "answers": {"holistic": 99}}) == 422


def test_consent_is_kept_with_its_version_and_opens_the_rest(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store, "asked", settings={"before": ["consent"]})
    client.get(f"/j/{secrets['J1']}")
    tasks = [task.id for task in campaign.tasks(store, "asked", "J1")]
    refused = save(client, tasks[1], 0, {"sentence": 1})
    assert (refused.status_code, refused.json()["reason"]) == (409, "gate")
    for address in (f"/task/{tasks[1]}", f"/task/{tasks[1]}/practice"):
        closed = client.get(address, follow_redirects=False)
        assert (closed.status_code, closed.headers["location"]) == (303, f"/task/{tasks[0]}")
    head = {"accept": "application/json", "sec-fetch-site": "same-origin"}
    checked = client.post(f"/task/{tasks[1]}/practice", json={"item": 0, "answers": {}}, headers=head)
    assert checked.status_code == 404
    home = client.get("/work").text
    assert f"/task/{tasks[0]}" in home
    assert not any(f"/task/{task}" in home or "Title" in home for task in tasks[1:]), "nothing is named before consent"
    assert client.get(f"/task/{tasks[0]}", follow_redirects=False).status_code == 200
    save(client, tasks[0], 0, {"consent": "decline"})
    assert client.get(f"/task/{tasks[1]}", follow_redirects=False).status_code == 303
    assert f"/task/{tasks[1]}" not in client.get("/work").text
    saved = save(client, tasks[0], 0, {"consent": "agree"}).json()
    assert saved["missing"] == []
    assert client.get(f"/task/{tasks[1]}", follow_redirects=False).status_code == 200
    assert f"/task/{tasks[1]}" in client.get("/work").text
    assert client.post(f"/task/{tasks[0]}/finish", headers=head).status_code == 200
    participant = campaign.participants(store, "asked")[0]
    assert participant.consent.endswith(campaign.protocol(store, "asked").hash) and participant.consented_at
    assert save(client, tasks[1], 0, {"sentence": 1}).status_code == 200


def practice_data(page: str) -> dict[str, Any]:
    """What the script of a practice page reads."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])["practice"]
    return data


def practise(client: TestClient, store: Store, task: int, *, right: bool) -> list[Any]:
    """A whole round of practice; the feedback on each item."""
    shown = practice_data(client.get(f"/task/{task}/practice").text)
    view = task_view(store, task)
    assert view is not None
    lesson = practice_of(view.protocol, view.task.page, ("en", "ko"), "en", turn=shown["turn"])
    assert lesson is not None
    head = {"sec-fetch-site": "same-origin"}
    replies = []
    for number, item in enumerate(lesson.task.items):
        reference = {name: rule["is"] for name, rule in item.expected.items() if name and "is" in rule}
        body = {"item": number, "answers": reference if right else {}, "turn": shown["turn"]}
        replies.append(client.post(f"/task/{task}/practice", json=body, headers=head).json())
    return replies


def test_what_is_asked_about_earlier_answers_opens_after_them(client: TestClient, store: Store) -> None:
    """Opened before the skills were chosen, the page of their ratings called everything answered, and finishing led
    back to it without a word."""
    secrets = open_campaign(store, "two steps", protocol="falcon", judges=1)
    client.get(f"/j/{secrets['J1']}")
    tasks = campaign.tasks(store, "two steps", "J1")
    rating = next(task for task in tasks if task.page == "rating")
    texts = {item.document for item in rating.items}
    label = next(task for task in tasks if task.page == "label" and texts & {item.document for item in task.items})
    place = client.get(f"/task/{rating.id}").headers["location"]
    assert place == f"/task/{label.id}?first=1"
    assert "Answer this first" in client.get(place).text, "the page says why it is here"
    assert "Answer this first" not in client.get(f"/task/{label.id}").text
    for item in range(len(label.items)):
        campaign.submit(store, label.id, item, complete("falcon_labels"), submission=f"label {item}")
    assert client.get(f"/task/{rating.id}").status_code == 200
    assert client.get(f"/task/{label.id}").status_code == 200


def test_texts_open_once_a_round_of_practice_agrees_with_the_reference(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store, "practised", protocol="falcon_labels", settings={"practice_agreement": 0.8})
    client.get(f"/j/{secrets['J1']}")
    task = campaign.tasks(store, "practised", "J1")[0].id
    assert f"/task/{task}/practice" in client.get("/work").text
    assert client.get(f"/task/{task}").headers["location"] == f"/task/{task}/practice"
    page = client.get(f"/task/{task}/practice").text
    assert "80 %" in page
    assert "Skip the practice" not in page
    missed = practise(client, store, task, right=False)
    assert ["round" in reply for reply in missed] == [False] * (len(missed) - 1) + [True]
    assert missed[-1]["round"]["reached"] is False and missed[-1]["round"]["right"] == 0
    assert client.get(f"/task/{task}").status_code == 303, "it is not enough yet"
    assert practice_data(client.get(f"/task/{task}/practice").text)["turn"] == 1
    reached = practise(client, store, task, right=True)
    assert reached[-1]["round"]["reached"] is True
    assert client.get(f"/task/{task}").status_code == 200
    kept = [event.detail for event in campaign.events(store, "practised") if event.kind == "practised"]
    assert [entry["right"] for entry in kept] == [0, kept[1]["answers"]]
    other = another(client)
    other.get(f"/j/{secrets['J2']}")
    theirs = campaign.tasks(store, "practised", "J2")[0].id
    assert other.get(f"/task/{theirs}").status_code == 303, "everyone practises for themselves"
    campaign.withdraw(store, "practised", "J1")
    assert not [event for event in campaign.events(store, "practised") if event.kind == "practised"]


def test_no_way_in_takes_answers_before_the_practice_was_enough(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store, "practised", protocol="falcon_labels", settings={"practice_agreement": 0.8})
    client.get(f"/j/{secrets['J1']}")
    task = campaign.tasks(store, "practised", "J1")[0].id
    token = token_in(client.get(f"/task/{task}/practice").text)
    head = {"accept": "application/json", "sec-fetch-site": "same-origin"}
    program = another(client)
    program.headers["authorization"] = f"Bearer {issue(store, 'test', SCOPES)[1]}"
    answers = complete("falcon_labels")

    def by_program() -> Any:
        body = {"submission": "from-a-program", "task": task, "item": 1, "answers": answers}
        return program.post("/api/v1/campaigns/practised/judgements", json=body)

    for refused in (save(client, task, 0, answers), by_program(), client.post(f"/task/{task}/finish", headers=head)):
        assert refused.status_code == 409 and re.search("80 ?%", refused.json()["message"] + refused.json()["next"])
    by_form = client.post(f"/task/{task}/form", data={"token": token, "item": "0", "row": "1", "context": "local"})
    assert by_form.headers["location"] == f"/task/{task}/practice"
    assert not campaign.history(store, "practised")
    practise(client, store, task, right=True)
    assert save(client, task, 0, answers).status_code == 200
    assert by_program().status_code == 200
    again = client.post(f"/task/{task}/form", data={"token": token, "item": "2", "row": "3", "context": "local"})
    assert again.headers["location"] == f"/task/{task}?row=4"


def test_answers_that_were_explained_do_not_count_as_practice(client: TestClient, store: Store) -> None:
    """A round is judged by first answers, also where the page is loaded again, and never by the examples of before."""
    secrets = open_campaign(store, "practised", protocol="falcon_labels", settings={"practice_agreement": 0.8})
    client.get(f"/j/{secrets['J1']}")
    task = campaign.tasks(store, "practised", "J1")[0].id
    head = {"sec-fetch-site": "same-origin"}
    client.post(f"/task/{task}/practice", json={"item": 0, "answers": {}, "turn": 0}, headers=head)
    [result] = [reply["round"] for reply in practise(client, store, task, right=True) if "round" in reply]
    assert 0 < result["answers"] - result["right"] <= 3, "the first item was wrong the first time"
    client.post(f"/task/{task}/practice", json={"item": 0, "answers": {}, "turn": 0}, headers=head)
    events = [event for event in campaign.events(store, "practised") if event.kind == "practised"]
    assert len(events) == 1
    view = task_view(store, task)
    assert view is not None
    lesson = practice_of(view.protocol, view.task.page, ("en", "ko"), "en", turn=0)
    assert lesson is not None
    for number in range(len(lesson.task.items)):
        old = {"item": number, "answers": {}, "turn": 0}
        assert "round" not in client.post(f"/task/{task}/practice", json=old, headers=head).json()


def test_a_judge_practises_in_the_context_that_is_judged_and_once(client: TestClient, store: Store) -> None:
    settings = {"contexts": ["none", "source±1"], "practice_agreement": 0.8}
    secrets = open_campaign(store, "factor", "falcon_labels", design="latin_square", settings=settings)
    client.get(f"/j/{secrets['J1']}")
    tasks = campaign.tasks(store, "factor", "J1")
    assert len({task.page for task in tasks}) == 2
    for task in tasks:
        assert client.get(f"/task/{task.id}").headers["location"] == f"/task/{task.id}/practice"
    practise(client, store, tasks[0].id, right=True)
    assert {client.get(f"/task/{task.id}").status_code for task in tasks} == {200}
    with_tutorial = open_campaign(store, "offered", design="latin_square", settings={"contexts": ["none", "source±1"]})
    other = another(client)
    other.get(f"/j/{with_tutorial['J1']}")
    first = campaign.tasks(store, "offered", "J1")[0].id
    assert f"/task/{first}/practice" in other.get("/work").text
    page = other.get(f"/task/{first}/practice").text
    assert "Skip the practice" in page and 'id="explanation"' in page


def test_finishing_names_the_next_task_and_can_be_taken_back(
    client: TestClient, store: Store, secrets: dict[str, str]
) -> None:
    first, second, *_ = enter(client, secrets["J1"])
    for item in range(len(campaign.task(store, first).items)):
        save(client, first, item, complete())
    head = {"accept": "application/json", "sec-fetch-site": "same-origin"}
    assert client.post(f"/task/{first}/finish", headers=head).json()["next"] == second
    assert client.post(f"/task/{first}/reopen", headers=head).json() == {"reopened": True}
    assert campaign.task(store, first).finished_at is None
    client.post(f"/task/{first}/finish", headers=head)
    client.cookies.clear()
    assert client.post(f"/task/{first}/reopen", headers=head).status_code == 401
    assert campaign.task(store, first).finished_at is not None


NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("answered", "sent", "found"),
    [
        ("2026-11-15T11:59:00Z", "2026-11-15T12:00:00Z", NOW - timedelta(minutes=1)),
        ("2020-01-01T00:00:00Z", "2020-01-01T01:00:00Z", NOW - timedelta(hours=1)),
        ("2031-01-01T00:00:00Z", "2031-01-01T00:00:05Z", NOW - timedelta(seconds=5)),
        ("2031-01-01T00:00:00Z", None, NOW),
        ("2026-11-15T11:00:00Z", None, NOW - timedelta(hours=1)),
        ("2026-11-15T11:00:00", "2026-11-15T12:00:00", NOW - timedelta(hours=1)),
        (None, None, NOW),
        ("soon", "now", NOW),
        ("0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z", NOW),
        ("0001-01-01T00:00:00+14:00", None, NOW),
        (None, "9999-12-31T23:59:59-14:00", NOW),
    ],
)
def test_a_wrong_clock_is_put_right(answered: object, sent: object, found: datetime) -> None:
    assert answered_at(answered, sent, NOW) == found


@pytest.mark.parametrize(
    ("answered", "sent", "ahead", "found"),
    [
        ("2026-11-15T11:50:00Z", "2026-11-16T12:00:00Z", 0, NOW - timedelta(minutes=10)),  # set a day forward meanwhile
        ("2026-11-15T11:50:00Z", "2026-11-14T12:00:00Z", 0, NOW - timedelta(minutes=10)),  # set a day back
        ("2026-11-15T13:50:00Z", "2026-11-15T12:00:00Z", 7_200_000, NOW - timedelta(minutes=10)),  # put right meanwhile
        ("2026-11-15T11:50:00Z", "2026-11-15T12:00:00Z", -3_600_000, NOW),  # never from the future
        ("2026-11-15T11:50:00Z", "2026-11-15T12:00:00Z", "much", NOW - timedelta(minutes=10)),
        ("2026-11-15T11:50:00Z", "2026-11-15T12:00:00Z", True, NOW - timedelta(minutes=10)),
        ("2026-11-15T11:50:00Z", "2026-11-15T12:00:00Z", float("nan"), NOW),
        ("2026-11-15T11:50:00Z", "2026-11-15T12:00:00Z", 1e300, NOW),
    ],
)
def test_a_clock_that_is_set_before_the_answer_is_sent_changes_no_time(
    answered: str, sent: str, ahead: object, found: datetime
) -> None:
    assert answered_at(answered, sent, NOW, ahead) == found


def test_a_guideline_note_reaches_the_judges_with_the_protocols_own_words(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store)
    task = enter(client, secrets["J1"])[0]
    assert "acronym" not in client.get(f"/task/{task}").text
    adjudication.add(store, 1, "An acronym <b> is local.", account=None, at=datetime.now(UTC))
    page = client.get(f"/task/{task}").text
    assert "An acronym &lt;b&gt; is local." in page
    assert "Read the document first" in page


def test_a_finished_task_is_opened_again_from_the_list_until_all_is_submitted(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store, "revising", settings={"revision": "until_submitted"})
    tasks = enter(client, secrets["J1"])
    head = {"accept": "application/json", "sec-fetch-site": "same-origin"}
    for place in range(len(campaign.task(store, tasks[0]).items)):
        save(client, tasks[0], place, complete())
    assert client.post(f"/task/{tasks[0]}/finish", headers=head).status_code == 200
    page = client.get("/work").text
    assert f'action="/task/{tasks[0]}/reopen"' in page
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token is not None
    answer = client.post(f"/task/{tasks[0]}/reopen", data={"token": token[1]}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/task/{tasks[0]}")
    assert campaign.task(store, tasks[0]).finished_at is None


def shown_texts(page: str) -> tuple[set[str], set[str]]:
    """Sources and translations that a page holds in sight."""
    root = html.fromstring(page)
    cells = root.xpath('//section[contains(@class, "block") and not(@hidden)]//*[@data-side]')
    texts: dict[str, set[str]] = {"source": set(), "target": set()}
    for cell in cells:
        if text := cell.text_content().strip():
            texts[cell.get("data-side")].add(text)
    return texts["source"], texts["target"]


def test_a_judge_sees_just_what_the_context_shows_and_the_judgement_says_which(
    client: TestClient, store: Store
) -> None:
    secrets = open_campaign(
        store, "factor", design="latin_square", judges=2, settings={"contexts": ["none", "source±1"]}
    )
    client.get(f"/j/{secrets['J1']}")
    seen: dict[str, tuple[set[str], set[str]]] = {}
    for task in campaign.tasks(store, "factor", "J1"):
        place = next(n for n, item in enumerate(task.items) if item.segment == "1")
        item = task.items[place]
        rows = 1 if task.page.endswith("none") else 3
        before = sum(_rows(entry, rows) for entry in task.items[:place])
        page = client.get(f"/task/{task.id}?row={before + rows // 2 + 1}")
        seen[task.page.partition("_")[2]] = shown_texts(page.text)
        number = item.document[-1]
        assert shown_texts(page.text)[1] == {f"Text {number}.1 by {SYSTEMS.index(item.systems[0])}"}
        assert save(client, task.id, place, _suffixed(complete(), task.page)).status_code == 200
    assert [len(sources) for sources, _ in seen.values()] == [1 if "none" in name else 3 for name in seen]
    stages = {judgement.stage for judgement in campaign.judgements(store, "factor")}
    assert len(stages) == 2 and any(stage.endswith("_none") for stage in stages)


def _rows(item: Item, whole: int) -> int:
    """How many rows a sentence is shown with: the first and the last of three have one neighbour."""
    return whole if whole == 1 or item.segment == "1" else 2


def _suffixed(answers: dict[str, Any], page: str) -> dict[str, Any]:
    ending = page.partition("_")[2] if page.endswith("none") else "source_1"
    return {f"{name}_{ending}": value for name, value in answers.items()}


LIBRARY = Path(campaign.__file__).parent.parent
WHAT_JUDGES_MEET = [
    *(LIBRARY / "protocols" / "kinds").glob("*.py"),
    *(LIBRARY / "campaign" / f"{name}.py" for name in ("submit", "tasks", "questions")),
]


def refused_codes() -> set[str]:
    """The codes of all refusals in the modules that take a judge's answers."""
    codes = set()
    for path in WHAT_JUDGES_MEET:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            named = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
            if isinstance(call.func, ast.Attribute) and call.func.attr in ("violation", "error"):
                named += call.args[:1]
            codes |= {str(code.value) for code in named if isinstance(code, ast.Constant)}
    return codes


@pytest.mark.parametrize("language", sorted(set(speech.available()) - {speech.FALLBACK}))
def test_no_refusal_is_english_on_a_page_in_another_language(language: str) -> None:
    codes = refused_codes()
    assert {"out_of_range", "shape", "not_asked", "final", "practice", "unknown_item"} <= codes
    words, english = speech.Messages(language), speech.Messages()
    for code in codes | {"draft", "paused", "closed", "never heard of"}:
        said = refusal_text(words, AnswerError("The library's own words.", code=code, names={"n": "80"}))
        assert "library" not in said and said not in {english.get(f"refusal.{key}") for key in english.table("refusal")}


@pytest.mark.parametrize("way", ["form", "finish", "reopen"])
def test_a_page_without_its_script_says_in_the_judges_language_why_it_does_not_go_on(
    client: TestClient, store: Store, tasks: list[int], way: str
) -> None:
    token = {"token": token_in(client.get(f"/task/{tasks[0]}").text)}
    client.headers["accept-language"] = "de"

    def refused(status: int, key: str, **fields: str) -> None:
        reply = client.post(f"/task/{tasks[0]}/{way}", data={**token, **fields})
        assert reply.status_code == status
        [page] = html.fromstring(reply.text).xpath("//*[@role='alert']")
        assert page.findtext("h1") == speech.Messages("de").get(key)
        assert page.xpath(".//a/@href") == ["/work"]

    if way == "form":
        refused(422, "refusal.out_of_range", item="0", sentence="9")
        refused(422, "refusal.other", item="77", sentence="1")
    if way == "reopen":
        for item in range(len(campaign.task(store, tasks[0]).items)):
            save(client, tasks[0], item, complete())
        campaign.finish(store, tasks[0], at=datetime.now(UTC) - timedelta(days=1))
        refused(409, "script.final")
    campaign.close(store, "trial")
    refused(409, "home.closed", item="0", sentence="1")


@pytest.mark.parametrize(
    ("send", "status"),
    [
        ({"content": "no json"}, 400),
        ({"content": '{"submission": "12345678", "item": "0", "answers": {}}'}, 400),
        ({"content": "x" * 3_000_000}, 413),
        ({"content": "{}", "headers": {"sec-fetch-site": "cross-site"}}, 403),
        ({"content": "{}", "headers": {"content-type": "text/plain"}}, 415),
    ],
)
def test_what_cannot_be_a_save_is_refused_in_the_judges_language(
    client: TestClient, tasks: list[int], send: dict[str, Any], status: int
) -> None:
    client.headers["accept-language"] = "ko"
    headers = {"content-type": "application/json", "accept": "application/json", **send.get("headers", {})}
    reply = client.post(f"/task/{tasks[0]}/answers", content=send["content"], headers=headers)
    assert reply.status_code == status
    assert re.search(r"[가-힣]", reply.json()["message"]) and not re.search("[a-z]{4}", reply.json()["message"])


def test_a_message_that_is_too_long_is_refused_in_the_judges_language(client: TestClient, tasks: list[int]) -> None:
    for language, words in (("es", "de 1 a 2000"), ("en", "1 to 2000 characters")):
        headers = {"accept-language": language}
        reply = client.post(f"/task/{tasks[0]}/message", json={"text": "x" * 2001}, headers=headers)
        assert reply.status_code == 422 and words in reply.json()["message"]
