"""Long texts stay usable: 200 sentences, a segment of 1,500 words, sides of very different length."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser_actions import PICKED, Keyboard
from live_server import Live, document
from page_inspection import picture

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

ALPHA = ["hidden-engine-alpha"]
IN_VIEW = """css => {
  const box = c => document.querySelector(c).getBoundingClientRect(), view = box('.block:not([hidden]) .scroller');
  return box(css).top >= view.top - 1 && box(css).top < view.bottom;
}"""
CHOSEN = """() => {
  const [range] = CSS.highlights.get('picked'), box = range.getBoundingClientRect();
  const view = document.querySelector('.block:not([hidden]) .scroller').getBoundingClientRect();
  return box.height > 0 && box.top >= view.top && box.bottom <= view.bottom;
}"""


def test_two_hundred_sentences(live: Live, page: Page) -> None:
    work = live.campaign("h_falcon", [document(200)], systems=ALPHA)
    page.goto(work.link)
    task = work.tasks[0].id
    page.goto(work.url(task) + "?row=98")
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    assert 11 <= page.locator(".row:visible").count() < 40, "five before, five after, and more where there is room"
    page.emulate_media(media="print")
    assert page.locator(".row:visible").count() == 200, "paper shows the whole document"
    tops = page.locator(".row").evaluate_all("rows => rows.map(row => row.getBoundingClientRect().top)")
    assert tops == sorted(set(tops)), "each below the other"
    page.emulate_media(media="screen")
    wanted = [(1 + n % 4, 1 + n) for n in range(5)]
    for sentence, holistic in wanted:
        keyboard.press("s", str(sentence), str(holistic), "Enter")
    keyboard.wait_until_still()
    expect(page.locator("#heading")).to_have_text("Sentence 103")
    assert page.evaluate(IN_VIEW, ".is-active")
    keyboard.wait_until_saved()
    stored = work.stored(task)
    assert [(item["sentence"], item["holistic"]) for item in stored[97:102]] == wanted
    picture(page, "long-document")
    keyboard.press("/")
    keyboard.write("Sentence 187 of")
    keyboard.press("Enter")
    keyboard.wait_until_still()
    expect(page.locator("#heading")).to_have_text("Sentence 187")
    assert page.evaluate(IN_VIEW, ".is-active")
    assert page.locator(".row:visible").count() == 200, "a search opens the whole document"
    assert page.locator(".rail").bounding_box()["y"] >= 0, "the questions never scroll away"
    keyboard.press("Escape", "PageUp", "PageUp")
    keyboard.wait_until_still()
    assert not page.evaluate(IN_VIEW, ".is-active"), "one can read elsewhere"
    keyboard.press("j")
    keyboard.wait_until_still()
    expect(page.locator("#heading")).to_have_text("Sentence 188")
    assert page.evaluate(IN_VIEW, ".is-active")
    page.reload()
    keyboard.wait_until_ready()
    expect(page.locator("#heading")).to_have_text("Sentence 188")  # the same row on returning


def test_a_segment_of_fifteen_hundred_words(live: Live, page: Page) -> None:
    source, target = " ".join(f"word{n}" for n in range(1500)), " ".join(f"낱말{n}" for n in range(1500))
    work = live.campaign("esa", [document(texts=[(source, target), ("Short.", "짧다.")])], systems=ALPHA)
    page.goto(work.link)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("PageDown", "PageDown")
    keyboard.wait_until_still()
    assert page.evaluate("document.querySelector('.scroller').scrollTop") > 500, "Page keys scroll from anywhere"
    first = page.locator("[data-row='0']")
    sides = [first.locator(css).bounding_box() for css in (".src", ".tgt")]
    assert sides[0] and sides[1] and sides[0]["y"] == sides[1]["y"], "both sides begin on the same line"
    keyboard.press(*["ArrowRight"] * 60)
    keyboard.wait_until_still()
    assert page.evaluate(PICKED) == "낱말59" and page.evaluate(CHOSEN)
    keyboard.press("Shift+ArrowRight", "2")
    keyboard.wait_until_saved()
    [mark] = work.stored(work.tasks[0].id)[0]["errors"]
    assert mark["text"] == "낱말59 낱말60" and target[mark["start"] : mark["end"]] == mark["text"]
    keyboard.press("4", "0", "Enter")
    keyboard.wait_until_still()
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    assert page.evaluate(IN_VIEW, ".is-active")
    keyboard.press("k")
    keyboard.wait_until_still()
    assert page.evaluate(IN_VIEW, ".is-active .num"), "of a row taller than the screen, its beginning"
    picture(page, "long-segment")


MIXED = ["word", "e\u0301te\u0301", "👩‍🚀", "𠮷野家", "العربية،", "שָׁלוֹם", "ภาษาไทย", "नमस्ते", "🇰🇷", "낱말", "¿qué?"]
PLACES = """async text => {
  const url = performance.getEntriesByType('resource').find(each => each.name.endsWith('/selection.js')).name;
  const { rangeOf, selectedStretch } = await import(url);
  const cell = document.querySelector('.row .tgt'), chars = [...text], wrong = [], seams = [];
  for (const node of cell.childNodes) seams.push((seams.at(-1) ?? 0) + [...node.textContent].length);
  const places = [0, 1, 2, 57, 58, ...seams.flatMap(at => [at - 7, at - 1, at, at + 1, at + 6])];
  if (cell.textContent !== text) wrong.push('another text');
  for (const start of places) for (const end of places) {
    if (start < 0 || start >= end || end > chars.length) continue;
    const range = rangeOf({ cell, start, end }), wanted = chars.slice(start, end).join('');
    getSelection().setBaseAndExtent(
      range.startContainer, range.startOffset, range.endContainer, range.endOffset);
    const got = wanted.trim() ? selectedStretch() : { drawn: { start, end } };
    if (range.toString() !== wanted) wrong.push([start, end, range.toString()]);
    if (got.drawn.start !== start || got.drawn.end !== end) wrong.push([start, end, got.drawn]);
  }
  getSelection().removeAllRanges();
  return [seams, wrong];
}"""


def test_places_in_a_long_text_are_exact_in_every_script(live: Live, page: Page) -> None:
    """A long text is drawn in parts. Every place in it is the code point that is stored, at the seams as well, and
    whatever is marked; a mark over a seam is one, and what is searched for is found across both."""
    text = " ".join(MIXED[n % len(MIXED)] + str(n) for n in range(300))
    work = live.campaign("esa", [document(texts=[(text, text)])], systems=ALPHA)
    page.goto(work.link)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    seams, wrong = page.evaluate(PLACES, text)
    assert len(seams) > 3 and wrong == []
    over = f"{text[: seams[1]].split()[-1]} {text[seams[1] :].split()[0]}"
    page.locator("#find").fill(over)
    expect(page.locator("#hits")).to_contain_text("2")  # in the source and in the translation
    page.locator("#find").fill("")
    keyboard.press("Escape", "w")
    keyboard.write(over.split(maxsplit=1)[0])
    keyboard.press("Enter", "Shift+ArrowRight", "2")
    expect(page.locator(".tgt mark")).to_have_count(1)
    keyboard.press("ArrowRight", "ArrowRight", "1")
    expect(page.locator(".tgt mark")).to_have_count(2)
    assert page.evaluate("CSS.highlights.has('fresh')") is False
    parts, wrong = page.evaluate(PLACES, text)
    assert set(seams) - {seams[1]} <= set(parts) and wrong == []
    keyboard.press("Escape")
    keyboard.wait_until_saved()
    marks = work.stored(work.tasks[0].id)[0]["errors"]
    assert [mark["text"] == text[mark["start"] : mark["end"]] for mark in marks] == [True, True]
    assert marks[0]["start"] < seams[1] < marks[0]["end"]
    keyboard.press("u", "u")
    expect(page.locator(".tgt mark")).to_have_count(0)
    assert page.evaluate(PLACES, text) == [seams, []]


def test_sides_of_different_length_stay_aligned(live: Live, page: Page) -> None:
    texts = [("Short.", "길다 " * 60), ("Long " * 80, "짧다."), ("Even.", "같다.")]
    work = live.campaign("h_falcon", [document(texts=texts)], systems=ALPHA)
    page.goto(work.link)
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    for row in range(3):
        src, tgt = (page.locator(f"[data-row='{row}'] {css}") for css in (".src", ".tgt"))
        left, right = src.bounding_box(), tgt.bounding_box()
        assert left and right and left["y"] == right["y"] and left["width"] == right["width"]
        sizes = {cell.evaluate("e => getComputedStyle(e).fontSize") for cell in (src, tgt)}
        assert len(sizes) == 1, "the same size on both sides"
