from __future__ import annotations

import re
import threading
from collections import Counter
from typing import Any

import pytest
from jinja2 import Environment
from starlette.testclient import TestClient

from lanner import campaign
from lanner.errors import LannerError
from lanner.model import Judge
from lanner.store import Store
from lanner.web import rendering
from lanner.web.app import create_app
from lanner.web.organising.judges import JudgeLink, Letter, Mailer, mailer_from_environment
from lanner.web.site import ServerSettings
from smtp_server import SmtpServer
from web_clients import HOST, another, complete, enter, open_campaign, sign_in


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    open_campaign(store)
    return sign_in(client, store)


def finished(store: Store) -> int:
    task = campaign.tasks(store, "trial", "J1")[0]
    for item in range(len(task.items)):
        campaign.submit(store, task.id, item, complete(), submission=f"s{item}-long-enough")
    campaign.finish(store, task.id)
    return task.id


def test_judges_are_added_with_tasks_and_links_at_once(client: TestClient, store: Store, token: str) -> None:
    answer = client.post("/campaigns/trial/judges", data={"token": token, "judges": "Ana, ana@example.org, ko\nBen"})
    assert answer.status_code == 200
    links = re.findall(r"http://testserver/j/([\w-]+)", answer.text)
    assert len(set(links)) == 2
    assert enter(another(client), links[0])
    assert {"ana", "ben"} <= {judge.id for judge in campaign.judges(store, "trial")}
    assert campaign.tasks(store, "trial", "ben")


def test_the_same_as_a_table_for_letters(client: TestClient, token: str) -> None:
    fields = {"token": token, "judges": "=cmd(), ana@example.org", "as": "csv"}
    answer = client.post("/campaigns/trial/judges", data=fields)
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text.splitlines()[0] == "judge,name,email,link"
    assert "'=cmd()" in answer.text, "a spreadsheet must not run a name"


def test_the_way_above_the_links_leads_to_a_page(client: TestClient, token: str) -> None:
    """The page was made by a form: its own address takes nothing else."""
    page = client.post("/campaigns/trial/links", data={"token": token, "who": "show_all"}).text
    (own,) = re.findall(r'<a href="([^"]*)" aria-current="page">', page)
    assert own and client.get(own).status_code == 200


def test_nobody_named_is_said_beside_what_was_pasted(client: TestClient, token: str) -> None:
    answer = client.post("/campaigns/trial/judges", data={"token": token, "judges": "name\n,ko"})
    assert answer.status_code == 422
    assert "neither name nor id" in answer.text


def test_a_new_link_ends_the_old_one_and_its_sessions(client: TestClient, store: Store, token: str) -> None:
    old = campaign.invitations.issue(store, "trial", "J1")
    judge = another(client)
    enter(judge, old)
    made = client.post("/campaigns/trial/links", data={"token": token, "who": "one", "judge": "J1"}).text
    assert judge.get("/work").status_code == 401
    assert judge.get(f"/j/{old}").status_code == 404
    assert enter(judge, re.findall(r"/j/([\w-]+)", made)[0])


def test_links_only_for_those_without_one(client: TestClient, store: Store, token: str) -> None:
    assert "Nobody is without a link" in client.post("/campaigns/trial/links", data={"token": token}).text
    campaign.invitations.revoke(store, "trial", "J2")
    assert client.post("/campaigns/trial/links", data={"token": token}).text.count("/j/") == 2  # shown and copied


def test_revoke_and_reopen(client: TestClient, store: Store, token: str) -> None:
    task = finished(store)
    page = client.get("/campaigns/trial/judge?id=J1").text
    assert "Reopen" in page
    client.post("/campaigns/trial/judge", data={"token": token, "judge": "J1", "do": "reopen", "task": str(task)})
    assert campaign.task(store, task).finished_at is None
    client.post("/campaigns/trial/judge", data={"token": token, "judge": "J1", "do": "revoke"})
    assert next(
        participant for participant in campaign.participants(store, "trial") if participant.judge.id == "J1"
    ).revoked_at


def test_only_their_own_tasks_are_reopened(client: TestClient, store: Store, token: str) -> None:
    task = finished(store)
    fields = {"token": token, "judge": "J2", "do": "reopen", "task": str(task)}
    assert client.post("/campaigns/trial/judge", data=fields).status_code == 404
    assert campaign.task(store, task).finished_at is not None


def test_someone_takes_over(client: TestClient, store: Store, token: str) -> None:
    finished(store)
    left = sum(task.finished_at is None for task in campaign.tasks(store, "trial", "J1"))
    client.post("/campaigns/trial/judge", data={"token": token, "judge": "J1", "do": "replace", "coming": "Dora"})
    assert len(campaign.tasks(store, "trial", "dora")) == left
    assert next(j.judge for j in campaign.judgements(store, "trial")) == "J1"


def test_a_judge_without_answers_is_removed_by_a_button(client: TestClient, store: Store, token: str) -> None:
    finished(store)  # J1 has answered
    assert 'value="remove"' not in client.get("/campaigns/trial/judge?id=J1").text
    fields = {"token": token, "judge": "J1", "do": "remove"}
    assert client.post("/campaigns/trial/judge", data=fields).status_code == 409
    assert 'value="remove"' in client.get("/campaigns/trial/judge?id=J2").text
    assert client.post("/campaigns/trial/judge", data={**fields, "judge": "J2"}).status_code == 303
    assert [judge.id for judge in campaign.judges(store, "trial")] == ["J1"]


def test_letting_go_needs_the_id_typed(client: TestClient, store: Store, token: str) -> None:
    finished(store)
    fields = {"token": token, "judge": "J1", "do": "withdraw"}
    assert client.post("/campaigns/trial/judge", data={**fields, "typed": "j1"}).status_code == 400
    assert campaign.judgements(store, "trial")
    client.get("/campaigns/trial")
    assert client.post("/campaigns/trial/judge", data={**fields, "typed": "J1"}).status_code == 303
    assert not campaign.judgements(store, "trial")
    assert "J1" not in [judge.id for judge in campaign.judges(store, "trial")]
    assert client.get("/campaigns/trial").status_code == 200


def test_overlap_gives_documents_that_are_not_theirs_yet(client: TestClient, store: Store, token: str) -> None:
    campaign.add_judges(
        store, "trial", [campaign.judges(store, "trial")[0].__class__("late")], design="full", options={}
    )
    before = len(campaign.tasks(store, "trial", "late"))
    fields = {"token": token, "judge": "late", "document": "doc0"}
    assert client.post("/campaigns/trial/overlap", data=fields).status_code == 303
    assert len(campaign.tasks(store, "trial", "late")) == before
    assert client.post("/campaigns/trial/overlap", data={"token": token}).status_code == 422
    offered = '<input type="checkbox" name="judge" value="J2">'
    assert offered in client.get("/campaigns/trial/judges").text
    campaign.leave_out(store, "trial", "J2", "too fast")
    assert offered not in client.get("/campaigns/trial/judges").text
    refused = client.post("/campaigns/trial/overlap", data={**fields, "judge": "J2"}, headers={"accept-language": "de"})
    assert refused.status_code == 409
    assert "J2 wurde aus den Ergebnissen ausgelassen" in refused.text and "nobody would" not in refused.text


def test_unknown_judges_and_deeds(client: TestClient, token: str) -> None:
    assert client.get("/campaigns/trial/judge?id=nobody").status_code == 404
    assert client.post("/campaigns/trial/judge", data={"token": token, "judge": "x", "do": "revoke"}).status_code == 404
    assert client.post("/campaigns/trial/judge", data={"token": token, "judge": "J1", "do": "x"}).status_code == 400


def test_links_are_shown_again_and_nothing_changes(client: TestClient, store: Store, token: str) -> None:
    first = client.post("/campaigns/trial/links", data={"token": token, "who": "show_all"})
    links = re.findall(r"http://testserver/j/([\w-]+)", first.text)
    assert len(set(links)) == 2
    again = client.post("/campaigns/trial/links", data={"token": token, "who": "show", "judge": "J1"})
    assert set(re.findall(r"http://testserver/j/([\w-]+)", again.text)) == {links[0]}
    assert enter(another(client), links[0])


def test_reminders_go_to_those_who_have_not_finished(
    client: TestClient, store: Store, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for task in campaign.tasks(store, "trial", "J1"):
        for item in range(len(task.items)):
            campaign.submit(store, task.id, item, complete(), submission=f"{task.id}-{item}-done")
    copied = client.post("/campaigns/trial/links", data={"token": token, "who": "remind"}).text
    assert "Hello Judge 1," in copied, "all is answered, and nothing finished"
    for task in campaign.tasks(store, "trial", "J1"):
        campaign.finish(store, task.id)
    copied = client.post("/campaigns/trial/links", data={"token": token, "who": "remind"}).text
    assert "Hello Judge 2," in copied and "Hello Judge 1," not in copied
    assert 'type="email"' not in copied, "no mail server is set up"
    with SmtpServer() as server:
        monkeypatch.setenv("LANNER_SMTP", server.url)
        fields = {"token": token, "who": "remind", "do": "send", "to.J2": "two@example.org"}
        assert "Reminders sent: 1" in client.post("/campaigns/trial/links", data=fields).text
    (letter,) = server.received
    assert letter["To"] == "two@example.org"
    secret = re.findall(r"/j/([\w-]+)", letter.get_content())[0]
    assert enter(another(client), secret)
    reminder = campaign.events(store, "trial")[-1]
    assert (reminder.kind, reminder.detail) == ("reminded", {"judges": 1}), "nobody's id: an identity can be erased"


def test_a_judge_is_left_out_with_the_price_shown_first(client: TestClient, store: Store, token: str) -> None:
    page = client.get("/campaigns/trial/judge?id=J1").text
    assert "Leave out of all results" in page
    fields = {"token": token, "judge": "J1", "do": "leave_out", "reason": ""}
    assert client.post("/campaigns/trial/judge", data=fields).status_code == 409, "a reason is needed"
    client.post("/campaigns/trial/judge", data={**fields, "reason": "far too fast"})
    assert campaign.left_out(store, "trial") == {"J1": "far too fast"}
    assert "far too fast" in client.get("/campaigns/trial/judge?id=J1").text
    client.post("/campaigns/trial/judge", data={"token": token, "judge": "J1", "do": "count_again"})
    assert campaign.left_out(store, "trial") == {}


def test_two_of_one_name_are_asked_about(client: TestClient, store: Store, token: str) -> None:
    fields = {"token": token, "judges": "Ana\nAna"}
    refused = client.post("/campaigns/trial/judges", data=fields)
    assert refused.status_code == 422 and "There is a judge called Ana already." in refused.text
    assert client.post("/campaigns/trial/judges", data={**fields, "same_names": "yes"}).status_code == 200
    assert {"ana", "ana-2"} <= {judge.id for judge in campaign.judges(store, "trial")}


def test_links_begin_with_the_public_address_whatever_the_request_says(store: Store) -> None:
    open_campaign(store)
    app = create_app(store, settings=ServerSettings(public_url="https://judge.example.org/lanner", processes=False))
    with TestClient(app, follow_redirects=False) as client:
        token = sign_in(client, store)
        fields = {"token": token, "who": "all"}
        answer = client.post("/campaigns/trial/links", data=fields, headers={"host": HOST}).text
    assert re.search(r"https://judge\.example\.org/lanner/j/[\w-]{32}", answer)
    assert f"{HOST}/j/" not in answer


@pytest.mark.parametrize("who", ["missing", "all", "show_all", "remind"])
def test_nobody_who_left_is_among_those_who_get_links(client: TestClient, store: Store, token: str, who: str) -> None:
    campaign.replace_judge(store, "trial", "J1", Judge("J3", name="Jo"))
    campaign.withdraw(store, "trial", "J2")
    if who != "missing":
        campaign.invitations.issue(store, "trial", "J3")
    answer = client.post("/campaigns/trial/links", data={"token": token, "who": who}).text
    assert len(set(re.findall(r"/j/[\w-]{32}", answer))) == 1
    assert "Jo" in answer and "judge-2" not in answer and "Judge 1" not in answer
    present = {entry.judge.id: entry.revoked_at is None for entry in campaign.participants(store, "trial")}
    assert present == {"J1": False, "judge-2": False, "J3": True}
    fields = {"token": token, "who": "one", "judge": "J1", "as": "csv"}
    assert client.post("/campaigns/trial/links", data=fields).text.splitlines()[1].startswith("J1,")


def test_pages_with_many_rows_are_drawn_beside_the_requests_of_judges(
    client: TestClient, store: Store, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn where requests are answered, two thousand judges or documents held up every save for up to five seconds."""
    threads: dict[str, str] = {}
    draw = rendering.part

    def noting(templates: Environment, template: str, root: str, context: dict[str, Any]) -> str:
        threads[template] = threading.current_thread().name
        return draw(templates, template, root, context)

    monkeypatch.setattr(rendering, "part", noting)
    for path in ("/campaigns", "/campaigns/trial/judges", "/campaigns/trial/documents"):
        assert client.get(path).status_code == 200
    reads: Counter[str] = Counter()

    class Counted(JudgeLink):
        def __getattribute__(self, name: str) -> Any:
            reads[name] += 1
            return super().__getattribute__(name)

    many = [Counted(f"j{number}", "Ana", "", "http://localhost/j/x") for number in range(50)]
    monkeypatch.setattr("lanner.web.organising.judges._links_of_judges", lambda *_: many)
    answer = client.post("/campaigns/trial/links", data={"token": token, "who": "show_all"})
    assert answer.status_code == 200 and answer.text.count("http://localhost/j/x") == 100
    assert reads["email"] <= 2 * len(many), "not all of them again for each"
    assert {template: name.rpartition("_")[0] for template, name in threads.items()} == dict.fromkeys(
        ("campaigns.html", "judges.html", "documents.html", "links.html"), "lanner-read"
    )


def test_links_of_many_are_made_some_at_a_time_and_each_works(store: Store) -> None:
    before = open_campaign(store, name="many", judges=45)
    names = list(before)
    after = campaign.invitations.issue_many(store, "many", [*names, names[3]])
    assert len(set(before.values()) | set(after.values())) == 90
    for name in names:
        participant = campaign.invitations.lookup(store, after[name])
        assert participant is not None and participant.judge.id == name
        assert campaign.invitations.lookup(store, before[name]) is None


@pytest.mark.parametrize("wrong", ["a@", '"', "<", "a@x.org\nBcc: b@x.org", "nobody"])
def test_a_mistyped_address_is_named_before_anything_is_sent(wrong: str) -> None:
    letters = [Letter("good@x.org", "s", "t"), Letter(wrong, "s", "t")]
    with pytest.raises(LannerError, match="is not an e-mail address"):
        Mailer("smtp://127.0.0.1:9", "study@example.org").send(letters)


def test_letters_reach_a_real_server_whole_and_in_any_script() -> None:
    with SmtpServer() as server:
        letters = [Letter("ana@example.org", "Erinnerung: Übersetzungen", "Hallo Ana,\nhttps://x.example/j/abc\n안녕")]
        assert Mailer(server.url, "study@example.org").send(letters) == 1
    (received,) = server.received
    assert (received["From"], received["To"]) == ("study@example.org", "ana@example.org")
    assert str(received["Subject"]) == "Erinnerung: Übersetzungen"
    assert "안녕" in received.get_content()
    assert "https://x.example/j/abc" in received.get_content()


def test_a_server_that_refuses_or_is_away_is_an_error_with_what_to_do() -> None:
    with SmtpServer(refuse="bad@") as server, pytest.raises(LannerError, match="after 1 letters") as caught:
        Mailer(server.url, "s@example.org").send([Letter("good@x.org", "s", "t"), Letter("bad@x.org", "s", "t")])
    assert caught.value.next_step
    with pytest.raises(LannerError, match="after 0 letters"):
        Mailer(server.url, "s@example.org").send([Letter("good@x.org", "s", "t")])


def test_the_server_is_set_up_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANNER_SMTP", raising=False)
    assert mailer_from_environment() is None
    monkeypatch.setenv("LANNER_SMTP", "smtp://127.0.0.1:2525")
    assert mailer_from_environment() == Mailer("smtp://127.0.0.1:2525", "lanner@localhost")
