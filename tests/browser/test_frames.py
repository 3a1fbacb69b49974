"""What a key makes the browser do before the frame that shows it: few elements are styled anew, and the page is laid
out once. Counted in the browser's own trace, so that the speed of the machine does not matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser_actions import Keyboard
from live_server import SYSTEMS, Live, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

SETTLED = """new Promise(settled =>
  requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(settled)))))"""

UNSEEN = """elements => elements.flatMap(el => [
  el.ariaHidden === 'true' || 'heard',
  el.getBoundingClientRect().width > 0 || 'not laid out',
  [...el.querySelectorAll('a, p[lang], summary')].every(part => !part.checkVisibility({ visibilityProperty: true }))
    || 'reached',
  el.parentElement.closest('.scroller, .doc').scrollWidth <= el.parentElement.closest('.scroller, .doc').clientWidth
    || 'scrolled to',
]).filter(problem => problem !== true)"""


LAYERS = """() => [...document.querySelectorAll('.row, .row:not(.is-active) *')].flatMap(el => [
  el.matches('.row') && !el.parentElement.matches('.batch') && 'a row outside a batch',
  ...[null, '::before', '::after'].map(part => {
    const { content, position } = getComputedStyle(el, part);
    return !el.matches('.row') || part ? content !== 'none' && position !== 'static' && position : false;
  }),
]).filter(Boolean)"""
"""What would make a browser paint every row by itself, which each frame of a long document pays for."""


LONGEST_FRAME = 45_000
"""Microseconds: what waits for a frame waits 50 ms at most, and on a busy machine a frame may take longer."""


@dataclass
class Work:
    """What happened from a key press to the end of the next frame."""

    key: str
    styled: int = 0
    forced: list[int] = field(default_factory=list)
    """Layouts that the script had to wait for, each with the number of objects it was about."""
    focused: bool = False
    """Whether the focus was moved before the frame, although that came soon."""


def press(page: Page, keys: Sequence[str]) -> list[Work]:
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[bool] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    categories = {"includedCategories": ["devtools.timeline", "blink.user_timing"]}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": categories})
    for key in [*keys, ""]:
        page.evaluate("key => void performance.mark(`key ${key}`)", key)
        if key:
            page.keyboard.press(key)
        page.evaluate(SETTLED)
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    session.detach()
    marks = sorted((event for event in events if event["name"].startswith("key ")), key=lambda event: event["ts"])
    thread = [event for event in events if event["ph"] == "X" and event["tid"] == marks[0]["tid"]]
    thread.sort(key=lambda event: event["ts"])
    return [
        _first_frame(start["name"][4:], [event for event in thread if start["ts"] <= event["ts"] < end["ts"]])
        for start, end in pairwise(marks)
    ]


def _first_frame(key: str, events: Sequence[Mapping[str, Any]]) -> Work:
    work, handled = Work(key), 0.0
    for event in events:
        kind = event["args"]["data"]["type"] if event["name"] == "EventDispatch" else ""
        if kind == "keydown":
            handled = event["ts"] + event["dur"]
        elif handled and kind == "focusin" and event["ts"] - handled < LONGEST_FRAME:
            work.focused = True
        elif handled and event["name"] == "UpdateLayoutTree":
            work.styled += event["args"]["elementCount"]
        elif event["name"] == "Layout" and event["ts"] < handled:
            work.forced.append(event["args"]["beginData"]["dirtyObjects"])
        elif handled and event["name"] == "Layerize":
            break
    return work


@pytest.mark.parametrize(
    ("protocol", "keys", "forced"),
    [
        pytest.param("h_falcon", "1 2 7 3 s 4 h 9 Enter", 0, id="h_falcon"),
        pytest.param("falcon", "l 2 t 1 4 7 Enter", 0, id="falcon"),
        pytest.param("esa", "ArrowRight ArrowRight 1 ArrowRight 2 8 5 Enter", 1, id="esa"),
        pytest.param("da", "8 5 Enter", 1, id="da"),
        pytest.param("ranking_rs", "2 Enter", 0, id="ranking"),
    ],
)
def test_a_key_styles_few_elements_and_lays_out_the_page_once(
    live: Live, page: Page, protocol: str, keys: str, forced: int
) -> None:
    """Half of what a key cost were styles and layouts that it had no need of: of all lines of a grid, of a row whose
    margin sums up the answer, of rows that were measured between two changes. What a step shows has been laid out
    before, and until then it can be neither seen, nor reached, nor heard."""
    work = live.campaign(protocol, [document(30)], systems=SYSTEMS if protocol == "ranking_rs" else SYSTEMS[:1])
    work.enter(page)
    page.goto(f"{work.url(work.tasks[0].id)}?row=10")
    Keyboard(page).wait_until_ready()
    press(page, keys.split())  # a menu is measured when it is opened first
    measured = press(page, [*keys.split(), "j", "k"])
    assert page.evaluate(LAYERS) == []
    for key in measured:
        moves = key.key in ("Enter", "j", "k")
        assert key.styled <= (80 if moves else 40), key
        assert len(key.forced) <= forced + int(moves), key
        assert not key.focused or key.key in "hst", f"{key}: the frame comes before the focus"
    if protocol in ("da", "ranking_rs"):
        ahead = page.locator(".ahead[hidden]")
        expect(ahead).not_to_have_count(0)
        assert ahead.evaluate_all(UNSEEN) == [], "what is laid out beforehand cannot be seen, reached or heard"


def test_what_is_pressed_before_the_frame_finds_the_focus_where_it_belongs(live: Live, page: Page) -> None:
    """The focus follows the frame that answers a key. Whatever is quicker must not act on what had it before: digits
    answer one line after another, a mouse takes it elsewhere for good, and the ring is never on two sentences."""
    work = live.campaign("h_falcon", [document(3)], systems=SYSTEMS[:1])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    press = """key => {
      const how = { key, code: /\\d/.test(key) ? `Digit${key}` : key, bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how));
      const rings = [...document.querySelectorAll('.row, .row .num')]
        .filter(el => getComputedStyle(el).outlineStyle !== 'none')
        .map(el => +el.closest('.row').dataset.row);
      return [document.activeElement.closest('.q')?.dataset.q ?? null, rings];
    }"""
    every = f"keys => keys.map({press})"
    places = [place for place, _ in page.evaluate(every, ["1", "2", "2", "3", "s", "4", "h", "9", "Enter"])]
    assert places == [None, *["skills"] * 4, "sentence", "sentence", "holistic", "holistic"], "one key behind"
    assert page.evaluate(every, ["j", "k"]) == [[None, [2]], [None, [1]]], "the ring moves with the sentence"
    page.evaluate(f"() => {{ ({press})('j'); document.querySelector('#find').focus(); }}")
    page.evaluate(SETTLED)
    assert page.evaluate("document.activeElement.id") == "find"
    keyboard.wait_until_saved()
    stored = work.stored(work.tasks[0].id)[0]
    assert (stored["sentence"], stored["holistic"]) == (4, 9)
    assert [level for level in stored["skills"].values() if level != "not_relevant"] == ["medium", "high"]
