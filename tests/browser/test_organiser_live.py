"""The live page and the disagreement browser with judgements in them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from browser_actions import Hands, wait_until
from chromium import ELSEWHERE
from lanner import campaign
from lanner.campaign.people import send_message
from live_server import SYSTEMS, document
from organiser_client import ENTRY, Office, disputed
from page_inspection import COLOURS, violations

pytestmark = [pytest.mark.browser, pytest.mark.used_page]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with Office(tmp_path_factory.mktemp("office") / "lanner.sqlite") as running:
        disputed(running, "swapped", swapping="J3")
        disputed(running, "calm", judges=3)
        address = "https://example.org/" + "x" * 300
        long = document(texts=[(address, f"{address} هناك.")] * 16, languages=("en", "ar"), systems=("one " * 12,))
        disputed(running, "long", judges=3, text=long)
        campaign.create(running.store, "empty", campaign.documents(running.store, "calm"), "falcon")
        yield running


@pytest.fixture
def desk(office: Office, page: Page) -> Page:
    """A page whose organiser has signed in, with numbers ready."""
    page.set_default_timeout(180_000)
    expect.set_options(timeout=180_000)
    office.enter(page)
    return page


def test_a_judge_who_swaps_two_labels_is_named_after_one_document(office: Office, desk: Page) -> None:
    desk.goto(f"{office.url}/campaigns/swapped")
    panel = desk.locator('[data-panel="diverge"]')
    expect(panel).to_contain_text("Judge 3 seems to swap “low” and “high”")
    expect(desk.locator('[data-panel="verdict"]')).to_contain_text("Judge 3")
    expect(desk.locator('[data-panel="needs"]')).to_contain_text("Judge 3 seems to swap")


def test_numbers_without_the_swap_blame_nobody(office: Office, desk: Page) -> None:
    desk.goto(f"{office.url}/campaigns/calm")
    expect(desk.locator('[data-panel="agreement"] svg')).to_be_visible()
    expect(desk.locator('[data-panel="diverge"]')).not_to_contain_text("swap")
    expect(desk.locator('[data-panel="heat"] svg')).to_be_visible()
    expect(desk.locator('[data-panel="comments"]')).to_contain_text("Is <b>this</b> an acronym?")


def test_another_question_is_shown_at_once_and_remembered(office: Office, desk: Page) -> None:
    desk.goto(f"{office.url}/campaigns/calm")
    desk.locator("[data-question]").select_option("holistic")
    expect(desk.locator('[data-panel="heat"] h2')).to_contain_text("Holistic score")
    desk.reload()
    expect(desk.locator("[data-question]")).to_have_value("holistic")


def test_a_disagreement_is_settled_noted_and_exported(office: Office, desk: Page) -> None:
    desk.goto(f"{office.url}/campaigns/calm/disagreements?question=skills")
    expect(desk.locator(".list li").first).to_be_visible()
    before = desk.locator(".done").text_content()
    first = desk.locator(".item h1").text_content()
    for choice in desk.locator(".mat.wide .adj select").all():
        choice.select_option("high")
    desk.get_by_label("Note of the meeting").fill("An acronym counts as terminology.")
    desk.get_by_label("Put this into the guidelines").check()
    desk.get_by_role("button", name="Settle and next").click()
    expect(desk.locator(".done")).not_to_have_text(before or "")
    expect(desk.locator(".item h1")).not_to_have_text(first or "")
    kinds = {judge.id: str(judge.kind) for judge in campaign.judges(office.store, "calm")}
    agreed = [j for j in campaign.judgements(office.store, "calm") if kinds[j.judge] == "adjudicated"]
    assert [judgement.question for judgement in agreed] == ["skills"]
    notes = campaign.get(office.store, "calm").settings["guideline_notes"]
    assert notes[0]["text"] == "An acronym counts as terminology."
    desk.goto(f"{office.url}/campaigns/calm")
    desk.locator("summary", has_text="Export").click()
    with desk.expect_download() as download:
        desk.locator(".drop a", has_text="CSV").click()
    with zipfile.ZipFile(download.value.path()) as files:
        assert ",adjudicated," in files.read("judgements.csv").decode()


def test_what_a_meeting_has_begun_stays_while_another_sentence_is_looked_at(office: Office, desk: Page) -> None:
    desk.goto(f"{office.url}/campaigns/swapped/disagreements?question=skills")
    pick, note = desk.locator(".mat.wide .adj select").first, desk.get_by_label("Note of the meeting")
    pick.select_option("high")
    note.fill("Two of us see a term.")
    first = desk.locator(".item h1").text_content() or ""
    desk.locator(".list li a").nth(2).click()
    expect(desk.locator(".item h1")).not_to_have_text(first)
    expect(note).to_have_value("")
    desk.locator(".list li a").first.click()
    expect(desk.locator(".item h1")).to_have_text(first)
    expect(note).to_have_value("Two of us see a term.")
    expect(pick).to_have_value("high")
    for choice in desk.locator(".mat.wide .adj select").all():
        choice.select_option("high")
    desk.get_by_role("button", name="Settle and next").click()
    expect(desk.locator(".item h1")).not_to_have_text(first)
    assert desk.evaluate("sessionStorage.length") == 0


def test_the_disagreement_browser_by_keyboard(office: Office, desk: Page) -> None:
    desk.goto(f"{office.url}/campaigns/swapped/disagreements")
    first = desk.locator(".list [aria-current] a").get_attribute("href")
    desk.set_viewport_size({"width": 390, "height": 700})
    desk.reload()
    assert desk.locator(".list").evaluate("list => list.scrollTop") == 0, "the one that is open is in sight"
    desk.keyboard.press("j")
    expect(desk.locator(".list [aria-current] a")).not_to_have_attribute("href", first or "")
    desk.keyboard.press("k")
    expect(desk.locator(".list [aria-current] a")).to_have_attribute("href", first or "")


def test_tables_sort_and_menus_close(office: Office, desk: Page) -> None:
    desk.goto(f"{office.url}/campaigns")
    names = desk.locator("#campaigns tbody th a")
    desk.get_by_role("button", name="Campaign", exact=True).click()
    assert names.all_text_contents() == sorted(names.all_text_contents())
    desk.get_by_role("button", name="Campaign", exact=True).click()
    assert names.all_text_contents() == sorted(names.all_text_contents(), reverse=True)
    desk.goto(f"{office.url}/campaigns/calm")
    desk.locator("summary", has_text="Manage").click()
    expect(desk.get_by_text("Duplicate or delete")).to_be_visible()
    desk.keyboard.press("Escape")
    expect(desk.get_by_text("Duplicate or delete")).not_to_be_visible()


def test_a_sorted_table_stays_sorted_when_news_come_and_can_be_copied(
    office: Office, desk: Page, context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.goto(f"{office.url}/campaigns/calm")
    expect(desk.locator('[data-panel="agreement"] svg')).to_be_visible()
    judges = desk.locator('[data-panel="progress"] tbody th a')
    desk.get_by_role("button", name="Judge", exact=True).click()
    desk.get_by_role("button", name="Judge", exact=True).click()
    expect(judges.first).to_have_text("Judge 3")
    desk.set_viewport_size({"width": 390, "height": 900})
    desk.locator("#judges").evaluate("table => table.parentElement.scrollTo(40, 0)")
    campaign.configure(office.store, "calm", settings={"hourly_rate": 20})
    expect(desk.locator('[data-panel="progress"] thead')).to_contain_text("Cost")
    expect(judges.first).to_have_text("Judge 3")
    expect(desk.get_by_role("button", name="Judge", exact=True)).to_be_focused()
    assert desk.locator("#judges").evaluate("table => table.parentElement.scrollLeft") == 40
    desk.locator('[data-panel="progress"] .copy-table').click()
    copied = desk.evaluate("navigator.clipboard.readText()").split("\n")
    assert copied[0].split("\t")[0] == "Judge"
    assert copied[1].startswith("Judge 3\t")
    assert len(copied) == 4


def test_a_table_can_be_copied_over_plain_http(office: Office, desk: Page) -> None:
    office_elsewhere = office.url.replace("127.0.0.1", ELSEWHERE)
    desk.goto(f"{office_elsewhere}/enter/{ENTRY}")
    desk.goto(f"{office_elsewhere}/campaigns/calm")
    assert desk.evaluate("!isSecureContext")
    desk.locator('[data-panel="progress"] .copy-table').click()
    desk.evaluate("document.body.append(document.createElement('textarea'))")
    desk.locator("body > textarea").focus()
    desk.keyboard.press("Control+V")
    expect(desk.locator("body > textarea")).to_have_value(re.compile(r"^Judge\t.*\nJudge 1\t"), timeout=9000)


def test_forms_can_be_sent_over_plain_http(office: Office, desk: Page) -> None:
    """There a browser says nothing about where a form comes from but its origin."""
    office_elsewhere = office.url.replace("127.0.0.1", ELSEWHERE)
    desk.goto(f"{office_elsewhere}/enter/{ENTRY}")
    desk.get_by_role("button", name="Sign out").click()
    desk.wait_for_url(f"{office_elsewhere}/login")


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
def test_axe_finds_nothing_on_any_page(office: Office, browser: Browser, language: str, paths: list[str]) -> None:
    """In the light, and the colours of the dark; the mirrored pages are dark, which is the other way to load."""
    mirrored = language == "ar"
    light_alone = [] if mirrored else PAGES[MIRRORED:]
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="dark" if mirrored else "light",
        reduced_motion="reduce", locale=language,
    )  # fmt: skip
    page = context.new_page()
    page.set_default_timeout(180_000)
    office.enter(page)
    told = []
    for path in paths:
        page.goto(office.url + path)
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


def test_a_second_click_on_a_form_that_is_on_its_way_sends_nothing(office: Office, page: Page) -> None:
    office.enter(page)
    page.goto(office.url + "/server")
    page.wait_for_selector("html.js")
    send = "form => form.dispatchEvent(new SubmitEvent('submit', {bubbles: true, cancelable: true}))"
    form, other = (page.locator(f"main form[action$='/server/{name}']").last for name in ("tokens", "webhooks"))
    assert [each.evaluate(send) for each in (form, form, other)] == [True, False, True]


SPILLS = """() => [...document.querySelectorAll('html, .passage, main [lang]')]
  .filter(el => el.clientWidth && (el.scrollWidth > el.clientWidth + 1 || el.clientWidth < 60))
  .map(el => `${el.tagName} ${el.scrollWidth} in ${el.clientWidth}`)
  .concat([...document.querySelectorAll('.list')].filter(el => el.clientHeight > innerHeight).map(() => 'list'))"""
"""What is wider than its place, or a list that draws what stands beside it out of sight, and texts that were left no
place to speak of."""


def test_narrow_and_zoomed_pages_do_not_spill(office: Office, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 720, "height": 900})
    page = context.new_page()
    page.set_default_timeout(180_000)
    office.enter(page)
    for path in (*PAGES, *(f"/campaigns/long/{name}" for name in ("disagreements", "diagnosis", "meeting", "report"))):
        page.set_viewport_size({"width": 720, "height": 900})
        page.goto(office.url + path)
        for width in (720, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SPILLS) == [], f"{path} at {width}"
    context.close()


KEPT_PAGES = "async () => (await caches.keys()).filter(name => name.startsWith('lanner-pages-'))"


def test_what_a_judge_writes_stands_on_the_open_live_page(office: Office, desk: Page, browser: Browser) -> None:
    work = office.campaign("h_falcon", [document(2)], systems=SYSTEMS[:1])
    desk.goto(f"{office.url}/campaigns/{quote(work.name)}")
    messages = desk.locator('[data-panel="messages"]')
    expect(messages).to_be_hidden()
    judge = browser.new_page()
    work.enter(judge)
    judge.goto(work.url(work.tasks[0].id))
    Hands(judge).ready()
    judge.get_by_role("button", name="Write to the organiser").click()
    judge.fill("#message-text", "Sentence 2 is <b>cut</b> off.")
    judge.keyboard.press("Control+Enter")
    expect(judge.locator("#message output")).to_contain_text("Sent")
    judge.close()
    expect(messages).to_be_visible()
    expect(messages).to_contain_text("Sentence 2 is <b>cut</b> off.")
    expect(messages).to_contain_text("Judge One")
    state = desk.locator("#live")
    expect(state).to_have_attribute("data-state", "live")
    desk.route("**/panels?*", lambda route: route.fulfill(content_type="text/html", body="<h1>Sign in</h1>"))
    send_message(office.store, work.tasks[0].id, "Another.")
    expect(state).to_have_attribute("data-state", "lost")
    expect(messages).to_contain_text("Judge One")
    desk.unroute("**/panels?*")
    expect(messages).to_contain_text("Another.")
    expect(state).to_have_attribute("data-state", "live")
    desk.route("**/events", lambda route: route.fulfill(status=502, body="Bad gateway"))
    desk.reload()
    expect(state).to_have_attribute("data-state", "lost")
    desk.unroute("**/events")
    expect(state).to_have_attribute("data-state", "live")
    send_message(office.store, work.tasks[0].id, "After the gateway.")
    expect(messages).to_contain_text("After the gateway.")


def test_a_panel_in_which_someone_was_choosing_is_made_fresh_afterwards(office: Office, desk: Page) -> None:
    panel = desk.locator('[data-panel="labels"]')
    desk.goto(f"{office.url}/campaigns/calm")
    panel.locator("select").wait_for()
    desk.route("**/events", lambda route: route.abort())  # nothing else has it made fresh
    desk.reload()
    panel.evaluate("panel => panel.append('from before')")
    panel.locator("select").focus()
    expect(panel).to_contain_text("from before")
    panel.locator("select").blur()
    expect(panel).not_to_contain_text("from before")


@pytest.mark.usefixtures("context")
def test_signing_out_takes_the_pages_kept_for_a_judge_away(office: Office, desk: Page) -> None:
    work = office.campaign("h_falcon", [document(2)], systems=SYSTEMS[:1])
    work.enter(desk)
    desk.goto(work.url(work.tasks[0].id))
    desk.wait_for_selector("html[data-offline]", state="attached")
    assert desk.evaluate(KEPT_PAGES)
    desk.goto(f"{office.url}/campaigns")
    desk.get_by_role("button", name="Sign out").click()
    desk.wait_for_url("**/login*")
    wait_until(desk, f"async () => !(await ({KEPT_PAGES})()).length")
