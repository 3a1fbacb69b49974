"""Texts of any script, and an interface whose language has nothing to do with theirs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from browser_actions import Keyboard
from live_server import Live, document

pytestmark = [pytest.mark.browser, pytest.mark.used_page]

ALPHA = ["hidden-engine-alpha"]
LOOK = "e => (({ direction, wordBreak, lineBreak }) => ({ direction, wordBreak, lineBreak }))(getComputedStyle(e))"


@pytest.mark.parametrize(
    ("interface", "languages", "target", "look"),
    [
        ("en", ("en", "ar"), "PaperBoat أعلنت الشركة.", {"direction": "rtl"}),
        ("ar", ("de", "ko"), "‘그녀’는 café에서 👩‍🚀를 보았다.", {"direction": "ltr", "wordBreak": "keep-all"}),
        ("ko", ("ar", "ja"), "彼女は「𠮷野家」で食べた。", {"direction": "ltr", "lineBreak": "strict"}),
        ("de", ("zh", "he"), "שלום abc עולם", {"direction": "rtl"}),
        ("en", ("zxx", "und"), "1234", {"direction": "ltr"}),
    ],
)
def test_each_text_by_its_own_language(
    live: Live, page: Page, interface: str, languages: tuple[str, str], target: str, look: dict[str, str]
) -> None:
    texts = [("مرحبا" if languages[0] == "ar" else "Hello.", target)] * 2
    work = live.campaign("h_falcon", [document(texts=texts, languages=languages)], systems=ALPHA)
    work.enter(page)
    page.goto(work.url(work.tasks[0].id) + f"?language={interface}")
    Keyboard(page).wait_until_ready()
    cell = page.locator(".is-active .tgt")
    assert cell.text_content() == target
    assert cell.evaluate(LOOK).items() >= look.items()
    assert page.locator("html").get_attribute("lang") == interface
    assert page.locator(".is-active .tgt").get_attribute("lang") in (languages[1], None)
    source = page.locator(".is-active .src")
    assert source.evaluate("e => getComputedStyle(e).direction") == ("rtl" if languages[0] == "ar" else "ltr")
    rail, doc = page.locator(".rail").bounding_box(), page.locator(".doc").bounding_box()
    assert rail and doc and (rail["x"] < doc["x"]) == (interface == "ar"), "an Arabic interface is mirrored"
