"""An adaptive campaign judged through the server until it says that enough is known."""

from __future__ import annotations

from starlette.testclient import TestClient

from adaptive_campaign import JUDGES, QUALITY, made, score
from lanner import campaign
from lanner.campaign import drawing
from lanner.model import Role
from lanner.protocols import load
from lanner.store import Store
from web_clients import another, save

HEAD = {"accept": "application/json", "sec-fetch-site": "same-origin"}
QUESTION = next(question.id for _, question in load("da").questions)


def test_judges_are_given_documents_until_enough_is_known(client: TestClient, store: Store) -> None:
    study = made(store, documents=24)
    secrets = campaign.invitations.issue_all(store, "study")
    clients = {judge.id: another(client) for judge in JUDGES}
    for judge, own in clients.items():
        own.get(f"/j/{secrets[judge]}")
    idle: set[str] = set()
    while len(idle) < len(clients):
        for judge, own in clients.items():
            home = own.get("/work")
            assert home.status_code == 200
            task = campaign.next_task(store, "study", judge)
            if task is None:
                idle.add(judge)
                continue
            for at, item in enumerate(task.items):
                value = 5 if item.role is Role.CONTROL else score(item.document, item.segment, item.systems[0])
                assert save(own, task.id, at, {QUESTION: value}).status_code == 200
            assert own.post(f"/task/{task.id}/finish", headers=HEAD).status_code == 200
    standing = drawing.state(store, study.id).allocation.standing
    assert standing.look >= 1, "looks are taken as tasks are finished"
    assert standing.enough
    better = dict(zip(standing.pairs, standing.winners, strict=True))
    names = tuple(QUALITY)
    assert better[0, 1] == 1 and better[0, 2] == 2, f"{names[0]} is the worst by far"
