"""On a phone every control lies inside its question and inside the screen, in every protocol."""

from __future__ import annotations

import base64
import re

import pytest
from playwright.sync_api import FloatRect, Page, expect

from browser_actions import Keyboard, wait_until
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


def test_a_translation_is_chosen_by_a_tap_on_it(live: Live, phone: Page) -> None:
    """Only the active sentence's, and by no press that ends a selection; scores need no such tap."""
    work = live.campaign("ranking_sc", [document()], systems=SYSTEMS)
    work.enter(phone)
    phone.goto(work.url(work.tasks[0].id))
    Keyboard(phone).wait_until_ready()
    chosen, active = phone.locator("#questions :checked"), phone.locator(".is-active")
    active.locator(".tgt").last.tap()
    expect(chosen).to_have_attribute("value", "2,1")
    active.locator(".tgt").first.tap()
    expect(chosen).to_have_attribute("value", "1,2")
    active.locator(".src").tap()
    active.locator(".tgt").first.evaluate("text => getSelection().selectAllChildren(text)")
    active.locator(".tgt").last.tap()  # the words are no longer selected, and that is all
    wait_until(phone, "getSelection().isCollapsed")
    expect(chosen).to_have_attribute("value", "1,2")
    phone.locator(".row .tgt").nth(2).tap()
    expect(phone.locator(".row").nth(1)).to_have_class(re.compile("is-active"))
    expect(chosen).to_have_count(0)
    phone.locator("#accept").tap()
    wait_until(phone, "document.querySelector('#saved').dataset.state === 'saved'")
    assert work.stored(work.tasks[0].id)[0] == {"ranking_sc": [1, 2]}


def test_on_a_wide_screen_texts_are_no_buttons(live: Live, page: Page) -> None:
    work = live.campaign("ranking_sc", [document()], systems=SYSTEMS)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    page.locator(".is-active .tgt").last.click()
    expect(page.locator("#questions :checked")).to_have_count(0)


def test_no_tint_covers_the_frame_of_a_sentence(live: Live, page: Page) -> None:
    """Colours are looked at on the screen: the line is drawn by a shadow under the texts."""
    work = live.campaign("ranking_sc", [document()], systems=SYSTEMS)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    page.keyboard.press("1")
    expect(page.locator(".is-active .best")).to_have_count(1)
    page.emulate_media(reduced_motion="reduce")
    page.locator(".is-active .src").hover()  # the other counterpart is tinted as well
    expect(page.locator(".is-active .tgt").last).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    page.locator(".is-active").evaluate("row => row.style.marginTop = `${1 - row.getBoundingClientRect().y % 1}px`")
    row = page.locator(".is-active").bounding_box()
    assert row and row["y"] % 1 == 0, row
    line: FloatRect = {"x": row["x"] + 20, "y": row["y"], "width": row["width"] - 40, "height": 1}
    read = """async png => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), c => c.charCodeAt(0))]));
      const drawn = new OffscreenCanvas(image.width, 1).getContext('2d');
      drawn.drawImage(image, 0, 0);
      const bytes = drawn.getImageData(0, 0, image.width, 1).data;
      return new Set(Array.from({ length: image.width }, (_, n) => bytes.slice(4 * n, 4 * n + 3).join())).size;
    }"""
    picture = base64.b64encode(page.screenshot(clip=line, animations="disabled")).decode()
    assert page.evaluate(read, picture) == 1, "one line of one colour"
