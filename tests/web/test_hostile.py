"""Texts, names, comments and notes are other people's: they are shown on every page and run on none."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from lanner import campaign, protocols
from lanner.model import Document, Judge, Segment
from lanner.store import Store
from visiting import complete, enter, sign_in

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'--></title>{{ 7*7 }}${7*7}\u202e"
NAME = "a\"'><script>alert(1)<script>"


@pytest.fixture
def pages(client: TestClient, store: Store) -> Iterator[list[tuple[str, str]]]:
    """Every page of a campaign in which everything that can be is hostile, as its organiser and a judge see them."""
    segments = tuple(Segment(f"{at}{NAME}", f"{at} {EVIL}", {NAME: f"{at} {EVIL}"}) for at in range(12))
    text = Document(f"d{NAME}", segments, 'en"><b>', "ko", EVIL, EVIL, EVIL, EVIL, glossary={EVIL: EVIL})
    people = [Judge(f"{n}{NAME}", name=f"{n} {EVIL}", attributes={NAME: EVIL}) for n in range(3)]
    made = campaign.create(
        store,
        NAME.replace("/", ""),
        [text],
        protocols.load("falcon"),
        people,
        title=EVIL,
        settings={"guidelines": EVIL},
    )
    campaign.open(store, made.id)
    for number, judge in enumerate(people):
        for task in campaign.tasks(store, made.id, judge.id):
            if task.page == "label":
                for item in range(len(task.items)):
                    level = ("local", "global", "universal")[(item + number) % 3]
                    answers = {**complete("falcon"), "context": level, "comment": EVIL}
                    campaign.submit(store, task.id, item, answers, submission=f"{number}-{task.id}-{item}")
    token = sign_in(client, store, EVIL[:70])
    here = f"/campaigns/{quoted(made.name)}"
    fields = {"token": token, "document": text.id, "segment": segments[0].id, "system": "", "context": "local"}
    client.post(f"{here}/settle", data={**fields, "note": EVIL, "guideline": "1"})
    links = client.post(f"{here}/links", data={"token": token, "who": "all"})
    places = [
        "/campaigns", here, f"{here}/panels", f"{here}/disagreements?question=context&show=all",
        f"{here}/disagreements?at={quoted(text.id)}&segment={quoted(segments[1].id)}&refused={quoted(EVIL)}",
        f"{here}/judges", f"{here}/judge?id={quoted(people[0].id)}", f"{here}/settings", "/people", "/account",
        f"{here}/preview/task/1", "/new", f"/nowhere/{quoted(EVIL)}",
    ]  # fmt: skip
    shown = [(place, client.get(place).text) for place in places]
    secret = campaign.links.issue(store, made.id, people[0].id)
    tasks = enter(client, secret)
    shown += [(f"/task/{task}", client.get(f"/task/{task}").text) for task in tasks[:2]]
    shown += [("/work", client.get("/work").text), ("links", links.text), ("report", client.get(f"{here}/report").text)]
    yield shown


def quoted(text: str) -> str:
    return quote(text, safe="")


def test_nothing_hostile_runs_anywhere(pages: list[tuple[str, str]]) -> None:
    met = 0
    for place, text in pages:
        assert "<script>alert" not in text, place
        assert "<img src=x" not in text, place
        assert "onerror=alert(1)>" not in text.replace("&gt;", ""), place
        met += "alert(1)" in text
    assert met > 10, "the hostile texts were not shown at all"
