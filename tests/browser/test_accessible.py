"""axe-core finds nothing on any page and state; the page works in the dark, mirrored, small and zoomed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from browser_actions import Keyboard
from lanner.web.speech import available
from live_server import SYSTEMS, Live, Work, document
from page_inspection import MARKUP, UNCOLOURED, clean, clean_in_both, picture

pytestmark = [pytest.mark.browser, pytest.mark.used_page]


def begin(
    live: Live, page: Page, protocol: str, at: int = 0, sentences: int = 6, query: str = ""
) -> tuple[Work, Keyboard]:
    work = live.campaign(
        protocol, [document(sentences, note="She is the captain.")], systems=SYSTEMS, options={"all_scenarios": True}
    )
    work.enter(page)
    task = work.tasks[at]
    page.goto(work.url(task.id) + query)
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, keyboard


def missing(keyboard: Keyboard) -> None:
    keyboard.press("1", "2", "s", "3", "Enter", "Enter")


def judged(keyboard: Keyboard) -> None:
    keyboard.press("1", "2", "5", "3", "s", "3", "8", "Enter", "9", "1", "s", "4", "0", "Enter", "7")


def drawers(keyboard: Keyboard) -> None:
    judged(keyboard)
    keyboard.press("i")


STATES: dict[str, tuple[str, int, Callable[[Keyboard], None]]] = {
    "h-falcon": ("h_falcon", 0, judged),
    "h-falcon-missing": ("h_falcon", 0, missing),
    "h-falcon-definitions": ("h_falcon", 0, drawers),
    "h-falcon-keys": ("h_falcon", 0, lambda keyboard: keyboard.press("?")),
    "h-falcon-guidelines": ("h_falcon", 0, lambda keyboard: keyboard.press("g")),
    "falcon": (
        "falcon",
        0,
        lambda keyboard: keyboard.press("2", "1", "4", "7", "Enter", "3", "1", "ArrowRight", "Shift+ArrowRight"),
    ),
    "esa": (
        "esa",
        0,
        lambda keyboard: keyboard.press("ArrowRight", "2", "8", "7", "Enter", "ArrowRight", "Shift+ArrowRight"),
    ),
    "mqm": (
        "mqm_linked",
        0,
        lambda keyboard: keyboard.press("ArrowRight", "1", "3", "3", "ArrowRight", "ArrowRight", "1"),
    ),
    "parity-sentences": ("parity", 0, lambda keyboard: keyboard.press("1", "Enter", "2")),
    "scenarios": ("scenarios", 0, lambda keyboard: keyboard.press("3", "4", "1", "2", "2")),
    "context-survey": ("context_survey", 0, lambda keyboard: keyboard.press("2", "5", "7")),
    "sqm": ("sqm", 0, lambda keyboard: keyboard.press("4", "Enter")),
    "dela": ("dela", 0, lambda keyboard: keyboard.press("1")),
    "consent": ("consent", 0, lambda keyboard: keyboard.press("1")),
    "background": ("background", 0, lambda keyboard: None),
    "post-task": ("post_task", 0, lambda keyboard: keyboard.press("Tab", "3", "4", "5")),
}


IN_THE_DARK = {"h-falcon-definitions", "h-falcon-missing", "falcon", "mqm", "scenarios", "post-task"}
"""Between them they show every colour there is; the others are the same parts in another order."""


@pytest.mark.parametrize("name", STATES)
def test_light_and_dark(live: Live, page: Page, name: str) -> None:
    protocol, at, act = STATES[name]
    _, keyboard = begin(live, page, protocol, at)
    act(keyboard)
    if name in IN_THE_DARK:
        clean_in_both(page, name)
    else:
        clean(page, name, UNCOLOURED)
        page.emulate_media(color_scheme="dark")
        picture(page, f"{name}-dark")


def test_list_of_work_settings_and_finished(live: Live, page: Page) -> None:
    work, keyboard = begin(live, page, "h_falcon", sentences=2)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("More contrast").check()
    clean(page, "settings")
    keyboard.press("Escape", "Escape")
    for _ in range(2):
        keyboard.press("1", "2", "s", "3", "8", "Enter")
    page.wait_for_url(re.compile(rf"/(work|task/(?!{work.tasks[0].id}\b))"))
    page.goto(f"{live.url}/work")
    keyboard.wait_until_ready()
    clean(page, "work")
    page.goto(work.url(work.tasks[0].id))
    keyboard.wait_until_ready()
    clean(page, "finished", UNCOLOURED)


@pytest.mark.parametrize(("width", "height", "scale"), [(1024, 768, 1), (820, 1180, 1), (720, 450, 2), (400, 800, 1)])
def test_small_screens_and_zoom(live: Live, page: Page, width: int, height: int, scale: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    devices = page.context.new_cdp_session(page)
    screen = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
    devices.send("Emulation.setDeviceMetricsOverride", screen)
    _, keyboard = begin(live, page, "h_falcon")
    judged(keyboard)
    clean(page, f"h-falcon-{width}", MARKUP)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing to scroll sideways"
    row, sheet = page.locator(".is-active").bounding_box(), page.locator(".rail").bounding_box()
    assert row and sheet and row["y"] >= 0 and (width > 900 or row["y"] < sheet["y"]), "the active row is in view"
    begin(live, page, "esa")  # its bar has more in it
    assert page.evaluate("[document.documentElement.scrollWidth <= innerWidth, devicePixelRatio]") == [True, scale]
    devices.detach()


@pytest.mark.parametrize("language", available())
def test_interface_languages(live: Live, page: Page, language: str) -> None:
    _, keyboard = begin(live, page, "h_falcon", query=f"?language={language}")
    judged(keyboard)
    keyboard.press("Escape", "Enter")
    if language in ("ar", "ko"):
        clean(page, f"language-{language}", UNCOLOURED)
    else:
        picture(page, f"language-{language}")
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
    assert page.locator(".row .tgt").first.get_attribute("lang") == "ko", "what is judged keeps its own language"
    assert "{" not in page.inner_text("body")


def test_forced_colours_and_large_text(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "h_falcon")
    page.emulate_media(forced_colors="active")
    judged(keyboard)
    keyboard.press("Escape", "k")
    picture(page, "forced-colours")
    chosen = page.locator(".seg label:not(.nil) :checked").first
    assert "3px" in chosen.evaluate("e => getComputedStyle(e).outline")
    page.emulate_media(forced_colors="none")
    for _ in range(2):
        page.get_by_role("button", name="Text size").click()
    clean(page, "large-text")
    page.reload()
    keyboard.wait_until_ready()
    assert page.locator("html").get_attribute("data-size") == "xl", "kept for the next visit"


def test_without_script(live: Live, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    work = live.campaign("h_falcon", [document(2)], systems=SYSTEMS[:1])
    page.goto(work.link)
    page.get_by_role("link", name="Start").click()
    page.get_by_role("link", name="Skip the practice").last.click()
    for sentence, holistic in ((3, 7), (4, 9)):
        page.locator("[data-line=style_register] label", has_text="high").click()
        page.locator(f"[data-q=sentence] input[value='{sentence}']").check(force=True)
        page.locator(f"[data-q=holistic] input[value='{holistic}']").check(force=True)
        page.get_by_role("button", name="Accept").click()
    task = work.tasks[0].id
    assert [(item["sentence"], item["holistic"]) for item in work.stored(task)] == [(3, 7), (4, 9)]
    assert work.stored(task)[0]["skills"]["style_register"] == "high"
    picture(page, "without-script")
    page.get_by_role("button", name="Finish").click()
    assert work.tasks[0].finished_at is not None
    work = live.campaign("consent", [document(2)], systems=SYSTEMS[:1])
    page.goto(work.link)
    page.get_by_role("link", name="Start").click()
    page.locator("[data-q=consent] input[value=agree]").check(force=True)
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_url("**/work*")
    assert work.tasks[0].finished_at is not None
    work = live.campaign("h_falcon", [document(2)], systems=SYSTEMS[:1], settings={"practice_agreement": 0.8})
    page.goto(work.link)
    page.goto(f"{live.url}/task/{work.tasks[0].id}")
    assert "/practice" in page.url
    assert "turn JavaScript on" in page.locator("#intro").inner_text()
    assert page.locator("main").is_hidden(), "nothing is offered that cannot work"
    context.close()
