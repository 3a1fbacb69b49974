from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import lxml.html
import pytest
from starlette.datastructures import FormData
from starlette.testclient import TestClient

from lanner import campaign
from lanner.designs.expected import CONTROL_LIMIT
from lanner.errors import CampaignError, LannerError
from lanner.model import Judge, JudgeKind
from lanner.store import Store
from lanner.store.campaign_copies import bring_back
from lanner.web import speech
from lanner.web.organising.campaigns import list_campaigns, read_settings
from lanner.web.updates import SharedPanels
from lanner.web.worker import worker
from web_clients import complete, documents, open_campaign, sign_in


def test_an_empty_list_says_what_to_do(client: TestClient, store: Store) -> None:
    sign_in(client, store)
    page = client.get("/campaigns").text
    assert "No campaigns yet" in page


def test_owners_see_all_and_others_what_is_theirs(client: TestClient, store: Store) -> None:
    open_campaign(store, "mine")
    open_campaign(store, "theirs")
    sign_in(client, store)
    assert {"mine", "theirs"} <= set(client.get("/campaigns").text.replace(">", "<").split("<"))
    sign_in(client, store, "Bob", "organiser")
    with store.writing() as tx:
        bob, place = tx.accounts.find("Bob"), tx.campaigns.find("mine")
        assert bob and place
        tx.accounts.join(bob.id, place.id)
    page = client.get("/campaigns").text
    assert "mine" in page
    assert "theirs" not in page
    assert client.get("/campaigns/theirs").status_code == 404


def test_what_the_numbers_of_progress_count_is_in_their_names(client: TestClient, store: Store) -> None:
    """By hand: two judges judge twelve items each, and answer one questionnaire each."""
    open_campaign(store, settings={"after": ["post_task"]})
    sign_in(client, store)
    assert "0 of 24 items judged by people" in " ".join(client.get("/campaigns/trial").text.split())
    for address in ("/campaigns", "/campaigns/trial/judges"):
        listed = client.get(address).text
        assert "Items and questionnaires</th>" in listed and ">Items</th>" not in listed
    assert "0 of 26" in client.get("/campaigns").text


def test_the_live_page_and_its_panels(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    client.app.state.site.live._rested.clear()
    page = client.get("/campaigns/trial").text
    assert "Judge 1" in page
    assert 'data-events="/campaigns/trial/events"' in page
    for judge in ("J1", "J2"):
        task = campaign.tasks(store, "trial", judge)[0].id
        campaign.submit(store, task, 0, complete(), submission=f"{judge}-one", active=5.0)
    panels = client.get("/campaigns/trial/panels?question=holistic")
    assert panels.status_code == 200
    assert "<html" not in panels.text
    assert 'data-panel="progress"' in panels.text


def test_where_all_answers_are_alike_the_page_does_not_call_them_few(client: TestClient, store: Store) -> None:
    open_campaign(store)
    for judge in ("J1", "J2"):
        for task in campaign.tasks(store, "trial", judge):
            for item in range(len(task.items)):
                campaign.submit(store, task.id, item, complete(), submission=f"{task.id}.{item}")
    sign_in(client, store)
    client.portal.call(partial(client.app.state.site.live.snapshot, 1, "", wait=60.0))  # type: ignore[attr-defined, union-attr]
    page = client.get("/campaigns/trial").text
    assert "No two judges share" not in page
    assert page.count("Everyone has given the same answer so far") >= 3, "verdict, agreement and map"


def test_a_title_keeps_its_own_direction(client: TestClient, store: Store) -> None:
    """On an Arabic page the bracket that ends an English title stood before it."""
    open_campaign(store)
    campaign.configure(store, "trial", title="Pilot (en)")
    sign_in(client, store)
    for place in ("", "/settings", "/disagreements"):
        way = re.search(
            r'aria-label="Where you are">(.*?)</nav>', client.get(f"/campaigns/trial{place}").text, re.DOTALL
        )
        assert way and "<bdi>Pilot (en)</bdi>" in way[1]


def test_names_with_odd_letters_have_pages(client: TestClient, store: Store) -> None:
    open_campaign(store, "Prüfung & Co <1>")
    sign_in(client, store)
    assert client.get("/campaigns/Pr%C3%BCfung%20%26%20Co%20%3C1%3E").status_code == 200
    assert "<1>" not in client.get("/campaigns").text


def test_progress_by_domain_and_document(client: TestClient, store: Store) -> None:
    open_campaign(store)
    token = sign_in(client, store)
    assert token
    task = campaign.tasks(store, "trial", "J1")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one", active=90.0)
    page = client.get("/campaigns/trial/documents").text
    assert "By document" in page
    assert page.count("/disagreements?document=") == len(campaign.documents(store, "trial"))
    assert "1 of " in page


def test_panels_made_for_one_reader_do_not_speak_to_another_in_their_language(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    german = client.get("/campaigns/trial/panels", headers={"accept-language": "de"}).text
    english = client.get("/campaigns/trial/panels", headers={"accept-language": "en"}).text
    assert "Wer mit wem" in german
    assert "Who agrees with whom" in english


def test_the_list_counts_as_the_campaigns_themselves_do(client: TestClient, store: Store) -> None:
    open_campaign(store, "one")
    open_campaign(store, "two", protocol="falcon")
    task = campaign.tasks(store, "one", "J1")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one", active=5.0)
    sign_in(client, store)
    with store.reading() as tx:
        owner = tx.accounts.find("Ann")
    assert owner
    for row in list_campaigns(store, owner):
        whole = campaign.progress(store, row.campaign.id)
        assert (row.items, row.done, row.people) == (whole.whole.items, whole.whole.done, len(whole.judges))


def test_the_list_tells_people_from_models(client: TestClient, store: Store) -> None:
    """Judged by a model in full, and by one of two people in part; one campaign has models only."""
    open_campaign(store, "both")
    tasks = [campaign.tasks(store, "both", judge) for judge in ("J1", "J2")]
    everything = sum(len(task.items) for mine in tasks for task in mine)
    campaign.submit(store, tasks[0][0].id, 0, complete(), submission="by a person", active=5.0)
    machine = Judge("gpt", JudgeKind.MODEL)
    campaign.add_judges(store, "both", [machine], design="full", options={})
    campaign.create(store, "machines", documents(), "h_falcon", [machine, Judge("llm", JudgeKind.MODEL)])
    campaign.open(store, "machines")
    for name in ("both", "machines"):
        for task in campaign.tasks(store, name, "gpt"):
            for item in range(len(task.items)):
                campaign.submit(store, task.id, item, complete(), submission=f"{name} {task.id} {item}")
    sign_in(client, store)
    with store.reading() as tx:
        owner = tx.accounts.find("Ann")
    assert owner
    rows = {row.campaign.name: row for row in list_campaigns(store, owner)}
    both, machines = rows["both"], rows["machines"]
    assert (both.items, both.done, both.people, both.models) == (everything, 1, 2, 1)
    assert (machines.people, machines.models) == (0, 2)
    assert 0 < machines.done == machines.items / 2
    assert "models, metrics: 1" in client.get("/campaigns").text


def test_the_worker_draws_the_panels_also_one_that_was_started_again(client: TestClient, store: Store) -> None:
    """What the server's own threads draw takes turns with saves. A new worker knows nothing of earlier numbers."""
    open_campaign(store)
    sign_in(client, store)
    for judge in ("J1", "J2"):
        task = campaign.tasks(store, "trial", judge)[0].id
        campaign.submit(store, task, 0, complete(), submission=f"{judge}-one", active=5.0)
    live = client.app.state.site.live
    asked = []

    class Watched:
        is_started = True

        def __init__(self) -> None:
            self.worker = worker(store, process=False)

        async def ask(self, job: str, *arguments: object) -> object:
            asked.append(job)
            return await self.worker.ask(job, *arguments)

        async def close(self) -> None:
            await self.worker.close()

    drawn = []
    for _ in range(2):
        live._worker = Watched()
        live.panels = SharedPanels()
        drawn.append(client.get("/campaigns/trial/panels").text)
    assert asked.count("panels") == 2 and asked.count("snapshot") == 1, "nothing was answered in between"
    assert all("Computing the numbers" not in text and "Judge 1" in text for text in drawn)
    plain = client.get("/campaigns/trial/panels", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.text == drawn[1]


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    open_campaign(store)
    return sign_in(client, store)


def test_the_states_of_a_campaign(client: TestClient, store: Store, token: str) -> None:
    for to, state in (("pause", "paused"), ("reopen", "open"), ("close", "closed"), ("reopen", "open")):
        assert client.post("/campaigns/trial/state", data={"token": token, "to": to}).status_code == 303
        assert campaign.get(store, "trial").state == state
    assert client.post("/campaigns/trial/state", data={"token": token, "to": "open"}).status_code in (303, 409)
    assert client.post("/campaigns/trial/state", data={"token": token, "to": "x"}).status_code == 400
    assert [event.kind for event in campaign.events(store, "trial")][-1] == "reopened"


def test_archived_campaigns_leave_the_list(client: TestClient, store: Store, token: str) -> None:
    client.post("/campaigns/trial/state", data={"token": token, "to": "archive"})
    assert "/campaigns/trial" not in client.get("/campaigns").text
    assert "/campaigns/trial" in client.get("/campaigns?show=archived").text
    client.post("/campaigns/trial/state", data={"token": token, "to": "restore"})
    assert "/campaigns/trial" in client.get("/campaigns").text


@pytest.mark.usefixtures("token")
def test_another_language_shows_the_same_page(client: TestClient) -> None:
    """What was filtered stays filtered, also by words that an address has to write in its own way."""
    page = client.get("/campaigns", params={"show": "archived", "language": "ko", "odd": 'a&b "é'}).text
    links = [parse_qs(urlsplit(link).query) for link in lxml.html.fromstring(page).xpath("//footer//a/@href")]
    assert [link["language"] for link in links] == [[code] for code in speech.available()]
    assert all(link["show"] == ["archived"] and link["odd"] == ['a&b "é'] for link in links)


def test_settings_are_kept_and_taken_away(client: TestClient, store: Store, token: str) -> None:
    fields = {
        "token": token,
        "title": "A title",
        "deadline": "2026-12-24",
        "time_zone": "Asia/Seoul",
        "note": "Names stay.",
        "hourly_rate": "40",
        "minimum_agreement": "0.5",
    }
    assert client.post("/campaigns/trial/settings", data=fields).status_code == 303
    found = campaign.get(store, "trial")
    assert (found.title, found.settings["deadline"], found.settings["hourly_rate"]) == ("A title", "2026-12-24", 40)
    assert (found.settings["time_zone"], found.settings["note"]) == ("Asia/Seoul", "Names stay.")
    shown = client.get("/campaigns/trial/settings").text
    assert 'value="Asia/Seoul" list="time-zones"' in shown and ">Names stay.</textarea>" in shown
    copy = campaign.duplicate(store, "trial", "its copy", [])
    assert (copy.settings["time_zone"], copy.settings["note"]) == ("Asia/Seoul", "Names stay.")
    client.post("/campaigns/trial/settings", data={"token": token, "title": "A title"})
    assert "deadline" not in campaign.get(store, "trial").settings


def test_two_organisers_do_not_overwrite_each_other(client: TestClient, store: Store, token: str) -> None:
    page = client.get("/campaigns/trial/settings").text
    version = page.split('name="version" value="')[1].split('"')[0]
    client.post("/campaigns/trial/settings", data={"token": token, "version": version, "title": "First"})
    late = client.post("/campaigns/trial/settings", data={"token": token, "version": version, "title": "Second"})
    assert late.status_code == 422
    assert "Someone else has changed" in late.text
    assert 'value="Second"' in late.text, "what was typed is lost"
    assert campaign.get(store, "trial").title == "First"


def test_keeping_again_after_a_refusal_takes_nothing_back(client: TestClient, store: Store, token: str) -> None:
    """The refused page had the fields as they were before the other's change: sent again, it undid that change."""
    address = "/campaigns/trial/settings"

    def form() -> dict[str, str]:
        return shown(client.get(address).text)

    def shown(page: str) -> dict[str, str]:
        html = lxml.html.fromstring(page)
        [settings] = html.xpath("//form[.//input[@name='version']]")
        return {name: value or "" for name, value in settings.fields.items()} | {"token": token}

    mine, theirs = form(), form()
    client.post(address, data=theirs | {"title": "Theirs", "note": "Names\r\nstay.", "hourly_rate": "30"})
    refused = client.post(address, data=mine | {"budget": "100"})
    assert "Someone else has changed" in refused.text
    again = shown(refused.text)
    assert (again["title"], again["budget"], again["hourly_rate"]) == ("Theirs", "100", "30.0")
    assert client.post(address, data=again).status_code == 303
    kept = campaign.get(store, "trial")
    assert (kept.title, kept.settings["budget"], kept.settings["hourly_rate"]) == ("Theirs", 100, 30)
    assert kept.settings["note"].split() == ["Names", "stay."]


def test_a_copy_is_a_draft_without_judgements(client: TestClient, store: Store, token: str) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 0, complete(), submission="one-long-enough")
    answer = client.post("/campaigns/trial/duplicate", data={"token": token, "as": "second", "judges": "same"})
    assert answer.headers["location"] == "/campaigns/second"
    made = campaign.get(store, "second")
    assert made.state == "draft"
    assert not campaign.judgements(store, "second")
    assert [judge.id for judge in campaign.judges(store, "second")] == ["J1", "J2"]
    taken = client.post("/campaigns/trial/duplicate", data={"token": token, "as": "second"})
    assert taken.status_code == 422
    assert "already" in taken.text


def test_a_copy_belongs_to_the_organiser_who_made_it(client: TestClient, store: Store, token: str) -> None:
    own = sign_in(client, store, "Bob", "organiser")
    with store.writing() as tx:
        bob, place = tx.accounts.find("Bob"), tx.campaigns.find("trial")
        assert bob and place
        tx.accounts.join(bob.id, place.id)
    client.post("/campaigns/trial/duplicate", data={"token": own, "as": "mine"})
    assert client.get("/campaigns/mine").status_code == 200


def test_deleting_needs_the_name_and_keeps_a_copy(client: TestClient, store: Store, token: str, tmp_path: Path) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    for value in (3, 7):
        campaign.submit(store, task, 0, {"holistic": value}, submission=f"value-{value}-long")
    wrong = client.post("/campaigns/trial/delete", data={"token": token, "typed": "Trial"})
    assert wrong.status_code == 422
    assert campaign.get(store, "trial")
    assert client.post("/campaigns/trial/delete", data={"token": token, "typed": "trial"}).status_code == 303
    assert campaign.campaigns(store) == []
    (copy,) = (tmp_path / "lanner-backups").iterdir()
    bring_back(copy, "trial", store.address)
    assert sorted(judgement.value for judgement in campaign.history(store, "trial")) == [3, 7], "the history too"


@pytest.mark.parametrize(("code", "said"), [("en", "folder of backups"), ("de", "Ordner der Sicherungen")])
def test_without_a_copy_nothing_is_deleted(
    client: TestClient, store: Store, token: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, code: str, said: str
) -> None:
    """The page says what to do next; which folder it is stands in the log of the server alone."""
    (tmp_path / "lanner-backups").write_text("a file where a folder should be")
    answer = client.post(
        "/campaigns/trial/delete", data={"token": token, "typed": "trial"}, headers={"Accept-Language": code}
    )
    assert answer.status_code == 409 and said in answer.text
    assert str(tmp_path) not in answer.text and "lanner-backups" not in answer.text
    assert str(tmp_path / "lanner-backups") in caplog.text
    assert campaign.get(store, "trial")


def test_what_cannot_be_deleted_says_why_and_blames_no_copy(
    client: TestClient, store: Store, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise CampaignError("The campaign is being imported.")

    monkeypatch.setattr("lanner.campaign.remove", refuse)
    answer = client.post("/campaigns/trial/delete", data={"token": token, "typed": "trial"})
    assert answer.status_code == 409
    assert "being imported" in answer.text and "no copy" not in answer.text
    assert campaign.get(store, "trial")


def test_after_a_calibration_round_the_rest_is_assigned(client: TestClient, store: Store, token: str) -> None:
    open_campaign(store, "round", settings={"calibration": ["doc0"]})
    before = len(campaign.tasks(store, "round", "J1"))
    assert "assign the rest" in client.get("/campaigns/round").text
    assert client.post("/campaigns/round/state", data={"token": token, "to": "rest"}).status_code == 303
    assert len(campaign.tasks(store, "round", "J1")) > before
    assert "assign the rest" not in client.get("/campaigns/round").text
    assert client.post("/campaigns/trial/state", data={"token": token, "to": "rest"}).status_code == 409


def test_numbers_are_numbers_and_empty_takes_away() -> None:
    found = read_settings(FormData([("hourly_rate", "40,5"), ("deadline", "2026-12-24"), ("budget", "")]))
    assert (found["hourly_rate"], found["deadline"], found["budget"]) == (40.5, "2026-12-24", None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hourly_rate", "much"),
        ("deadline", "soon"),
        ("time_zone", "Mars"),
        ("minimum_agreement", "7"),
        ("return_link", "javascript:alert(1)"),
    ],
)
def test_nonsense_is_refused_in_words(field: str, value: str) -> None:
    with pytest.raises(LannerError):
        read_settings(FormData([(field, value)]))


def test_the_limit_of_missed_controls_is_a_share_with_the_default_shown(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    field = re.search(r'<input[^>]*name="control_limit"[^>]*>', client.get("/campaigns/trial/settings").text)
    assert field is not None
    assert f'placeholder="{CONTROL_LIMIT}"' in field[0] and 'max="0.99"' in field[0]
