"""Doubtful rows settled in a real browser: by keyboard, by mouse, in any script; and the files that come of it."""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from live_server import Child
from page_inspection import clean, picture

pytestmark = pytest.mark.browser

ENGLISH = (
    "The council met on Tuesday. It was late. Nobody had expected the vote to be so close, least of all the mayor."
)
TEXTS = {
    "ko": (
        "시의회는 화요일 늦게 열렸다. 표결이 이렇게 접전이 될 줄은 아무도 몰랐고, 시장은 더더욱 몰랐다.",
        "의회는 화요일에 모였고 늦은 시간이었다. 아무도 예상하지 못했다.",
    ),
    "ar": (
        "اجتمع المجلس متأخرًا يوم الثلاثاء. لم يتوقع أحد أن يكون التصويت متقاربًا إلى هذا الحد، وأقلهم العمدة.",
        "اجتمع المجلس يوم الثلاثاء وكان الوقت متأخرًا. لم يتوقع أحد ذلك.",
    ),
    "ja": (
        "評議会は火曜日の遅くに開かれた。採決がこれほど接戦になるとは誰も予想していなかった。",
        "議会は火曜日に会合した、それは遅かった。誰も予想していませんでした",
    ),
}


@dataclass
class ReviewProcess:
    """`lanner prepare --verify` in a process of its own."""

    folder: Path
    link: str
    process: Child

    def edits(self) -> list[str]:
        log = self.folder / "set.edits.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [entry.get("kind", "undo") for entry in map(json.loads, lines)]

    def rows(self, document: str) -> list[str]:
        lines = (self.folder / "set.jsonl").read_text(encoding="utf-8").splitlines()
        [found] = [entry for entry in map(json.loads, lines) if entry["id"] == document]
        return [segment["source"] for segment in found["segments"]]


@pytest.fixture
def review(tmp_path: Path) -> Iterator[ReviewProcess]:
    with (tmp_path / "set.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["document", "segment", "source", "reference", "target", "source_language", "target_language"])
        for code, (reference, target) in TEXTS.items():
            writer.writerow([code, "1", ENGLISH, reference, target, "en", code])
        writer.writerow(["long", "1", ENGLISH * 12, TEXTS["ko"][0] * 12, TEXTS["ko"][1] * 12, "en", "ko"])
    said = tmp_path / "said.txt"
    options = ("--out", "set.jsonl", "--verify", "--by", "Ana")
    process = Child("command", "prepare", "set.csv", *options, folder=tmp_path, output=said)
    while not (found := re.search(r"(http://127\.0\.0\.1:\S+)\s", said.read_text() if said.exists() else "")):
        time.sleep(0.05)
    yield ReviewProcess(tmp_path, found[1], process)
    process.kill()


def open_review(page: Page, review: ReviewProcess) -> None:
    page.goto(review.link)
    expect(page.locator("td[tabindex='0']")).to_be_focused()


def test_a_sitting_by_keyboard(review: ReviewProcess, page: Page) -> None:
    open_review(page, review)
    expect(page.locator("#left")).to_have_text("4 of 4 open")
    clean(page, "verify")
    said, rows = page.locator("#said"), page.locator("tr.own")
    expect(page.locator("td[tabindex='0']")).to_have_class("reference unsure")

    page.keyboard.press("s")
    expect(page.locator(".cutting")).to_be_visible()
    expect(said).to_have_text("The second row begins with: It was late.")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("The second row begins with: was late.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    clean(page, "verify-splitting")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("Split row 1.1.")
    assert rows.evaluate_all("rows => rows.map(row => row.dataset.row)") == ["1.1.1", "1.1.2", "1.2"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    before = page.locator("tr.cur td").last.inner_text()
    page.keyboard.press("]")
    expect(said).to_have_text("Moved from the row below.")
    assert len(page.locator("tr.cur td").last.inner_text()) > len(before)
    page.keyboard.press("u")
    expect(said).to_have_text("Undone: shift.")
    assert page.locator("tr.cur td").last.inner_text() == before
    page.keyboard.press("m")
    expect(said).to_contain_text("Merged row 1.1.1")
    page.keyboard.press("a")
    expect(page.locator("#left")).to_have_text("3 of 4 open")
    expect(page.locator("#where")).to_have_text("Segment 2 of 4")
    page.keyboard.press("p")
    expect(page.locator("#where")).to_have_text("Segment 1 of 4")
    page.keyboard.press("n")
    for _ in range(3):  # faster than the server answers: every key counts
        page.keyboard.press("a")
    expect(page.locator("#left")).to_have_text("0 of 4 open")
    expect(said).to_contain_text("Everything is settled")
    clean(page, "verify-settled")
    page.get_by_role("button", name="Save and finish").click()
    expect(page.get_by_role("heading", name="Saved")).to_be_visible(timeout=30_000)
    clean(page, "verify-saved")
    assert review.process.wait() == 0, "the command ends by itself"
    assert review.edits()[:4] == ["split", "shift", "undo", "merge"]
    assert review.rows("ko")[0] == "The council met on Tuesday. It was late."
    made = json.loads((review.folder / "set.manifest.json").read_text(encoding="utf-8"))
    assert made["doubtful"] == 0
    assert {edit["by"] for edit in made["edits"]} == {"Ana"}
    assert not (review.folder / "set.doubtful.csv").exists()


def test_the_same_by_mouse_in_scripts_without_spaces_and_from_right_to_left(review: ReviewProcess, page: Page) -> None:
    open_review(page, review)
    page.locator(".list a").nth(1).click()
    expect(page.locator("#where")).to_have_text("Segment 2 of 4")
    arabic = page.locator("tr.own td[data-column='output:target'] .t").first
    assert (arabic.get_attribute("dir"), arabic.get_attribute("lang")) == ("rtl", "ar")
    page.emulate_media(color_scheme="dark")
    clean(page, "verify-arabic-dark")
    page.locator(".list a").nth(2).click()
    expect(page.locator("#where")).to_have_text("Segment 3 of 4")
    page.locator("tr.own td[data-column='source']").last.click()
    page.get_by_role("button", name="Split").click()
    page.locator("tr.cur td[data-column='source'] .w", has_text="least").click()
    page.locator("tr.cur td[data-column='output:target'] .w").nth(3).click()
    clean(page, "verify-japanese-splitting-dark")
    page.get_by_role("button", name="Split here").click()
    expect(page.locator("#said")).to_contain_text("Split row")
    assert page.locator("tr.own").last.locator("td").first.inner_text() == "least of all the mayor."
    page.get_by_role("button", name="Merge with the row below").click()
    expect(page.locator("#said")).to_contain_text("Merged")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#said")).to_contain_text("Undone: merge.")
    assert review.edits() == ["split", "merge", "undo"]


def test_nothing_is_lost_when_the_page_or_the_command_goes(review: ReviewProcess, page: Page) -> None:
    open_review(page, review)
    page.keyboard.press("a")
    expect(page.locator("#left")).to_have_text("3 of 4 open")
    page.reload()
    expect(page.locator("#left")).to_have_text("3 of 4 open")
    page.keyboard.press("Control+a")
    expect(page.locator("#left")).to_have_text("3 of 4 open")
    review.process.kill()
    assert set(review.edits()) == {"accept"}
    page.keyboard.press("a")
    expect(page.locator("#said.no")).not_to_be_empty()


def test_long_rows_small_screens_and_the_keys(review: ReviewProcess, page: Page) -> None:
    open_review(page, review)
    page.locator(".list a").nth(3).click()
    expect(page.locator("#where")).to_have_text("Segment 4 of 4")
    assert page.evaluate("document.documentElement.scrollHeight") <= 900, "the rows scroll, the tools stay"
    picture(page, "verify-long")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    clean(page, "verify-keys")
    page.get_by_label("Letters and brackets act as keys").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("m")
    page.keyboard.press("ArrowDown")
    assert review.edits() == []
    page.set_viewport_size({"width": 600, "height": 900})
    clean(page, "verify-600")
    assert page.evaluate("document.documentElement.scrollWidth") <= 600, "nothing to scroll sideways"
