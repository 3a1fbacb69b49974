"""Training: an explanation comes only after the answer is stored; consent opens the rest."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser_actions import Keyboard
from live_server import SYSTEMS, Live, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

WORDS = "The captain is a woman, and 그는 says otherwise."


@pytest.mark.usefixtures("context")
def test_an_explanation_comes_after_the_answer(live: Live, page: Page) -> None:
    text = document(3)
    items = [
        {
            "document": text.id,
            "segment": segment.id,
            "systems": [SYSTEMS[0]],
            "expected": {"holistic": {"at_most": 4, "explanation": WORDS}},
        }
        for segment in text.segments[:2]
    ]
    settings = {"tutorial": {"page": "rating", "items": items}}
    work = live.campaign("h_falcon", [text], systems=SYSTEMS[:1], settings=settings)
    received: list[bytes] = []
    page.on("response", lambda answer: received.append(answer.body()) if answer.status == 200 else None)
    page.goto(work.link)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("s", "2")
    keyboard.wait_until_saved()
    assert not any(WORDS.encode() in body for body in received), "not before the answer is complete"
    assert page.locator("#explanation").is_hidden()
    keyboard.press("h", "3")
    keyboard.wait_until_saved()
    assert WORDS in page.inner_text("#explanation")
    keyboard.press("Enter", "s", "4", "9")
    keyboard.wait_until_saved()
    assert WORDS in page.locator("#explanation, [id^=note-explanation]").filter(visible=True).first.inner_text()
    page.reload()
    keyboard.wait_until_ready()
    page.locator(".num").first.click()
    assert WORDS in page.inner_text("#explanation"), "still there after a reload"
    assert page.locator("#training").is_visible(), "a training item is called so"
    assert "Right" in page.inner_text("#explanation h3")


def test_feedback_follows_a_changed_answer(live: Live, page: Page) -> None:
    text = document(2)
    expected = {"holistic": {"at_most": 4, "explanation": WORDS}}
    item = {"document": text.id, "segment": text.segments[0].id, "systems": [SYSTEMS[0]], "expected": expected}
    settings = {"tutorial": {"page": "rating", "items": [item]}}
    work = live.campaign("h_falcon", [text], systems=SYSTEMS[:1], settings=settings)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("s", "2", "h", "9")
    keyboard.wait_until_saved()
    expect(page.locator("#explanation h3")).to_have_text("Not quite")
    assert "≤ 4" in page.inner_text("#explanation")
    keyboard.press("h", "3")
    keyboard.wait_until_saved()
    expect(page.locator("#explanation h3")).to_have_text("✓ Right")


def test_consent_opens_the_work(live: Live, page: Page) -> None:
    work = live.campaign("h_falcon", [document(2)], systems=SYSTEMS[:1], settings={"before": ["consent"]})
    page.goto(work.link)
    page.get_by_role("link", name="Start").click()
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    assert "voluntary" in page.inner_text("main")
    keyboard.press("1", "Enter")
    page.wait_for_url(f"**/task/{work.tasks[1].id}/practice*")
    page.get_by_role("link", name="Skip the practice").last.click()
    page.wait_for_url(f"**/task/{work.tasks[1].id}")
    keyboard.wait_until_ready()
    keyboard.press("s", "3", "8", "Enter")
    keyboard.wait_until_saved()
    assert work.stored(work.tasks[1].id)[0]["holistic"] == 8
