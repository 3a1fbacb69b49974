from __future__ import annotations

import pytest
from starlette.datastructures import QueryParams
from starlette.testclient import TestClient

from lanner import campaign
from lanner.model import JudgeKind
from lanner.store import Store
from lanner.web.organiser.settling import wanted_of
from visiting import complete, open_campaign, sign_in


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    """A campaign in dispute, with an organiser in front of it."""
    open_campaign(store, protocol="falcon")
    for judge, level in (("J1", "local"), ("J2", "universal")):
        mine = campaign.tasks(store, "trial", judge)
        task = next(task for task in mine if task.page == "label" and task.items[0].document == "doc0")
        for item in range(3):
            answers = {**complete("falcon"), "context": level}
            campaign.submit(store, task.id, item, answers, submission=f"{judge}.{item}")
    return sign_in(client, store)


def agreed(store: Store) -> dict[str, object]:
    judges = {judge.id: judge.kind for judge in campaign.judges(store, "trial")}
    return {
        judgement.question: judgement.value
        for judgement in campaign.judgements(store, "trial")
        if judges[judgement.judge] is JudgeKind.ADJUDICATED
    }


def settle(client: TestClient, token: str, store: Store, **fields: str):
    given = {"token": token, "document": "doc0", "segment": "1", "system": "", **fields}
    return client.post("/campaigns/trial/settle", data=given)


def test_the_page_shows_the_dispute(client: TestClient, token: str) -> None:
    page = client.get("/campaigns/trial/disagreements?question=context").text
    assert "disagreement" in page
    assert "Agreed: Local" in page
    assert "0 settled" in page


def test_an_agreed_answer_is_a_judge_of_its_own(client: TestClient, token: str, store: Store) -> None:
    answer = settle(client, token, store, context="local", note="Spelled out above.", next="?at=x")
    assert answer.headers["location"] == "/campaigns/trial/disagreements?at=x"
    assert agreed(store) == {"context": "local"}
    page = client.get("/campaigns/trial/disagreements?show=settled").text
    assert "1 settled" in page
    event = campaign.events(store, "trial")[-1]
    assert (event.kind, event.detail["note"]) == ("settled", "Spelled out above.")
    own = [j.value for j in campaign.judgements(store, "trial") if j.judge == "J2" and j.question == "context"]
    assert set(own) == {"universal"}, "the judges' own answers stay"


def test_what_judges_left_open_can_be_settled_when_they_are_done(client: TestClient, token: str, store: Store) -> None:
    campaign.close(store, "trial")
    assert settle(client, token, store, context="local").status_code in (200, 303)
    assert agreed(store) == {"context": "local"}


def test_a_change_of_mind_and_back_again(client: TestClient, token: str, store: Store) -> None:
    for level in ("local", "universal", "local"):
        settle(client, token, store, context=level)
        assert agreed(store) == {"context": level}


def test_what_the_protocol_refuses_is_refused(client: TestClient, token: str, store: Store) -> None:
    answer = settle(client, token, store, skills="idea_development")
    assert "refused=" in answer.headers["location"]
    assert "at+least" in answer.headers["location"]
    assert agreed(store) == {}


def test_a_number_is_agreed_on_too(client: TestClient, store: Store) -> None:
    open_campaign(store)
    for judge, score in (("J1", 2), ("J2", 8)):
        task = campaign.tasks(store, "trial", judge)[0]
        said = {**complete(), "holistic": score}
        campaign.submit(store, task.id, 0, said, submission=judge)
    unit = campaign.tasks(store, "trial", "J1")[0].items[0]
    token = sign_in(client, store)
    about = {"document": unit.document, "segment": unit.segment, "system": "|".join(unit.systems)}
    answer = settle(client, token, store, **about, holistic="5")
    assert "refused" not in answer.headers["location"]
    assert agreed(store) == {"holistic": 5}


def test_an_answer_is_taken_from_a_judge(client: TestClient, token: str, store: Store) -> None:
    settle(client, token, store, **{"context@": "J2"})
    assert agreed(store) == {"context": "universal"}
    answer = settle(client, token, store, **{"context@": "nobody"})
    assert "refused=" in answer.headers["location"]


def test_a_guideline_note_is_written_when_asked(client: TestClient, token: str, store: Store) -> None:
    settle(client, token, store, context="local", note="Not this one.")
    assert "guideline_notes" not in campaign.get(store, "trial").settings
    settle(client, token, store, context="local", note="Acronyms are local.", guideline="1")
    notes = campaign.get(store, "trial").settings["guideline_notes"]
    assert [note["text"] for note in notes] == ["Acronyms are local."]


def test_where_it_goes_next_stays_on_this_site(client: TestClient, token: str, store: Store) -> None:
    answer = settle(client, token, store, context="local", next="https://evil.example/")
    assert answer.headers["location"] == "/campaigns/trial/disagreements"


def test_nothing_judged_yet_says_what_will_come(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    assert "as soon as two people" in client.get("/campaigns/trial/disagreements").text
    assert client.get("/campaigns/trial/disagreements?at=doc0&segment=1").status_code == 404


def test_filters_from_the_address() -> None:
    wanted = wanted_of(QueryParams("question=q&judges=a|b&labels=x|y&show=odd&domain=news"))
    assert (wanted.question, wanted.judges, wanted.labels, wanted.show) == ("q", ("a", "b"), ("x", "y"), "open")
    assert wanted_of(QueryParams("judges=a&labels=x|y|z")).judges == ()
