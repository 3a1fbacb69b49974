from __future__ import annotations

from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign import add_judges
from lanner.model import Document, Judge, JudgeKind, Segment
from lanner.protocols.prefilled import Help, help_of
from lanner.store import Store
from store.test_ledger import entry as ledger_row
from web_clients import open_campaign, sign_in


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    open_campaign(store)
    return sign_in(client, store)


def test_without_models_the_page_says_how_to_get_one(client: TestClient, store: Store, token: str) -> None:
    page = client.get("/campaigns/trial/models").text
    assert "No model judges yet" in page
    assert "--model-server" in page


def test_the_command_is_ready_to_be_typed_and_quotes_what_needs_it(
    client: TestClient, store: Store, token: str
) -> None:
    asked = {"model": "a model; rm -rf /", "base_url": "https://example.org/v1", "limit": "20", "max_cost": "2,5"}
    page = client.get("/campaigns/trial/models", params=asked).text
    assert "lanner judge trial --model &#39;a model; rm -rf /&#39; --base-url https://example.org/v1" in page
    assert "--limit 20 --max-cost 2.5" in page
    large = client.get("/campaigns/trial/models", params={**asked, "limit": "1234567", "max_cost": "123456.78"}).text
    assert "--limit 1234567 --max-cost 123456.78" in large, "no digit is lost"
    for wrong in (
        {"base_url": "file:///etc"},
        {"limit": "many"},
        {"limit": "inf"},
        {"model": "--help"},
        {"model": " --help"},
    ):
        assert client.get("/campaigns/trial/models", params={**asked, **wrong}).status_code == 422


def test_how_far_a_model_is_and_what_it_was_asked_with(client: TestClient, store: Store, token: str) -> None:
    plan = {"models": ["m-large"], "calls": "stages", "samples": 3}
    add_judges(store, "trial", [Judge("m", JudgeKind.MODEL, "M", plan)], at=datetime.now(UTC))
    page = client.get("/campaigns/trial/models").text
    assert "m-large · calls stages · samples 3" in page
    assert "0 of 12" in page


def test_a_part_of_what_a_model_cost_is_not_shown_as_all_of_it(client: TestClient, store: Store, token: str) -> None:
    """Some replies came before anyone gave prices."""
    add_judges(store, "trial", [Judge("m", JudgeKind.MODEL, "M")], at=datetime.now(UTC))

    def add(attempt: int, cost: float | None) -> str:
        with store.writing() as tx:
            target = campaign.get(store, "trial").id
            participant = tx.judges.find(target, "m")
            assert participant is not None
            document = next(iter(tx.documents.numbers(target).values()))
            tx.ledger.add([ledger_row(target, participant.number, document, attempt=attempt, cost=cost)])
        return client.get("/campaigns/trial/models").text

    assert "77.25" in add(1, 77.25)
    assert "77.25" not in add(2, None)


def test_models_are_started_by_owners_on_servers_that_are_allowed_and_within_limits(
    client: TestClient, store: Store, token: str
) -> None:
    form = {"token": token, "do": "start", "model": "m", "base_url": "https://example.org/v1", "limit": "5"}
    refused = client.post("/campaigns/trial/models", data=form)
    assert refused.status_code == 422
    assert "may not be asked from here" in refused.text
    assert client.post("/campaigns/trial/models", data={"token": token, "do": "x"}).status_code == 400
    campaign.close(store, "trial")
    assert "trial is closed, so it takes no answers." in client.post("/campaigns/trial/models", data=form).text
    assert client.post("/campaigns/trial/models", data={"token": token, "do": "stop"}).status_code == 303
    organiser = sign_in(client, store, "Bob", "organiser")
    assert client.post("/campaigns/trial/models", data={**form, "token": organiser}).status_code == 403


def test_a_models_marks_are_offered_from_the_page_until_people_have_begun(client: TestClient, store: Store) -> None:
    token = sign_in(client, store)
    texts = [Document(f"d{n}", (Segment("1", "eins", {"oak": "one two"}),), "de", "en") for n in range(10)]
    campaign.create(store, "marks", texts, "esa", [Judge("m", JudgeKind.MODEL), Judge("ana")])
    campaign.open(store, "marks")
    assert "Marks for judges to start from" in client.get("/campaigns/marks/models").text

    def offer(share: str) -> int:
        form = {"token": token, "model": "m", "unassisted": share}
        return client.post("/campaigns/marks/prefill", data=form, follow_redirects=False).status_code

    assert offer("20") == 422  # it has judged nothing
    mark = {"side": "target", "start": 0, "end": 3, "severity": "minor"}
    for number, task in enumerate(campaign.tasks(store, "marks", "m")):
        campaign.submit(store, task.id, 0, {"errors": [mark], "score": 70}, submission=f"m{number}")
    assert [offer(wrong) for wrong in ("", "many", "-1", "100", "nan", "2000 %")] == [422] * 6
    assert offer("30 %") == 303
    helps = [help_of(document.segments[0], "oak") for document in campaign.documents(store, "marks")]
    assert (helps.count(Help.OFFERED), helps.count(Help.WITHHELD)) == (7, 3)
    assert "start from the marks of m. 30" in client.get("/campaigns/marks/models").text
    [entry] = [event for event in campaign.events(store, "marks") if event.kind == "prefilled"]
    assert entry.account is not None

    campaign.create(store, "late", texts, "esa", [Judge("m", JudgeKind.MODEL), Judge("ana")])
    campaign.open(store, "late")
    task = campaign.tasks(store, "late", "ana")[0]
    campaign.submit(store, task.id, 0, {"errors": [], "score": 70}, submission="first")
    page = client.get("/campaigns/late/models").text
    assert "Judges have begun" in page and "Offer these marks" not in page
