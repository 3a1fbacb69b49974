"""What a judge meets when something is out of the ordinary: said in words, clean for axe-core, reached by keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser_actions import Keyboard
from lanner import campaign
from lanner.model import Role
from lanner.protocols import parse_toml
from live_server import SYSTEMS, Live, Work, document
from page_inspection import clean, clean_in_both

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

FOCUS = """() => {
  const el = document.activeElement, own = el.matches('.is-active .num') ? el.closest('.row') : el;
  const at = el.closest('label') ?? own, box = at.getBoundingClientRect();
  const drawn = look => look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2;
  const ring = e => drawn(getComputedStyle(e)) || drawn(getComputedStyle(e, '::after'));
  const top = document.elementFromPoint(box.x + box.width / 2, Math.min(innerHeight - 1, box.y + box.height / 2));
  const seen = top !== null && (at.contains(top) || top.contains(at));
  return { body: el === document.body, name: el.outerHTML.slice(0, 90), shown: ring(el) || ring(at), seen };
}"""


ORDER = """
name = "order"
version = "1.0"
[[stage]]
id = "order"
unit = "sentence_in_context"
object = "outputs"
outputs = 11
[[stage.question]]
id = "order"
kind = "rank"
[text.en]
title = "Order"
[text.en.questions.order]
label = "Order"
"""


OVER_THE_EDGE = """() => Math.max(...[...document.querySelectorAll('.facts')].map(facts => {
  facts.style.inlineSize = '6em';
  const range = document.createRange(), edge = facts.getBoundingClientRect().left;
  range.selectNodeContents(facts.lastElementChild.lastElementChild ?? facts.lastElementChild);
  return edge - Math.min(...[...range.getClientRects()].map(line => line.left));
}))"""
"""By how much a fact about a document begins outside of its card, where there is little room."""


def begin(live: Live, page: Page, protocol: str = "h_falcon", sentences: int = 3, **more: Any) -> tuple[Work, Keyboard]:
    work = live.campaign(protocol, [document(sentences)], systems=SYSTEMS[:1], **more)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, keyboard


def test_a_link_that_leads_nowhere(live: Live, page: Page) -> None:
    answer = page.goto(f"{live.url}/j/no-such-link")
    assert answer is not None and answer.status == 404
    clean_in_both(page, "error-link")


def test_offline_signed_out_and_answered_elsewhere(live: Live, page: Page, context: BrowserContext) -> None:
    work, keyboard = begin(live, page)
    context.set_offline(True)
    keyboard.press("s", "3", "8", "Enter")
    page.locator("#saved[data-state=offline]").wait_for()
    clean(page, "offline")
    context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    keyboard.wait_until_saved()
    other = context.new_page()
    other.goto(work.url(work.tasks[0].id) + "?row=1")
    Keyboard(other).wait_until_ready()
    for each in (page, other):
        each.evaluate("() => { BroadcastChannel.prototype.postMessage = () => {}; }")
    keyboard.press("k", "s", "2")
    keyboard.wait_until_saved()
    other.bring_to_front()
    Keyboard(other).press("s", "4")
    other.locator("[id^=note-conflict]").wait_for()
    clean(other, "conflict")
    context.clear_cookies()
    Keyboard(other).press("s", "1")
    other.locator("#note-held").wait_for()
    clean(other, "signed-out")


@pytest.mark.usefixtures("context")
def test_nothing_is_kept_here_and_a_break(live: Live, page: Page) -> None:
    page.add_init_script("Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('blocked'); } })")
    page.clock.install()
    _, keyboard = begin(live, page, settings={"break_minutes": 1})
    for _ in range(4):
        page.clock.run_for(20_000)
        keyboard.press("Shift")
    page.locator("#note-break").wait_for()
    clean(page, "break")


def test_paused_closed_and_all_done(live: Live, page: Page) -> None:
    settings = {"completion_code": "HARBOUR-7"}
    work, keyboard = begin(live, page, sentences=1, settings=settings)
    campaign.pause(live.store, work.name)
    keyboard.press("s", "2")
    page.locator("#note-held", has_text="paused").wait_for()
    page.goto(f"{live.url}/work")
    page.locator("#saved.bad").wait_for()
    assert page.inner_text("body").count("paused") == 1
    clean(page, "paused")
    campaign.reopen(live.store, work.name)
    page.goto(work.url(work.tasks[0].id))
    keyboard.wait_until_ready()
    keyboard.press("s", "3", "8", "Enter")
    page.wait_for_url("**/work*")
    assert "HARBOUR-7" in page.inner_text("main")
    clean(page, "all-done")
    about = campaign.tasks(live.store, work.name, work.tasks[0].judge)[0]
    again = tuple(replace(item, role=Role.REPEAT) for item in about.items)
    campaign.assign(live.store, work.name, [replace(about, id=0, finished_at=None, items=again)])
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#start").wait_for()  # what was assigned meanwhile is there without a reload
    campaign.pause(live.store, work.name)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#start").wait_for(state="detached")
    assert "paused" in page.inner_text("main")
    campaign.reopen(live.store, work.name)
    campaign.close(live.store, work.name)
    page.goto(f"{live.url}/work")
    clean(page, "closed")


def test_the_list_of_work_says_what_is_saved_and_what_is_not(live: Live, page: Page, context: BrowserContext) -> None:
    """In two campaigns at once: what waits in one is not hidden by what is done in the other."""
    labels, keyboard = begin(live, page, "falcon_labels")
    page.locator("[data-q=skills] label").nth(1).click()  # one of three
    page.locator("#saved[data-state=kept]").wait_for()
    settings = {"deadline": "2036-11-30", "time_zone": "America/New_York", "note": "Ask us."}
    work, keyboard = begin(live, page, settings=settings)
    context.set_offline(True)
    keyboard.press("s", "3", "8", "Enter")
    page.locator("#saved[data-state=offline]").wait_for()
    context.route("**/answers", lambda route: route.abort())
    context.set_offline(False)
    context.new_cdp_session(page).send("Emulation.setTimezoneOverride", {"timezoneId": "UTC"})
    page.goto(f"{live.url}/work")
    saved, documents = page.locator("#saved"), page.locator("#waiting a")
    expect(saved).to_have_text("Answers kept on this device and not yet sent: 1 · On this device only, not finished: 1")
    addresses = [each.get_attribute("href") for each in documents.all()]
    assert addresses == [work.url(work.tasks[0].id), labels.url(labels.tasks[0].id)]
    expect(page.locator(".due time")).to_have_text("30 November 2036")
    expect(page.locator(".on-your-clock")).to_have_text("(on your clock: 1 December 2036 at 04:59)")
    clean(page, "home-waiting")
    assert page.evaluate(OVER_THE_EDGE) <= 1, "lines that wrap begin where the first does"
    context.unroute("**/answers")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(saved).to_have_text("On this device only, not finished: 1")
    documents.click()
    keyboard.wait_until_ready()
    page.locator("[data-q=skills] label").nth(1).click()
    page.locator("#saved[data-state=saved]").wait_for()
    page.goto(f"{live.url}/work")
    expect(saved).to_have_text("Everything is saved")
    expect(page.locator("#waiting")).to_be_hidden()
    portal = "<!doctype html><h1>Sign in to the network</h1>"
    page.route(f"{live.url}/work", lambda route: route.fulfill(content_type="text/html", body=portal))
    page.evaluate("globalThis.same = true")
    for unroute in (True, False):  # the second reply comes after the first was looked at
        with page.expect_response(f"{live.url}/work") as reply:
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        reply.value.finished()
        if unroute:
            page.unroute(f"{live.url}/work")
    assert page.evaluate("globalThis.same"), "the page was not loaded anew"
    page.locator(".guide-link").first.click()
    expect(page.locator("#drawer [data-of=guidelines]")).to_be_visible()


def test_marks_that_link_and_words_that_are_found(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "mqm_linked")
    keyboard.press("ArrowRight", "1", "3", "3")
    page.locator("[data-q=errors] [data-span='0']").press("Enter")
    clean(page, "mark-changed")
    keyboard.press("l")
    page.locator("#note-link").wait_for()
    keyboard.press("ArrowDown", "ArrowRight")
    clean(page, "linking")
    keyboard.press("Enter", "Escape", "/")
    keyboard.write("ferry")
    clean(page, "found")


def test_the_focus_is_seen_everywhere(live: Live, page: Page) -> None:
    """Tab through the whole page, with the drawer open: every stop has a ring and is not hidden by anything."""
    _, keyboard = begin(live, page)
    keyboard.press("d")
    page.locator(".skip").focus()
    stops = []
    for _ in range(120):
        keyboard.press("Tab")
        at = page.evaluate(FOCUS)
        if at["body"]:
            break
        stops.append(at)
    assert len(stops) > 30
    assert [at["name"] for at in stops if not at["shown"] or not at["seen"]] == []


def test_motion_only_where_it_is_wanted(live: Live, page: Page) -> None:
    begin(live, page)
    moves = """() => [...document.querySelectorAll('*')].filter(e => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(e);
      return parseFloat(transitionDuration) > 0 || animationName !== 'none' || scrollBehavior === 'smooth';
    }).length"""
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moves) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moves) > 0


def test_more_contrast_as_the_system_asks(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page)
    page.emulate_media(contrast="more")
    keyboard.press("1", "3", "s", "2", "Enter")
    clean_in_both(page, "contrast")


LOOKS = """css => [...document.querySelectorAll(css)].map(el => {
  const { borderInlineStartColor, backgroundImage } = getComputedStyle(el);
  return css === '.ask' ? borderInlineStartColor : backgroundImage.replaceAll('none', '').replace(/[, ]+$/, '');
})"""


def test_forced_colours_leave_what_is_told_by_colour(live: Live, page: Page) -> None:
    """The slider was not there, every question was framed as the one that digits answer, and a minor mark looked like
    a major one."""
    work = live.campaign("esa", [document(2)], systems=["hidden-engine-alpha"])
    work.enter(page)
    page.emulate_media(forced_colors="active")
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("ArrowRight", "1", "ArrowRight", "ArrowRight", "2", "Escape", "s")
    frames = page.evaluate(LOOKS, ".ask")
    assert len(frames) == 3 and len(set(frames)) == 2, "one question is armed"
    minor, major = page.evaluate(LOOKS, "mark")
    assert minor and major and minor != major
    assert all(page.evaluate(LOOKS, "[type=range]"))


def test_what_the_points_of_a_slider_mean_is_read_at_150_per_cent(live: Live, page: Page) -> None:
    """A laptop of 1280 × 720 with its page enlarged: the last meanings lay below the edge."""
    page.set_viewport_size({"width": 853, "height": 480})
    begin(live, page, "esa")
    view, meanings = page.locator(".rail-body").bounding_box(), page.locator(".marks button").all()
    boxes = [box for meaning in meanings if (box := meaning.bounding_box())]
    assert view and len(boxes) == 4
    assert all(box["y"] + box["height"] <= view["y"] + view["height"] for box in boxes)
    assert [box["x"] for box in boxes] == sorted((box["x"] for box in boxes), reverse=True), "100 stands at its end"


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_every_question_is_in_sight(live: Live, page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    _, keyboard = begin(live, page)
    assert page.evaluate("(b => b.scrollHeight - b.clientHeight)(document.querySelector('.rail-body'))") <= 0
    keyboard.press("d")
    drawer, text = page.locator("#drawer").bounding_box(), page.locator(".scroller").bounding_box()
    assert drawer and text and text["y"] + text["height"] <= drawer["y"] + 1, "the drawer covers no text"
    row = page.locator(".is-active").bounding_box()
    assert row and row["y"] >= text["y"] and row["y"] + row["height"] <= text["y"] + text["height"] + 1
    keyboard.press("Escape", "Control+Enter")
    expect(page.locator("#left")).to_contain_text("Still missing")
    high, shown, line = page.evaluate(
        "(e => [e.scrollHeight, e.clientHeight, parseFloat(getComputedStyle(e).lineHeight)])"
        "(document.querySelector('#left'))"
    )
    assert high % line == 0 and shown % line == 0, "no line of what is missing is cut"


def test_many_translations_to_order_stand_below_each_other(live: Live, page: Page) -> None:
    """Seven columns beside each other ended in the margin, one letter to a line."""
    systems = [f"hidden-engine-{n}" for n in range(11)]
    protocol = parse_toml(ORDER)
    work = live.campaign(protocol, [document(2, systems=systems)], systems=systems)
    work.enter(page)
    task = work.tasks[0].id
    page.goto(work.url(task))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    texts = page.locator(".is-active .tgt")
    assert texts.count() == 11
    assert min(box["width"] for text in texts.all() if (box := text.bounding_box())) > 400
    rail = page.locator(".rail-body").bounding_box()
    for place, line in enumerate(page.locator(".q [data-line]").all()):
        last = line.get_by_role("radio").last.bounding_box()
        assert rail and last and last["x"] + last["width"] <= rail["x"] + rail["width"]
        line.get_by_role("radio", name=str(place + 1), exact=True).click()
    keyboard.wait_until_saved()
    assert work.stored(task)[0] == {"order": list(range(1, 12))}


def test_a_slider_by_arrows(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa")
    slider = page.locator("[type=range]").first
    slider.focus()
    keyboard.press("ArrowRight", "ArrowRight", "ArrowRight")
    slider.dispatch_event("change")
    keyboard.wait_until_saved()
    value = work.stored(work.tasks[0].id)[0]["score"]
    assert value == float(slider.input_value()) and value > 50
