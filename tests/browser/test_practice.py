"""The first visit: guidelines with worked examples once, then practice with feedback, and nothing of it stored."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from browser_actions import Keyboard
from live_server import SYSTEMS, Live, Work, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

TEXTS = [(f"Sentence {n} goes here, slowly.", f"Satz {n} steht hier, langsam.") for n in range(1, 5)]
SELECT = """([words, back]) => {
  const cell = document.querySelector('.is-active .tgt'), range = document.createRange();
  const at = cell.textContent.indexOf(words);
  range.setStart(cell.firstChild, at); range.setEnd(cell.firstChild, at + words.length);
  const boxes = [...range.getClientRects()], first = boxes[0], last = boxes.at(-1);
  return [first.left + 1, first.top + first.height / 2, last.right - 1, last.top + last.height / 2];
}"""


def begin(live: Live, page: Page, protocol: str, **more: object) -> Work:
    text = document(texts=TEXTS, languages=("en", "de"))
    work = live.campaign(protocol, [text], systems=SYSTEMS[:1], **more)
    page.goto(work.link)
    page.locator("#start").click()
    Keyboard(page).wait_until_ready()
    return work


def drag_over(page: Page, words: str) -> None:
    left, top, right, bottom = page.evaluate(SELECT, [words, False])
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, bottom, steps=8)
    page.mouse.up()


def test_a_first_visit_reads_tries_is_corrected_and_begins(live: Live, page: Page) -> None:
    work = begin(live, page, "esa")
    assert page.url.endswith("/practice")
    intro = page.locator("#intro")
    expect(intro).to_be_visible()
    assert "Not like this" in intro.inner_text() and "Why:" in intro.inner_text()
    marked = [(u.inner_text(), u.get_attribute("class")) for u in intro.locator(".right u").all()]
    assert ("bis Dämmerung", "s2") in marked and ("sonntags", "s3") in marked, "errors are marked in the sentence"
    assert "Das Museum ist sonntags geschlossen, aber" in intro.locator(".right .marked").all_inner_texts()[1]
    keyboard = Keyboard(page)
    keyboard.press("1", "j", "Enter")  # keys of the page wait until the guidelines are closed
    expect(intro).to_be_hidden()
    assert page.inner_text("#heading") == "Sentence 1"
    expect(page.locator("#training")).to_be_visible()
    expect(page.locator(".row.is-active > #coach")).to_be_in_viewport(ratio=1)  # how to begin, below the sentence
    drag_over(page, "montags")  # nothing is wrong there
    keyboard.press("1", "s")
    keyboard.write("95")
    keyboard.press("Enter")
    box = page.locator("#explanation")
    expect(box.locator("h3")).to_have_text("Not quite")
    expect(box.locator(".extra")).to_contain_text("montags")
    expect(box.locator(".found")).to_contain_text("Score")
    keyboard.wait_until_still()
    expect(page.locator(".row.is-active > #explanation")).to_be_in_viewport(ratio=1)  # where the judge is looking
    expect(page.locator("#coach")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    keyboard.press("u")
    expect(box).to_be_hidden()  # nor does a verdict stand on what was taken back
    keyboard.press("s")
    keyboard.write("95")
    keyboard.press("Enter")
    expect(page.locator(".rail #explanation h3")).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("button[data-remove]").click()
    expect(box).to_be_hidden()  # another answer is checked anew
    keyboard.press("Enter")
    expect(box.locator("h3")).to_have_text("✓ Right")
    keyboard.press("Enter")
    expect(page.locator("#heading")).to_have_text("Sentence 2")
    expect(box).to_be_hidden()
    keyboard.press("s")
    keyboard.write("80")
    keyboard.press("Enter")
    expect(box.locator(".missed")).to_contain_text("bis Dämmerung")
    assert page.evaluate("CSS.highlights.get('missed').size") == 1
    keyboard.wait_until_still()  # the sentence makes room for the verdict
    drag_over(page, "bis Dämmerung")
    keyboard.press("2")
    keyboard.press("Enter")
    expect(box.locator(".kind")).to_contain_text("minor")
    keyboard.press("Enter")
    for number in (3, 4):
        expect(page.locator("#heading")).to_have_text(f"Sentence {number}")
        keyboard.press("s")
        keyboard.write("50")
        keyboard.press("Enter")
        expect(box).to_be_visible()
        expect(page.locator("#accept")).to_contain_text("Begin" if number == 4 else "Next")
        keyboard.press("Enter")
    page.wait_for_url(f"**/task/{work.tasks[0].id}")
    keyboard.wait_until_ready()
    expect(page.locator("#intro")).to_have_count(0)
    assert not work.rows(), "nothing of the practice is stored"
    page.goto(f"{live.url}/work")
    assert "practice" not in (page.locator("#start").get_attribute("href") or ""), "once is enough"


def test_whoever_s_link_is_revoked_while_practising_is_told(live: Live, page: Page) -> None:
    begin(live, page, "esa")
    expect(page.locator("#intro")).to_be_visible()
    lost = {"status": 401, "content_type": "application/json", "body": '{"message": "You are not signed in."}'}
    page.route("**/session", lambda route: route.fulfill(**lost))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as when one comes back to the page
    expect(page.locator("#note-practice")).to_contain_text("your link was replaced")
    expect(page.locator("#intro")).to_be_hidden()  # it would lie over the note


def test_the_page_of_a_network_login_is_no_verdict(live: Live, page: Page) -> None:
    work = begin(live, page, "esa")
    keyboard = Keyboard(page)
    keyboard.press("Enter")
    drag_over(page, "montags")
    keyboard.press("1", "s")
    keyboard.write("95")
    page.route("**/practice", lambda route: route.fulfill(content_type="text/html", body="<h1>Sign in</h1>"))
    keyboard.press("Enter")
    expect(page.locator("#note-practice")).to_contain_text("could not be checked")
    page.unroute("**/practice")
    keyboard.press("Enter")
    expect(page.locator("#explanation")).to_be_visible()
    assert not work.rows()


def test_guidelines_hold_the_examples_and_lead_to_the_practice_again(live: Live, page: Page) -> None:
    work = begin(live, page, "falcon")
    page.get_by_role("link", name="Skip the practice").last.click()
    page.wait_for_url(f"**/task/{work.tasks[0].id}")
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("g")
    guide = page.locator("[data-of=guidelines]")
    expect(guide.locator(".steps li")).to_have_count(5)
    expect(guide.locator(".example")).to_have_count(10)
    assert "A pronoun alone does not make a sentence local." in guide.inner_text()
    guide.get_by_role("button", name="Practise on examples").click()
    page.wait_for_url("**/practice")
    keyboard.wait_until_ready()
    expect(page.locator("#intro")).to_be_visible()


def test_falcon_practice_follows_the_pronoun_rule(live: Live, page: Page) -> None:
    begin(live, page, "falcon")
    keyboard = Keyboard(page)
    keyboard.press("Enter")
    row = page.locator(".row", has_text="In the end it was rejected.")
    row.locator(".num").click()
    keyboard.press("l", "1", "Enter")
    box = page.locator("#explanation")
    expect(box.locator("h3")).to_have_text("Not quite")
    assert "sentence before" in box.inner_text()
    keyboard.press("l", "2", "Enter")
    expect(box.locator("h3")).to_have_text("✓ Right")


@pytest.mark.parametrize("name", ["h_falcon", "da", "mqm", "parity", "scenarios", "context_survey", "da_document"])
def test_every_kind_of_page_can_be_practised(live: Live, page: Page, name: str) -> None:
    text = document(texts=TEXTS, languages=("en", "de"))
    work = live.campaign(name, [text], systems=SYSTEMS, options={"all_scenarios": True})
    work.enter(page)
    page.goto(work.url(work.tasks[0].id) + "/practice")
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    keyboard.press("Enter")
    expect(page.locator("#intro")).to_be_hidden()
    required = [question for question in keyboard.questions() if "required" in question]
    for question in required:
        pick = page.locator(f'[data-q="{question["q"]}"]').locator("input[type=radio], button[data-add='1']")
        if question["display"] in ("slider", "number"):
            keyboard.press(question["letter"])
            keyboard.write("50")
        elif pick.count():
            pick.first.evaluate("el => el.click()")
    keyboard.press("Control+Enter")
    expect(page.locator("#explanation")).to_be_visible()
    assert page.inner_text("#explanation .why").strip()
    assert not work.rows()


def test_a_korean_judge_practises_in_korean(live: Live, browser: Browser) -> None:
    context = browser.new_context(locale="ko", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    begin(live, page, "h_falcon")
    words = page.inner_text("#intro")
    assert "이유:" in words and "Why" not in words and "Right" not in words
    page.locator("#try").tap()
    expect(page.locator("#intro")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
    expect(page.locator("#coach")).to_be_hidden()  # it names keys, and there are none
    expect(page.locator(".coaching #coach")).to_have_count(1)
    context.close()


@pytest.mark.parametrize("name", ["da", "esa", "h_falcon", "parity", "mqm"])
def test_the_sentence_of_each_question_can_be_read_on_the_page(live: Live, page: Page, name: str) -> None:
    text = document(texts=TEXTS, languages=("en", "de"))
    work = live.campaign(name, [text], systems=SYSTEMS, options={"all_scenarios": True})
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    Keyboard(page).wait_until_ready()
    for width, height in ((1280, 720), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for question in page.locator(".q:not([hidden])").all():
            question.scroll_into_view_if_needed()
            for part in question.locator("legend:not(.vh) > b, .lab > b, legend:not(.vh) > i, .lab > i").all():
                box = part.bounding_box()
                assert box and box["width"] > 1 and box["height"] > 8, part.inner_text()
