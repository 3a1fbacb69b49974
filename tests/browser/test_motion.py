"""Motion on, real paths of the mouse, real timing: nothing that a judge does becomes another answer than was meant."""

from __future__ import annotations

import os
import re
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser_actions import Keyboard, hold, wait_until
from lanner import protocols
from lanner.model import Protocol
from live_server import SYSTEMS, Live, Work, document
from simulated_pages import simulate_page as simulated

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

LONG = (
    "Das Hafenamt an der Küste wird eine Stunde später aufmachen, damit die Fahrgäste drinnen warten können. "
    "Sein Kaffee, seit dem Sturm geschlossen, soll wieder verpachtet werden, und die Wärterin hat Angebote."
)
TEXTS = [("The harbour office opens early.", LONG), ("She had three offers.", "Sie hatte drei Angebote bekommen.")]
SLIDERS = """
name = "sliders"
version = "1"
[[stage]]
id = "rating"
unit = "sentence_in_context"
object = "output"
[[stage.question]]
id = "skills"
kind = "labels"
key = "t"
min = 1
options = [{ id = "style" }, { id = "terms" }]
[[stage.question]]
id = "ratings"
kind = "scale"
min = 0
max = 100
display = "slider"
for_each = "skills"
[text.en]
title = "Sliders"
summary = "A slider for each label."
instructions = "Rate."
[text.en.questions.skills]
label = "Skills"
options = { style = "Style", terms = "Terms" }
[text.en.questions.ratings]
label = "Ratings"
"""
RINGS = """() => {
  let rings = 0;
  for (const element of document.querySelectorAll('body *'))
    for (const part of [null, '::before', '::after']) {
      const { outlineStyle, outlineWidth, content } = getComputedStyle(element, part);
      if (part && content === 'none') continue;
      if (outlineStyle !== 'none' && parseFloat(outlineWidth) && element.checkVisibility()) rings++;
    }
  return rings;
}"""
"""How many frames of a focus are drawn."""
CARET = """([row, side, point]) => {
  const cell = document.querySelector(`.row[data-row="${row}"] [data-side=${side}]`), range = document.createRange();
  let left = [...cell.textContent].slice(0, point).join('').length;
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let node = walk.nextNode();
  while (left > node.length) { left -= node.length; node = walk.nextNode(); }
  range.setStart(node, left);
  const box = range.getClientRects()[0] ?? range.getBoundingClientRect(), area = cell.getBoundingClientRect();
  return { x: box.left, y: box.top + box.height / 2, left: area.left, right: area.right, top: area.top,
    bottom: area.bottom };
}"""


def begin(
    live: Live, page: Page, protocol: str | Protocol, texts: Any = TEXTS, languages: Any = ("en", "de")
) -> tuple[Work, Keyboard]:
    work = live.campaign(protocol, [document(texts=texts, languages=languages)], systems=SYSTEMS[:1])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, keyboard


def caret(page: Page, row: int, side: str, point: int) -> dict[str, float]:
    """Where a place in a text stands on the screen, and the cell around it."""
    place: dict[str, float] = page.evaluate(CARET, [row, side, point])
    return place


def drag(page: Page, start: tuple[float, float], *path: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    for x, y in path:
        page.mouse.move(x, y, steps=8)
    page.mouse.up()


def marks(work: Work, item: int = 0) -> list[dict[str, Any]]:
    return list(work.stored(work.tasks[0].id)[item].get("errors", []))


def middle(page: Page, selector: str) -> tuple[float, float]:
    """Found and measured in one step: what is still to be answered is written anew after each key."""
    place = """selector => {
      const box = document.querySelector(selector).getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    }"""
    page.locator(selector).first.wait_for(state="attached")
    x, y = page.evaluate(place, selector)
    return x, y


def click(page: Page, selector: str) -> None:
    """With the mouse: a way there, a press, a moment, a release."""
    page.mouse.move(*middle(page, selector), steps=5)
    page.mouse.down()
    page.evaluate("() => new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(ok)))")
    page.mouse.up()


@pytest.mark.parametrize("pointer", ["mouse", "pen"])
def test_a_selection_that_overshoots_its_text_stays_in_it(live: Live, page: Page, pointer: str) -> None:
    """With a pen no menu opened: the key of the mark was taken for a score."""
    work, keyboard = begin(live, page, "esa")
    end = caret(page, 0, "target", 3)
    devices = page.context.new_cdp_session(page)
    press = {"y": end["y"], "button": "left", "clickCount": 1, "pointerType": pointer}
    for kind, x in (("Pressed", end["x"]), ("Moved", end["left"] + 4), ("Moved", end["left"] - 5)):
        devices.send("Input.dispatchMouseEvent", {**press, "type": f"mouse{kind}", "x": x, "buttons": 1})
    devices.send("Input.dispatchMouseEvent", {**press, "type": "mouseReleased", "x": end["left"] - 5})
    page.locator(".toolbar:not([hidden])").wait_for()
    keyboard.press("1")
    keyboard.wait_until_saved()
    assert [(m["side"], m["text"], m.get("missing")) for m in marks(work)] == [("target", "Das", None)]


WAYS = ("below", "above", "left of a later line", "into the source", "into the questions")


@pytest.mark.parametrize(
    ("protocol", "way"),
    [
        *[("esa", way) for way in WAYS],
        ("mqm", "below"),  # another menu opens after the same drag
        *[pytest.param("mqm", way, marks=pytest.mark.soak) for way in WAYS[1:]],
    ],
)
def test_a_drag_out_of_a_text_ends_at_its_edge(live: Live, page: Page, protocol: str, way: str) -> None:
    work, keyboard = begin(live, page, protocol)
    word = LONG.index("Kaffee")
    at = caret(page, 0, "target", word)
    first = caret(page, 0, "target", 3)
    if way == "below":
        drag(page, (at["x"], at["y"]), (at["right"] - 4, at["bottom"] + 30))
        expected = LONG[word:]
    elif way == "above":
        drag(page, (first["x"], first["y"]), (first["left"] + 2, first["top"] - 30))
        expected = "Das"
    elif way == "left of a later line":
        drag(page, (at["x"], at["y"]), (at["left"] - 40, at["y"]))
        line = next(n for n in range(word, -1, -1) if n == 0 or caret(page, 0, "target", n - 1)["y"] < at["y"] - 2)
        expected = LONG[line:word].strip()
    elif way == "into the source":
        drag(page, (first["x"], first["y"]), (first["left"] - 300, first["y"]))
        expected = "Das"
    else:
        drag(page, (first["x"], first["y"]), (first["right"] + 200, first["y"]))
        line = next(n for n in range(len(LONG)) if caret(page, 0, "target", n)["y"] > first["y"] + 2)
        expected = LONG[3:line].strip()
    keyboard.press(*(["1"] if protocol == "esa" else ["1", "1", "1"]))
    keyboard.wait_until_saved()
    assert [(m["side"], m["text"]) for m in marks(work)] == [("target", expected)]


def test_a_drag_takes_whole_words_unless_it_stays_inside_one_or_alt_is_held(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa")

    def take(start: int, end: int, held: str = "") -> None:
        first, last = caret(page, 0, "target", start), caret(page, 0, "target", end)
        if held:
            page.keyboard.down(held)
        drag(page, (first["x"], first["y"]), (last["x"], last["y"]))
        if held:
            page.keyboard.up(held)
        keyboard.press("1")

    fare, office = LONG.index("Fahrgäste"), LONG.index("Hafenamt")
    take(fare + 3, fare + 14)
    take(office, office + 5)
    take(LONG.index("eine Stunde") + 2, LONG.index("eine Stunde") + 8, held="Alt")
    keyboard.wait_until_saved()
    assert [mark["text"] for mark in marks(work)] == ["Fahrgäste drinnen", "Hafen", "ne Stu"]


def test_a_drag_that_ends_without_a_click_opens_the_menu(live: Live, page: Page) -> None:
    """With Alt over the link beside the text, as outside the window: the words stayed selected without a menu."""
    page.set_viewport_size({"width": 1152, "height": 720})
    text = "הוא אמר 'Hello world' 3 פעמים, ואז הלך (הביתה)."
    work, keyboard = begin(live, page, "esa", [(text, "eins")])
    start = caret(page, 0, "source", 45)
    page.keyboard.down("Alt")
    drag(page, (start["x"], start["y"]), (start["left"] - 30, start["y"]))
    page.keyboard.up("Alt")
    expect(page.locator(".toolbar")).to_be_visible()
    words = page.evaluate("[...CSS.highlights.get('picked')].join('')")
    keyboard.press("1")
    keyboard.wait_until_saved()
    assert [(mark["side"], mark["text"]) for mark in marks(work)] == [("source", words)]


@pytest.mark.parametrize("place", [".num", "gap"])
def test_a_drag_that_begins_beside_a_text_selects_nothing(live: Live, page: Page, place: str) -> None:
    """What looks selected has a menu: else the key of a mark is taken for a score."""
    work, _ = begin(live, page, "esa")
    word = caret(page, 0, "target", 12)
    number = page.locator(".row[data-row='0'] .num").bounding_box()
    assert number is not None
    beside = (word["left"] - 1, word["bottom"] - 3) if place == "gap" else (number["x"] + 10, number["y"] + 30)
    page.evaluate("() => { for (const p of document.querySelectorAll('.row p')) p.style.margin = '0 4px'; }")
    drag(page, beside, (word["x"], word["y"]))
    assert page.evaluate("getSelection().toString()") == ""
    assert page.locator(".toolbar:not([hidden])").count() == 0
    assert not marks(work)


def test_a_drag_in_arabic_overshoots_to_the_right(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa", [("One two.", "ثلاثة أربعة خمسة"), ("Six.", "ستة")], ("en", "ar"))
    end = caret(page, 0, "target", 5)
    drag(page, (end["x"], end["y"]), (end["right"] + 8, end["y"]))
    keyboard.press("1")
    keyboard.wait_until_saved()
    assert [(m["side"], m["text"]) for m in marks(work)] == [("target", "ثلاثة")]


@pytest.mark.parametrize(
    ("protocol", "key"),
    [
        ("da", "ArrowDown"),
        ("esa", "j"),
        *[pytest.param(*way, marks=pytest.mark.soak) for way in (("da", "j"), ("esa", "ArrowDown"))],
    ],
)
def test_down_after_a_number_keeps_the_number(live: Live, page: Page, protocol: str, key: str) -> None:
    work, keyboard = begin(live, page, protocol)
    click(page, ".slide input:not([type=range])")
    keyboard.write("85")
    keyboard.press(key)
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    keyboard.wait_until_saved()
    first, second = work.stored(work.tasks[0].id)
    assert first["score"] == 85 and "score" not in second


def test_down_on_a_slider_that_was_dragged_keeps_its_value(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "da")
    box = page.locator("[type=range]").bounding_box()
    assert box is not None
    drag(page, (box["x"] + 40, box["y"] + box["height"] / 2), (box["x"] + box["width"] * 0.7, box["y"] + 10))
    value = float(page.locator(".slide input:not([type=range])").input_value())
    keyboard.press("ArrowDown")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    keyboard.wait_until_saved()
    first, second = work.stored(work.tasks[0].id)
    assert first["score"] == value and "score" not in second


def test_a_number_that_is_none_of_the_scale_is_not_taken(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "da")
    keyboard.press("s" if page.locator("[data-letter=s]").count() else "Tab")
    field = page.locator(".slide input:not([type=range])")
    for typed in ("150", "995", "-3", "12,5x", "1e2"):
        field.focus()
        keyboard.press("Control+a", "Delete")
        keyboard.write(typed)
        keyboard.press("Enter")
        expect(page.locator("#heading")).to_have_text("Sentence 1")
        expect(page.locator("[data-q=score] .hint")).to_contain_text(typed)
        assert field.input_value() == typed, "it is not cut or rounded"
        keyboard.press("ArrowDown")
        expect(page.locator("#heading")).to_have_text("Sentence 2")
        assert field.input_value() == "", "it was said of the first sentence"
        keyboard.press("ArrowUp")
        expect(page.locator("#heading")).to_have_text("Sentence 1")
        assert field.input_value() == typed
        assert not any("score" in item for item in work.stored(work.tasks[0].id))
    field.fill("99")
    keyboard.press("Enter")
    keyboard.wait_until_saved()
    assert work.stored(work.tasks[0].id)[0]["score"] == 99
    assert [row.value for row in work.rows()] == [99], "what was typed on the way was never an answer"


def test_a_click_after_a_text_lands_where_it_was_made(live: Live, page: Page) -> None:
    work = live.campaign("background", [document(1)], systems=SYSTEMS[:1])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    page.locator("[data-q=working_language] textarea").click()
    keyboard.write("Korean")
    for value in ("c1", "b1", "c2"):
        click(page, f"[data-q=source_level] [value={value}]")
        expect(page.locator("[data-q=source_level] :checked")).to_have_value(value)
        page.locator("[data-q=working_language] textarea").click()
    keyboard.wait_until_saved()
    assert work.stored(work.tasks[0].id)[0]["source_level"] == "c2"


SHIFTS = """() => {
  const seen = window.shifts = [], name = node => {
    const el = node instanceof Element ? node : node?.parentElement;
    // what has a new text of its own, and what opens at a selection, may stand elsewhere
    if (!el || el.closest('#saved, .toolbar, .hint, .num, .spans')) return '';
    return `${el.tagName} ${el.id} ${el.className} ${el.closest('.q')?.dataset.q ?? ''}`;
  };
  const take = entries => {
    for (const { sources } of entries)
      for (const { node, previousRect: from, currentRect: to } of sources)
        if (name(node) && Math.hypot(to.x - from.x, to.y - from.y) > 1)
          seen.push(`${name(node)}: ${to.x - from.x}, ${to.y - from.y}`);
  };
  const observer = new PerformanceObserver(list => take(list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  window.shifted = () => new Promise(done => requestAnimationFrame(() => setTimeout(() =>
    requestAnimationFrame(() => setTimeout(() => (take(observer.takeRecords()), done(seen.splice(0))))))));
}"""
"""What the browser says has moved, with recent input or without."""
CONTROLS = """() => {
  const found = new Map();
  for (const el of document.querySelectorAll('.rail .q :is([type=radio], [type=checkbox], .marks button, textarea, '
    + 'input[inputmode], .count [data-add="1"])'))
    if (el.checkVisibility() && !el.closest('[hidden]'))
      found.set([el.closest('.q').dataset.q, el.type, el.name].join(), el);
  return [...found.values()].map((el, n) => (el.dataset.nth = n));
}"""
NOTICE = "navigator.serviceWorker.dispatchEvent(new Event('controllerchange'))"
"""As where another window has taken a new version; the first one only says that this page is kept."""
MOVING = protocols.names() if os.environ.get("LANNER_SOAK") else ("esa", "dela", "falcon", "ranking_ds", "parity")


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
@pytest.mark.parametrize("protocol", MOVING)
def test_nothing_moves_when_it_is_pressed_or_answered(live: Live, browser: Browser, protocol: str, touch: bool) -> None:
    """New marks pushed the score down, the first word about saving took a second line of a phone's bar, and a question
    that comes with an answer moved the sheet with the text."""
    screen = {"width": 820, "height": 1180} if touch else {"width": 1280, "height": 720}
    context = browser.new_context(viewport=screen, has_touch=touch, is_mobile=touch, locale="en-GB")  # type: ignore[arg-type]
    page = context.new_page()
    work = live.campaign(protocol, [document(texts=TEXTS)], systems=SYSTEMS, options={"all_scenarios": True})
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    if touch:
        shown = page.locator(".rail :is(kbd, .seg sub):not(.skill > kbd)").evaluate_all(
            "keys => keys.filter(key => key.checkVisibility()).length"
        )
        assert shown == 0, "no keys where there is no keyboard"
    widths = (390, screen["width"]) if touch else (screen["width"],)
    for width in widths:
        page.set_viewport_size({"width": width, "height": screen["height"]})
        keyboard.wait_until_still()
        page.evaluate(SHIFTS)
        if width == widths[0] and page.locator(".q .hint:not([hidden])").count():
            keyboard.press("Control+Enter")
            expect(page.locator("#left")).to_contain_text("Still missing")
            assert page.evaluate("shifted()") == [], "after what is missing was said"
        for n in page.evaluate(CONTROLS):
            control = page.locator(f"[data-nth='{n}']")
            if not control.is_visible():
                continue  # another answer has taken the question away
            control.scroll_into_view_if_needed()
            box = control.bounding_box()
            assert box is not None
            page.evaluate("shifted()")
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.mouse.down()
            assert page.evaluate("shifted()") == [], "while it is pressed"
            page.mouse.up()
            assert page.evaluate("shifted()") == [], f"after a press on {control.evaluate('el => el.outerHTML')}"
            if control.evaluate("el => el.matches('textarea, [inputmode]')"):
                keyboard.press("7", "Escape")
                assert page.evaluate("shifted()") == [], "after what was typed"
        for words in range(3 if page.locator(".toolbar").count() else 0):
            keyboard.press("Escape", *["ArrowRight"] * (words + 1))
            while page.locator(".toolbar:not([hidden])").count():
                keyboard.press("1")
            assert page.evaluate("shifted()") == [], "after a mark"
        page.evaluate(NOTICE)
        expect(page.locator("#note-version")).to_be_visible()
        assert page.evaluate("shifted()") == [], "after a notice"
        page.locator("#note-version button").last.click()
    context.close()


@pytest.mark.parametrize("protocol", ["adequacy_fluency_rs", "ranking_rs"])
def test_an_answer_moves_no_control(live: Live, page: Page, protocol: str) -> None:
    """What was still missing had a line of its own, which went with the answer: a second click hit the next option."""
    work = live.campaign(protocol, [document(2)], systems=SYSTEMS)
    work.enter(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    places = "els => els.map(el => { const { x, y } = el.getBoundingClientRect(); return [x, y]; })"
    controls = ".rail :is(.seg label, .opt, textarea)"
    before = page.eval_on_selector_all(controls, places)
    for question in page.locator(".q[data-required]").all():
        question.locator(":is(.seg label, .opt:not(.count), .count [data-add='1'])").first.click()
        expect(question.locator(".hint")).to_be_hidden()
        assert page.eval_on_selector_all(controls, places) == before


@pytest.mark.parametrize("protocol", ["h_falcon", "esa", "background", "falcon", "mqm"])
def test_nothing_moves_under_a_pressed_pointer(live: Live, page: Page, protocol: str) -> None:
    """A press on every control in turn, after writing in every text: the control is where it was when released."""
    _, keyboard = begin(live, page, protocol)
    boxes = "els => els.map(el => { const b = el.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })"
    controls = ".rail .seg label, .rail .opt, .rail .marks button, .rail-foot button"
    for text in page.locator(".rail textarea, .rail input:not([type=range], [type=radio], [type=checkbox])").all():
        if not text.is_visible():
            continue
        text.click()
        keyboard.write("7")
        x, y = middle(page, ".rail-foot button[type=submit]:last-of-type, .rail-foot button")
        page.mouse.move(x, y, steps=4)
        page.evaluate("() => new Promise(ok => setTimeout(ok, 1000))")
        before = page.eval_on_selector_all(controls, boxes)
        page.mouse.down()
        page.evaluate("() => new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(ok)))")
        assert page.eval_on_selector_all(controls, boxes) == before
        page.mouse.move(5, 300, steps=3)
        page.mouse.up()


def test_enter_after_a_click_does_not_press_again(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa", [*TEXTS, ("Three.", "Drei.")])
    click(page, ".marks [value='66']")
    keyboard.press("Enter")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    keyboard.wait_until_saved()
    first, second, _ = work.stored(work.tasks[0].id)
    assert first["score"] == 66 and "score" not in second
    keyboard.write("50")
    keyboard.press("Enter")
    keyboard.write("40")
    keyboard.wait_until_saved()
    click(page, "[data-act=undo]")
    expect(page.locator(".slide input:not([type=range])")).to_have_value("")
    keyboard.press("Enter", "Space")
    expect(page.locator("#heading")).to_have_text("Sentence 3")
    assert work.stored(work.tasks[0].id)[1]["score"] == 50


@pytest.mark.parametrize("led_by", ["", "#accept"], ids=["page", "button"])
def test_a_key_that_is_held_down_acts_once(live: Live, page: Page, led_by: str) -> None:
    """No mark is an answer too: an Enter that rests on its key would accept sentences that nobody has read."""
    three = [("One two.", "Eins zwei."), ("Three.", "Drei."), ("Four.", "Vier.")]
    work, keyboard = begin(live, page, "mqm", three)
    if led_by:
        page.locator(led_by).focus()
        keyboard.press("Shift+Tab", "Tab")
    for _ in range(4):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    keyboard.wait_until_saved()
    assert page.locator(".row.is-active").get_attribute("data-row") == "1"
    assert [len(item) for item in work.stored(work.tasks[0].id)] == [1, 0, 0]


def test_the_key_of_a_mark_that_is_held_down_is_no_score(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa")
    keyboard.press("ArrowRight")
    for _ in range(3):
        page.keyboard.down("1")
    page.keyboard.up("1")
    keyboard.wait_until_saved()
    assert len(marks(work)) == 1
    assert page.locator("[data-q=score] [inputmode]").input_value() == ""
    for _ in range(3):
        page.keyboard.down("j")  # to move on one may hold a key
    page.keyboard.up("j")
    assert page.locator(".row.is-active").get_attribute("data-row") == "1"


def test_a_score_that_is_typed_closes_the_menu_of_marks(live: Live, page: Page) -> None:
    """The menu still offered 1 for a minor error while 1 was a digit of the score."""
    work, keyboard = begin(live, page, "esa")
    keyboard.press("ArrowRight", "8")
    assert page.locator(".toolbar:not([hidden])").count() == 0 and not page.evaluate("CSS.highlights.has('picked')")
    keyboard.press("1", "Enter")
    keyboard.wait_until_saved()
    assert work.stored(work.tasks[0].id)[0] == {"errors": [], "score": 81}


def test_a_double_click_on_a_button_is_one_click(live: Live, page: Page) -> None:
    """It accepted a sentence that nobody had read, took back two answers, or chose a kind and one within it."""
    work, keyboard = begin(live, page, "mqm", [*TEXTS, ("Three.", "Drei.")])
    word = caret(page, 0, "target", 6)
    page.mouse.dblclick(word["x"], word["y"])  # of a text it is still its word
    page.locator(".toolbar").wait_for()
    menu, active = page.locator(".toolbar .crumb"), page.locator(".row.is-active")
    page.mouse.dblclick(*middle(page, ".toolbar .panel:not([hidden]) [value=accuracy]"))
    expect(menu).to_have_text("accuracy")
    keyboard.press("1")
    page.mouse.dblclick(*middle(page, ".toolbar .panel:not([hidden]) [value=major]"))
    expect(page.locator(".toolbar")).to_be_hidden()
    assert not page.evaluate("CSS.highlights.has('picked')"), "nor is it a word under the menu that is gone"
    page.mouse.dblclick(*middle(page, "#accept"))
    expect(active).to_have_attribute("data-row", "1")
    keyboard.wait_until_saved()
    assert [[mark["text"] for mark in marks(work, item)] for item in range(3)] == [["Hafenamt"], [], []]
    assert "errors" not in work.stored(work.tasks[0].id)[1]
    page.locator("[data-q=comment] textarea").fill("odd")
    page.mouse.dblclick(*middle(page, "[data-act=undo]"))
    keyboard.wait_until_saved()
    first, second, _ = work.stored(work.tasks[0].id)
    assert len(first["errors"]) == 1 and "comment" not in second, "one answer was taken back"


def test_enter_after_a_click_on_the_bar_accepts(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "h_falcon")
    keyboard.press("s", "3", "8")
    click(page, "[data-act=theme]")
    theme = page.evaluate("document.documentElement.dataset.theme")
    keyboard.press("Enter")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    assert page.evaluate("document.documentElement.dataset.theme") == theme


def test_enter_presses_a_button_that_tab_led_to(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "h_falcon")
    page.locator("[data-panel=keys]").focus()
    keyboard.press("Shift+Tab", "Tab", "Enter")
    assert page.locator("#drawer [data-of=keys]").is_visible()


@pytest.mark.parametrize("protocol", ["h_falcon", "esa"])
def test_the_indicator_ends_at_saved(live: Live, page: Page, protocol: str) -> None:
    work, keyboard = begin(live, page, protocol)
    if protocol == "esa":
        click(page, ".marks [value='66']")
        click(page, ".marks [value='66']")
    else:
        keyboard.press("s", "3", "8", "s", "3", "s", "2", "u")
    page.locator("#saved[data-state=saved]").wait_for(state="attached")
    page.evaluate("() => new Promise(ok => setTimeout(ok, 1500))")
    assert page.locator("#saved").get_attribute("data-state") == "saved"
    assert work.stored(work.tasks[0].id)[0]


PLACE = """() => {
  const row = document.querySelector('.is-active').getBoundingClientRect();
  const view = document.querySelector('.block:not([hidden]) .scroller').getBoundingClientRect();
  return { whole: row.top >= view.top - 1 && row.bottom <= view.bottom + 1,
    middle: ((row.top + row.bottom) / 2 - view.top) / view.height };
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (820, 1180), (390, 844)])
def test_the_active_sentence_is_always_whole_and_near_the_same_height(
    live: Live, page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    texts = [(f"{n}. " + "The ferry leaves late. " * (1 + n % 3), f"{n}. " + "Spät. " * 9) for n in range(1, 31)]
    _, keyboard = begin(live, page, "h_falcon", texts)
    for step in ("j", "j", "k", "ArrowDown", "Enter", "j" * 12, "kjj", "j" * 9, "k"):
        keyboard.press(*step) if set(step) <= {"j", "k"} else keyboard.press(
            step
        )  # presses may come while it still glides
        keyboard.wait_until_still()
        place = page.evaluate(PLACE)
        assert place["whole"] and 0.25 < place["middle"] < 0.55, (step, place)
    page.reload()
    keyboard.wait_until_ready()
    keyboard.wait_until_still()
    place = page.evaluate(PLACE)
    assert place["whole"] and 0.25 < place["middle"] < 0.55, "after a reload too"


@pytest.mark.parametrize("protocol", ["esa", "h_falcon"])
def test_a_long_sentence_is_whole_on_a_phone(live: Live, page: Page, protocol: str) -> None:
    """The head of the document took the room of the last line."""
    page.set_viewport_size({"width": 390, "height": 844})
    source = (
        "The harbour office said on Monday that the old ferry, which has crossed the sound since 1961, will make its "
    )
    target = (
        "Das Hafenamt teilte am Montag mit, dass die alte Fähre, die seit 1961 den Sund überquert, im November ihre "
    )
    source += "last trip in November; after that, passengers must use the bridge."
    target += "letzte Fahrt macht; danach müssen die Fahrgäste die Brücke benutzen."
    _, keyboard = begin(live, page, protocol, [("First.", "Erstens."), (source, target), ("Last.", "Letztens.")] * 3)
    keyboard.press("j")
    keyboard.wait_until_still()
    assert page.evaluate(PLACE)["whole"]


def test_all_questions_of_h_falcon_stand_on_a_small_laptop_without_scrolling(live: Live, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    work, keyboard = begin(live, page, "h_falcon")
    for practice in (False, True):
        if practice:  # what says how to begin took the room of the last questions
            page.goto(work.url(work.tasks[0].id) + "/practice")
            keyboard.wait_until_ready()
            page.locator("#try").click()
            expect(page.locator("#coach")).to_be_in_viewport(ratio=1)
        high, room = page.evaluate("(el => [el.scrollHeight, el.clientHeight])(document.querySelector('.rail-body'))")
        assert high <= room
        expect(page.locator(".scale")).to_be_in_viewport(ratio=1)
        expect(page.locator("[data-q=comment] textarea")).to_be_in_viewport(ratio=1)


def test_arrows_go_on_from_the_last_mark_and_from_the_mouse(live: Live, page: Page) -> None:
    """Each mark sent them back to the first word, whose mark the next key then changed."""
    work, keyboard = begin(live, page, "esa")
    keyboard.press("ArrowRight", "ArrowRight", "1", "ArrowRight", "2")
    start, end = caret(page, 0, "target", LONG.index("Stunde")), caret(page, 0, "target", LONG.index(" später"))
    drag(page, (start["x"] + 1, start["y"]), (end["x"], end["y"]))
    keyboard.press("Shift+ArrowRight", "1", "ArrowRight", "1", "ArrowRight", "Escape", "ArrowRight", "2")
    keyboard.wait_until_saved()
    expected = ["Hafenamt", "an", "Stunde später", "aufmachen", "Das"]
    assert [mark["text"] for mark in marks(work)] == expected
    keyboard.press("ArrowDown", "ArrowRight", "1")
    keyboard.wait_until_saved()
    assert [mark["text"] for mark in marks(work, 1)] == ["Sie"], "another sentence begins at its first word"


def test_a_selection_that_is_widened_stays_wide(live: Live, page: Page) -> None:
    """When the first word had rested for a quarter of a second, it was taken for a selection made by handles: the word
    that a key had added in that moment was lost."""
    _, keyboard = begin(live, page, "esa")
    page.evaluate("""() => {
      const { setTimeout: set, clearTimeout: clear } = window;
      window.rested = new Map();
      window.setTimeout = (work, delay, ...more) => {
        const id = set(delay === 250 ? () => {} : work, delay, ...more);
        if (delay === 250) rested.set(id, work);
        return id;
      };
      window.clearTimeout = id => { rested.delete(id); clear(id); };
    }""")
    keyboard.press("ArrowRight")
    wait_until(page, "getSelection().toString() === 'Das' && rested.size")
    page.evaluate("""() => {
      const key = { key: 'ArrowRight', code: 'ArrowRight', shiftKey: true, bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key));
      for (const work of rested.values()) work();
    }""")
    assert page.evaluate("[...CSS.highlights.get('picked')].join('')") == "Das Hafenamt"


def test_words_selected_in_another_sentence_stay_lit(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa")
    start, end = caret(page, 1, "target", 10), caret(page, 1, "target", 14)
    drag(page, (start["x"] + 1, start["y"]), (end["x"], end["y"]))
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    lit = "() => [...(CSS.highlights.get('picked') ?? [])].map(range => range.toString())"
    assert page.evaluate(lit) == ["drei"]
    assert page.locator(".toolbar").is_visible()
    keyboard.press("2")
    keyboard.wait_until_saved()
    assert [m["text"] for m in marks(work, 1)] == ["drei"] and page.evaluate(lit) == []


SELECTED = """() => ({
  lit: [...(CSS.highlights.get('picked') ?? [])].map(String),
  selected: getSelection().toString(),
  outlined: [...document.querySelectorAll('mark.on')].map(mark => mark.textContent),
  menu: document.querySelector('.toolbar:not([hidden])') !== null,
})"""
NOTHING = {"lit": [], "selected": "", "outlined": [], "menu": False}


def lit(words: str) -> dict[str, Any]:
    return {**NOTHING, "lit": [words], "selected": words, "menu": True}


def select(page: Page, words: str, text: str = LONG) -> None:
    start = text.index(words)
    first, last = caret(page, 0, "target", start), caret(page, 0, "target", start + len(words))
    drag(page, (first["x"] + 1, first["y"]), (last["x"], last["y"]))


def test_the_menu_is_about_the_words_that_are_seen_as_selected(live: Live, page: Page) -> None:
    """While other words were being selected, or shown as selected, keys and buttons still marked those before."""
    work, keyboard = begin(live, page, "esa")

    def shows(expected: dict[str, Any]) -> None:
        wait_until(page, f"expected => {{ const now = ({SELECTED})();"
                   " return JSON.stringify(now) === JSON.stringify(expected); }", expected)  # fmt: skip

    select(page, "Hafenamt")
    shows(lit("Hafenamt"))
    start, end = caret(page, 0, "target", LONG.index("Stunde")), caret(page, 0, "target", LONG.index(" später"))
    page.mouse.move(start["x"] + 1, start["y"])
    page.mouse.down()
    page.mouse.move(end["x"], end["y"], steps=5)
    shows({**NOTHING, "selected": "Stunde"})  # no menu about the words before
    page.mouse.up()
    shows(lit("Stunde"))

    page.locator("#heading").dblclick(position={"x": 20, "y": 8})  # words that cannot be marked
    wait_until(page, f"() => !({SELECTED})().menu && !({SELECTED})().lit.length && !getSelection().isCollapsed")
    select(page, "Stunde")
    page.locator("[data-act=theme]").click()
    shows(NOTHING)
    select(page, "Stunde")
    page.get_by_role("button", name="Something is missing").click()
    shows({**NOTHING, "menu": True})
    keyboard.press("Escape")

    select(page, "Hafenamt")
    keyboard.press("1")
    select(page, "Stunde")
    keyboard.press("u")  # the text is drawn anew around the words that are selected
    shows(lit("Stunde"))
    keyboard.press("2")
    select(page, "Küste")
    keyboard.press("1")
    page.locator("mark", has_text="Stunde").click()
    keyboard.press("u")
    shows({**NOTHING, "outlined": ["Stunde"], "menu": True})
    keyboard.press("1")
    keyboard.wait_until_saved()
    assert [(mark["text"], mark["severity"]) for mark in marks(work)] == [("Stunde", "minor")]


def test_words_that_are_marked_meanwhile_are_not_marked_twice(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa")
    select(page, "Hafenamt")
    keyboard.press("1")
    page.locator("[data-q=errors] [data-remove='0']").click()
    select(page, "Hafenamt")
    keyboard.press("u")
    expect(page.locator(".toolbar")).to_be_hidden()
    keyboard.press("Escape", "ArrowRight", "ArrowRight", "2")
    keyboard.wait_until_saved()
    assert [(mark["text"], mark["severity"]) for mark in marks(work)] == [("Hafenamt", "major")]


REFERENCE = """
name = "with_reference"
version = "1"
[[stage]]
id = "all"
unit = "sentence_in_context"
object = "output"
show = ["source", "target"]
[[stage.question]]
id = "errors"
kind = "spans"
severities = ["minor", "major"]
[text.en.questions.errors]
label = "Errors"
"""


def test_words_of_a_text_without_marks_are_selected_to_be_copied(live: Live, page: Page) -> None:
    """The menu stayed open at the words before, and its keys marked these."""
    work, keyboard = begin(live, page, protocols.parse_toml(REFERENCE))
    select(page, "Hafenamt")
    expect(page.locator(".toolbar")).to_be_visible()
    first, last = caret(page, 0, "source", 4), caret(page, 0, "source", 11)
    drag(page, (first["x"] + 1, first["y"]), (last["x"], last["y"]))
    expect(page.locator(".toolbar")).to_be_hidden()
    assert page.evaluate(SELECTED) == {**NOTHING, "selected": "harbour"}
    keyboard.press("1", "ArrowRight", "2")
    keyboard.wait_until_saved()
    assert [mark["text"] for mark in marks(work)] == ["an"]


def test_overlapping_marks_have_a_line_each_and_the_menu_stays(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "mqm")
    keyboard.press("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    places = []
    for key in ("1", "1", "1"):
        box = page.locator(".toolbar").bounding_box()
        assert box is not None
        places.append((box["x"], box["y"] + box["height"]))
        keyboard.press(key)
    assert {round(x) for x, _ in places} == {round(places[0][0])}
    assert len({round(y) for _, y in places}) == 1, "the menu stands where it opened, through all its steps"
    keyboard.press("Escape", "ArrowRight", "ArrowRight", "ArrowRight", "1", "1", "2")
    inner = page.locator(".is-active .tgt mark").nth(1)
    lanes = inner.evaluate("e => [0, 1, 2].filter(n => e.style.getPropertyValue(`--lane${n}`))")
    assert lanes == [0, 1], "both marks show under the words they share"
    pointed = page.locator("mark.pointed")
    page.mouse.move(*middle(page, ".spans li:nth-child(2) bdi"), steps=4)
    expect(pointed).to_have_text("an")  # what is pointed at in the list is seen in the text
    page.mouse.move(*middle(page, "#heading"), steps=4)
    expect(pointed).to_have_count(0)


def test_far_words_and_signs_of_punctuation_by_few_keys(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa")
    keyboard.press("w")
    keyboard.write("Kaff")
    keyboard.press("Enter", "2")
    keyboard.press("w")
    keyboard.write(",")
    keyboard.press("Enter", "1")
    keyboard.press("End", "1")
    keyboard.press("Escape", "Control+ArrowRight", "Control+ArrowRight", "1")
    keyboard.wait_until_saved()
    assert [m["text"] for m in marks(work)] == ["Kaffee", ",", "Angebote", "damit"]


def test_handles_of_a_touch_screen_open_the_menu(live: Live, phone: Page) -> None:
    """No pointer events: a long press and the handles only change the selection."""
    phone.set_viewport_size({"width": 820, "height": 1180})
    work, keyboard = begin(live, phone, "esa")
    select = """end => {
      const text = document.querySelector('.row .tgt').firstChild;
      getSelection().setBaseAndExtent(text, 4, text, end);
    }"""
    phone.evaluate(select, 12)
    phone.locator(".toolbar .panel").first.wait_for()
    phone.evaluate(select, 15)
    expect(phone.locator(".toolbar .panel").first).to_be_visible()
    wait_until(phone, "() => [...CSS.highlights.get('picked')][0].toString() === 'Hafenamt an'")
    phone.locator(".toolbar").get_by_role("button", name="major").tap()
    keyboard.wait_until_saved()
    assert [(m["text"], m["severity"]) for m in marks(work)] == [("Hafenamt an", "major")]


def test_the_last_accept_finishes_and_can_be_undone(live: Live, page: Page) -> None:
    documents = [document(2, name="ferry"), document(2, name="bridge")]
    work = live.campaign("h_falcon", documents, systems=SYSTEMS[:1])
    work.enter(page)
    first, second = work.tasks
    page.goto(work.url(first.id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    expect(page.locator("#accept")).to_contain_text("Accept, next unanswered")
    keyboard.press("s", "3", "8", "Enter")
    expect(page.locator("#accept")).to_contain_text("Finish and open the next document")
    keyboard.press("Enter")
    expect(page.locator("[data-q=sentence].tried .hint")).to_be_visible()
    keyboard.press("s", "4", "9", "Enter")
    page.wait_for_url(f"**/task/{second.id}*")
    keyboard.wait_until_ready()
    assert work.tasks[0].finished_at is not None
    assert page.evaluate("document.activeElement.matches('.is-active .num')"), "the keys work at once"
    page.get_by_role("button", name="Undo finishing").click()
    page.wait_for_url(f"**/task/{first.id}*")
    keyboard.wait_until_ready()
    assert work.tasks[0].finished_at is None
    keyboard.press("s", "1")
    keyboard.wait_until_saved()
    assert work.stored(first.id)[1]["sentence"] == 1


def test_one_ring_at_a_time_on_a_page_that_a_wide_screen_does_not_stretch(live: Live, page: Page) -> None:
    page.set_viewport_size({"width": 2560, "height": 1300})
    _, keyboard = begin(live, page, "esa", TEXTS * 30)
    box = page.locator(".work").bounding_box()
    assert box is not None and box["width"] <= 1500 and abs(box["x"] * 2 + box["width"] - 2560) <= 2
    shown = page.locator(".row").evaluate_all("rows => rows.filter(r => r.getBoundingClientRect().top < 1250).length")
    assert shown >= 8, "where there is room, more of the document is in sight"
    for key in ("j", "ArrowRight", "Escape", "s", "Escape", "c", "Escape", "Tab", "d"):
        keyboard.press(key)
        assert page.evaluate(RINGS) == 1, key
    keyboard.press("Escape", "Escape")
    place = caret(page, 3, "target", 9)
    page.mouse.click(place["x"], place["y"])
    assert page.evaluate(RINGS) <= 1, "none round the whole text that was clicked in"
    page.mouse.move(*middle(page, "[data-row='5'] .tgt"), steps=4)
    looks = page.evaluate("n => getComputedStyle(document.querySelector(`[data-row='${n}']`)).boxShadow", 5)
    assert looks == "none", "what is pointed at does not look active"


def test_the_questions_fold_away_in_every_protocol(live: Live, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for protocol in ("h_falcon", "esa", "falcon"):
        begin(live, page, protocol)
        page.locator(".sheet").click()
        expect(page.locator(".rail-body")).to_be_hidden()
        page.locator(".sheet").click()
        expect(page.locator(".rail-body")).to_be_visible()


def test_enter_on_the_list_of_work_starts_it(live: Live, page: Page) -> None:
    names = ["ferry", "tram", *(f"report {n}" for n in range(8))]
    work = live.campaign("esa", [document(2, name=name) for name in names], systems=SYSTEMS[:1])
    keyboard = Keyboard(page)
    page.route("**/home*.js*", lambda route: route.abort())
    page.goto(work.link)
    page.locator("#start:focus").wait_for()  # the browser does that with its first picture, not when it has loaded
    keyboard.press("Enter")  # before the scripts run
    page.wait_for_url("**/task/*/practice")  # a first visit practises before it judges
    page.unroute_all()
    page.goto(work.link)
    keyboard.wait_until_ready()
    next_up, cards = page.locator(".next-up"), page.locator("a.task:visible")
    assert next_up.count() == 1 and cards.count() == 6, "one document is next; the others are no wall of links"
    for fact in ("English to Korean", "news", "min left"):
        expect(cards.first).to_contain_text(fact)
    page.locator(".rest summary").click()
    assert cards.count() == 9
    page.locator(".rest summary").click()
    page.locator("#start").focus()
    keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('a.task')"), "arrows lead through the documents"
    keyboard.press("ArrowRight", "ArrowLeft", "ArrowUp")
    assert page.evaluate("document.activeElement.id") == "start"
    keyboard.press("Enter")
    page.wait_for_url("**/task/*")


def test_an_answer_that_was_changed_and_changed_back_stays_so_after_a_reload(live: Live, page: Page) -> None:
    """Found by the random walk: the value in between lay on the device as a draft and was sent after the reload."""
    work, keyboard = begin(live, page, "h_falcon")
    keyboard.press("s", "3", "8")
    page.locator("#saved[data-state=saved]").wait_for(state="attached")
    keyboard.press("s", "1", "s", "3")
    page.reload()
    keyboard.wait_until_ready()
    keyboard.press("h", "7")
    page.locator("#saved[data-state=saved]").wait_for(state="attached")
    assert page.locator("[data-q=sentence] :checked").input_value() == "3"
    assert [row.value for row in work.rows() if row.question == "sentence"] == [3]


def test_a_slider_let_go_where_it_stood_is_an_answer(live: Live, page: Page) -> None:
    """A slider without an answer stands in the middle: let go there, the browser says that nothing has changed."""
    work, keyboard = begin(live, page, "da")
    x, y = middle(page, "[type=range]")
    page.mouse.click(x, y)
    expect(page.locator(".slide [inputmode]")).to_have_value("50")
    keyboard.press("Enter")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    drag(page, (x, y), (x + 60, y), (x, y))
    expect(page.locator("[data-row='1']")).to_have_class(re.compile("is-done"))
    keyboard.wait_until_saved()
    assert [item["score"] for item in work.stored(work.tasks[0].id)] == [50, 50]


def test_an_answer_taken_back_as_soon_as_the_slider_is_released_stays_so(live: Live, page: Page) -> None:
    """A busy browser hears of the key before it looks at the slider once more, which then stands in the middle: that
    was taken for an answer."""
    work, keyboard = begin(live, page, "da")
    page.evaluate("""() => {
      const set = window.setTimeout;
      window.late = [];
      window.setTimeout = (work, delay, ...more) => delay ? set(work, delay, ...more) : late.push(work);
    }""")
    x, y = middle(page, "[type=range]")
    drag(page, (x, y), (x + 60, y))
    expect(page.locator(".slide [inputmode]")).not_to_have_value("")
    keyboard.press("u")
    expect(page.locator(".slide [inputmode]")).to_have_value("")
    page.evaluate("() => { for (const work of late.splice(0)) work(); }")
    expect(page.locator(".slide [inputmode]")).to_have_value("")
    assert not any(work.stored(work.tasks[0].id))


def test_a_finger_that_scrolls_over_a_slider_gives_no_score(live: Live, phone: Page) -> None:
    work, keyboard = begin(live, phone, "da")
    touches = phone.context.new_cdp_session(phone)
    x, y = middle(phone, "[type=range]")

    def swipe(*path: tuple[float, float]) -> None:
        touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for right, down in path:
            points = [{"x": x + right, "y": y + down}]
            touches.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
        touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    x += 50
    swipe(*[(n, -20 * n) for n in range(1, 8)])
    swipe(*[(n, 20 * n) for n in range(1, 4)])
    expect(phone.locator(".slide [inputmode]")).to_have_value("")
    expect(phone.locator(".slide.unset, .unset .slide").first).to_be_attached()
    swipe(*[(5 * n, -n) for n in range(1, 8)])
    expect(phone.locator(".slide [inputmode]")).not_to_have_value("")
    shown = float(phone.locator(".slide [inputmode]").input_value())
    keyboard.wait_until_saved()
    assert [row.value for row in work.rows()] == [shown] and shown > 60
    for path, is_meant in (
        ([(6 * n, 5 * n) for n in range(1, 9)], True),  # slanted: the larger way counts
        ([(-6 * n, -5 * n) for n in range(1, 9)], True),
        ([(5 * n, 6 * n) for n in range(1, 9)], False),
        ([(-5 * n, -6 * n) for n in range(1, 9)], False),
        ([*[(9 * n, n) for n in range(1, 5)], *[(36, 10 * n) for n in range(1, 9)]], True),  # strays after it has slid
    ):
        keyboard.press("u")
        expect(phone.locator(".slide [inputmode]")).to_have_value("")
        swipe(*path)
        if is_meant:
            expect(phone.locator(".row.is-active.is-done")).to_be_attached()
        else:
            expect(phone.locator(".unset .slide, .slide.unset").first).to_be_attached()
            expect(phone.locator(".slide [inputmode]")).to_have_value("")
            keyboard.press("5", "0", "Enter", "k")


def test_a_slider_for_each_label_answers_its_own_line(live: Live, page: Page) -> None:
    """The number of any slider was written into the field of the first line."""
    work, keyboard = begin(live, page, protocols.parse_toml(SLIDERS))
    keyboard.press("t", "1", "2")
    page.mouse.click(*middle(page, "[data-line=terms] [type=range]"))
    page.locator("[data-line=terms] .slide [inputmode]").press("ArrowRight")
    page.locator("[data-line=style] .slide [inputmode]").fill("30")
    keyboard.press("Enter")
    keyboard.wait_until_saved()
    assert work.stored(work.tasks[0].id)[0]["ratings"] == {"style": 30, "terms": 50}


def test_the_key_of_a_mark_may_come_before_the_mouse_is_released(live: Live, page: Page) -> None:
    """With one hand on each: the key belonged to the score while the words were still being selected."""
    work, keyboard = begin(live, page, "esa")
    start, end = caret(page, 0, "target", 4), caret(page, 0, "target", 12)
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    page.mouse.move(end["x"], end["y"], steps=8)
    keyboard.press("1")
    page.mouse.move(end["x"] + 40, end["y"], steps=4)
    page.mouse.up()
    keyboard.press("8", "5")
    keyboard.press("Enter")
    keyboard.wait_until_saved()
    assert [(mark["text"], mark["severity"]) for mark in marks(work)] == [("Hafenamt", "minor")]
    assert work.stored(work.tasks[0].id)[0]["score"] == 85


def test_a_menu_stays_beside_its_words_when_the_screen_is_turned(live: Live, phone: Page) -> None:
    _, keyboard = begin(live, phone, "esa")
    keyboard.press("ArrowRight", "ArrowRight")
    phone.locator(".toolbar .panel").first.wait_for()
    for width, height in ((844, 390), (390, 844)):
        phone.set_viewport_size({"width": width, "height": height})
        wait_until(
            phone,
            """([width, height]) => {
              if (innerWidth !== width) return false;
              const menu = document.querySelector('.toolbar:not([hidden])').getBoundingClientRect();
              const words = [...CSS.highlights.get('picked')][0].getBoundingClientRect();
              const apart = menu.bottom <= words.top || menu.top >= words.bottom;
              return apart && menu.top >= 0 && menu.left >= 0 && menu.right <= width && menu.bottom <= height;
            }""",
            [width, height],
        )
    devices = phone.context.new_cdp_session(phone)
    words = phone.evaluate("[...CSS.highlights.get('picked')][0].getBoundingClientRect().toJSON()")
    there = {"x": round(words["left"]), "y": round(words["top"])}
    devices.send("Input.synthesizePinchGesture", {**there, "scaleFactor": 2, "relativeSpeed": 4000})
    wait_until(
        phone,
        """() => {
          const { scale, offsetLeft, offsetTop, width, height } = visualViewport;
          const menu = document.querySelector('.toolbar:not([hidden])').getBoundingClientRect();
          const beside = menu.left >= offsetLeft && menu.right <= offsetLeft + width;
          return scale > 1.9 && beside && menu.top >= offsetTop && menu.bottom <= offsetTop + height;
        }""",
    )
    devices.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 1})


def test_a_field_stays_in_sight_above_the_keyboard_of_a_phone(live: Live, phone: Page) -> None:
    begin(live, phone, "h_falcon")
    assert "interactive-widget=resizes-content" in str(phone.get_attribute("meta[name=viewport]", "content"))
    field = phone.locator("[data-q=comment] textarea")
    field.tap()
    phone.set_viewport_size({"width": 390, "height": 520})
    expect(field).to_be_in_viewport(ratio=0.95)
    expect(phone.locator(".is-active .src")).to_be_in_viewport(ratio=1)


def test_digits_change_the_score_of_a_sentence_one_comes_back_to(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa")
    keyboard.press("8", "5", "Enter", "k", "9", "0", "Enter")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    keyboard.wait_until_saved()
    assert work.stored(work.tasks[0].id)[0]["score"] == 90


@pytest.mark.parametrize("protocol", ["h_falcon", "mqm", "background"])
def test_what_is_pressed_while_a_document_is_being_finished_changes_nothing(
    live: Live, page: Page, protocol: str
) -> None:
    """It was meant for the next document, which nobody has read yet: a mark or a score went to the one left behind."""
    texts = [document(1, name=name) for name in ("ferry", "harbour")]
    work = live.campaign(protocol, texts, systems=SYSTEMS[:1])
    work.enter(page)
    first = work.tasks[0].id
    page.goto(work.url(first))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    answers = simulated(work.protocol, work.tasks[0].page, rng=Random(1)) if protocol != "mqm" else {"errors": []}
    keyboard.answer(answers | {"comment": None})
    held = hold(page, "**/finish")
    with page.expect_request("**/finish"):
        keyboard.press("Escape", "Control+Enter")
    stored = work.stored(first)
    keys = {"h_falcon": ["s", "1", "h", "1"], "mqm": ["ArrowRight", "1", "1", "1"], "background": ["Tab", "1", "2"]}
    keyboard.press(*keys[protocol], "Enter")
    for label in page.locator(".rail label").all()[:2]:
        label.click(force=True)
    assert page.locator("#accept").inner_text().startswith("One moment")
    page.evaluate("dispatchEvent(new Event('pagehide'))")  # everything that was changed is sent
    keyboard.wait_until_saved()
    held[0].continue_()
    page.wait_for_url(lambda url: f"/task/{first}" not in url)
    page.wait_for_selector("html[data-ready]", state="attached")
    assert len(held) == 1
    assert work.stored(first) == stored
    assert [row for row in work.rows() if row.task != first] == []


def test_whoever_stops_the_next_document_on_its_way_can_open_it_later(live: Live, page: Page) -> None:
    work = live.campaign("da", [document(1, name=name) for name in ("ferry", "harbour")], systems=SYSTEMS[:1])
    work.enter(page)
    first, second = (task.id for task in work.tasks)
    page.goto(work.url(first))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    held = hold(page, f"**/task/{second}?**")
    keyboard.press("8", "5")
    with page.expect_request(f"**/task/{second}?**"):
        keyboard.press("Control+Enter")
    page.context.new_cdp_session(page).send("Page.stopLoading")
    again = page.locator("#notes button", has_text="Open it")
    expect(again).to_be_visible()
    page.unroute_all()
    again.click()
    page.wait_for_url(f"**/task/{second}*")  # the page takes `?done=` away once it has read it
    assert len(held) == 1
    assert work.stored(first)[0]["score"] == 85


def test_the_strip_of_numbers_follows_the_sentence(live: Live, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    work = live.campaign("ranking_rs", [document(30)])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id) + "?row=13")
    Keyboard(page).wait_until_ready()
    shown = """(() => {
        const current = document.querySelector('.strip a[aria-current]'), place = current.getBoundingClientRect();
        return place.left >= 0 && place.right <= innerWidth && current.textContent === '%s'; })()"""
    wait_until(page, shown % 13)
    page.keyboard.press("j")
    wait_until(page, shown % 14)


@pytest.mark.parametrize("protocol", ["esa", "h_falcon"])
def test_what_is_pressed_before_the_scripts_run_is_taken_when_they_do(live: Live, page: Page, protocol: str) -> None:
    work = live.campaign(protocol, [document(2)], systems=SYSTEMS[:1])
    work.enter(page)
    held = hold(page, "**/judging.js")
    page.goto(work.url(work.tasks[0].id), wait_until="commit")
    keyboard = Keyboard(page)
    wait_until(page, "performance.getEntriesByName('first-contentful-paint').length > 0")
    # what was pressed once too often on the page before this one accepts nothing here
    keyboard.press("Enter")
    if protocol == "esa":
        keyboard.press("8", "5", "Enter", "4")
    else:
        page.locator("[data-q=holistic] label").nth(6).click()
        keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        keyboard.press("s", "3", "Enter", "1", "3")
    held[0].continue_()
    keyboard.wait_until_ready()
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    keyboard.wait_until_saved()
    first, second = work.stored(work.tasks[0].id)
    if protocol == "esa":
        assert (first["score"], first["errors"]) == (85, [])
        expect(page.locator(".slide input:not([type=range])")).to_have_value("4")
    else:
        assert (first["sentence"], first["holistic"]) == (3, 7)
        assert second["skills"]["information_density"] == "high"


def test_what_is_pressed_long_before_the_scripts_run_is_not_taken(live: Live, page: Page) -> None:
    """Nobody remembers then what was pressed, or whether it was pressed once more."""
    work = live.campaign("esa", [document(2)], systems=SYSTEMS[:1])
    work.enter(page)
    held = hold(page, "**/judging.js")
    page.goto(work.url(work.tasks[0].id), wait_until="commit")
    keyboard = Keyboard(page)
    wait_until(page, "performance.getEntriesByName('first-contentful-paint').length > 0")
    keyboard.press("8", "5")
    wait_until(page, "start => performance.now() > start + 3000", page.evaluate("performance.now()"))
    keyboard.press("Enter")
    held[0].continue_()
    keyboard.wait_until_ready()
    expect(page.locator("#note-early")).to_be_visible()
    expect(page.locator("#heading")).to_have_text("Sentence 1")
    expect(page.locator(".slide input:not([type=range])")).to_have_value("")
    assert work.stored(work.tasks[0].id) == [{}, {}]


def test_the_only_answer_can_be_corrected_by_another_digit(live: Live, page: Page) -> None:
    """1, then 3 because that was the wrong key: the second did nothing, and Enter accepted the first. Nothing below the
    sentence moves while one tries."""
    work = live.campaign("ranking_sc", [document(texts=TEXTS, languages=("en", "de"))], systems=SYSTEMS)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    heights = "[...document.querySelectorAll('.row')].map(row => row.getBoundingClientRect().height)"
    before = page.evaluate(heights)
    keyboard.press("1", "3", "Enter")
    keyboard.wait_until_saved()
    assert list(work.stored(work.tasks[0].id)[0].values()) == [[2, 1]]
    assert page.evaluate(heights) == before


def test_a_digit_that_gives_the_same_answer_again_leads_on_too(live: Live, page: Page) -> None:
    """It left the line armed: the digit that was to pick the next line rated this one instead."""
    work, keyboard = begin(live, page, "h_falcon")
    keyboard.press("1", "3", "s", "2", "7", "Escape", "Escape")
    keyboard.press("1", "3", "2", "2", "s", "2", "9")
    keyboard.wait_until_saved()
    stored = work.stored(work.tasks[0].id)[0]
    rated = {skill: value for skill, value in stored["skills"].items() if value != "not_relevant"}
    assert rated == {"information_density": "high", "idea_development": "medium"}
    assert (stored["sentence"], stored["holistic"]) == (2, 9)
