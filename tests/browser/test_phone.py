"""On a phone every control lies inside its question and inside the screen, in every protocol."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from browser_actions import Keyboard
from live_server import SYSTEMS, Live, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

OUTSIDE = """() => {
  const outside = [];
  for (const question of document.querySelectorAll('.rail [data-q]')) {
    const frame = question.getBoundingClientRect();
    if (!frame.width) continue;
    for (const control of question.querySelectorAll('label, button, input, textarea')) {
      const box = control.getBoundingClientRect();
      if (box.width < 2 || getComputedStyle(control).visibility === 'hidden') continue;
      if (box.right > frame.right + 2 || box.left < frame.left - 2 || box.right > innerWidth + 1)
        outside.push(`${question.dataset.q}: ${control.textContent.trim() || control.tagName}`);
      const words = control.querySelector('.seg label > span:not(.vh)');
      if (words?.scrollWidth > control.clientWidth || words?.offsetWidth > control.clientWidth)
        outside.push(`${question.dataset.q}: the words of ${control.textContent.trim()}`);
    }
  }
  return outside;
}"""


@pytest.mark.parametrize("protocol", ["h_falcon", "falcon", "esa", "da_sqm", "mqm", "ranking_sc", "background"])
def test_no_control_pokes_out_of_its_question(live: Live, page: Page, protocol: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    outputs = 2 if protocol == "ranking_sc" else 1
    work = live.campaign(protocol, [document()], systems=SYSTEMS[:outputs])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    for width in (360, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(OUTSIDE) == []
    assert page.evaluate("document.querySelector('.bar').offsetHeight") <= 48, "one line, and the rest is text"
    page.locator(".bar .brand").click(trial=True)
    if outputs == 2:  # columns stand below one another, so each text says what it is
        labels = page.locator(".is-active [data-label]").evaluate_all(
            "cells => cells.map(cell => getComputedStyle(cell, '::before').content)"
        )
        assert labels == ['"English source"', '"Translation A"', '"Translation B"']
        page.goto(f"{page.url}?language=ko")
        Keyboard(page).wait_until_ready()
        assert page.locator(".is-active [data-label]").first.get_attribute("data-label") == "영어 원문"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_bar_of_a_first_visit_can_be_pressed(live: Live, page: Page) -> None:
    """The guidelines begin below the bar, which took two lines here: the second was covered."""
    page.set_viewport_size({"width": 390, "height": 844})
    work = live.campaign("esa", [document()], systems=SYSTEMS[:1])
    work.enter(page)
    page.goto(f"{work.url(work.tasks[0].id)}/practice")
    Keyboard(page).wait_until_ready()
    assert page.locator("#intro").is_visible()
    for control in page.locator(".bar :is(button, a):visible").all():
        control.click(trial=True, timeout=5000)
    page.keyboard.press("Enter")
    page.locator("#intro").wait_for(state="hidden")
    boxes = [page.locator(css).bounding_box() for css in (".bar", ".work")]
    assert boxes[0] and boxes[1] and boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"] - 1
    assert abs(boxes[1]["y"] + boxes[1]["height"] - 844) <= 1, "the page is filled"
