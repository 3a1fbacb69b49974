"""Nothing is lost: offline, a killed server, a reload, an expired session, two tabs, a browser that keeps nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, Route, expect

from browser_actions import Keyboard, wait_until
from chromium import ELSEWHERE, on_disk
from lanner import campaign
from lanner.campaign import history
from lanner.model import Judge
from lanner.web.access import judge_cookie
from live_server import Live, Work, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

ON_THE_DEVICE = """text => new Promise(ok => {
  const asked = indexedDB.open('lanner');
  asked.onsuccess = () => {
    const read = asked.result.transaction('drafts').objectStore('drafts').getAll();
    read.onsuccess = () => { asked.result.close(); ok(JSON.stringify(read.result).includes(text)); };
  };
})"""


def begin(live: Live, page: Page, sentences: int = 6) -> tuple[Work, int, Keyboard]:
    work = live.campaign("h_falcon", [document(sentences)], systems=["hidden-engine-alpha"])
    work.enter(page)
    task = work.tasks[0].id
    page.goto(work.url(task))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, task, keyboard


def judge(keyboard: Keyboard, sentence: int, holistic: int) -> None:
    """One row, then on to the next."""
    keyboard.press("1", "2", "s", str(sentence), str(holistic % 10), "Enter")


def scores(work: Work, task: int) -> list[tuple[int | None, int | None]]:
    return [(item.get("sentence"), item.get("holistic")) for item in work.stored(task)]


def nothing_waits(page: Page) -> None:
    """Whatever was kept here has been sent, by this page or by another."""
    page.locator("#saved:not([data-state=saving], [data-state=offline])").wait_for(state="attached")


def test_offline_for_the_middle_third(live: Live, page: Page, context: BrowserContext) -> None:
    work, task, keyboard = begin(live, page)
    wanted = [(1 + n % 4, 1 + n) for n in range(6)]
    for n, (sentence, holistic) in enumerate(wanted):
        if n == 2:
            keyboard.wait_until_saved()
            context.set_offline(True)
        if n == 4:
            # The second row may be closed after the first was tried; the next try counts both.
            page.locator("#saved[data-state=offline]", has_text="2").wait_for()
            assert scores(work, task)[2:4] == [(None, None)] * 2
            context.set_offline(False)
        judge(keyboard, sentence, holistic)
    keyboard.wait_until_saved()
    assert scores(work, task) == wanted
    rows = [(row.question, row.segment) for row in work.rows()]
    assert len(rows) == len(set(rows)), "each answer is stored once"


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, "Internal Server Error", "No proper answer from the server."),
        (503, "<h1>Bad gateway</h1>", "No proper answer from the server."),
        (503, '{"message": "no database"}', "The server cannot save at the moment and tries again by itself."),
    ],
)
def test_an_error_of_the_server_is_not_called_offline(
    live: Live, page: Page, status: int, body: str, words: str
) -> None:
    work, task, keyboard = begin(live, page)
    page.route("**/answers", lambda route: route.fulfill(status=status, body=body))
    judge(keyboard, 2, 5)
    shown = page.locator("#saved[data-state=offline]")
    expect(shown).to_have_text(f"{words} Kept on this device: 1")
    page.unroute("**/answers")
    page.evaluate("dispatchEvent(new Event('online'))")
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (2, 5)


def test_over_plain_http_in_a_local_network(live: Live, page: Page) -> None:
    """There a browser has no ids, locks and workers to offer."""
    work = live.campaign("h_falcon", [document(2)], systems=["hidden-engine-alpha"])
    task = work.tasks[0].id
    page.goto(work.link.replace("127.0.0.1", ELSEWHERE))
    page.goto(work.url(task).replace("127.0.0.1", ELSEWHERE))
    assert page.evaluate("!isSecureContext")
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    judge(keyboard, 2, 7)
    judge(keyboard, 3, 8)
    nothing_waits(page)
    assert scores(work, task) == [(2, 7), (3, 8)]


def test_kill_minus_nine_in_mid_task(own_live: Live, page: Page) -> None:
    work, task, keyboard = begin(own_live, page)
    judge(keyboard, 1, 1)
    keyboard.wait_until_saved()
    own_live.kill()
    judge(keyboard, 2, 2)
    judge(keyboard, 3, 3)
    page.locator("#saved[data-state=offline]").wait_for()
    own_live.start()
    judge(keyboard, 4, 4)
    page.evaluate("dispatchEvent(new Event('online'))")
    keyboard.wait_until_saved()
    assert scores(work, task)[:4] == [(1, 1), (2, 2), (3, 3), (4, 4)]


HALF_AN_EMOJI = r"field => { field.focus(); document.execCommand('insertText', false, 'cut \ud83d'); field.blur(); }"


def test_reload_at_every_step(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page, sentences=2)
    steps: list[tuple[str, str]] = [
        ("1", "3"),
        ("8", "1"),
        ("s", "4"),
        ("h", "7"),
    ]
    for first, second in steps:
        keyboard.press(first, second)
        page.reload()
        keyboard.wait_until_ready()
    keyboard.press("c")
    keyboard.write("왜 ‘그녀’인가? 👩‍🚀")
    page.reload()
    keyboard.wait_until_ready()
    assert page.input_value(REMARK) == "왜 ‘그녀’인가? 👩‍🚀"
    keyboard.press("Enter")
    keyboard.wait_until_saved()
    stored = work.stored(task)[0]
    assert stored["skills"] | {"information_density": "high", "participant_focus": "low"} == stored["skills"]
    assert (stored["sentence"], stored["holistic"], stored["comment"]) == (4, 7, "왜 ‘그녀’인가? 👩‍🚀")
    expect(page.locator("#heading")).to_have_text("Sentence 2")  # the same row after a reload, the next after accepting
    page.eval_on_selector(REMARK, HALF_AN_EMOJI)
    keyboard.wait_until_saved()
    assert work.stored(task)[1]["comment"] == "cut �"


KEYS = "12341234" if os.environ.get("LANNER_SOAK") else "123"

LEFT_AT_ONCE = """key => {
  const how = { key, code: 'Digit' + key, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how));
  location.reload();
}"""


DROPPED_WITH_THE_PAGE = """
  let left = false;
  addEventListener('pagehide', () => { left = true; }, true);
  const { commit } = IDBTransaction.prototype, { fetch } = window;
  IDBTransaction.prototype.commit = function () { return left ? this.abort() : commit.call(this); };
  window.fetch = (...how) => (left ? new Promise(() => {}) : fetch(...how));
"""


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize("dropped", [False, True], ids=["finished", "dropped"])
def test_a_page_left_in_the_same_moment_as_the_key(live: Live, page: Page, dropped: bool) -> None:
    """A busy browser drops what a page began to write and to send while it was left."""
    if dropped:
        page.add_init_script(DROPPED_WITH_THE_PAGE)
    work, task, keyboard = begin(live, page, sentences=2)
    for key in KEYS:
        keyboard.press("s")
        with page.expect_navigation():
            page.evaluate(LEFT_AT_ONCE, key)
        keyboard.wait_until_ready()
        assert page.locator("[data-q=sentence] :checked").input_value() == key
    keyboard.press("c")
    keyboard.write("half a rem")
    page.reload()
    keyboard.wait_until_ready()
    assert page.input_value(REMARK) == "half a rem"
    keyboard.wait_until_saved()
    stored = work.stored(task)[0]
    assert (stored["sentence"], stored["comment"]) == (int(KEYS[-1]), "half a rem")
    said = [row.value for row in history(live.store, work.name, question="sentence")]
    assert said == [int(key) for key in KEYS], "each answer is stored once"
    assert page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('lanner-left'))") == []


REMARK = "[data-q] textarea"

CLOSED_AT_ONCE = """key => {
  const how = { key, code: 'Digit' + key, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how));
  close();
}"""

STORED = """async ([url, key]) => {
  const { items } = await (await fetch(url, { headers: { accept: 'application/json' } })).json();
  return items[0].sentence?.value === key;
}"""


def test_a_tab_closed_in_the_same_moment_as_the_key(live: Live, page: Page) -> None:
    """Nobody comes back: the server has the answer all the same."""
    work, task, _ = begin(live, page, sentences=2)
    for key in "1234":
        with page.context.expect_page() as opened:
            page.evaluate("address => { window.open(address); }", work.url(task) + "?row=1")
        tab = opened.value
        keyboard = Keyboard(tab)
        keyboard.wait_until_ready()
        nothing_waits(tab)  # an answer is not sent past an older one, which the tab before may not have seen arrive
        keyboard.press("s")
        with tab.expect_event("close"):
            tab.evaluate(f"key => setTimeout(() => ({CLOSED_AT_ONCE})(key))", key)
        wait_until(page, STORED, [f"{work.url(task)}/answers", int(key)])
        assert scores(work, task)[0][0] == int(key)


def test_incomplete_answer_stays_on_the_device(live: Live, page: Page) -> None:
    work = live.campaign("falcon", [document(2)])
    work.enter(page)
    task = next(t for t in work.tasks if t.page == "label").id
    page.goto(work.url(task))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("2", "1", "4")
    keyboard.wait_until_saved()
    page.reload()
    keyboard.wait_until_ready()
    ticked = page.eval_on_selector_all("[data-q=skills] :checked", "els => els.map(e => e.value)")
    assert ticked == ["information_density", "style_register"]
    assert "skills" not in work.stored(task)[0]
    keyboard.press("t", "7", "Enter")
    keyboard.wait_until_saved()
    assert work.stored(task)[0]["skills"] == ["information_density", "style_register", "reference_consistency"]


def test_closed_while_offline_and_sent_from_the_list_of_work(live: Live, page: Page, context: BrowserContext) -> None:
    work, task, keyboard = begin(live, page)
    context.set_offline(True)
    judge(keyboard, 3, 9)
    page.locator("#saved[data-state=offline]").wait_for()
    page.close()
    context.set_offline(False)
    later = context.new_page()
    later.goto(f"{live.url}/work")
    later.locator("#saved[data-state=saved]").wait_for(state="attached")
    assert scores(work, task)[0] == (3, 9)


def test_expired_session_keeps_the_answers(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    page.context.clear_cookies()
    judge(keyboard, 2, 5)
    page.locator("#note-held").wait_for()
    assert scores(work, task)[0] == (None, None)
    judge(keyboard, 4, 6)
    page.goto(work.link)
    page.get_by_role("link", name="Continue").or_(page.get_by_role("link", name="Start")).first.click()
    keyboard.wait_until_ready()
    nothing_waits(page)
    assert scores(work, task)[:2] == [(2, 5), (4, 6)]
    expect(page.locator("#heading")).to_have_text("Sentence 3")  # at the row one had left


def test_whoever_s_link_was_replaced_is_told_before_the_next_answer(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    lost = {"status": 401, "content_type": "application/json", "body": '{"message": "You are not signed in."}'}
    page.route("**/session", lambda route: route.fulfill(**lost))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as when one comes back to the page
    page.locator("#note-held", has_text="link was replaced").wait_for()
    judge(keyboard, 2, 5)
    assert scores(work, task)[0] == (None, None), "answers wait on the device"


def test_two_links_in_one_browser_save_each_as_their_own_judge(live: Live, page: Page) -> None:
    judges = [Judge("J1", name="Judge One"), Judge("J2", name="Judge Two")]
    work = live.campaign("h_falcon", [document(3)], systems=["hidden-engine-alpha"], judges=judges)
    mine, theirs = (campaign.tasks(live.store, work.name, judge.id)[0].id for judge in judges)
    work.enter(page)
    page.goto(work.url(mine))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    other = page.context.new_page()
    other.goto(f"{live.url}/j/{work.links['J2']}")
    other.goto(work.url(theirs))
    Keyboard(other).wait_until_ready()
    page.bring_to_front()
    judge(keyboard, 2, 5)
    keyboard.wait_until_saved()
    assert (scores(work, mine)[0], scores(work, theirs)[0]) == ((2, 5), (None, None))
    (own,) = (
        participant.number
        for participant in campaign.participants(live.store, work.name)
        if participant.judge.id == "J1"
    )
    page.context.clear_cookies(name=judge_cookie(own))
    judge(keyboard, 4, 6)
    page.locator("#note-held").wait_for()  # this judge is told to open their link again
    assert scores(work, mine)[1] == scores(work, theirs)[1] == (None, None), "nothing is saved as somebody else"
    other.goto(work.link)
    page.bring_to_front()
    page.locator("#note-held button", has_text="↻").click()
    nothing_waits(page)
    assert (scores(work, mine)[1], scores(work, theirs)[1]) == ((4, 6), (None, None))


def test_two_tabs_keep_both_answers_and_say_so(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    other = page.context.new_page()
    other.goto(work.url(task) + "?row=1")
    second = Keyboard(other)
    second.wait_until_ready()
    # The second tab misses what the first one says, as another device would.
    other.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    page.bring_to_front()
    keyboard.press("s", "1", "3")
    keyboard.wait_until_saved()
    other.bring_to_front()
    expect(other.locator("[data-q=sentence] :checked")).to_have_value("1")  # told by the first tab
    page.evaluate("() => { BroadcastChannel.prototype.postMessage = () => {}; }")
    page.bring_to_front()
    keyboard.press("s", "2")
    keyboard.wait_until_saved()
    other.bring_to_front()
    second.press("s", "4")
    other.locator("[id^=note-conflict]").wait_for()
    text = other.inner_text("[id^=note-conflict]")
    assert "2" in text and "4" in text
    said = [row.value for row in history(live.store, work.name, question="sentence")]
    assert said == [1, 2, 4] and work.stored(task)[0]["sentence"] == 4, "both are in the record, the later one holds"
    other.get_by_role("button", name="Take the other").click()
    second.wait_until_saved()
    assert work.stored(task)[0]["sentence"] == 2


def test_an_answer_from_another_tab_is_shown_once_a_change_here_is_taken_back(live: Live, page: Page) -> None:
    """The page went on showing the older answer, as saved."""
    work = live.campaign("falcon_labels", [document(1)])
    work.enter(page)
    task = work.tasks[0].id
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(work.url(task))
        Keyboard(tab).wait_until_ready()
    first, second = Keyboard(page), Keyboard(other)
    tick = "[...document.querySelectorAll('[data-q=skills] :checked')].length"
    second.press("t", "5")  # one of three: not sent yet
    page.bring_to_front()
    first.press("t", "1", "4", "7")
    first.wait_until_saved()
    other.bring_to_front()
    wait_until(other, f"{tick} === 1")
    second.press("5")
    wait_until(other, f"{tick} === 3")


def test_what_is_asked_no_more_asks_for_nothing_and_comes_back_with_its_question(live: Live, page: Page) -> None:
    """The text that belonged to a hidden answer was asked for, and kept the sentence from being accepted; what the
    server took back while the question came back was never sent again, and another tab showed it as saved."""
    work = live.campaign("context_survey", [document(2)], systems=["hidden-engine-alpha"])
    work.enter(page)
    task = work.tasks[0].id
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(work.url(task))
        Keyboard(tab).wait_until_ready()
    first, second = Keyboard(page), Keyboard(other)
    page.bring_to_front()
    first.press("t", "2", "r", "6", "7", "h")
    first.write("so")
    first.press("Escape")
    first.wait_until_saved()
    page.context.set_offline(True)
    first.press("t", "1")
    assert [question["q"] for question in first.questions()] == ["translatable", "comment"]
    page.locator("#saved[data-state=offline]").wait_for()
    first.press("t", "2", "Escape", "j", "k")
    page.context.set_offline(False)
    page.locator("#saved[data-state=saved]").wait_for()
    answers = {"translatable": "no", "reasons": ["gender", "other"], "other_reason": "so"}
    assert work.stored(task)[0] == answers
    first.press("t", "1")
    first.wait_until_saved()
    other.bring_to_front()
    wait_until(other, "document.querySelector('[data-q=translatable] :checked').value === 'yes'")
    second.press("t", "2")
    second.wait_until_saved()
    for tab in (other, page):
        wait_until(tab, "document.querySelector('[data-q=reasons]:not([hidden])') !== null")
        assert tab.locator("[data-q=reasons] :checked").count() == 0, "as the server holds it"


def test_what_two_tabs_have_left_to_send_ends_as_the_server_holds_it(live: Live, page: Page) -> None:
    """A tab that was reloaded found the other's answers too, sent them once more, and showed what no longer held."""
    work, task, _ = begin(live, page, sentences=1)
    other = page.context.new_page()
    other.goto(work.url(task))
    # a try that is under way as its page is reloaded gets past the route, and to the server
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no network')); }")
    for tab, key in ((page, "2"), (other, "3")):
        Keyboard(tab).wait_until_ready()
        tab.bring_to_front()
        tab.route("**/answers", lambda route: route.abort())
        Keyboard(tab).press("s", key)
        tab.locator("#saved[data-state=offline]").wait_for()
    page.bring_to_front()
    page.reload()
    Keyboard(page).wait_until_ready()
    expect(page.locator("[data-q=sentence] :checked")).to_have_value("3")
    for tab in (other, page):
        tab.unroute("**/answers")
        tab.evaluate("dispatchEvent(new Event('online'))")
        Keyboard(tab).wait_until_saved()
    assert scores(work, task) == [(2, None)], "what arrives last holds"
    for tab in (other, page):
        expect(tab.locator("[data-q=sentence] :checked")).to_have_value("2")


def test_a_number_half_typed_in_one_tab_does_not_overwrite_the_other(live: Live, page: Page) -> None:
    """The page said that it took the other answer over, showed the number being typed, and stored that."""
    work = live.campaign("da", [document(2)], systems=["hidden-engine-alpha"])
    work.enter(page)
    task = work.tasks[0].id
    tabs = [page, page.context.new_page()]
    for tab in tabs:
        tab.goto(work.url(task))
        Keyboard(tab).wait_until_ready()
    first, second = map(Keyboard, tabs)
    page.bring_to_front()
    first.press("4")
    tabs[1].bring_to_front()
    second.press("7", "0", "Enter")
    second.wait_until_saved()
    page.bring_to_front()
    assert page.locator("#note-elsewhere").count() == 0
    first.press("0", "Enter")
    page.get_by_role("button", name="Take the other").click()
    first.wait_until_saved()
    assert work.stored(task)[0]["score"] == 70


def test_a_page_from_the_browsers_memory_takes_over_what_was_answered_elsewhere(live: Live, page: Page) -> None:
    work, task, _ = begin(live, page, 2)
    campaign.submit(live.store, task, 0, {"sentence": 3}, submission=f"{work.name} elsewhere")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    page.locator("[data-q=sentence] [value='3']:checked").wait_for(state="attached")


@pytest.mark.usefixtures("context")
def test_storage_blocked_is_said_and_answers_are_sent_at_once(live: Live, page: Page) -> None:
    page.add_init_script("Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('blocked'); } })")
    page.add_init_script("Object.defineProperty(globalThis, 'localStorage', { get() { throw new Error('blocked'); } })")
    work, task, keyboard = begin(live, page)
    assert "sent at once" in page.inner_text("#note-storage")
    keyboard.press("s", "3", "8")
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (3, 8)


@pytest.mark.usefixtures("context")
def test_a_full_device_is_said_and_answers_are_sent_all_the_same(live: Live, page: Page) -> None:
    page.add_init_script(
        "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }"
    )
    work, task, keyboard = begin(live, page)
    keyboard.press("s", "3", "8", "Enter")
    keyboard.wait_until_saved()
    assert "keeps nothing" in page.inner_text("#note-storage")
    assert scores(work, task)[0] == (3, 8)


@pytest.mark.usefixtures("context")
def test_what_a_full_device_does_not_keep_is_not_called_kept(live: Live, page: Page, context: BrowserContext) -> None:
    page.add_init_script(
        "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }"
    )
    work, task, keyboard = begin(live, page)
    context.set_offline(True)
    keyboard.press("s", "3", "8", "Enter")
    shown = page.locator("#saved[data-state=offline]")
    expect(shown).to_have_text("Not saved yet: 1")
    assert page.evaluate("!dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    page.route("**/answers", lambda route: route.fulfill(status=401, json={"message": "Signed out."}))
    context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#note-held")).to_contain_text("Leave this page open")
    page.unroute("**/answers")
    page.evaluate("dispatchEvent(new Event('online'))")
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (3, 8)


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize("fault", ["no network", "page of a proxy", "server fails", "network login"])
def test_finishing_while_the_server_cannot_be_reached(live: Live, page: Page, fault: str) -> None:
    """All answers have arrived, then the network goes: the document stays open, and can be finished. The foot of the
    questions said that the last one was missing, which was given with the Enter that finishes."""
    work = live.campaign("da", [document(1)], systems=["hidden-engine-alpha"])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    page.route("**/finish", lambda route: hinder(route, fault))
    keyboard.write("70")
    keyboard.press("Enter")
    note = page.locator("#note-finish")
    expect(note).to_contain_text("could not be reached")
    expect(page.locator("#left")).to_contain_text("Everything is answered")
    assert page.url.endswith(f"/task/{work.tasks[0].id}")
    assert work.tasks[0].finished_at is None
    page.unroute("**/finish")
    note.get_by_role("button", name="Finish").click()
    page.wait_for_url("**/work*")
    assert work.tasks[0].finished_at is not None


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize("fault", ["no network", "page of a proxy", "server fails", "network login"])
@pytest.mark.parametrize("documents", [1, 2])
def test_finishing_is_not_called_final_because_the_server_cannot_be_reached(
    live: Live, page: Page, documents: int, fault: str
) -> None:
    texts = [document(1, name=f"text {n}") for n in range(documents)]
    work = live.campaign("h_falcon", texts, systems=["hidden-engine-alpha"])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    judge(keyboard, 3, 8)
    undo = page.get_by_role("button", name="Undo finishing")
    undo.wait_for()
    page.route("**/reopen", lambda route: hinder(route, fault))
    undo.click()
    expect(page.get_by_text("could not be reached")).to_be_visible()
    expect(page.get_by_text("no longer be undone")).to_have_count(0)
    page.unroute("**/reopen")
    undo.click()
    page.wait_for_url(f"**/task/{work.tasks[0].id}")
    assert work.tasks[0].finished_at is None


def hinder(route: Route, fault: str) -> None:
    if fault == "no network":
        return route.abort("internetdisconnected")
    if fault == "page of a proxy":
        return route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")
    if fault == "server fails":
        return route.fulfill(status=503, content_type="application/json", body='{"message": "No database."}')
    return route.fulfill(status=200, content_type="text/html", body="<h1>Sign in to the network</h1>")


@pytest.mark.usefixtures("context")
def test_what_was_kept_here_is_cleared_while_the_page_is_open(live: Live, page: Page, context: BrowserContext) -> None:
    """What is answered from then on is kept again, and the document can be finished."""
    work, task, keyboard = begin(live, page, sentences=2)
    judge(keyboard, 3, 8)
    keyboard.wait_until_saved()
    clear = {"origin": live.url, "storageTypes": "indexeddb,local_storage,cache_storage"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", clear)
    context.set_offline(True)
    judge(keyboard, 2, 7)
    expect(page.locator("#saved[data-state=offline]")).to_have_text("Offline. Kept on this device: 1")
    page.get_by_text("Not everything is sent yet.").wait_for()  # or the network comes back in time to finish
    context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_url("**/work**")
    assert scores(work, task) == [(3, 8), (2, 7)]


@pytest.mark.usefixtures("context")
def test_a_browser_that_gives_no_locks(live: Live, page: Page) -> None:
    page.add_init_script("LockManager.prototype.request = () => Promise.reject(new DOMException('', 'SecurityError'))")
    work, task, keyboard = begin(live, page)
    keyboard.press("s", "3", "8", "Enter")
    nothing_waits(page)
    assert scores(work, task)[0] == (3, 8)


def test_a_crashed_browser_loses_nothing(live: Live, tmp_path: Path, playwright: Playwright) -> None:
    """Killed while offline, as by a power cut; days later the same profile is opened again."""
    work = live.campaign("h_falcon", [document(3)], systems=["hidden-engine-alpha"])
    task = work.tasks[0].id
    with on_disk(playwright, tmp_path / "profile") as (kill, context):
        page = context.new_page()
        page.goto(work.link)
        page.goto(work.url(task))
        keyboard = Keyboard(page)
        keyboard.wait_until_ready()
        judge(keyboard, 1, 2)
        keyboard.wait_until_saved()
        context.set_offline(True)
        judge(keyboard, 4, 7)
        page.locator("#saved[data-state=offline]").wait_for()
        keyboard.press("c")
        keyboard.write("half a thought")
        wait_until(page, ON_THE_DEVICE, "half a thought")
        kill()
    with on_disk(playwright, tmp_path / "profile") as (_, context):
        page = context.new_page()
        page.goto(work.link)
        page.goto(work.url(task) + "?row=3")
        keyboard = Keyboard(page)
        keyboard.wait_until_ready()
        nothing_waits(page)
        assert scores(work, task)[:2] == [(1, 2), (4, 7)]
        assert page.input_value(REMARK) == "half a thought"


def test_two_pages_that_find_the_same_answers_send_them_once(live: Live, page: Page, context: BrowserContext) -> None:
    work, task, keyboard = begin(live, page)
    context.set_offline(True)
    judge(keyboard, 3, 9)
    page.locator("#saved[data-state=offline]").wait_for()
    page.close()
    context.set_offline(False)
    pages = [context.new_page() for _ in range(2)]
    for each in pages:
        each.goto(work.url(task) + "?row=1", wait_until="commit")
    for each in pages:
        Keyboard(each).wait_until_ready()
        nothing_waits(each)
    assert scores(work, task)[0] == (3, 9)
    given = [(row.question, row.segment) for row in history(live.store, work.name)]
    assert len(given) == len(set(given)), "each answer is stored once"


@pytest.mark.usefixtures("context")
def test_a_wrong_clock_does_not_matter(live: Live, page: Page) -> None:
    page.clock.set_fixed_time("2031-01-01T00:00:00Z")
    work, _, keyboard = begin(live, page)
    keyboard.press("s", "3", "8", "Enter")
    page.locator("#saved[data-state=saved]").wait_for()
    row = next(row for row in work.rows() if row.question == "holistic")
    assert row.answered_at.year < 2031 and abs((row.received_at - row.answered_at).total_seconds()) < 60


def test_finish_makes_it_read_only(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page, sentences=2)
    judge(keyboard, 4, 9)
    keyboard.press("f", "Enter")
    assert "Sentence 2" in page.inner_text("#say"), "finishing leads to what is missing"
    keyboard.press("s", "2", "3", "Enter")
    page.wait_for_url("**/work*")
    assert work.tasks[0].finished_at is not None
    page.goto(work.url(task))
    keyboard.wait_until_ready()
    keyboard.press("s", "1", "j")
    assert scores(work, task) == [(4, 9), (2, 3)]
    assert page.locator("#questions input:enabled:not([type=hidden])").count() == 0


def test_an_answer_to_a_document_that_was_finished_elsewhere_is_its_judge_s_to_keep_or_leave(
    live: Live, page: Page
) -> None:
    """It stood as not saved for ever, and nobody could do anything about it."""
    work, task, keyboard = begin(live, page, sentences=1)
    other = page.context.new_page()
    other.goto(work.url(task))
    Keyboard(other).wait_until_ready()
    page.bring_to_front()
    judge(keyboard, 4, 9)
    page.wait_for_url("**/work*")
    other.bring_to_front()
    other.locator("#questions input:enabled:not([type=hidden])").first.wait_for(state="hidden")  # told by the first tab
    campaign.take_back_finish(live.store, task)
    other.reload()
    second = Keyboard(other)
    said = other.locator("#note-held", has_text="finished before")
    for sentence in ("2", "3"):
        second.wait_until_ready()
        campaign.finish(live.store, task)
        second.press("s", sentence)
        if sentence == "2":
            said.get_by_role("button", name="Undo finishing").click()
            second.wait_until_saved()
        else:
            said.get_by_role("button", name="Leave them out").click()
        expect(other.locator("[data-q=sentence] :checked")).to_have_value("2")
        assert scores(work, task) == [(2, 9)]
    expect(other.locator("#saved.bad")).to_have_count(0)
    assert work.tasks[0].finished_at is not None


def test_answers_to_work_that_was_closed_before_can_be_taken_along_or_left_out(live: Live, page: Page) -> None:
    """They stood as not saved for ever, and the list of work said nothing about them."""
    work, task, keyboard = begin(live, page, sentences=2)
    keyboard.press("s", "2")
    keyboard.wait_until_saved()
    campaign.close(live.store, work.name)
    keyboard.press("s", "3", "j", "s", "1")

    def taken_along() -> list[tuple[int, int]]:
        with page.expect_download() as download:
            said.get_by_role("button", name="Download").click()
        rows = json.loads(Path(download.value.path()).read_text("utf-8"))
        return [(row["item"], row["answers"]["sentence"]) for row in rows if row["task"] == task]

    said = page.locator("#note-held", has_text="closed before your last answers arrived: 2")
    assert taken_along() == [(1, 3), (2, 1)]
    expect(said).to_be_visible()
    page.goto(f"{live.url}/work")
    said = page.locator("#waiting", has_text="closed before your last answers arrived: 2")
    assert taken_along() == [(1, 3), (2, 1)]
    said.get_by_role("button", name="Leave them out").click()
    page.locator("#saved[data-state=saved]").wait_for(state="attached")
    expect(said).to_be_hidden()
    page.goto(work.url(task))
    keyboard.wait_until_ready()
    keyboard.press("k")
    expect(page.locator("[data-q=sentence] :checked")).to_have_value("2")
    keyboard.press("s", "4")
    page.locator("#note-held").get_by_role("button", name="Leave them out").click()
    keyboard.wait_until_ready()
    expect(page.locator("[data-q=sentence] :checked")).to_have_value("2")
    campaign.reopen(live.store, work.name)
    keyboard.press("s", "1")
    keyboard.wait_until_saved()
    assert scores(work, task) == [(1, None), (None, None)]


def test_undo_and_revise(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page, sentences=2)
    keyboard.press("s", "1", "5")
    keyboard.press("s", "3")
    keyboard.press("u")
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (1, 5)
    keyboard.press("Enter", "k", "s", "4")
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (4, 5)


def test_slow_network_does_not_slow_the_hands(live: Live, page: Page, context: BrowserContext) -> None:
    work, task, keyboard = begin(live, page)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 400, "downloadThroughput": 20_000, "uploadThroughput": 20_000},
    )
    for n in range(3):
        judge(keyboard, 1 + n, 4 + n)
    expect(page.locator("#heading")).to_have_text("Sentence 4")
    keyboard.wait_until_saved()
    assert scores(work, task)[:3] == [(1, 4), (2, 5), (3, 6)]


def test_a_second_tab_opened_after_an_outage_takes_nothing_from_the_first(
    own_live: Live, page: Page, context: BrowserContext
) -> None:
    """The server goes away, the first tab goes on, the server comes back, and a second tab sends what it finds on the
    device while the first adds to the same row."""
    work, task, keyboard = begin(own_live, page)
    own_live.kill()
    keyboard.press("s", "2", "j", "s", "3")
    page.locator("#saved[data-state=offline]").wait_for()
    wait_until(page, WAITING, 2)
    own_live.start()
    other = context.new_page()
    other.goto(work.url(task))
    Keyboard(other).wait_until_ready()
    nothing_waits(other)
    page.bring_to_front()
    keyboard.press("h", "7", "c")
    keyboard.write("a remark of ten minutes")
    keyboard.press("Escape")
    page.evaluate("dispatchEvent(new Event('online'))")
    keyboard.wait_until_saved()
    stored = work.stored(task)
    assert stored[0]["sentence"] == 2
    assert (stored[1]["sentence"], stored[1]["holistic"]) == (3, 7)
    assert stored[1]["comment"] == "a remark of ten minutes"
    rows = [(row.question, row.segment, row.value) for row in history(own_live.store, work.name)]
    assert len([row for row in rows if row[0] != "skills"]) == 4, "and each is stored once"


WAITING = """n => new Promise(ok => {
  const request = indexedDB.open('lanner');
  request.onsuccess = () => {
    const read = request.result.transaction('outbox').objectStore('outbox').getAll();
    read.onsuccess = () => { request.result.close(); ok(read.result.length >= n); };
  };
})"""


@pytest.mark.parametrize(
    ("kind", "body"),
    [("text/html", "<html>Please sign in to the hotel network</html>"), ("application/json", "{}")],
)
def test_a_captive_portal_acknowledges_nothing_and_stops_nothing(live: Live, page: Page, kind: str, body: str) -> None:
    work, task, keyboard = begin(live, page)
    page.route("**/answers", lambda route: route.fulfill(status=200, content_type=kind, body=body))
    judge(keyboard, 3, 9)
    page.locator("#saved[data-state=offline]").wait_for()
    page.unroute("**/answers")
    judge(keyboard, 2, 5)
    page.evaluate("dispatchEvent(new Event('online'))")
    keyboard.wait_until_saved()
    assert scores(work, task)[:2] == [(3, 9), (2, 5)]


COPIES = """() => new Promise(ok => {
  const request = indexedDB.open('lanner');
  request.onsuccess = () => {
    const read = request.result.transaction('copies').objectStore('copies').getAll();
    read.onsuccess = () => { request.result.close(); ok(read.result.map(copy => copy.question).sort()); };
  };
})"""


def test_what_a_restored_backup_has_lost_is_sent_again_from_the_device(own_live: Live, page: Page) -> None:
    work, task, keyboard = begin(own_live, page, sentences=2)
    judge(keyboard, 4, 9)
    keyboard.wait_until_saved()
    assert {"sentence", "holistic"} <= set(page.evaluate(COPIES))
    with own_live.store.filling() as connection:
        connection.exec_driver_sql("DELETE FROM judgement")
        connection.exec_driver_sql("DELETE FROM chain")  # an older backup has both as they were
    page.reload()
    keyboard.wait_until_ready()
    keyboard.wait_until_saved()
    wait_until(page, NONE_WAITING)
    assert scores(work, task)[0] == (4, 9)
    keyboard.press("j", "s", "2", "3", "Enter")
    page.wait_for_url("**/work*")
    assert work.tasks[0].finished_at is not None
    assert page.evaluate(COPIES) == [], "a finished task leaves nothing on the device"


NONE_WAITING = "document.querySelector('#saved').dataset.state === 'saved'"
