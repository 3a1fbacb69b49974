"""The live page and the disagreement browser with judgements in them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from browser_actions import Keyboard, wait_until
from chromium import ELSEWHERE
from lanner import campaign
from lanner.campaign.people import send_message
from live_server import SYSTEMS, document
from organiser_client import ENTRY, OrganiserServer, disputed
from page_inspection import COLOURS, violations

pytestmark = [pytest.mark.browser, pytest.mark.used_page]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OrganiserServer]:
    with OrganiserServer(tmp_path_factory.mktemp("office") / "lanner.sqlite") as running:
        disputed(running, "swapped", swapping="J3")
        disputed(running, "calm", judges=3)
        address = "https://example.org/" + "x" * 300
        long = document(texts=[(address, f"{address} هناك.")] * 16, languages=("en", "ar"), systems=("one " * 12,))
        disputed(running, "long", judges=3, text=long)
        campaign.create(running.store, "empty", campaign.documents(running.store, "calm"), "falcon")
        yield running


@pytest.fixture
def organiser(server: OrganiserServer, page: Page) -> Page:
    """A page whose organiser has signed in, with numbers ready."""
    page.set_default_timeout(180_000)
    expect.set_options(timeout=180_000)
    server.enter(page)
    return page


def test_a_judge_who_swaps_two_labels_is_named_after_one_document(server: OrganiserServer, organiser: Page) -> None:
    organiser.goto(f"{server.url}/campaigns/swapped")
    panel = organiser.locator('[data-panel="diverge"]')
    expect(panel).to_contain_text("Judge 3 seems to swap “low” and “high”")
    expect(organiser.locator('[data-panel="verdict"]')).to_contain_text("Judge 3")
    expect(organiser.locator('[data-panel="needs"]')).to_contain_text("Judge 3 seems to swap")


def test_numbers_without_the_swap_blame_nobody(server: OrganiserServer, organiser: Page) -> None:
    organiser.goto(f"{server.url}/campaigns/calm")
    expect(organiser.locator('[data-panel="agreement"] svg')).to_be_visible()
    expect(organiser.locator('[data-panel="diverge"]')).not_to_contain_text("swap")
    expect(organiser.locator('[data-panel="heat"] svg')).to_be_visible()
    expect(organiser.locator('[data-panel="comments"]')).to_contain_text("Is <b>this</b> an acronym?")


def test_another_question_is_shown_at_once_and_remembered(server: OrganiserServer, organiser: Page) -> None:
    organiser.goto(f"{server.url}/campaigns/calm")
    organiser.locator("[data-question]").select_option("holistic")
    expect(organiser.locator('[data-panel="heat"] h2')).to_contain_text("Holistic score")
    organiser.reload()
    expect(organiser.locator("[data-question]")).to_have_value("holistic")


def test_a_disagreement_is_settled_noted_and_exported(server: OrganiserServer, organiser: Page) -> None:
    organiser.goto(f"{server.url}/campaigns/calm/disagreements?question=skills")
    expect(organiser.locator(".list li").first).to_be_visible()
    before = organiser.locator(".done").text_content()
    first = organiser.locator(".item h1").text_content()
    for choice in organiser.locator(".mat.wide .adj select").all():
        choice.select_option("high")
    organiser.get_by_label("Note of the meeting").fill("An acronym counts as terminology.")
    organiser.get_by_label("Put this into the guidelines").check()
    organiser.get_by_role("button", name="Settle and next").click()
    expect(organiser.locator(".done")).not_to_have_text(before or "")
    expect(organiser.locator(".item h1")).not_to_have_text(first or "")
    kinds = {judge.id: str(judge.kind) for judge in campaign.judges(server.store, "calm")}
    agreed = [j for j in campaign.judgements(server.store, "calm") if kinds[j.judge] == "adjudicated"]
    assert [judgement.question for judgement in agreed] == ["skills"]
    notes = campaign.get(server.store, "calm").settings["guideline_notes"]
    assert notes[0]["text"] == "An acronym counts as terminology."
    organiser.goto(f"{server.url}/campaigns/calm")
    organiser.locator("summary", has_text="Export").click()
    with organiser.expect_download() as download:
        organiser.locator(".drop a", has_text="CSV").click()
    with zipfile.ZipFile(download.value.path()) as files:
        assert ",adjudicated," in files.read("judgements.csv").decode()


def test_what_a_meeting_has_begun_stays_while_another_sentence_is_looked_at(
    server: OrganiserServer, organiser: Page
) -> None:
    organiser.goto(f"{server.url}/campaigns/swapped/disagreements?question=skills")
    pick, note = organiser.locator(".mat.wide .adj select").first, organiser.get_by_label("Note of the meeting")
    pick.select_option("high")
    note.fill("Two of us see a term.")
    first = organiser.locator(".item h1").text_content() or ""
    organiser.locator(".list li a").nth(2).click()
    expect(organiser.locator(".item h1")).not_to_have_text(first)
    expect(note).to_have_value("")
    organiser.locator(".list li a").first.click()
    expect(organiser.locator(".item h1")).to_have_text(first)
    expect(note).to_have_value("Two of us see a term.")
    expect(pick).to_have_value("high")
    for choice in organiser.locator(".mat.wide .adj select").all():
        choice.select_option("high")
    organiser.get_by_role("button", name="Settle and next").click()
    expect(organiser.locator(".item h1")).not_to_have_text(first)
    assert organiser.evaluate("sessionStorage.length") == 0


def test_the_disagreement_browser_by_keyboard(server: OrganiserServer, organiser: Page) -> None:
    organiser.goto(f"{server.url}/campaigns/swapped/disagreements")
    first = organiser.locator(".list [aria-current] a").get_attribute("href")
    organiser.set_viewport_size({"width": 390, "height": 700})
    organiser.reload()
    assert organiser.locator(".list").evaluate("list => list.scrollTop") == 0, "the one that is open is in sight"
    organiser.keyboard.press("j")
    expect(organiser.locator(".list [aria-current] a")).not_to_have_attribute("href", first or "")
    organiser.keyboard.press("k")
    expect(organiser.locator(".list [aria-current] a")).to_have_attribute("href", first or "")


def test_tables_sort_and_menus_close(server: OrganiserServer, organiser: Page) -> None:
    organiser.goto(f"{server.url}/campaigns")
    names = organiser.locator("#campaigns tbody th a")
    organiser.get_by_role("button", name="Campaign", exact=True).click()
    assert names.all_text_contents() == sorted(names.all_text_contents())
    organiser.get_by_role("button", name="Campaign", exact=True).click()
    assert names.all_text_contents() == sorted(names.all_text_contents(), reverse=True)
    organiser.goto(f"{server.url}/campaigns/calm")
    organiser.locator("summary", has_text="Manage").click()
    expect(organiser.get_by_text("Duplicate or delete")).to_be_visible()
    organiser.keyboard.press("Escape")
    expect(organiser.get_by_text("Duplicate or delete")).not_to_be_visible()


def test_a_sorted_table_stays_sorted_when_news_come_and_can_be_copied(
    server: OrganiserServer, organiser: Page, context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    organiser.goto(f"{server.url}/campaigns/calm")
    expect(organiser.locator('[data-panel="agreement"] svg')).to_be_visible()
    judges = organiser.locator('[data-panel="progress"] tbody th a')
    organiser.get_by_role("button", name="Judge", exact=True).click()
    organiser.get_by_role("button", name="Judge", exact=True).click()
    expect(judges.first).to_have_text("Judge 3")
    organiser.set_viewport_size({"width": 390, "height": 900})
    organiser.locator("#judges").evaluate("table => table.parentElement.scrollTo(40, 0)")
    campaign.configure(server.store, "calm", settings={"hourly_rate": 20})
    expect(organiser.locator('[data-panel="progress"] thead')).to_contain_text("Cost")
    expect(judges.first).to_have_text("Judge 3")
    expect(organiser.get_by_role("button", name="Judge", exact=True)).to_be_focused()
    assert organiser.locator("#judges").evaluate("table => table.parentElement.scrollLeft") == 40
    organiser.locator('[data-panel="progress"] .copy-table').click()
    copied = organiser.evaluate("navigator.clipboard.readText()").split("\n")
    assert copied[0].split("\t")[0] == "Judge"
    assert copied[1].startswith("Judge 3\t")
    assert len(copied) == 4


def test_a_table_can_be_copied_over_plain_http(server: OrganiserServer, organiser: Page) -> None:
    server_elsewhere = server.url.replace("127.0.0.1", ELSEWHERE)
    organiser.goto(f"{server_elsewhere}/enter/{ENTRY}")
    organiser.goto(f"{server_elsewhere}/campaigns/calm")
    assert organiser.evaluate("!isSecureContext")
    organiser.locator('[data-panel="progress"] .copy-table').click()
    organiser.evaluate("document.body.append(document.createElement('textarea'))")
    organiser.locator("body > textarea").focus()
    organiser.keyboard.press("Control+V")
    expect(organiser.locator("body > textarea")).to_have_value(re.compile(r"^Judge\t.*\nJudge 1\t"), timeout=9000)


def test_forms_can_be_sent_over_plain_http(server: OrganiserServer, organiser: Page) -> None:
    """There a browser says nothing about where a form comes from but its origin."""
    server_elsewhere = server.url.replace("127.0.0.1", ELSEWHERE)
    organiser.goto(f"{server_elsewhere}/enter/{ENTRY}")
    organiser.get_by_role("button", name="Sign out").click()
    organiser.wait_for_url(f"{server_elsewhere}/login")


PAGES = [
    "/campaigns",
    "/campaigns/swapped",
    "/campaigns/empty",
    "/campaigns/swapped/disagreements?question=skills",
    "/campaigns/empty/disagreements",
    "/campaigns/swapped/documents",
    "/campaigns/swapped/judges",
    "/campaigns/swapped/judge?id=J1",
    "/campaigns/swapped/settings",
    "/campaigns/swapped/preview/task/1",
    "/new",
    "/protocols/h_falcon",
    "/people",
    "/server",
    "/campaigns/swapped/models?model=m&limit=5",
    "/campaigns/swapped/import",
    "/account",
    "/nowhere",
]
MIRRORED = 7
"""So many of them are also looked at from right to left, in the dark."""


@pytest.mark.parametrize(
    ("language", "paths"),
    [
        pytest.param("en", PAGES, id="en"),
        pytest.param("ar", PAGES[:MIRRORED], id="ar", marks=pytest.mark.soak),  # the same pages, the other way round
    ],
)
def test_axe_finds_nothing_on_any_page(
    server: OrganiserServer, browser: Browser, language: str, paths: list[str]
) -> None:
    """In the light, and the colours of the dark; the mirrored pages are dark, which is the other way to load."""
    mirrored = language == "ar"
    light_alone = [] if mirrored else PAGES[MIRRORED:]
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="dark" if mirrored else "light",
        reduced_motion="reduce", locale=language,
    )  # fmt: skip
    page = context.new_page()
    page.set_default_timeout(180_000)
    server.enter(page)
    told = []
    for path in paths:
        page.goto(server.url + path)
        assert page.locator("html").get_attribute("lang") == language or "/preview/" in path
        if path == "/campaigns/swapped":
            page.wait_for_selector('[data-panel="agreement"] svg')
        told += [f"{path} {found}" for found in violations(page)]
        if path in light_alone:
            page.emulate_media(color_scheme="dark")
            told += [f"{path} in the dark {found}" for found in violations(page, COLOURS)]
            page.emulate_media(color_scheme="light")
    context.close()
    assert not told, "\n".join(told)


@pytest.mark.usefixtures("context")
def test_a_second_click_on_a_form_that_is_on_its_way_sends_nothing(server: OrganiserServer, page: Page) -> None:
    page.clock.install()
    server.enter(page)
    page.goto(server.url + "/server")
    page.wait_for_selector("html.js")
    send = """names => names.map(name => {
      const form = [...document.querySelectorAll(`main form[action$='/server/${name}']`)].at(-1);
      return form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    })"""
    assert page.evaluate(send, ["tokens", "tokens", "webhooks"]) == [True, False, True]
    page.clock.run_for(20_000)
    assert page.evaluate(send, ["tokens"]) == [False], "a slow server"
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert page.evaluate(send, ["tokens"]) == [True], "back from the page that answered"


SPILLS = """() => [...document.querySelectorAll('html, .passage, main [lang]')]
  .filter(el => el.clientWidth && (el.scrollWidth > el.clientWidth + 1 || el.clientWidth < 60))
  .map(el => `${el.tagName} ${el.scrollWidth} in ${el.clientWidth}`)
  .concat([...document.querySelectorAll('.list')].filter(el => el.clientHeight > innerHeight).map(() => 'list'))"""
"""What is wider than its place, or a list that draws what stands beside it out of sight, and texts that were left no
place to speak of."""


def test_narrow_and_zoomed_pages_do_not_spill(server: OrganiserServer, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 720, "height": 900})
    page = context.new_page()
    page.set_default_timeout(180_000)
    server.enter(page)
    for path in (*PAGES, *(f"/campaigns/long/{name}" for name in ("disagreements", "diagnosis", "meeting", "report"))):
        page.set_viewport_size({"width": 720, "height": 900})
        page.goto(server.url + path)
        for width in (720, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SPILLS) == [], f"{path} at {width}"
    context.close()


KEPT_PAGES = "async () => (await caches.keys()).filter(name => name.startsWith('lanner-pages-'))"


def test_what_a_judge_writes_stands_on_the_open_live_page(
    server: OrganiserServer, organiser: Page, browser: Browser
) -> None:
    work = server.campaign("h_falcon", [document(2)], systems=SYSTEMS[:1])
    organiser.goto(f"{server.url}/campaigns/{quote(work.name)}")
    messages = organiser.locator('[data-panel="messages"]')
    expect(messages).to_be_hidden()
    judge = browser.new_page()
    work.enter(judge)
    judge.goto(work.url(work.tasks[0].id))
    Keyboard(judge).wait_until_ready()
    judge.get_by_role("button", name="Write to the organiser").click()
    judge.fill("#message-text", "Sentence 2 is <b>cut</b> off.")
    judge.keyboard.press("Control+Enter")
    expect(judge.locator("#message output")).to_contain_text("Sent")
    judge.close()
    expect(messages).to_be_visible()
    expect(messages).to_contain_text("Sentence 2 is <b>cut</b> off.")
    expect(messages).to_contain_text("Judge One")
    state = organiser.locator("#live")
    expect(state).to_have_attribute("data-state", "live")
    organiser.route("**/panels?*", lambda route: route.fulfill(content_type="text/html", body="<h1>Sign in</h1>"))
    send_message(server.store, work.tasks[0].id, "Another.")
    expect(state).to_have_attribute("data-state", "lost")
    expect(messages).to_contain_text("Judge One")
    organiser.unroute("**/panels?*")
    expect(messages).to_contain_text("Another.")
    expect(state).to_have_attribute("data-state", "live")
    organiser.route("**/events", lambda route: route.fulfill(status=502, body="Bad gateway"))
    organiser.reload()
    expect(state).to_have_attribute("data-state", "lost")
    organiser.unroute("**/events")
    expect(state).to_have_attribute("data-state", "live")
    send_message(server.store, work.tasks[0].id, "After the gateway.")
    expect(messages).to_contain_text("After the gateway.")


def test_a_panel_in_which_someone_was_choosing_is_made_fresh_afterwards(
    server: OrganiserServer, organiser: Page
) -> None:
    panel = organiser.locator('[data-panel="labels"]')
    organiser.goto(f"{server.url}/campaigns/calm")
    panel.locator("select").wait_for()
    organiser.route("**/events", lambda route: route.abort())  # nothing else has it made fresh
    organiser.reload()
    panel.evaluate("panel => panel.append('from before')")
    panel.locator("select").focus()
    expect(panel).to_contain_text("from before")
    panel.locator("select").blur()
    expect(panel).not_to_contain_text("from before")


@pytest.mark.usefixtures("context")
def test_signing_out_takes_the_pages_kept_for_a_judge_away(server: OrganiserServer, organiser: Page) -> None:
    work = server.campaign("h_falcon", [document(2)], systems=SYSTEMS[:1])
    work.enter(organiser)
    organiser.goto(work.url(work.tasks[0].id))
    organiser.wait_for_selector("html[data-offline]", state="attached")
    assert organiser.evaluate(KEPT_PAGES)
    organiser.goto(f"{server.url}/campaigns")
    organiser.get_by_role("button", name="Sign out").click()
    organiser.wait_for_url("**/login*")
    wait_until(organiser, f"async () => !(await ({KEPT_PAGES})()).length")
