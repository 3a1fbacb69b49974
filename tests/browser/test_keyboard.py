"""A whole task of each page of every protocol by keyboard alone: what is stored is what was entered, axe-core finds
nothing in the markup, and no byte that the browser received names a system, another judge or the role of an item."""

from __future__ import annotations

import re
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from browser_actions import Keyboard, wait_until
from lanner.model import Item, Json, Judge, Spans, Task
from lanner.protocols import names
from lanner.protocols.answers import texts_of
from live_server import SYSTEMS, Live, Work, document
from page_inspection import MARKUP, OTHER, Received, clean
from simulated_pages import simulate_page as simulated

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

SOURCES = (
    ("She gave the keys to Ms Ahn before it rained.", "비가 오기 전에 그녀는 안 선생님께 열쇠를 드렸다."),
    ("Nobody 👩‍👩‍👧 had asked for them.", "아무도 👩‍👩‍👧 그것을 부탁하지 않았다."),
    ("It was, he said, a café matter.", "그는 그것이 카페 문제라고 말했다."),
)


WORDS = """async side => {
  const { words } = await import(document.querySelector('script[type=module]').src.replace('judging.js', 'text.js'));
  const cell = document.querySelector(`.is-active [data-side=${side}]`);
  return { words: words(cell.textContent, cell.lang), text: [...cell.textContent] };
}"""


def entered(page: Page, work: Work, task: Task, item: Item, rng: Random, earlier: dict[str, Json]) -> dict[str, Any]:
    """Random valid answers to a page; marks are made of whole words, since keys mark whole words."""
    texts = texts_of(DOCUMENT, item) if item.document else None
    answers = simulated(
        work.protocol, task.page, rng=rng, texts=texts, answers=earlier, outputs=max(2, len(item.systems))
    )
    for stage in work.protocol.pages[task.page]:
        for question in stage.questions:
            if isinstance(question, Spans):
                answers[question.id] = [_span(page, question, rng, place) for place in range(2)]
    return answers


def _span(page: Page, question: Spans, rng: Random, place: int) -> dict[str, Any]:
    side = rng.choice(question.sides)
    found = page.evaluate(WORDS, side)
    first = place * (len(found["words"]) // 2)
    last = min(first + rng.randint(0, 1), len(found["words"]) - 1)
    start, end = found["words"][first]["start"], found["words"][last]["end"]
    span: dict[str, Any] = {"side": side, "words": (first, last), "menu": []}
    stored: dict[str, Any] = {"side": side, "start": start, "end": end, "text": "".join(found["text"][start:end])}
    if question.missing and "source" in question.sides and side == "source":
        span["menu"].append("")
    if question.categories:
        chosen = rng.choice(question.categories)
        if chosen.parent:
            span["menu"].append(chosen.parent)
        elif any(other.parent == chosen.id for other in question.categories):
            span["menu"].append(chosen.id)
        span["menu"].append(chosen.id)
        stored["category"] = chosen.id
    if question.severities:
        severity = rng.choice(question.severities)
        span["menu"].append(severity.id)
        stored["severity"] = severity.id
    return {**span, "stored": stored}


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    """Without what the server works out about suggested marks."""
    return {
        name: [{k: v for k, v in mark.items() if k != "origin"} if isinstance(mark, dict) else mark for mark in value]
        if isinstance(value, list)
        else value
        for name, value in item.items()
    }


DOCUMENT = document(texts=SOURCES)
TWINS = {
    *("adequacy_fluency_rs", "adequacy_fluency_sc", "da", "da_full_document", "da_sqm", "esa"),
    *("falcon", "falcon_labels", "mqm", "mqm_core", "mqm_linked", "post_task_scenarios", "ranking_rs", "ranking_sc"),
}
"""Whose pages are made of controls that the pages of others have too: `make soak` takes their way as well."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.soak if n in TWINS else ()) for n in names()])
def test_whole_task_by_keyboard(live: Live, page: Page, name: str) -> None:
    rng = Random(name)
    judges = (Judge("J1", name="Judge One", attributes={"secret": "attribute-of-this-judge"}), OTHER)
    work = live.campaign(name, [DOCUMENT], judges=judges, systems=SYSTEMS, options={"all_scenarios": True})
    received = Received(live)
    work.enter(page)  # the list of work is looked at in test_blind
    keyboard = Keyboard(page)
    judged = 0
    seen: set[str] = set()
    earlier: dict[Any, dict[str, Json]] = {}
    for task in work.tasks:
        if task.page in seen:
            continue
        seen.add(task.page)
        if urlsplit(page.url).path != f"/task/{task.id}":  # where the last one leads to by itself
            page.goto(work.url(task.id))
        keyboard.wait_until_ready()
        expected = []
        for place, item in enumerate(task.items):
            key = (item.document, item.segment)
            answers = entered(page, work, task, item, rng, earlier.get(key, {}))
            keyboard.answer(answers)
            told = {
                question: [mark["stored"] for mark in value]
                if value and isinstance(value, list) and isinstance(value[0], dict)
                else value
                for question, value in answers.items()
                if value is not None
            }
            expected.append(told)
            earlier[key] = earlier.get(key, {}) | told
            judged += 1
            if place < len(task.items) - 1:
                keyboard.press("Enter")
        clean(page, f"{name}-{task.page}", MARKUP)
        solo = page.locator("body.solo").count() > 0
        if solo:
            keyboard.press("Control+Enter")
        else:
            keyboard.press("Enter")
        page.wait_for_url(re.compile(rf"/(work|task/(?!{task.id}\b))"))
        stored = [_plain(item) for item in work.stored(task.id)]
        assert stored == expected, (name, task.page)
    assert judged > 0
    received.tells_nothing(f"/task/{task.id}/")


@pytest.mark.parametrize(("first", "way"), [("9", "Escape k LETTER"), ("9", "k LETTER"), ("9", "k"), ("140", "")])
def test_digits_replace_a_score_that_is_there(live: Live, page: Page, first: str, way: str) -> None:
    """They were put behind it: 9, then 5, was stored as 95. So was a number that is refused, and stays."""
    work = live.campaign("da", [DOCUMENT], systems=SYSTEMS[:1])
    work.enter(page)
    task = work.tasks[0]
    page.goto(work.url(task.id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    letter = str(keyboard.questions()[0]["letter"])
    keyboard.press(letter, *first, "Enter", *way.replace("LETTER", letter).split(), "5", "Enter")
    wait_until(page, "document.querySelector('#saved').dataset.state === 'saved'")
    assert list(work.stored(task.id)[0].values()) == [5]
