"""A meeting: the most disputed sentences, reasons side by side, decisions in the guidelines, a round, its effect."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign import Submission
from lanner.model import Document, Judge, JudgeKind, Role, Segment
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import Settings
from web_clients import another, sign_in

LEVELS = ("sentence_level", "local", "extended")
TRAINED = datetime(2026, 3, 2, tzinfo=UTC)


def judged(store: Store) -> None:
    """Ann and Ben differ on every second sentence of the first document, with reasons, and later agree."""
    texts = [
        Document(
            f"d{d}",
            tuple(Segment(str(n), f"Sentence {d}.{n} <i>", {"oak": "Never judged."}) for n in range(1, 13)),
            "en",
            "ko",
        )
        for d in (1, 2)
    ]
    judges = [Judge("ann", name="Ann"), Judge("ben", name="Ben")]
    campaign.create(store, "pilot", texts, "falcon_labels", judges)
    campaign.open(store, "pilot")
    for judge in judges:
        for task in campaign.tasks(store, "pilot", judge.id):
            for place, item in enumerate(task.items):
                number = int(item.segment)
                differs = item.document == "d1" and number % 2 == 1 and judge.id == "ben"
                answers = {"context": LEVELS[(number + differs) % 3], "comment": f"{judge.name} on {item.segment}"}
                if differs:
                    mark = {"side": "source", "start": 0, "end": 8, "text": "Sentence", "category": "needs_context"}
                    answers["spans"] = [mark]
                at = TRAINED + timedelta(days=1 if item.document == "d2" else -1)
                name = f"{judge.id}-{task.id}-{place}"
                [result] = campaign.submit_many(
                    store, [Submission(task.id, place, answers, name, judge=judge.id, answered_at=at)]
                )
                assert not isinstance(result, Exception), result
    campaign.add_judges(store, "pilot", [Judge("gpt", JudgeKind.MODEL)])


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    place: Path = tmp_path_factory.mktemp("meeting") / "lanner.sqlite"
    with Store.open(place) as store:
        judged(store)
        with TestClient(create_app(store, settings=Settings(processes=False)), follow_redirects=False) as opened:
            opened.token = sign_in(opened, store)  # type: ignore[attr-defined]
            yield opened


def test_texts_are_those_that_were_judged_with_what_was_marked_in_them(client: TestClient) -> None:
    for address in ("meeting?n=4", "disagreements?at=d1&segment=1&show=all"):
        page = client.get(f"/campaigns/pilot/{address}").text
        assert "Never judged." not in page, "FALCON's labels are about the source alone"
        assert ">Sentence<" in page.replace("<mark>", ">").replace("<sup>", "<"), "what needs context is marked"


def test_compared_translations_stand_side_by_side(client: TestClient) -> None:
    store: Store = client.app.state.site.store  # type: ignore[attr-defined]
    texts = [Document("d", (Segment("1", "One.", {"oak": "Eins.", "elm": "Einer."}),), "en", "de")]
    campaign.create(store, "pairs", texts, "ranking_rs", [Judge("ann", name="Ann"), Judge("ben", name="Ben")])
    campaign.open(store, "pairs")
    for judge, best in (("ann", "oak"), ("ben", "elm")):
        [task] = campaign.tasks(store, "pairs", judge)
        [item] = task.items
        answer = {"ranking_rs": [1 if system == best else 2 for system in item.systems]}
        [result] = campaign.submit_many(store, [Submission(task.id, 0, answer, f"{judge}-pair", judge=judge)])
        assert not isinstance(result, Exception), result
    page = client.get("/campaigns/pairs/meeting").text
    assert "Eins." in page and "Einer." in page
    unit = "|".join(sorted(item.systems))
    page = client.get("/campaigns/pairs/disagreements", params={"at": "d", "segment": "1", "system": unit}).text
    assert "Eins." in page and "Einer." in page


def test_the_most_disputed_stand_with_everybodys_reasons(client: TestClient) -> None:
    page = client.get("/campaigns/pilot/meeting?n=4").text
    assert page.count('class="panel case"') == 4
    assert "Sentence 2." not in page, "what everybody agrees on is not talked about"
    for judge in ("Ann", "Ben"):
        assert f"{judge} on 1" in page or f"{judge} on 3" in page
    assert "&lt;i&gt;" in page and "<i>" not in page
    assert "/campaigns/pilot/disagreements?at=d1" in page
    assert client.get("/campaigns/pilot/meeting?n=x").text.count('class="panel case"') == 6


def test_a_decision_is_an_example_of_the_guidelines(client: TestClient) -> None:
    before = client.get("/campaigns/pilot/guidelines").text
    assert "Named outright." not in before
    fields = {"token": client.token, "document": "d1", "segment": "1", "system": "", "context": "local"}  # type: ignore[attr-defined]
    client.post("/campaigns/pilot/settle", data={**fields, "note": "Named outright."})
    after = client.get("/campaigns/pilot/guidelines").text
    assert "Named outright." in after and "Sentence 1.1 &lt;i&gt;" in after
    assert "settled" in client.get("/campaigns/pilot/meeting").text


def test_agreement_before_and_after_a_day(client: TestClient) -> None:
    page = client.get("/campaigns/pilot/meeting?since=2026-03-02").text
    assert "Documents: 1 before, 1 after" in page and "alpha (context)" in page and "MOVER" in page
    row = page.split("<tbody>")[-1]
    assert "1.00" in row
    refused = client.get("/campaigns/pilot/meeting?since=2027-01-01").text
    assert "Nothing was answered before that day" in refused
    assert client.get("/campaigns/pilot/meeting?since=soon").status_code == 422


def test_the_sentences_are_given_to_every_person_again_by_an_organiser(client: TestClient) -> None:
    store = client.app.state.site.store  # type: ignore[attr-defined]
    viewer = another(client)
    token = sign_in(viewer, store, "Vic", "viewer")
    assert viewer.post("/campaigns/pilot/calibrate", data={"token": token, "n": "3"}).status_code == 403
    answer = client.post("/campaigns/pilot/calibrate", data={"token": client.token, "n": "3"})  # type: ignore[attr-defined]
    assert "given=2" in answer.headers["location"]
    for judge, number in (("ann", 3), ("ben", 3), ("gpt", 0)):
        items = [item for task in campaign.tasks(store, "pilot", judge) for item in task.items]
        assert sum(item.role is Role.CALIBRATION for item in items) == number
    event = campaign.events(store, "pilot")[-1]
    assert (event.kind, event.detail["tasks"]) == ("calibration_assigned", 2)
