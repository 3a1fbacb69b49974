"""What is done between an answer and what the server says to it: nothing is lost or passed over, however slow."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from browser_actions import Keyboard, hold
from lanner import campaign
from lanner.campaign.people import messages_in
from live_server import SYSTEMS, Live, Work, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

HOUR = "2031-01-01T12:00:00Z"
LEAVING = "html[data-leaving]"
ACCEPT = """() => {
  const how = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how));
  return document.querySelector('#saved').dataset.state;
}"""

TYPE = """keys => {
  const saved = document.querySelector('#saved'), seen = window.states = [];
  new MutationObserver(() => seen.push(saved.dataset.state)).observe(saved, { attributeFilter: ['data-state'] });
  for (const key of keys) {
    const how = { key, code: key === 'Enter' ? key : 'Digit' + key, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how));
  }
}"""
"""Press keys faster than anything is sent, and note what the page says of the answers from then on."""


def begin(live: Live, page: Page, protocol: str = "da", sentences: int = 2) -> tuple[Work, int, Keyboard]:
    work = live.campaign(protocol, [document(sentences)], systems=SYSTEMS[:1])
    work.enter(page)
    task = work.tasks[0].id
    page.goto(work.url(task))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, task, keyboard


def scores(work: Work, task: int) -> list[object]:
    return [item.get("score") for item in work.stored(task)]


def test_what_is_chosen_while_the_document_waits_to_be_finished_is_taken(live: Live, page: Page) -> None:
    """The first answer has met another one, the last is still on its way: the page took the choice for what is pressed
    on a page that is left, and finished with the answer that was not chosen."""
    work, task, keyboard = begin(live, page)
    campaign.submit(live.store, task, 0, {"score": 20}, submission=f"other device {task}")
    held = hold(page, "**/answers")
    with page.expect_request("**/answers"):
        keyboard.press("7", "0", "Enter")
    keyboard.press("5", "0", "Enter")
    page.locator(LEAVING).wait_for()
    with page.expect_request("**/answers"):
        held.pop(0).continue_()
    page.get_by_role("button", name="Take the other: 20").click()
    held.release()
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")
    assert scores(work, task) == [20, 50]
    assert work.tasks[0].finished_at is None
    keyboard.press("Enter")
    page.wait_for_url("**/work*")
    assert scores(work, task) == [20, 50]


@pytest.mark.usefixtures("context")
def test_a_slow_answer_is_waited_for_and_the_document_finished(live: Live, page: Page) -> None:
    """After three seconds the page said that not everything was sent, and wanted Enter once more."""
    page.clock.install(time=HOUR)
    _, _, keyboard = begin(live, page, sentences=1)
    page.clock.pause_at("2031-01-01T13:00:00Z")
    held = hold(page, "**/answers")
    with page.expect_request("**/answers"):
        keyboard.press("7", "0", "Enter")
        page.clock.run_for(500)
    page.clock.run_for(5000)
    expect(page.locator(LEAVING)).to_have_count(1)
    held.release()
    page.clock.resume()
    page.wait_for_url("**/work*")


@pytest.mark.parametrize("then", ["waits", "changes an answer", "goes to a sentence", "another answer came"])
def test_a_document_whose_answers_do_not_go_is_finished_by_itself_once_they_do(
    live: Live, page: Page, then: str
) -> None:
    """Unless something is done on the page meanwhile, or what comes back is to be read first."""
    work, task, keyboard = begin(live, page)
    page.route("**/answers", lambda route: route.abort("internetdisconnected"))
    keyboard.press("7", "0", "Enter", "5", "0", "Enter")
    wait = page.get_by_text("Not everything is sent yet.")
    wait.wait_for()
    expected = [70, 50]
    if then == "changes an answer":
        page.locator("#questions input[type=range]").press("ArrowRight")
        expected = [70, 51]
    elif then == "goes to a sentence":
        page.locator(".num").first.click()
    elif then == "another answer came":
        campaign.submit(live.store, task, 0, {"score": 20}, submission=f"other device {task}")
    if then not in ("waits", "another answer came"):
        expect(wait).to_have_count(0)
    page.unroute("**/answers")
    page.evaluate("dispatchEvent(new Event('online'))")
    if then == "waits":
        page.wait_for_url("**/work*")
        assert work.tasks[0].finished_at is not None
    else:
        keyboard.wait_until_saved()
        if then == "another answer came":
            page.get_by_role("button", name="Take the other: 20").wait_for()
        assert work.tasks[0].finished_at is None
    assert scores(work, task) == expected


@pytest.mark.usefixtures("context")
def test_a_browser_that_shuts_the_site_off_from_workers_gets_on(live: Live, page: Page) -> None:
    """The document was finished, and its page stayed for ever, saying that the next was on its way."""
    page.add_init_script(
        "ServiceWorkerContainer.prototype.getRegistration = () => Promise.reject(new DOMException('', 'SecurityError'))"
    )
    work, _, keyboard = begin(live, page, sentences=1)
    keyboard.press("7", "0", "Enter")
    page.wait_for_url("**/work*")
    assert work.tasks[0].finished_at is not None


def test_what_is_written_while_a_message_is_sent_stays_and_the_message_is_sent_once(live: Live, page: Page) -> None:
    work, _, keyboard = begin(live, page)
    held = hold(page, "**/message")
    page.get_by_role("button", name="Write to the organiser").click()
    text = page.locator("#message-text")
    text.fill("Sentence 2 is cut off.")
    with page.expect_request("**/message"):
        keyboard.press("Control+Enter")
    keyboard.press("Control+Enter")
    keyboard.write(" So is")
    held.release()
    expect(page.locator("#message output")).to_contain_text("Sent")
    expect(text).to_have_value("Sentence 2 is cut off. So is")
    assert [message.text for message in messages_in(campaign.events(live.store, work.name))] == [
        "Sentence 2 is cut off."
    ]


def test_a_number_typed_and_taken_back_shows_what_another_device_has_answered(live: Live, page: Page) -> None:
    """It was to be taken over when the field was left, and was put off until the field was left once more."""
    _, task, keyboard = begin(live, page)
    field = page.locator(".slide input:not([type=range])")
    field.click()
    keyboard.press("4")
    campaign.submit(live.store, task, 0, {"score": 70}, submission=f"other device {task}")
    with page.expect_response("**/answers") as reply:
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    reply.value.finished()
    keyboard.press("Backspace")
    page.locator(".row .src").first.click()
    expect(field).to_have_value("70")


def test_what_is_accepted_as_it_stands_is_not_called_saved_before_it_is(live: Live, page: Page) -> None:
    offered = [{"side": "target", "start": 0, "end": 4, "text": "eins", "severity": "minor"}]
    text = document(texts=[("One.", "eins"), ("Two.", "zwei")], systems=SYSTEMS[:1])
    first = replace(text.segments[0], meta={"spans": {SYSTEMS[0]: offered}})
    text = replace(text, segments=(first, *text.segments[1:]))
    work = live.campaign("esa_preannotated", [text], systems=SYSTEMS[:1])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("s", "6", "0", "Escape")
    keyboard.wait_until_saved()
    assert page.evaluate(ACCEPT) == "saving"
    keyboard.wait_until_saved()
    [mark] = work.stored(work.tasks[0].id)[0]["errors"]
    assert mark["origin"] == "kept"


def test_an_answer_that_came_too_late_keeps_no_other_document_from_being_finished(live: Live, page: Page) -> None:
    work = live.campaign("da", [document(1, name=name) for name in ("first", "second")], systems=SYSTEMS[:1])
    first, second = (task.id for task in work.tasks)
    work.enter(page)
    page.goto(work.url(first))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    campaign.submit(live.store, first, 0, {"score": 20}, submission=f"other device {first}")
    campaign.finish(live.store, first)
    keyboard.press("7", "0", "Enter")
    expect(page.locator("#note-held")).to_contain_text("finished before")
    page.goto(work.url(second))
    keyboard.wait_until_ready()
    expect(page.locator("#saved")).to_have_attribute("data-state", "refused")
    held = hold(page, f"**/task/{second}/answers")
    with page.expect_request(f"**/task/{second}/answers"):
        keyboard.press("7", "0", "Enter")
    held.release()
    page.wait_for_url("**/work*")
    assert [item.get("score") for item in work.stored(second)] == [70]


def test_a_number_half_typed_hides_nothing_that_is_still_to_be_sent(live: Live, page: Page) -> None:
    """Whoever had answered one sentence and typed on at the next read that all was sent but the latter."""
    work, task, keyboard = begin(live, page)
    held = hold(page, "**/answers")
    with page.expect_request("**/answers"):
        page.evaluate(TYPE, ["7", "Enter", "4"])
    assert page.evaluate("window.states") == ["saving"]
    held.release()
    keyboard.wait_until_saved()
    assert scores(work, task) == [7, None]
    assert page.evaluate("window.states") == ["saving", "saved"]


LATE_READING = """async () => {
  const { set } = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, 'oncomplete');
  const other = new BroadcastChannel('lanner-' + document.querySelector('#saved').dataset.who);
  const asks = () => other.postMessage({});
  let release = null;
  await new Promise(isHeld => {
    Object.defineProperty(IDBTransaction.prototype, 'oncomplete', {
      set(done) {
        const isFirst = this.objectStoreNames.contains('drafts') && !release;
        if (!isFirst) return set.call(this, done);
        release = done;
        set.call(this, isHeld);
      },
    });
    asks();
  });
  await new Promise(ok => {
    const opening = indexedDB.open('lanner');
    opening.onsuccess = () => {
      const writing = opening.result.transaction('drafts', 'readwrite');
      writing.objectStore('drafts').clear();
      writing.addEventListener('complete', ok);
    };
  });
  asks();
  const saved = document.querySelector('#saved');
  while (saved.dataset.state !== 'saved') await new Promise(ok => setTimeout(ok, 10));
  release();
  await new Promise(ok => setTimeout(ok, 10));
  return saved.dataset.state;
}"""
"""What the device keeps is read, and read again once nothing is kept; the first reading comes last."""


def test_the_list_of_work_tells_what_was_read_last(live: Live, page: Page) -> None:
    work = live.campaign("falcon_labels", [document(1)])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    page.locator("[data-q=skills] label").nth(1).click()  # one of three
    page.locator("#saved[data-state=kept]").wait_for()
    page.goto(f"{live.url}/work")
    page.locator("#saved[data-state=kept]").wait_for()
    assert page.evaluate(LATE_READING) == "saved"


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize("to", ["2031-01-03T00:00:00Z", "2019-06-01T00:00:00Z"])
def test_a_clock_that_is_set_before_an_answer_is_sent_changes_no_time(live: Live, page: Page, to: str) -> None:
    """The device is years ahead; offline, it is set forward or back. An answer was dated days before the work began."""
    began = datetime.now(UTC)
    page.clock.install(time=HOUR)
    work, task, keyboard = begin(live, page)
    keyboard.press("7", "0", "Enter")
    keyboard.wait_until_saved()
    page.route("**/answers", lambda route: route.abort("internetdisconnected"))
    keyboard.press("5", "0", "Enter")
    page.locator("#saved[data-state=offline]").wait_for()
    page.clock.set_system_time(to)
    page.unroute("**/answers")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_url("**/work*")
    moments = [row.answered_at for row in work.rows()]
    assert len(moments) == 2 and all(began - timedelta(seconds=5) < at < datetime.now(UTC) for at in moments if at)
    assert scores(work, task) == [70, 50]
