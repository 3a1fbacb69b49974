"""Not one byte that a judge's browser receives names a system, another judge, a control item or an expected answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Response

from hands import Hands
from lanner import campaign
from lanner.model import Judge, Role
from lanner.web.messages import Messages
from lanner.web.pages import Given, task_page
from live import SYSTEMS, Live, document

pytestmark = pytest.mark.browser

OTHER = Judge("other-judge-id", name="Another Person", attributes={"note": "attribute-of-another"})


def words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for entry in value.values():
            yield from words(entry)


@pytest.mark.parametrize("protocol", ["h_falcon", "parity", "esa"])
def test_every_byte(live: Live, page: Page, protocol: str) -> None:
    judges = (Judge("J1", name="Judge One", attributes={"secret": "attribute-of-this-judge"}), OTHER)
    work = live.campaign(protocol, [document(3)], judges=judges, systems=SYSTEMS, options={"all_scenarios": True})
    tasks = {judge.id: campaign.tasks(live.store, work.name, judge.id) for judge in judges}
    received: list[bytes] = []

    def keep(response: Response) -> None:
        headers = " ".join(f"{name}: {value}" for name, value in response.headers.items())
        received.append(headers.encode())
        if response.status < 300:
            received.append(response.body())

    page.on("response", keep)
    page.goto(work.link)
    hands = Hands(page)
    for task in work.tasks[:3]:
        page.goto(work.url(task.id))
        hands.ready()
        hands.press("1", "2", "s", "3", "4", "Enter")
        page.wait_for_timeout(900)
        page.evaluate(f"fetch('/task/{task.id}/answers').then(r => r.json())")
    page.goto(f"{live.url}/work")
    hands.ready()
    everything = b"\n".join(received)
    assert len(everything) > 50_000
    hidden = [*SYSTEMS, OTHER.id, OTHER.name, "attribute-of-another", "attribute-of-this-judge"]
    hidden += [f'"{role.value}"' for role in Role if role is not Role.MAIN]
    for word in hidden:
        assert word.encode() not in everything, word
    # Another judge's task is as good as not there.
    assert page.goto(work.url(tasks[OTHER.id][0].id)).status == 404


def test_control_items_look_like_any_other(live: Live) -> None:
    """What a page is made from differs between a control item and a main one by the text that is shown alone."""
    work = live.campaign("parity", [document(3)], systems=SYSTEMS, options={"all_scenarios": True})
    task = work.tasks[0]
    texts = {entry.id: entry for entry in campaign.documents(live.store, work.name)}
    main = dataclasses.replace(task.items[0], texts={SYSTEMS[0]: "words in order"})
    control = dataclasses.replace(
        main,
        role=Role.CONTROL,
        texts={SYSTEMS[0]: "order words in"},
        expected={"adequacy_of_sentence": {"is": [2, 1]}, "explanation": "the gold answer"},
    )
    first, second = (
        repr(
            task_page(
                work.protocol, dataclasses.replace(task, items=(item,)), texts, [Given()], Messages("en"), who="x"
            )
        )
        for item in (main, control)
    )
    assert "order words in" in second
    assert first == second.replace("order words in", "words in order")
