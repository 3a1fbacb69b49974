"""Not one byte that a judge's browser receives names a system, another judge, a control item or an expected answer."""

from __future__ import annotations

import dataclasses
import re

import pytest
from playwright.sync_api import Page

from browser_actions import Keyboard
from lanner import campaign
from lanner.model import Judge, Role
from lanner.web.judging.page import StoredAnswers, task_page
from lanner.web.speech import Messages
from live_server import SYSTEMS, Live, document
from page_inspection import HIDDEN, OTHER, Received

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

WORDS = "the gold answer in words"
LONG = "이 글의 {}번째 긴 문장에는 꽤 많은 낱말이 들어 있고 또 더 있습니다."


def test_every_byte_of_a_campaign_with_controls(live: Live, page: Page) -> None:
    """Spoiled items, items with a known answer and repeats among the others; another judge at work; notes on both.
    The same is asked of every protocol while a whole task is judged: see test_keyboard."""
    long = [(f"Sentence {n} of the report has quite some words in it.", LONG.format(n)) for n in range(3)]
    text = document(texts=long)
    gold = {
        "document": text.id,
        "segment": text.segments[1].id,
        "systems": [SYSTEMS[0]],
        "expected": {"holistic": {"at_most": 4, "explanation": WORDS}},
    }
    judges = (Judge("J1", name="Judge One", attributes={"secret": "attribute-of-this-judge"}), OTHER)
    settings = {"controls": {"shuffled": 1, "repeats": 1, "gold": [gold], "spacing": 1}}
    work = live.campaign("h_falcon", [text], judges=judges, systems=SYSTEMS, settings=settings)
    tasks = {judge.id: campaign.tasks(live.store, work.name, judge.id) for judge in judges}
    roles = {item.role for task in work.tasks for item in task.items}
    assert {Role.CONTROL, Role.REPEAT} < roles, "there is something to hide"
    received = Received(live)
    page.goto(work.link)
    keyboard = Keyboard(page)
    for task in work.tasks:
        page.goto(work.url(task.id))
        keyboard.wait_until_ready()
        for place in range(len(task.items)):
            keyboard.press("1", "2", "s", "3", "9")
            if place < len(task.items) - 1:
                keyboard.press("Enter")
        keyboard.wait_until_saved()
        page.evaluate(f"fetch('/task/{task.id}/answers').then(r => r.json())")
        keyboard.press("Enter")
        page.wait_for_url(re.compile(rf"/(work|task/(?!{task.id}\b))"))
        page.goto(work.url(task.id))
        keyboard.wait_until_ready()
    for asset in page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)"):
        page.request.get(asset)  # also those that this browser knew
    page.goto(f"{live.url}/work")
    keyboard.wait_until_ready()
    received.tells_nothing(LONG.format(1), [*HIDDEN, WORDS, '"expected"'])
    # Another judge's task is as good as not there.
    answer = page.goto(work.url(tasks[OTHER.id][0].id))
    assert answer is not None and answer.status == 404


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
                work.protocol,
                dataclasses.replace(task, items=(item,)),
                texts,
                [StoredAnswers()],
                Messages("en"),
                who="x",
            )
        )
        for item in (main, control)
    )
    assert "order words in" in second
    assert first == second.replace("order words in", "words in order")
