"""How many keys a practised hand presses, and that every key does what the page says."""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import Page, expect

from browser_actions import Keyboard
from live_server import Live, document
from simulated_pages import simulate_page as simulated

pytestmark = [pytest.mark.browser, pytest.mark.used_page]


def test_twenty_sentences_of_h_falcon(live: Live, page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    work = live.campaign("h_falcon", [document(20)], systems=["hidden-engine-alpha"])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard, rng, skills, expected = Keyboard(page), Random(20), 0, []
    keyboard.wait_until_ready()
    rows = next(q for q in keyboard.questions() if q["q"] == "skills")["lines"]
    for _ in range(20):
        answers = simulated(work.protocol, "rating", rng=rng) | {"comment": None}
        rated = {skill: value for skill, value in answers["skills"].items() if value != "not_relevant"}
        for line in rows:
            if line["id"] in rated:
                keyboard.press(line["pick"], line["keys"][rated[line["id"]]])
        keyboard.press("s", str(answers["sentence"]), str(answers["holistic"] % 10), "Enter")
        skills += len(rated)
        expected.append({name: value for name, value in answers.items() if value is not None})
    keyboard.wait_until_saved()
    assert work.stored(work.tasks[0].id) == expected
    allowed = 3 * skills + 2 * 2 * 20
    with capsys.disabled():
        print(f"\nH-FALCON, 20 sentences, {skills} rated skills: {keyboard.presses} key presses (at most {allowed})")
    assert keyboard.presses <= allowed


def test_arrows_letters_and_escape(live: Live, page: Page) -> None:
    work = live.campaign("h_falcon", [document(20)], systems=["hidden-engine-alpha"])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("j", "ArrowDown", "k")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    keyboard.press("7")
    assert page.locator(".skill.armed legend").inner_text() == "Reference consistency"
    keyboard.press("i")
    assert page.locator("#drawer .here dt").inner_text() == "Reference consistency"
    keyboard.press("Escape", "Escape")
    assert page.locator("#drawer").is_hidden()
    keyboard.press("?")
    assert page.locator("#drawer [data-of=keys]").is_visible()
    keyboard.press("Escape", "/")
    keyboard.write("Sentence 17")
    assert "1" in page.inner_text("#hits")
    keyboard.press("Enter")
    expect(page.locator("#heading")).to_have_text("Sentence 17")
    keyboard.press("Escape", "Enter")
    assert page.locator("[data-q=sentence].tried .hint").inner_text() == "Choose 1 to 4"
    assert "17: Sentence score, Holistic score" in page.inner_text("#left")


def test_other_keyboard_layouts(live: Live, page: Page) -> None:
    work = live.campaign("h_falcon", [document(2)], systems=["hidden-engine-alpha"])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    pressed = """([key, code]) => document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }))"""
    page.evaluate(pressed, ["ㄴ", "KeyS"])
    page.evaluate(pressed, ["&", "Digit1"])
    page.evaluate(pressed, ["ا", "KeyH"])
    page.evaluate(pressed, ["é", "Digit2"])
    page.evaluate(pressed, ["ㅏ", "KeyK"])
    keyboard.wait_until_saved()
    stored = work.stored(work.tasks[0].id)[0]
    assert (stored["sentence"], stored["holistic"]) == (1, 2)


def test_single_keys_can_be_switched_off(live: Live, page: Page) -> None:
    work = live.campaign("h_falcon", [document(3)], systems=["hidden-engine-alpha"])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Single-key shortcuts").uncheck()
    keyboard.press("Escape")
    page.locator(".num").first.focus()
    keyboard.press("s", "3", "j", "u")
    expect(page.locator("#heading")).to_have_text("Sentence 1")
    assert page.locator("[data-q=sentence] :checked").count() == 0
    keyboard.press("ArrowDown")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    page.reload()
    keyboard.wait_until_ready()
    keyboard.press("j")
    expect(page.locator("#heading")).to_have_text("Sentence 2")


def test_window_of_a_long_document(live: Live, page: Page) -> None:
    work = live.campaign("h_falcon", [document(30)], systems=["hidden-engine-alpha"])
    work.enter(page)
    page.goto(work.url(work.tasks[0].id) + "?row=12")
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    shown = ".row:not([hidden]) .num b"
    before = page.locator(shown).all_text_contents()
    assert before == [str(n) for n in range(7, 7 + len(before))] and 11 <= len(before) < 30
    bottom = "css => [...document.querySelectorAll(css)].at(-1).getBoundingClientRect().bottom"
    assert page.evaluate(bottom, ".row:not([hidden])") >= page.evaluate(bottom, ".scroller"), "the screen is filled"
    keyboard.press(*["j"] * 9)
    after = page.locator(shown).all_text_contents()
    assert after == [str(n) for n in range(7, 27)], "it grows and does not shrink"
    page.locator(".above [data-act=earlier]").click()
    assert page.locator(shown).first.text_content() == "2"
    page.locator(".below [data-act=whole]").click()
    assert page.locator(shown).count() == 30
    page.emulate_media(media="print")
    height = page.evaluate("document.documentElement.scrollHeight")
    assert page.evaluate(bottom, ".row") <= height, "all of it is printed, and not one screen"
    assert page.evaluate("document.querySelector('.scroller').scrollTop") == 0
    assert page.locator(".rail").is_hidden()


@pytest.mark.usefixtures("context")
def test_active_time_pauses_and_breaks_are_suggested(live: Live, page: Page) -> None:
    settings = {"idle_seconds": 30, "break_minutes": 1}
    work = live.campaign("h_falcon", [document(3)], systems=["hidden-engine-alpha"], settings=settings)
    page.clock.install()
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    for _ in range(4):
        page.clock.run_for(20_000)
        keyboard.press("Shift")
    assert "1 min today" in page.inner_text("#mins")
    page.locator("#note-break").get_by_role("button", name="Do not remind me").click()
    page.clock.run_for(600_000)
    assert "1 min today" in page.inner_text("#mins"), "ten minutes without a sign of life are no work"
    for _ in range(4):
        keyboard.press("Shift")
        page.clock.run_for(20_000)
    assert page.locator("#note-break").count() == 0
    for _ in range(4):
        keyboard.press("Shift")
        page.clock.fast_forward(25_000)  # the lid is closed for a while: no timer fires meanwhile
    keyboard.press("s", "3", "8", "Enter")
    page.clock.run_for(2_000)
    page.locator("#saved[data-state=saved]").wait_for()
    row = next(row for row in work.rows() if row.question == "holistic")
    assert row.elapsed_seconds > 750 and 120 < row.active_seconds < 230


@pytest.mark.usefixtures("context")
def test_the_first_page_is_light(live: Live, page: Page) -> None:
    work = live.campaign("h_falcon", [document(20)], systems=["hidden-engine-alpha"])
    page.goto(work.link)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    weights: list[int] = []
    session.on("Network.loadingFinished", lambda event: weights.append(int(event["encodedDataLength"])))
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    page.wait_for_load_state("networkidle")
    assert len(weights) > 20 and sum(weights) < 90_000, "scripts, styles, the page itself and the heads of all replies"
