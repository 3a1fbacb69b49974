"""Take the pictures of the docs anew: every page, from a demo that is made for it. Run: python docs/screenshots.py

Needs Chromium and the development tools (make setup). `python docs/screenshots.py live report` takes only those whose
name contains one of the words. A picture that is missing from `docs/images` or from the docs fails a test.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from lanner import campaign, formats
from lanner.cli.demo import QUALITIES
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, Segment
from lanner.store import Store

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / "images"
COLOURS = 64
LARGEST = 120_000
"""Bytes of one picture."""
ARGUMENTS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
CAMPAIGNS = {  # what the demo has not: errors, pairs, sliders, context; protocol, title
    "pictures-esa": ("esa", "Spring: error spans"),
    "pictures-mqm": ("mqm", "Spring: MQM"),
    "pictures-pair": ("ranking_rs", "Spring: which is better"),
    "pictures-slider": ("da", "Spring: direct assessment"),
    "pictures-context": ("context_survey", "Which context is needed"),
}


@dataclass(frozen=True)
class Shot:
    """A picture: where, what is done before it is taken, and how the window is."""

    name: str
    where: str
    act: Callable[[Page], None] = lambda _: None
    size: tuple[int, int] = (1280, 800)
    scripts: bool = True
    dark: bool = False
    signed_in: bool = False


def _start(page: Page) -> None:
    """From a judge's overview to the practice, or into the first document where there is none."""
    page.locator("main a[href*='/task/'], main form button").first.click()
    page.wait_for_selector("[data-item], .row, fieldset")


def _begin(page: Page) -> None:
    """From a judge's overview into the first document, past the practice."""
    _start(page)
    practice = page.get_by_role("link", name="Skip the practice")
    if practice.count():
        practice.last.click()
        page.wait_for_selector("body:not(.practice)")


def _begin_ready(page: Page) -> None:
    """The same, and until its scripts listen to keys."""
    _begin(page)
    page.wait_for_selector("html[data-ready]", state="attached")


def _keys(*pressed: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        _begin_ready(page)
        for key in pressed:
            page.keyboard.press(key)
            page.wait_for_timeout(60)

    return act


def _mark(page: Page) -> None:
    """Select a few words of the translation, as a judge does."""
    _begin_ready(page)
    page.evaluate(
        """() => {
        const shown = document.querySelector(".now .tgt, .now [data-text='target'], [data-now] .tgt, .tgt");
        const walk = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
        const node = walk.nextNode();
        const range = document.createRange();
        range.setStart(node, 0);
        range.setEnd(node, Math.min(9, node.length));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        document.dispatchEvent(new Event("selectionchange"));
        shown.dispatchEvent(new PointerEvent("pointerup", {bubbles: true}));
        shown.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
        }"""
    )
    page.wait_for_timeout(300)


def _counted(page: Page) -> None:
    """The numbers of the live page come after it."""
    page.wait_for_function("() => !document.body.innerText.includes('Computing the numbers')", timeout=120_000)


def _upload(page: Page) -> None:
    table = "document,source,target\nferry,The ferry is late.,배가 늦습니다.\nferry,We waited.,기다렸습니다.\n"
    page.set_input_files("input[type=file]", {"name": "mine.csv", "mimeType": "text/csv", "buffer": table.encode()})
    page.select_option("select[name=source]", "en")
    page.select_option("select[name=target]", "ko")
    page.locator("form:has(input[type=file]) button[type=submit]").first.click()
    page.wait_for_url(re.compile(r"/new/."))


SHOTS = (
    Shot("start", "{start}", size=(1000, 1180)),
    Shot("judge-home", "{judge}"),
    Shot("judging", "{judge}", _keys("1", "3", "s", "4")),
    Shot("judging-keys", "{judge}", _keys("?")),
    Shot("judging-practice", "{pictures-mqm}", _start),
    Shot("judging-falcon", "{judge_source}", _keys("2")),
    Shot("judging-spans", "{pictures-esa}", _mark, dark=True),
    Shot("judging-mqm", "{pictures-mqm}", _mark),
    Shot("judging-pair", "{pictures-pair}", _begin),
    Shot("judging-slider", "{pictures-slider}", _begin),
    Shot("judging-context", "{pictures-context}", _begin),
    Shot("judging-phone", "{judge}", _begin, size=(400, 800)),
    Shot("judging-no-script", "{judge}", _begin, scripts=False),
    Shot("organiser-login", "{address}/login"),
    Shot("organiser-campaigns", "{address}/campaigns", signed_in=True),
    Shot("organiser-new", "{address}/new", signed_in=True),
    Shot("organiser-draft", "{address}/new", _upload, signed_in=True),
    Shot("organiser-protocol", "{address}/protocols/h_falcon", signed_in=True),
    Shot("organiser-live", "{address}/campaigns/demo-h-falcon", _counted, signed_in=True),
    Shot("organiser-documents", "{address}/campaigns/demo-h-falcon/documents", signed_in=True),
    Shot("organiser-disagreements", "{address}/campaigns/demo-h-falcon/disagreements", signed_in=True),
    Shot("organiser-judges", "{address}/campaigns/demo-h-falcon/judges", signed_in=True),
    Shot("organiser-settings", "{address}/campaigns/demo-h-falcon/settings", signed_in=True),
    Shot("organiser-models", "{address}/campaigns/demo-h-falcon/models", signed_in=True),
    Shot("organiser-import", "{address}/campaigns/demo-h-falcon/import", signed_in=True),
    Shot("organiser-people", "{address}/people", signed_in=True),
    Shot("organiser-server", "{address}/server", signed_in=True),
    Shot("report", "{report}"),
    Shot("compare", "{compare}"),
    Shot("verify", "{verify}"),
)


def _lanner(folder: Path, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "lanner", *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@contextmanager
def _serving(folder: Path, *words: str) -> Iterator[str]:
    """What a command says until it says how to stop it; it is stopped afterwards."""
    command = [sys.executable, "-u", "-m", "lanner", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        said = ""
        for line in started.stdout:
            said += line
            if "Ctrl+C" in line:
                break
        try:
            yield said
        finally:
            started.send_signal(signal.SIGINT)
            started.stdout.read()


def _prepare(folder: Path) -> dict[str, str]:
    """The demo, and beside it a campaign for each kind of question; the links of their judge."""
    _lanner(folder, "demo", "--no-serve")
    found: dict[str, str] = {}
    with Store.open(folder / "lanner-demo" / "lanner.sqlite") as store:
        texts = campaign.documents(store, "demo-h-falcon")
        arabic = sorted(texts, key=lambda document: document.target_language != "ar")
        for name, (protocol, title) in CAMPAIGNS.items():
            people = [Judge("you", name="You"), Judge("ana", name="Ana"), Judge("ben", name="Ben")]
            campaign.create(store, name, arabic, protocol, people, seed=1, title=title)
            campaign.open(store, name)
            fill(store, name, {"ana": Temper(), "ben": Temper(severity=0.1)}, QUALITIES, seed=1)
            found[name] = campaign.invitations.issue(store, name, "you")
        formats.write("native", folder / "wmt", [_doubtful()])
    store_at = str(folder / "lanner-demo" / "lanner.sqlite")
    _lanner(
        folder, "compare", "pictures-slider", "pictures-mqm", "--store", store_at, "--out", "compared", "--svg-only"
    )
    return found


def _doubtful() -> Document:
    source = "The ferry was late again. We waited for an hour. Nobody came. Then we went home."
    target = "여객선이 또 늦어서 한 시간을 기다렸다. 아무도 오지 않았다."
    return Document("ferry", (Segment("1", source, {"oak": target}),), "en", "ko", domain="news")


def _small(path: Path) -> None:
    """Few colours, well packed: pages are mostly plain."""
    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        reduced.save(path, optimize=True)
    size = path.stat().st_size
    sys.stdout.write(f"{path.name:32} {size / 1000:6.0f} kB{'  TOO LARGE' if size > LARGEST else ''}\n")


def _take(shots: list[Shot], places: dict[str, str], enter: str) -> None:
    program = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS.split())
        inside = None
        for shot in shots:
            width, height = shot.size
            if shot.signed_in and inside is not None:
                context = inside
            else:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    java_script_enabled=shot.scripts,
                    color_scheme="dark" if shot.dark else "light",
                    reduced_motion="reduce",
                    locale="en-GB",
                )
            page = context.new_page()
            if shot.signed_in and inside is None:
                page.goto(enter)
                inside = context
            page.goto(shot.where.format_map(places))
            page.wait_for_load_state("load")
            shot.act(page)
            page.wait_for_timeout(250)
            page.screenshot(path=IMAGES / f"{shot.name}.png")
            page.close()
            _small(IMAGES / f"{shot.name}.png")
        browser.close()


def main(wanted: list[str]) -> None:
    """All pictures, or those whose names have one of these words."""
    shots = [shot for shot in SHOTS if not wanted or any(word in shot.name for word in wanted)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        links = _prepare(folder)
        with _serving(folder, "demo", "--no-open", "--port", "8940") as said:
            found = dict(re.findall(r"^  (Start here|Judge with \S+|Organise|Report)\s+(\S+)$", said, re.MULTILINE))
            address = found["Organise"].partition("/enter/")[0]
            places = {
                "start": Path(found["Start here"]).as_uri(),
                "judge": found["Judge with H-FALCON"],
                "judge_source": found["Judge with FALCON"],
                "address": address,
                "report": Path(found["Report"]).as_uri(),
                "compare": next((folder / "compared").glob("*.html")).as_uri(),
                **{name: f"{address}/j/{link}" for name, link in links.items()},
            }
            words = ("prepare", "wmt", "--recipe", "sentences", "--out", "corpus.jsonl", "--verify", "--by", "Ana")
            with _serving(folder, *words) as told:
                link = re.search(r"http://\S+", told)
                assert link, told
                _take(shots, {**places, "verify": link[0]}, found["Organise"])


if __name__ == "__main__":
    main(sys.argv[1:])
