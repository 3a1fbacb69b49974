"""An organiser walks through the stations of a campaign at a real browser; numbers are held against the raw rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from lanner import campaign, protocols
from lanner.model import Document, Judge, Segment
from life.oracle import alpha, raw_rows
from organiser_client import OrganiserServer

pytestmark = [pytest.mark.browser, pytest.mark.used_page]
NAME = "walked"
LONG = " ".join(["The ferry left before the tide had turned and nobody on the pier waited for it."] * 14)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OrganiserServer]:
    """A campaign whose calibration round is done, with segments longer than a screen."""
    texts = [
        Document(
            f"d{number}",
            tuple(Segment(str(at), f"{at}. {LONG}", {"oak": f"{at}: {LONG}"}) for at in range(12 if not number else 2)),
            "en",
            "de",
        )
        for number in range(3)
    ]
    people = [Judge(name.lower(), name=name) for name in ("Ana", "Ben", "Cem")]
    with OrganiserServer(tmp_path_factory.mktemp("life") / "lanner.sqlite") as running:
        settings = {"calibration": ["d0"], "main_question": "score"}
        campaign.create(running.store, NAME, texts, protocols.load("esa"), people, seed=1, settings=settings)
        campaign.open(running.store, NAME)
        dice = Random(3)
        for judge in people:
            for task in campaign.tasks(running.store, NAME, judge.id):
                for at in range(len(task.items)):
                    mark = {
                        "side": "target",
                        "start": 0,
                        "end": 6,
                        "severity": "major" if judge.id == "ana" else "minor",
                    }
                    answers = {"errors": [mark], "score": 30 + 4 * at + dice.randint(-9, 9)}
                    submission = f"{task.id}.{at}"
                    campaign.submit(
                        running.store, task.id, at, answers, submission=submission, active=20.0, elapsed=25.0
                    )
                campaign.finish(running.store, task.id)
        yield running


def test_from_calibration_to_a_new_link_and_the_report(server: OrganiserServer, browser: Browser, page: Page) -> None:
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    server.enter(page)
    here = f"{server.url}/campaigns/{NAME}"
    raw = raw_rows(campaign.judgements(server.store, NAME))
    expected = alpha(raw[raw["question"] == "score"], "interval")
    assert expected is not None

    # The live page has the number, and says first what is waited for.
    page.goto(here)
    expect(page.locator('[data-panel="agreement"] svg')).to_contain_text(f"{expected:.2f}".removeprefix("0"))
    assert page.locator('[data-panel="needs"] li').first.get_attribute("data-need") == "calibration"

    # In front of a long segment its answers are in sight, and a mark says how severe each judge found it.
    page.goto(f"{here}/disagreements?question=score")
    box = page.locator(".answers .mat").first.bounding_box()
    assert box is not None and 0 <= box["y"] < 700, "the answers begin on the first screen"
    assert page.locator(".passage tr.cur").evaluate("row => row.offsetTop - row.closest('.passage').scrollTop") < 400
    sup = page.locator(".passage tr.cur mark sup").first
    expect(sup).to_contain_text("Ana · major")
    expect(sup).to_contain_text("Ben · minor")
    texts = page.locator(".list .lt").all_inner_texts()
    assert texts and all(len(text) <= 86 and text.endswith("…") for text in texts)

    # The rest is assigned; a judge who has a page open is told that the link was replaced.
    page.goto(here)
    page.locator('[data-need="calibration"]').get_by_role("button", name="Assign the rest").click()
    expect(page.locator('[data-panel="needs"]')).not_to_contain_text("calibration round is done")
    secret = campaign.invitations.issue(server.store, NAME, "ana")
    with browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB") as other:
        judging = other.new_page()
        judging.goto(f"{server.url}/j/{secret}")
        judging.locator("#start").click()
        judging.wait_for_selector("#questions")
        page.goto(f"{here}/judges")
        row = page.get_by_role("row", name=re.compile("Ana"))
        row.get_by_text("New link", exact=True).click()
        row.get_by_role("button", name="Create a new link").click()
        expect(page.locator("#links")).to_contain_text("/j/")
        judging.locator("#questions input[type=range]").first.press("ArrowRight")
        expect(judging.get_by_text("your link was replaced")).to_be_visible()

    # The report as the server shows it: what it links to can be saved.
    page.goto(f"{here}/report")
    references = page.get_by_role("link", name="BibTeX")
    for link, name in ((page.locator(".files a").first, r".+\.csv"), (references, "references.bib")):
        with page.expect_download() as download:
            link.click()
        assert re.fullmatch(name, download.value.suggested_filename)


def test_tables_with_long_names_keep_their_buttons_and_on_a_phone_their_first_column(
    server: OrganiserServer, page: Page
) -> None:
    """One long name pushed the buttons of everybody beyond the edge; on a phone nothing but names was to be seen."""
    long_name = "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrente-Verwaltung"
    text = Document("d", (Segment("1", "One.", {"oak": "Eins."}),), "en", "de")
    judges = [Judge("long", name=long_name), Judge("b", name="B")]
    campaign.create(server.store, "long names", [text], protocols.load("esa"), judges, seed=1)
    campaign.open(server.store, "long names")
    for judge in judges:
        campaign.invitations.issue(server.store, "long names", judge.id)
    server.enter(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{server.url}/campaigns/long names/judges")
    scroll = page.locator(".scroll").first
    assert scroll.evaluate("box => box.scrollWidth <= box.clientWidth")
    page.set_viewport_size({"width": 390, "height": 844})
    name = scroll.locator("tbody th").first
    before = name.bounding_box()
    assert scroll.evaluate("box => { box.scrollLeft = 200; return box.scrollLeft; }") == 200
    assert before and name.bounding_box() == before and before["width"] < 0.45 * 390
