from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign import drawing
from lanner.campaign.accounts import issue
from lanner.model import Document, Judge, Segment
from lanner.store import AccountRole, Store
from lanner.store.judgements import Judgements
from lanner.store.tasks import Tasks
from web_clients import another, complete, enter, open_campaign

Program = Callable[..., TestClient]
TEXT = {
    "id": "d1",
    "segments": [
        {"id": "1", "source": "One.", "outputs": {"a": "Eins."}},
        {"id": "2", "source": "Two.", "outputs": {"a": "Zwei."}},
    ],
    "source_language": "en",
    "target_language": "de",
}


def test_the_whole_road(client: TestClient, store: Store, program: Program) -> None:
    """Make a campaign, add judges, open it, hand in answers, follow the progress, read everything back."""
    api = program()
    new = {"name": "mine", "protocol": "h_falcon", "documents": [TEXT], "judges": [{"id": "ana", "name": "Ana K."}]}
    made = api.post("/api/v1/campaigns", json=new)
    assert made.status_code == 201, made.text
    assert made.json()["state"] == "draft"
    secrets = api.post("/api/v1/campaigns/mine/judges", json={"judges": [{"id": "ben"}]}).json()["secrets"]
    assert api.post("/api/v1/campaigns/mine/state", json={"state": "open"}).json()["state"] == "open"
    task = api.get("/api/v1/campaigns/mine/tasks", params={"judge": "ana"}).json()["tasks"][0]
    answers = {"submission": "from-a-program-1", "task": task["id"], "item": 0, "answers": complete(), "active": 12.5}
    saved = api.post("/api/v1/campaigns/mine/judgements", json=answers)
    assert saved.status_code == 200, saved.text
    assert saved.json()["missing"] == [] and not saved.json()["repeated"]
    assert api.post("/api/v1/campaigns/mine/judgements", json=answers).json()["repeated"]
    assert saved.json()["digests"] == {name: campaign.digest(value) for name, value in answers["answers"].items()}
    more = {**answers, "answers": {**answers["answers"], "comment": "more"}}
    refused = api.post("/api/v1/campaigns/mine/judgements", json=more)
    assert refused.status_code == 409 and refused.json()["reason"] == "reused"
    assert refused.json()["digests"] == saved.json()["digests"]
    stored = refused.json()["stored"]
    assert {name: entry["id"] for name, entry in stored.items()} == saved.json()["saved"]
    assert {name: entry["value"] for name, entry in stored.items()} == answers["answers"]
    progress = api.get("/api/v1/campaigns/mine/progress").json()
    assert (progress["whole"]["done"], progress["whole"]["items"]) == (1, 4)
    page = api.get("/api/v1/campaigns/mine/judgements", params={"limit": 2}).json()
    rest = api.get("/api/v1/campaigns/mine/judgements", params={"after": page["next"]}).json()
    assert [row["question"] for row in page["judgements"] + rest["judgements"]] == ["skills", "sentence", "holistic"]
    assert {row["judge"] for row in rest["judgements"]} == {"ana"}
    assert api.get("/api/v1/campaigns/mine/judgements", params={"after": rest["next"]}).json()["judgements"] == []
    texts = api.get("/api/v1/campaigns/mine/documents", params={"limit": 1}).json()
    assert texts["documents"][0]["segments"][1]["outputs"] == {"a": "Zwei."}
    assert texts["next"] is None
    assert enter(client, secrets["ben"])


def test_people_go_by_pseudonyms_unless_the_token_may_know_them(store: Store, program: Program) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 0, {"holistic": 4}, submission="one-submission")
    known, unknown = program(), program("campaigns", "judgements")
    assert known.get("/api/v1/campaigns/trial/judgements").json()["judgements"][0]["judge"] == "J1"
    hidden = unknown.get("/api/v1/campaigns/trial/judgements").json()["judgements"][0]["judge"]
    assert hidden.startswith("judge-")
    for place in ("tasks", "progress"):
        assert "J1" not in unknown.get(f"/api/v1/campaigns/trial/{place}").text
        assert hidden in unknown.get(f"/api/v1/campaigns/trial/{place}").text


@pytest.mark.parametrize(
    ("place", "noun", "method"), [("judgements", Judgements, "batch"), ("tasks", Tasks, "of_campaign")]
)
def test_who_comes_while_rows_are_read_goes_by_a_pseudonym_too(
    store: Store, program: Program, monkeypatch: pytest.MonkeyPatch, place: str, noun: type, method: str
) -> None:
    """Names were read before the rows: whoever was added in between went by the id they were given."""
    open_campaign(store)
    read = getattr(noun, method)

    def read_while_zoe_comes(self: object, *given: object, **more: object) -> object:
        if "zoe" not in [judge.id for judge in campaign.judges(store, "trial")]:
            campaign.add_judges(store, "trial", [Judge("zoe")])
            task = campaign.tasks(store, "trial", "zoe")[0].id
            campaign.submit(store, task, 0, {"holistic": 4}, submission="by-her-herself")
        return read(self, *given, **more)

    api = program("campaigns", "judgements")
    monkeypatch.setattr(noun, method, read_while_zoe_comes)
    found = api.get(f"/api/v1/campaigns/trial/{place}")
    assert found.status_code == 200 and "zoe" not in found.text
    assert found.json()[place][-1]["judge"].startswith("judge-")


def test_history_has_what_was_revised(store: Store, program: Program) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    for value in (3, 4):
        campaign.submit(store, task, 0, {"holistic": value}, submission=f"submission-{value}")
    api = program()
    now = api.get("/api/v1/campaigns/trial/judgements").json()["judgements"]
    ever = api.get("/api/v1/campaigns/trial/judgements", params={"history": "true"}).json()["judgements"]
    assert [row["value"] for row in now] == [4]
    assert [row["value"] for row in ever] == [3, 4]


def test_answers_for_tasks_of_other_campaigns_do_not_exist(store: Store, program: Program) -> None:
    open_campaign(store)
    open_campaign(store, "other")
    task = campaign.tasks(store, "other", "J1")[0].id
    answers = {"submission": "not-mine-at-all", "task": task, "item": 0, "answers": complete()}
    assert program().post("/api/v1/campaigns/trial/judgements", json=answers).status_code == 404


def test_a_program_can_do_a_judge_s_work_from_a_pool(store: Store, program: Program) -> None:
    """It could not take a task, could not know what its items are about, and could not finish it."""
    place = "/api/v1/campaigns/mine"
    text = Document("d1", (Segment("1", "One.", {"a": "Eins."}), Segment("2", "Two.", {"a": "Zwei."})), "en", "de")
    gold = {"document": "d1", "segment": "1", "systems": ["a"], "texts": {"a": "Nichts."}, "expected": {"holistic": 1}}
    campaign.create(
        store, "mine", [text], "h_falcon", [Judge("ana"), Judge("ben")], design="pool",
        settings={"before": ["consent"], "controls": {"gold": [gold]}},
    )  # fmt: skip
    campaign.open(store, "mine")
    api = program("write", "campaigns")
    names = {entry["judge"] for entry in api.get(f"{place}/tasks").json()["tasks"]} - {""}
    judge = min(names)
    assert judge.startswith("judge-"), "this token does not know people"

    def next_task() -> dict[str, Any] | None:
        task: dict[str, Any] | None = api.post(f"{place}/tasks", json={"judge": judge}).json()["task"]
        return task

    seen: list[tuple[str, str, dict[str, str]]] = []
    while task := next_task():
        assert task == next_task(), "asked again, it is the same"
        items = api.get(f"{place}/tasks/{task['id']}").json()["items"]
        assert len(items) == task["items"] and all(item["missing"] for item in items)
        early = api.post(f"{place}/tasks/{task['id']}/finish")
        assert early.status_code == 409 and "still needs" in early.json()["message"]
        for number, item in enumerate(items):
            assert "expected" not in item
            seen.append((item["segment"], item["role"], item["texts"]))
            answers = complete() if item["document"] else {"consent": "agree"}
            body = {"submission": f"{task['id']}-{number}-submission", "task": task["id"], "item": number}
            assert api.post(f"{place}/judgements", json={**body, "answers": answers}).json()["missing"] == []
        assert api.get(f"{place}/tasks/{task['id']}").json()["items"][0]["missing"] == []
        finished = api.post(f"{place}/tasks/{task['id']}/finish").json()
        assert finished["finished_at"] is not None and finished["judge"] == judge
    assert {("", "main"), ("1", "main"), ("2", "main")} <= {(segment, role) for segment, role, _ in seen}
    assert ("1", "control", {"a": "Nichts."}) in seen
    done = [entry for entry in campaign.participants(store, "mine") if entry.consented_at is not None]
    assert len(done) == 1 and done[0].consent, "finished as on the page: what was agreed to is kept"
    assert api.post(f"{place}/tasks", json={"judge": "ana"}).status_code == 422


def test_tasks_of_other_campaigns_do_not_exist(store: Store, program: Program) -> None:
    open_campaign(store)
    open_campaign(store, "other")
    task = campaign.tasks(store, "other", "J1")[0].id
    api = program()
    for number in (task, 10**6, 2**63, "x"):
        place = f"/api/v1/campaigns/trial/tasks/{number}"
        assert api.get(place).status_code == api.post(f"{place}/finish").status_code == 404


def test_refusals_are_in_words(store: Store, program: Program) -> None:
    open_campaign(store)
    api = program()
    task = campaign.tasks(store, "trial", "J1")[0].id
    tried = [
        ({"submission": "x", "task": task, "item": 0, "answers": {"holistic": 3}}, 422),
        ({"submission": "long enough", "task": task, "item": 0, "answers": {"holistic": 99}}, 422),
        ({"submission": "long enough", "task": task, "item": 999, "answers": {"holistic": 9}}, 409),
        ({"submission": "long enough", "task": task, "item": 0, "answers": {}}, 422),
        ({"submission": "long enough", "task": task, "item": 0, "answers": {"holistic": 3}, "more": 1}, 422),
    ]
    for body, status in tried:
        answer = api.post("/api/v1/campaigns/trial/judgements", json=body)
        assert answer.status_code == status, (body, answer.text)
        assert answer.json()["message"]
    assert api.post("/api/v1/campaigns/trial/state", content="x").status_code == 415
    assert api.post("/api/v1/campaigns/trial/state", json={"state": "gone"}).status_code == 422
    assert api.get("/api/v1/campaigns/trial/judgements?limit=99999").status_code == 422
    assert api.get("/api/v1/campaigns/trial/judgements?limit=0").status_code == 422
    assert api.get("/api/v1/campaigns/trial/documents?limit=0").status_code == 422
    assert api.get("/api/v1/campaigns/trial/judgements?after=-1").status_code == 422
    assert api.get("/api/v1/campaigns?page=2").status_code == 422
    assert api.get("/api/v1/nowhere").json()["message"]


def test_a_file_comes_with_its_codebook(store: Store, program: Program) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 0, complete(), submission="one-submission")
    answer = program("judgements").get("/api/v1/campaigns/trial/export/csv")
    assert answer.status_code == 200
    assert answer.content[:2] == b"PK"
    assert program("judgements").get("/api/v1/campaigns/trial/export/exe").status_code == 404


def test_the_goal_of_an_adaptive_campaign_is_an_option(store: Store, program: Program) -> None:
    api = program()
    text = {**TEXT, "segments": [{"id": "1", "source": "One.", "outputs": {"a": "Eins.", "b": "Ein."}}]}
    new = {"protocol": "da", "documents": [text], "judges": [{"id": "ana"}], "design": "adaptive"}
    made = api.post("/api/v1/campaigns", json={**new, "name": "mine", "options": {"goal": "better:a,b"}})
    assert made.status_code == 201, made.text
    assert str(drawing.state(store, "mine").allocation.goal) == "better:a,b"
    wrong = [
        {"goal": "win"}, {"goal": 5}, {"goal": "better:a,c"}, {"nonsense": 1}, {"budget": "many"}, {"budget": -1},
        {"judges_per_document": 1.5}, {"judges_per_document": 10**12}, {"overlap": "half"}, {"overlap": 7.5},
    ]  # fmt: skip
    for options in wrong:
        refused = api.post("/api/v1/campaigns", json={**new, "name": "other", "options": options})
        assert refused.status_code in (400, 422), (options, refused.text)
    for design in ("full", "random"):
        refused = api.post(
            "/api/v1/campaigns", json={**new, "name": "o", "design": design, "options": {"goal": "rank"}}
        )
        assert refused.status_code in (400, 422), refused.text


def test_what_does_not_work_is_401(client: TestClient, store: Store, program: Program) -> None:
    past = datetime.now(UTC) - timedelta(days=1)
    number, text = issue(store, "gone", ["campaigns"])
    with store.writing() as tx:
        tx.tokens.revoke(number, datetime.now(UTC))
        account = tx.accounts.add("left", "!", AccountRole.OWNER, past)
    tried = ["", "Basic x", "Bearer", "Bearer lanner_wrong", f"Bearer {text}", "Bearer \x7f", "bearer lanner_ x"]
    browser = another(client)
    for given in tried:
        browser.headers["authorization"] = given
        answer = browser.get("/api/v1/campaigns")
        assert answer.status_code == 401, given
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["message"]
    assert program("campaigns", expires_at=past).get("/api/v1/campaigns").status_code == 401
    mine = program("campaigns", account="left")
    assert mine.get("/api/v1/campaigns").status_code == 200
    with store.writing() as tx:
        tx.accounts.disable(account, datetime.now(UTC))
    assert mine.get("/api/v1/campaigns").status_code == 401


def test_wrong_tokens_are_slowed_down(client: TestClient) -> None:
    browser = another(client)
    browser.headers["authorization"] = "Bearer lanner_wrong"
    assert {browser.get("/api/v1/campaigns").status_code for _ in range(60)} == {401, 429}


def test_an_account_and_a_campaign_limit_what_is_seen(store: Store, program: Program) -> None:
    open_campaign(store)
    open_campaign(store, "other")
    with store.writing() as tx:
        for role in (AccountRole.VIEWER, AccountRole.ORGANISER):
            number = tx.accounts.add(role.value, "!", role, datetime.now(UTC))
            trial = tx.campaigns.find("trial")
            assert trial
            tx.accounts.join(number, trial.id)

    def seen(browser: TestClient) -> list[str]:
        return [entry["name"] for entry in browser.get("/api/v1/campaigns").json()["campaigns"]]

    assert seen(program()) == ["other", "trial"]
    assert seen(program(campaign="other")) == ["other"]
    assert seen(program(account="organiser")) == ["trial"]
    assert program(account="organiser").get("/api/v1/campaigns/other").status_code == 404
    assert program(campaign="other").get("/api/v1/campaigns/trial").status_code == 404
    new = {"name": "mine", "protocol": "h_falcon", "documents": [TEXT]}
    assert program(campaign="other").post("/api/v1/campaigns", json=new).status_code == 403
    assert seen(program()) == ["other", "trial"], "a token for one campaign makes no others"
    judges = {"judges": [{"id": "late"}]}
    assert program(account="organiser").post("/api/v1/campaigns/trial/judges", json=judges).status_code == 201
    added = next(event for event in campaign.events(store, "trial") if event.kind == "judges_added")
    assert added.account == number, "the log says for whom the program acted"
    move = {"state": "paused"}
    assert program(account="viewer").post("/api/v1/campaigns/trial/state", json=move).status_code == 403
    assert program(account="organiser").post("/api/v1/campaigns/trial/state", json=move).status_code == 200
