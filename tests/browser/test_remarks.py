"""What a judge can say beyond the questions, at a mark and to the organiser; and the way through a long segment."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser_actions import Keyboard, wait_until
from lanner import campaign
from lanner.campaign.people import messages_in
from live_server import SYSTEMS, Live, Work, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

SOURCE = (
    "The ferry left at nine, although the storm had been announced; nobody on board seemed to mind at all. "
    "In the harbour a band played until the lights of the ship had gone, and then they packed up their trumpets."
)
TARGET = (
    "Die Fähre legte um neun ab, obwohl der Sturm angekündigt worden war; niemand an Bord schien sich zu kümmern. "
    "Im Hafen spielte eine Kapelle, bis die Lichter des Schiffs verschwunden waren, und dann packten sie zusammen."
)
PLACE = """words => {
  const cell = [...document.querySelectorAll('.row [data-side]')].find(p => p.textContent.includes(words));
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const at = node.data.indexOf(words);
    if (at < 0) continue;
    range.setStart(node, at); range.setEnd(node, at + words.length);
    const box = range.getBoundingClientRect();
    return [box.left + 2, box.top + box.height / 2, box.right - 2];
  }
}"""
LIT = "() => [...(CSS.highlights.get('counterpart') ?? [])].map(range => range.toString()).join('')"


def begin(live: Live, page: Page, protocol: str = "esa") -> tuple[Work, int, Keyboard]:
    text = document(texts=[(SOURCE, TARGET), ("Short.", "Kurz.")], languages=("en", "de"))
    work = live.campaign(protocol, [text], systems=SYSTEMS[:1])
    work.enter(page)
    task = work.tasks[0].id
    page.goto(work.url(task))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, task, keyboard


def drag_over(page: Page, words: str) -> None:
    left, middle, right = page.evaluate(PLACE, words)
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(right, middle, steps=6)
    page.mouse.up()


def test_a_mark_carries_a_note_and_a_correction(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    drag_over(page, "Kapelle")
    keyboard.press("1")
    page.locator("mark").first.click()
    keyboard.press("n")
    note = page.locator("[data-remark=note]")
    expect(note).to_be_focused()
    keyboard.write("A band, not an orchestra; j and 1 are letters here")
    keyboard.press("Tab")
    keyboard.write("Band")
    keyboard.press("Escape")
    keyboard.wait_until_saved()
    (mark,) = work.stored(task)[0]["errors"]
    assert mark["note"] == "A band, not an orchestra; j and 1 are letters here"
    assert (mark["correction"], mark["text"]) == ("Band", "Kapelle")
    expect(page.locator(".spans .remark")).to_contain_text("→ Band")
    page.reload()
    keyboard.wait_until_ready()
    page.get_by_role("button", name="Remarks").first.click()
    expect(page.locator("[data-remark=correction]")).to_have_value("Band")
    page.locator("[data-remark=correction]").click()  # the pointer can go there, too
    keyboard.press("Control+a", "Delete", "Escape")
    keyboard.wait_until_saved()
    (mark,) = work.stored(task)[0]["errors"]
    assert "correction" not in mark and mark["note"]
    keyboard.press("u")
    keyboard.wait_until_saved()
    (mark,) = work.stored(task)[0]["errors"]
    assert mark["correction"] == "Band", "undo brings it back"


def test_changing_the_severity_keeps_the_remarks(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    drag_over(page, "Kapelle")
    keyboard.press("1")
    page.locator("mark").first.click()
    keyboard.press("n")
    keyboard.write("why")
    keyboard.press("Escape")
    page.locator("mark").first.click()
    keyboard.press("2")
    keyboard.wait_until_saved()
    (mark,) = work.stored(task)[0]["errors"]
    assert (mark["severity"], mark["note"]) == ("major", "why")


def test_a_message_reaches_the_organiser(live: Live, page: Page, context: BrowserContext) -> None:
    work, _, keyboard = begin(live, page, "h_falcon")
    page.get_by_role("button", name="Write to the organiser").click()
    page.locator("#message-text").click()
    keyboard.write("Sentence 2 is cut off. 1 j u")
    context.set_offline(True)
    keyboard.press("Control+Enter")
    expect(page.locator("#message output")).to_contain_text("Not sent")
    expect(page.locator("#message-text")).to_have_value("Sentence 2 is cut off. 1 j u")
    context.set_offline(False)
    page.route(
        "**/message", lambda route: route.fulfill(content_type="text/html", body="<h1>Sign in to the network</h1>")
    )
    page.locator("#message output").evaluate("output => output.textContent = ''")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#message output")).to_contain_text("Not sent")
    refused = {
        "status": 422,
        "content_type": "application/json",
        "body": '{"message": "A message has 1 to 20 characters."}',
    }
    page.route("**/message", lambda route: route.fulfill(**refused))
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#message output")).to_have_text("A message has 1 to 20 characters.")
    expect(page.locator("#message-text")).to_have_value("Sentence 2 is cut off. 1 j u")
    page.unroute("**/message")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#message output")).to_contain_text("Sent")
    (message,) = messages_in(campaign.events(live.store, work.name))
    assert message.text == "Sentence 2 is cut off. 1 j u"
    assert not work.rows(), "no key of it was an answer"


def test_the_counterpart_inside_a_long_segment_is_lit_and_can_be_switched_off(live: Live, page: Page) -> None:
    _, _, keyboard = begin(live, page)
    left, middle, _ = page.evaluate(PLACE, "storm")
    while "Sturm" not in page.evaluate(LIT):  # what lights it is loaded once the page can be used
        page.mouse.move(left + 3, middle)
        page.mouse.move(left, middle)
    assert "Hafen" not in page.evaluate(LIT)
    expect(page.locator(".approximate")).to_be_visible()
    left, middle, _ = page.evaluate(PLACE, "Short")
    page.mouse.move(left, middle, steps=3)
    wait_until(page, f"({LIT})() === ''")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Light the matching part").uncheck()
    keyboard.press("Escape")
    left, middle, _ = page.evaluate(PLACE, "storm")
    page.mouse.move(left, middle, steps=3)
    left, middle, _ = page.evaluate(PLACE, "harbour")
    page.mouse.move(left, middle, steps=3)
    page.evaluate("() => new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(ok)))")
    assert page.evaluate(LIT) == ""


SWEEP = """([from, to]) => {
  for (const [x, y] of [from, to])
    document.elementFromPoint(x, y).dispatchEvent(
      new PointerEvent('pointermove', { bubbles: true, clientX: x, clientY: y, pointerType: 'mouse' }));
  return new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(ok)));
}"""
"""Two moves of the pointer before the next frame."""


def test_of_two_moves_before_a_frame_the_last_says_what_is_lit(live: Live, page: Page) -> None:
    begin(live, page)
    storm, harbour = (page.evaluate(PLACE, word)[:2] for word in ("storm", "harbour"))
    while "Sturm" not in page.evaluate(LIT):
        page.evaluate(SWEEP, [storm, storm])
    page.evaluate(SWEEP, [storm, harbour])
    assert "Hafen" in page.evaluate(LIT)


def test_undoing_a_required_answer_takes_it_back_on_the_server(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page, "h_falcon")
    keyboard.press("s", "3")
    keyboard.wait_until_saved()
    assert work.stored(task)[0]["sentence"] == 3
    keyboard.press("u")
    keyboard.wait_until_saved()
    assert "sentence" not in work.stored(task)[0]
    assert page.locator("#saved").get_attribute("data-state") == "saved"
    page.reload()
    keyboard.wait_until_ready()
    expect(page.locator("[data-q=sentence] :checked")).to_have_count(0)


def test_an_answer_the_server_refuses_is_not_called_saved(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page, "h_falcon")
    keyboard.press("s", "3")
    keyboard.wait_until_saved()
    refusal = '{"errors": [{"question": "sentence", "code": "off_step", "message": "no"}]}'
    page.route("**/answers", lambda route: route.fulfill(status=422, content_type="application/json", body=refusal))
    keyboard.press("s", "4")
    page.locator("[id^=note-rejected]").wait_for()
    expect(page.locator("#saved")).to_have_attribute("data-state", "kept")
    page.unroute("**/answers")
    keyboard.press("s", "2")
    keyboard.wait_until_saved()
    assert work.stored(task)[0]["sentence"] == 2


def test_a_slider_has_ticks_and_lights_the_interval_of_the_answer(live: Live, page: Page) -> None:
    _, _, keyboard = begin(live, page)
    expect(page.locator(".ticks i")).to_have_count(4)
    expect(page.locator(".marks .lit")).to_have_count(0)
    keyboard.press("s")
    keyboard.write("50")
    keyboard.press("Enter")
    page.locator(".num").first.click()
    assert page.locator(".marks .lit b").all_inner_texts() == ["66", "33"]
    ticks, thumb = page.evaluate(
        """() => { const box = el => el.getBoundingClientRect();
          const range = document.querySelector('[type=range]'), all = [...document.querySelectorAll('.ticks i')];
          const ends = [box(range).left + 11, box(range).right - 11];
          return [all.map(i => box(i).left + 1).sort((a, b) => a - b), ends]; }"""
    )
    assert abs(ticks[0] - thumb[0]) < 1.5 and abs(ticks[-1] - thumb[1]) < 1.5, "a tick stands where the thumb would"
