"""Without a network: a page that was open once can be reloaded, answered, and everything arrives later.

The server is stopped rather than the browser set offline: Chromium lets a request through that outlives its page, as
the one sent at a reload does.
"""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser_actions import Keyboard, wait_until
from lanner import campaign
from live_server import SYSTEMS, Live, Work, document

pytestmark = pytest.mark.browser

SIGNED_OUT = """async url => {
  const look = () => fetch(url, { headers: { accept: 'application/json' } });
  while ((await look()).status !== 401) await new Promise(ok => setTimeout(ok, 200));
}"""
KEPT = """async () => {
  const names = (await caches.keys()).filter(name => name.startsWith('lanner-pages-'));
  const requests = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
  return requests.flat().map(request => new URL(request.url).pathname).sort();
}"""


def begin(live: Live, page: Page) -> tuple[Work, int, Keyboard]:
    work = live.campaign("h_falcon", [document(4)], systems=SYSTEMS[:1])
    work.enter(page)
    task = work.tasks[0].id
    page.goto(work.url(task))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    page.wait_for_selector("html[data-offline]", state="attached")
    return work, task, keyboard


def reconnect(live: Live, page: Page) -> None:
    live.start()
    page.evaluate("dispatchEvent(new Event('online'))")


def scores(work: Work, task: int) -> list[tuple[object, object]]:
    return [(item.get("sentence"), item.get("holistic")) for item in work.stored(task)]


def test_a_page_is_reloaded_and_answered_without_a_network(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    keyboard.press("s", "3", "h", "7", "Enter")
    keyboard.wait_until_saved()
    live.kill()
    page.reload()
    keyboard.wait_until_ready()
    page.locator(".num").first.click()
    assert page.locator("[data-q=holistic] :checked").get_attribute("value") == "7", "known from the copies"
    keyboard.press("j", "s", "2", "h", "5", "Enter")
    page.reload()
    keyboard.wait_until_ready()
    keyboard.press("s", "4", "h", "9", "Enter", "s", "1", "h", "3", "Enter")
    assert scores(work, task)[1:] == [(None, None)] * 3
    page.get_by_text("Not everything is sent yet.").wait_for()
    reconnect(live, page)
    page.wait_for_url("**/work*")  # finished by itself
    assert scores(work, task) == [(3, 7), (2, 5), (4, 9), (1, 3)]
    assert len([row for row in work.rows() if row.question == "holistic"]) == 4, "each was stored once"


def test_a_kept_page_does_not_overwrite_what_another_device_answered(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    keyboard.press("s", "3", "h", "7", "Enter")
    keyboard.wait_until_saved()
    live.kill()
    page.reload()
    keyboard.wait_until_ready()
    answers = {"sentence": 1, "holistic": 2}
    campaign.submit(live.store, task, 0, answers, submission="other device")
    reconnect(live, page)
    page.locator(".num").first.click()
    expect(page.locator("[data-q=holistic] :checked")).to_have_attribute("value", "2")
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (1, 2)


def test_a_new_answer_on_a_kept_page_is_a_conflict_that_is_shown(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    keyboard.press("s", "3", "h", "7")
    keyboard.wait_until_saved()
    live.kill()
    page.reload()
    keyboard.wait_until_ready()
    page.locator(".num").first.click()
    keyboard.press("h", "9")
    campaign.submit(live.store, task, 0, {"holistic": 2}, submission="other device two")
    reconnect(live, page)
    page.locator("#note-conflict-0-holistic").wait_for()
    note = page.inner_text("#note-conflict-0-holistic")
    assert "9" in note and "2" in note and "kept in the record" in note
    page.get_by_role("button", name="Take the other: 2").click()
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (3, 2)


class Portal(BaseHTTPRequestHandler):
    """What a network wants its users to see first, whatever they asked for."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><h1>Sign in to the network</h1>")

    def log_message(self, *_: object) -> None:
        pass


def test_what_a_network_sends_instead_is_not_kept(live: Live, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in place of the judge's page nor as one of its scripts, for as long as the release lasts."""
    work, task, keyboard = begin(live, page)
    script = page.locator("script[src*='/static/']").first.get_attribute("src")
    assert script
    unseen = script.rsplit("/", 1)[0] + "/organiser.js"
    live.kill()
    with ThreadingHTTPServer(("127.0.0.1", int(live.url.rsplit(":", 1)[1])), Portal) as portal:
        Thread(target=portal.serve_forever).start()
        try:
            assert "Sign in" in page.evaluate("url => fetch(url).then(reply => reply.text())", unseen)
            page.reload()
            expect(page.locator("h1")).to_have_text("Sign in to the network")
            monkeypatch.setattr(Portal, "status", 503)
            page.reload()
            keyboard.wait_until_ready()
        finally:
            portal.shutdown()
    keyboard.press("s", "3", "h", "7", "Enter")
    reconnect(live, page)
    keyboard.wait_until_saved()
    assert scores(work, task)[0] == (3, 7)
    assert "Sign in" not in page.evaluate("url => fetch(url).then(reply => reply.text())", unseen)


def test_pages_go_when_the_link_is_revoked(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    assert page.evaluate(KEPT) == [f"/task/{task}"]
    campaign.invitations.revoke(live.store, work.name, "J1")
    page.evaluate(SIGNED_OUT, work.url(task) + "/answers")
    keyboard.press("s", "3", "h", "7")
    page.locator("#note-held").wait_for()
    wait_until(page, "async () => !(await caches.keys()).some(name => name.startsWith('lanner-pages-'))")


def test_pages_go_when_another_link_is_opened(live: Live, page: Page) -> None:
    first, task, _ = begin(live, page)
    second = live.campaign("da", [document(2, name="other")], systems=SYSTEMS[:1])
    page.goto(second.link)
    page.wait_for_selector("html[data-ready]", state="attached")
    assert f"/task/{task}" not in page.evaluate(KEPT)
    assert first.tasks


def test_a_finished_document_is_not_kept(live: Live, page: Page) -> None:
    work, task, keyboard = begin(live, page)
    for _ in range(4):
        keyboard.press("s", "3", "h", "7", "Enter")
    page.wait_for_url("**/work*")
    assert work.tasks[0].finished_at is not None
    wait_until(page, f"async () => (await ({KEPT})()).includes('/work')")
    assert f"/task/{task}" not in page.evaluate(KEPT)


def test_the_other_window_says_that_it_changes(live: Live, page: Page, context: BrowserContext) -> None:
    work, task, keyboard = begin(live, page)
    other = context.new_page()
    other.goto(work.url(task))
    Keyboard(other).wait_until_ready()
    keyboard.press("s", "3")
    keyboard.wait_until_saved()
    expect(other.locator("#note-elsewhere")).to_contain_text("Sentence")
    expect(other.locator("[data-q=sentence] :checked")).to_have_attribute("value", "3")
