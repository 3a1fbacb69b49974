"""Marks by mouse and by keys, in any script, counted in code points."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser_actions import PICKED, Keyboard, wait_until
from lanner import campaign
from lanner.model import Judge, JudgeKind
from lanner.protocols import parse_toml
from lanner.protocols.prefilled import Help, help_of
from live_server import SYSTEMS, Live, Work, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

ALPHA = ["hidden-engine-alpha"]
SELECT = """([row, side, start, end]) => {
  const cell = document.querySelector(`.row[data-row="${row}"] [data-side=${side}]`), range = document.createRange();
  const units = point => [...cell.textContent].slice(0, point).join('').length;
  for (const [set, point] of [['setStart', start], ['setEnd', end]]) {
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let left = units(point), node = walk.nextNode();
    while (left > node.length) { left -= node.length; node = walk.nextNode(); }
    range[set](node, left);
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  cell.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }));
}"""


def begin(
    live: Live, page: Page, protocol: str, pair: tuple[str, str], languages: tuple[str, str]
) -> tuple[Work, Keyboard]:
    texts = [pair, ("The second sentence.", "두 번째 문장.")]
    work = live.campaign(protocol, [document(texts=texts, languages=languages)], systems=ALPHA)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, keyboard


def marks(work: Work) -> list[dict[str, Any]]:
    return list(work.stored(work.tasks[0].id)[0]["errors"])


@pytest.mark.parametrize(
    ("language", "text", "part"),
    [
        ("ko", "👩‍🚀 우주 비행사가 🇰🇷 국기를 들었다.", "🇰🇷 국기를"),
        ("ar", "إذا أردتم المساعدة، فنحن نسقي الزرع 🌱 مساءً.", "الزرع 🌱 مساءً"),
        ("de", "Das Cafe\u0301 in Mu\u0308nchen 𝔘 ist zu.", "Mu\u0308nchen 𝔘"),
        ("ja", "彼女は𠮷野家で昼ご飯を食べた。", "𠮷野家"),
        ("de", "Erste Zeile\r\nund die zweite.", "zweite"),
    ],
)
def test_offsets_are_code_points(live: Live, page: Page, language: str, text: str, part: str) -> None:
    work, keyboard = begin(live, page, "esa", ("An astronaut raised the flag.", text), ("en", language))
    start = text.index(part)
    page.evaluate(SELECT, [0, "target", start, start + len(part)])
    page.locator(".toolbar .panel").wait_for()
    keyboard.press("2")
    keyboard.wait_until_saved()
    [mark] = marks(work)
    assert (mark["start"], mark["end"], mark["text"]) == (start, start + len(part), part)
    shown = page.locator(".row[data-row='0'] [data-side=target]")
    assert shown.text_content() == text, "the text itself is untouched"
    assert shown.locator("mark").inner_text() == part


def test_overlaps_change_remove_undo(live: Live, page: Page) -> None:
    text = "alpha beta gamma delta"
    work, keyboard = begin(live, page, "esa", ("The source has more words.", text), ("en", "de"))
    for start, end, key in ((0, 10, "1"), (6, 16, "2")):
        page.evaluate(SELECT, [0, "target", start, end])
        page.locator(".toolbar .panel").wait_for()
        keyboard.press(key)
    assert page.locator(".is-active .tgt mark").all_inner_texts() == ["alpha ", "beta", " gamma"]
    page.locator(".is-active .tgt mark").nth(1).click()
    page.locator(".toolbar [aria-pressed=true]").wait_for()
    page.locator(".toolbar").get_by_role("button", name="Remove").click()
    keyboard.wait_until_saved()
    assert [(m["start"], m["end"]) for m in marks(work)] == [(0, 10)]
    keyboard.press("u")
    keyboard.wait_until_saved()
    assert [(m["start"], m["end"], m["severity"]) for m in marks(work)] == [(0, 10, "minor"), (6, 16, "major")]
    page.locator("[data-q=errors] [data-span='0']").click()
    keyboard.press("2")
    keyboard.wait_until_saved()
    assert [m["severity"] for m in marks(work)] == ["major", "major"]
    page.locator("[data-q=errors] [data-remove='0']").click()
    page.locator("[data-q=errors] [data-span='0']").click()
    keyboard.press("u")
    expect(page.locator(".toolbar")).to_be_hidden()  # its mark is another one now
    keyboard.press("1")
    keyboard.wait_until_saved()
    assert [(m["text"], m["severity"]) for m in marks(work)] == [("alpha beta", "major"), ("beta gamma", "major")]


def test_marks_that_another_device_has_made_are_named(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa", ("One two.", "alpha beta"), ("en", "de"))
    theirs = [{"side": "target", "start": 0, "end": 5, "text": "alpha", "severity": "minor"}]
    campaign.submit(live.store, work.tasks[0].id, 0, {"errors": theirs}, submission="other device")
    keyboard.press("ArrowRight", "ArrowRight", "2")
    conflict = page.locator("[id^=note-conflict]")
    expect(conflict).to_contain_text("Keep mine: beta (major)")
    expect(conflict).to_contain_text("Take the other: alpha (minor)")


SLIDERS = """
name = "sliders"
version = "1"
[[stage]]
id = "all"
unit = "sentence_in_context"
object = "output"
[[stage.question]]
id = "faults"
kind = "labels"
options = ["fluency", "terms"]
[[stage.question]]
id = "points"
kind = "scale"
display = "slider"
min = 0
max = 100
for_each = "faults"
[text.en.questions.faults]
label = "What is wrong?"
options = { fluency = "Fluency", terms = "Terms" }
[text.en.questions.points]
label = "How much?"
"""


# A disk on which what goes to the server is kept half a second later.
SLOW_DISK = """
const kept = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, 'oncomplete');
Object.defineProperty(IDBTransaction.prototype, 'oncomplete', {
  ...kept,
  set(done) {
    const isOutbox = this.objectStoreNames.contains('outbox') && this.mode === 'readwrite';
    kept.set.call(this, event => setTimeout(() => done(event), isOutbox ? 500 : 0));
  },
});
"""


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize("disk", ["", SLOW_DISK], ids=["fast", "slow disk"])
def test_points_for_each_label_that_another_device_has_given_are_named(live: Live, page: Page, disk: str) -> None:
    page.add_init_script(disk)
    work = live.campaign(parse_toml(SLIDERS), [document(1)], systems=ALPHA)
    work.enter(page)
    task = work.tasks[0].id
    page.goto(work.url(task))
    Keyboard(page).wait_until_ready()
    page.get_by_text("Terms").first.click()
    page.locator("#saved[data-state=saved]").wait_for(state="attached")
    campaign.submit(live.store, task, 0, {"points": {"terms": 20}}, submission=f"other device {task}")
    page.get_by_role("textbox", name="Set 0 to 100").locator("visible=true").fill("70")
    page.keyboard.press("Enter")
    conflict = page.locator("[id^=note-conflict]")
    expect(conflict).to_contain_text("Keep mine: Terms: 70Take the other: Terms: 20")
    conflict.get_by_role("button", name="Keep mine").click()  # Enter was to finish as well: this is decided first
    assert work.tasks[0].finished_at is None
    page.keyboard.press("Enter")
    page.wait_for_url("**/work*")
    assert work.stored(task)[0]["points"] == {"terms": 70}


STRICT = """
name = "strict"
version = "1"
[[stage]]
id = "all"
unit = "sentence_in_context"
object = "outputs"
outputs = 3
show = ["source", "target"]
[[stage.question]]
id = "order"
kind = "rank"
ties = false
[[stage.question]]
id = "errors"
kind = "spans"
severities = ["minor", "major"]
max = 1
[text.en.questions.order]
label = "Order"
[text.en.questions.errors]
label = "Errors"
"""


def test_what_the_protocol_does_not_allow_is_not_taken(live: Live, page: Page) -> None:
    systems = (*SYSTEMS, "hidden-engine-gamma")
    work = live.campaign(parse_toml(STRICT), [document(2, systems=systems)], systems=systems)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    for line, place in (("0", 1), ("1", 1), ("2", 2), ("0", 3)):
        page.locator(f"[data-q=order] [data-line='{line}'] [value='{place}']").check(force=True)
    keyboard.press("Escape", "ArrowRight", "1")
    keyboard.press("ArrowRight", "2")
    expect(page.locator("[data-q=errors] .hint")).to_contain_text("Take one away first")
    keyboard.wait_until_saved()
    stored = work.stored(work.tasks[0].id)[0]
    assert stored["order"] == [3, 1, 2], "no two share a place: the first one had given up its own"
    assert [mark["severity"] for mark in stored["errors"]] == ["minor"]


def test_missing_on_the_source_and_nowhere(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa", ("The source has more words.", "kurz"), ("en", "de"))
    page.evaluate(SELECT, [0, "source", 15, 19])
    page.locator(".toolbar .panel").wait_for()
    keyboard.press("1")
    page.get_by_role("button", name="Something is missing").click()
    keyboard.press("2")
    keyboard.wait_until_saved()
    first, second = marks(work)
    assert first == {"side": "source", "start": 15, "end": 19, "text": "more", "severity": "minor", "missing": True}
    assert second["missing"] and "start" not in second


def test_menu_one_can_go_back_in_and_links(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "mqm_linked", ("She met the doctor.", "Sie traf den Arzt."), ("en", "de"))
    keyboard.press("ArrowRight", "ArrowRight")
    keyboard.press("2")
    assert "fluency" in page.inner_text(".toolbar .crumb")
    keyboard.press("Backspace", "1", "3")
    assert page.inner_text(".toolbar .crumb") == "accuracy › mistranslation"
    keyboard.press("3")
    keyboard.wait_until_saved()
    page.locator("[data-q=errors] [data-span='0']").press("Enter")
    keyboard.press("l")
    page.locator("#note-link").wait_for()
    keyboard.press("ArrowDown", "ArrowRight", "Enter")
    keyboard.wait_until_saved()
    [mark] = marks(work)
    assert (mark["category"], mark["severity"], mark["text"]) == ("mistranslation", "major", "traf")
    second = work.tasks[0].items[1].segment
    assert mark["link"]["segment"] == second and mark["link"]["text"] == "번째"
    assert page.locator(".row[data-row='1'] mark.linked").count() == 1


def test_links_by_mouse_and_taken_away(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "mqm_linked", ("She met the doctor.", "Sie traf den Arzt."), ("en", "de"))
    page.evaluate(SELECT, [0, "target", 0, 3])
    for name in ("accuracy", "mistranslation", "major"):
        page.locator(".toolbar").get_by_role("button", name=name).click()
    page.locator(".is-active .tgt mark").click()
    page.locator(".toolbar").get_by_role("button", name="Link to another place").click()
    page.locator("#note-link").wait_for()
    page.locator(".row[data-row='1'] .tgt").dblclick(position={"x": 16, "y": 20})
    keyboard.wait_until_saved()
    [mark] = marks(work)
    second = work.tasks[0].items[1].segment
    assert (mark["link"]["segment"], mark["link"]["side"], mark["link"]["text"]) == (second, "target", "두")
    expect(page.locator("#heading")).to_have_text("Sentence 1")  # one stays with the mark
    page.locator(".is-active .tgt mark").click()
    keyboard.press("x")
    keyboard.wait_until_saved()
    [mark] = marks(work)
    assert "link" not in mark and page.locator("mark.linked").count() == 0


def test_marks_without_single_keys(live: Live, page: Page) -> None:
    """Letters and digits do nothing when they are switched off; Tab leads into the menu, Enter presses."""
    work, keyboard = begin(live, page, "esa", ("The source has words.", "alpha beta gamma"), ("en", "de"))
    page.evaluate("localStorage.setItem('lanner-single', 'off')")
    page.reload()
    keyboard.wait_until_ready()
    keyboard.press("ArrowRight", "ArrowRight", "1", "2")
    assert "errors" not in work.stored(work.tasks[0].id)[0]
    keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.toolbar') !== null")
    keyboard.press("Tab", "Enter")
    keyboard.wait_until_saved()
    assert [(m["text"], m["severity"]) for m in marks(work)] == [("beta", "major")]
    assert page.evaluate("document.activeElement.matches('.num')"), "the focus is back at the row"


def test_arrows_lead_on_into_the_other_text(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "esa", ("One two.", "ثلاثة أربعة"), ("en", "ar"))
    keyboard.press("ArrowLeft")
    assert page.evaluate(PICKED) == "ثلاثة"
    keyboard.press("ArrowRight")
    assert page.evaluate(PICKED) == "two", "before the first word stands the end of the source"
    wait_until(page, "() => getSelection().toString() === 'two'")  # to be copied, and for those who listen
    keyboard.press("1")
    keyboard.wait_until_saved()
    assert [(m["side"], m["text"], m["missing"]) for m in marks(work)] == [("source", "two", True)]


def test_suggested_marks_are_kept_changed_removed(live: Live, page: Page) -> None:
    base = document(texts=[("One two three four.", "eins zwei drei vier fünf"), ("Five.", "fünf")], systems=ALPHA)
    offered = [
        {"side": "target", "start": 0, "end": 4, "text": "eins", "severity": "minor"},
        {"side": "target", "start": 5, "end": 9, "text": "zwei", "severity": "minor"},
        {"side": "target", "start": 10, "end": 14, "text": "drei", "severity": "major"},
    ]
    first = base.segments[0]
    with_spans = type(first)(first.id, first.source, first.outputs, meta={"spans": {ALPHA[0]: offered}})
    suggested = type(base)(base.id, (with_spans, base.segments[1]), "en", "de", title="T")
    work = live.campaign("esa_preannotated", [suggested], systems=ALPHA)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    assert page.locator(".is-active mark").all_inner_texts() == ["eins", "zwei", "drei"]
    page.locator("[data-q=errors] .spans bdi").first.click()  # its words are no button: nothing opens, nothing breaks
    expect(page.locator(".toolbar")).to_be_hidden()
    page.locator("[data-q=errors] [data-span='1']").click()
    keyboard.press("2")
    page.locator("[data-q=errors] [data-remove='2']").click()
    keyboard.press("s", "6", "0", "Enter")
    keyboard.wait_until_saved()
    assert [m["origin"] for m in marks(work)] == ["kept", "changed", "removed"]
    page.goto(work.url(work.tasks[0].id) + "?row=1")
    keyboard.wait_until_ready()
    assert page.locator(".is-active mark").all_inner_texts() == ["eins", "zwei"]


MIDDLES = "buttons => buttons.map(b => b.getBoundingClientRect()).map(box => box.top + box.height / 2)"
MODEL = Judge("secret-model-7b", kind=JudgeKind.MODEL)
TARGET = "eins zwei drei vier fünf"


def assisted(live: Live) -> Work:
    """A campaign in esa whose texts a model has marked, one of two without its marks."""
    pairs = [("One two three four five.", TARGET), ("Six.", "sechs")]
    documents = [document(texts=pairs, name=name, systems=ALPHA, languages=("en", "de")) for name in ("boat", "train")]
    judged = live.campaign("esa", documents, judges=[MODEL], systems=ALPHA)
    places = ((0, 4, "minor"), (5, 9, "minor"), (10, 14, "major"))
    offered = [{"side": "target", "start": start, "end": end, "severity": level} for start, end, level in places]
    for task in judged.tasks:
        for place, spans in enumerate((offered, [])):
            answers = {"errors": spans, "score": 50}
            campaign.submit(live.store, task.id, place, answers, submission=f"{judged.name} {task.id} {place}")
    setting = {"model": MODEL.id, "from": judged.name, "unassisted": 0.5}
    return live.campaign("esa", documents, systems=ALPHA, settings={"prefill": setting})


def test_a_models_marks_are_kept_changed_removed_with_their_source(live: Live, page: Page) -> None:
    work = assisted(live)
    texts = {text.id: text for text in campaign.documents(live.store, work.name)}
    tasks = {help_of(texts[task.items[0].document].segments[0], ALPHA[0]): task.id for task in work.tasks}
    work.enter(page)
    page.goto(work.url(tasks[Help.OFFERED]))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    shown = page.locator(".is-active mark.suggested")
    assert shown.all_inner_texts() == ["eins", "zwei", "drei"]
    assert MODEL.id not in page.content()
    listed = page.locator("[data-q=errors] .spans li")
    assert all("suggested" in text for text in listed.all_inner_texts()), "said in words, too"
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        heights = listed.first.locator("button").evaluate_all(MIDDLES)
        assert len(heights) == 4 and max(heights) - min(heights) < 4, "the buttons of a mark stand in one line"

    keyboard.press("ArrowRight", "y")  # the first word is the first mark
    assert shown.all_inner_texts() == ["zwei", "drei"]
    page.locator("[data-q=errors] [data-span='1']").click()
    keyboard.press("2")
    keyboard.wait_until_saved()
    page.reload()
    keyboard.wait_until_ready()
    assert shown.all_inner_texts() == ["drei"], "what was looked at is remembered, and so is what was not"
    keyboard.press("f", "Enter")
    assert page.locator("#left button").first.inner_text().startswith("1:"), "it cannot be finished without a look"
    page.locator("[data-q=errors] [data-remove='2']").click()
    page.evaluate(SELECT, [0, "target", 15, 19])
    page.locator(".toolbar .panel").wait_for()
    keyboard.press("1")
    keyboard.press("s", "6", "0", "Enter")
    keyboard.press("s", "9", "0", "Enter")
    page.wait_for_url(lambda url: f"/task/{tasks[Help.OFFERED]}" not in url.split("?")[0])
    first, second = work.stored(tasks[Help.OFFERED])
    assert [(m["text"], m["origin"], m.get("model"), m["severity"]) for m in first["errors"]] == [
        ("eins", "kept", MODEL.id, "minor"),
        ("zwei", "changed", MODEL.id, "major"),
        ("vier", "added", None, "minor"),
        ("drei", "removed", MODEL.id, "major"),
    ]
    assert second["errors"] == []

    page.goto(work.url(tasks[Help.WITHHELD]))
    keyboard.wait_until_ready()
    assert page.locator("mark").count() == 0
    page.evaluate(SELECT, [0, "target", 0, 4])
    page.locator(".toolbar .panel").wait_for()
    assert page.locator(".toolbar [data-act=keep]").is_hidden()
    keyboard.press("1", "s", "5", "0", "Enter")
    keyboard.wait_until_saved()
    unaided = work.stored(tasks[Help.WITHHELD])[0]["errors"]
    assert [(m["text"], m["origin"], "model" in m) for m in unaided] == [("eins", "added", False)]


def test_accepting_a_sentence_keeps_what_was_suggested(live: Live, page: Page) -> None:
    work = assisted(live)
    texts = {text.id: text for text in campaign.documents(live.store, work.name)}
    (task,) = [
        task.id for task in work.tasks if help_of(texts[task.items[0].document].segments[0], ALPHA[0]) is Help.OFFERED
    ]
    work.enter(page)
    page.goto(work.url(task))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    listed = page.locator("[data-q=errors] .spans li")
    keyboard.press("j")
    expect(listed).to_have_text(["Nothing marked"])  # nothing of the sentence before is left in the list
    keyboard.press("k")
    page.locator("[data-q=errors] [data-remove='0']").click()
    expect(listed.locator("bdi")).to_have_text(["zwei", "drei"])
    keyboard.press("u")
    expect(listed.locator("bdi")).to_have_text(["eins", "zwei", "drei"])
    keyboard.press("s", "6", "0", "Enter")
    keyboard.wait_until_saved()
    assert [m["origin"] for m in work.stored(task)[0]["errors"]] == ["kept"] * 3
    assert page.locator("mark.suggested").count() == 0


ALTER = """() => document.querySelectorAll('.row [data-side]').forEach(cell => {
  const added = document.createElement('font');
  added.textContent = 'Aggiunto ';
  cell.prepend(added);
})"""
"""What a translation or an extension of a browser does to texts."""


def test_a_text_that_the_browser_has_changed_is_marked_where_it_was_sent(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "mqm", ("She met the doctor.", "Sie traf den Arzt."), ("en", "de"))
    cell = page.locator(".is-active .tgt")
    page.evaluate(ALTER)
    page.evaluate(SELECT, [0, "target", 9, 12])
    page.locator("#note-altered").wait_for()
    expect(cell).to_have_text("Sie traf den Arzt.")
    expect(page.locator(".toolbar:visible")).to_have_count(0)
    page.evaluate(ALTER)
    keyboard.press("ArrowRight")
    expect(cell).to_have_text("Sie traf den Arzt.")
    assert page.evaluate(PICKED) == "Sie"
    for name in ("accuracy", "mistranslation", "major"):
        page.locator(".toolbar").get_by_role("button", name=name).click()
    page.evaluate(SELECT, [0, "target", 13, 17])
    for name in ("accuracy", "mistranslation", "minor"):
        page.locator(".toolbar").get_by_role("button", name=name).click()
    keyboard.wait_until_saved()
    assert [(mark["start"], mark["end"], mark["text"]) for mark in marks(work)] == [(0, 3, "Sie"), (13, 17, "Arzt")]
