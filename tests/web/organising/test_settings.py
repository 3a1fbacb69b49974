from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.datastructures import FormData
from starlette.testclient import TestClient

from lanner import campaign, formats
from lanner.designs.expected import CONTROL_LIMIT
from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.organising.settings import read_settings
from web_clients import complete, open_campaign, sign_in


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


def test_settings_are_kept_and_taken_away(client: TestClient, store: Store, token: str) -> None:
    fields = {
        "token": token,
        "title": "A title",
        "deadline": "2026-12-24",
        "hourly_rate": "40",
        "minimum_agreement": "0.5",
    }
    assert client.post("/campaigns/trial/settings", data=fields).status_code == 303
    found = campaign.get(store, "trial")
    assert (found.title, found.settings["deadline"], found.settings["hourly_rate"]) == ("A title", "2026-12-24", 40)
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
    (reading,) = formats.read(copy, "native")
    assert len(reading.documents) == 2
    assert sorted(judgement.value for judgement in reading.judgements) == [3, 7], "the history too"


def test_without_a_copy_nothing_is_deleted(client: TestClient, store: Store, token: str, tmp_path: Path) -> None:
    (tmp_path / "lanner-backups").write_text("a file where a folder should be")
    answer = client.post("/campaigns/trial/delete", data={"token": token, "typed": "trial"})
    assert answer.status_code == 409
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
    [("hourly_rate", "much"), ("deadline", "soon"), ("minimum_agreement", "7"), ("return_link", "javascript:alert(1)")],
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
