"""From an empty server to judged sentences without a terminal: set-up, texts, protocol, judges, plan, preview, open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser_actions import Keyboard
from lanner import campaign
from organiser_client import CODE, OrganiserServer

pytestmark = pytest.mark.browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OrganiserServer]:
    with OrganiserServer(tmp_path / "lanner.sqlite") as running:
        yield running


def set_up(page: Page, server: OrganiserServer) -> None:
    page.goto(server.url)
    page.get_by_label("Code from the terminal").fill(CODE)
    page.get_by_label("Your name").fill("Olga")
    page.get_by_label("Password").fill("a long enough sentence")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_text("No campaigns yet")).to_be_visible()


def test_a_new_organiser_opens_a_campaign_and_sees_a_judge_save(
    server: OrganiserServer, page: Page, context: BrowserContext
) -> None:
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    set_up(page, server)
    page.get_by_role("link", name="New campaign").click()
    page.get_by_role("button", name="Take these").first.click()
    expect(page.get_by_role("radio", name=re.compile(r"\bH-FALCON\b"))).to_be_checked()
    page.get_by_label("Judges, one per line").fill("Ana, ana@example.org, ko\nBen, ko\nChi\nDora")
    page.locator("input[name=name]").fill("pilot")
    page.get_by_label("Title that judges see").fill("Our pilot")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.locator("#plan")).to_contain_text("pairs of judges have items in common")
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", name="4 links")).to_be_visible()
    link = page.locator("code.link").first.text_content() or ""
    page.get_by_role("link", name="Done").click()
    page.get_by_role("link", name="Preview as a judge").first.click()
    expect(page.get_by_text("nothing is saved")).to_be_visible()
    page.get_by_role("link", name="Leave").click()
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator(".chip")).to_have_text("Running")
    assert campaign.get(server.store, "pilot").state == "open"
    assert campaign.history(server.store, "pilot") == []

    page.wait_for_selector("#live[data-state=live]")
    judge = context.new_page()
    judge.goto(link)
    judge.get_by_role("link", name=re.compile("Start|Continue")).first.click()
    judge.wait_for_url("**/practice")  # a first visit practises
    judge.locator('a.btn[href*="/task/"]').last.click()  # in the judge's language, whichever that is
    judge.wait_for_url(re.compile(r"/task/\d+$"))
    keyboard = Keyboard(judge)
    keyboard.wait_until_ready()
    keyboard.press("1", "3", "s", "4", "9", "Enter")
    row = page.locator('[data-panel="progress"] tbody tr', has_text="Ana")  # judges in trouble stand first
    expect(row.locator("td b").first).to_have_text("1")
    stored = campaign.judgements(server.store, "pilot")
    assert {judgement.question for judgement in stored} == {"skills", "sentence", "holistic"}


def test_what_was_filled_in_stays_when_the_columns_are_set_anew(
    server: OrganiserServer, page: Page, tmp_path: Path
) -> None:
    """Whoever saw beside it that a column was wrong, or its language, lost all that was chosen."""
    texts = tmp_path / "texts.csv"
    texts.write_text("Nr;Text;Deutsch A;Deutsch B\n1;One ferry.;Eine Fähre.;Die Fähre.\n", encoding="utf-8")
    page.set_default_timeout(30_000)
    server.enter(page)
    page.goto(f"{server.url}/new")
    page.locator("input[name=texts]").set_input_files(texts)
    page.get_by_role("button", name="Read the texts").click()
    page.get_by_role("button", name="Use these texts").click()
    page.locator("[name=protocol][value=esa]").check()
    page.get_by_label("Judges, one per line").fill("Ana\nBen")
    page.locator("input[name=name]").fill("kept")
    page.locator("[name=system]").first.uncheck()
    page.get_by_role("link", name="Set what each column holds").click()
    page.get_by_label("Into").select_option("de")
    page.get_by_role("button", name="Use these texts").click()
    expect(page.get_by_label("Judges, one per line")).to_have_value("Ana\nBen")
    expect(page.locator("[name=protocol]:checked")).to_have_value("esa")
    expect(page.locator("input[name=name]")).to_have_value("kept")
    expect(page.locator("[name=system]").first).not_to_be_checked()
    expect(page.locator("[name=system]").last).to_be_checked()
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", name="2 links")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    assert [judge.id for judge in campaign.judges(server.store, "kept")] == ["ana", "ben"]
    page.goto(f"{server.url}/new")
    page.get_by_role("button", name="Take these").first.click()
    page.get_by_label("Judges, one per line").fill("Cho, cho@example.org")
    page.get_by_role("link", name="Campaigns").click()
    assert "cho@example.org" in page.evaluate("JSON.stringify(sessionStorage)")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login*")
    assert page.evaluate("sessionStorage.length") == 0


def test_a_wrong_code_and_wrong_texts_are_said_in_words(server: OrganiserServer, page: Page, tmp_path: Path) -> None:
    page.set_default_timeout(60_000)
    page.goto(f"{server.url}/setup")
    page.get_by_label("Code from the terminal").fill("guess")
    page.get_by_label("Your name").fill("Eve")
    page.get_by_label("Password").fill("a long enough sentence")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("alert")).to_contain_text("lanner serve")
    server.enter(page)
    page.goto(f"{server.url}/new")
    broken = tmp_path / "broken.csv"
    broken.write_text("document,segment,source,system:a\n" + "d,1,x,y\n" * 3)
    page.get_by_label("Files").set_input_files(broken)
    page.get_by_role("button", name="Read the texts").click()
    expect(page.get_by_role("alert")).to_contain_text("broken.csv")
