"""How the judging page feels: from a key press to the changed page on documents of 60 and 200 sentences at a quarter of
the processor's speed, and what the first page weighs; beside Pearmut's page with the same texts, where it can be
installed.

    python benchmarks/bench_judging_page.py

A press is timed inside the page, from the event to the end of everything it sets off, layout included; median and 95th
percentile of 50, in the least disturbed of three rounds. Both pages set a score on a slider from 0 to 100 (ESA); ours
is also timed on the keys of H-FALCON, FALCON and ESA and on the words of a segment of 1,500 words. The goal is a median
under 16 ms, a frame, and a 95th percentile under 40 ms. `--ours` leaves the peer out. Pearmut asks for Python 3.12 or
newer; where there is none, it is installed into this one with that wish set aside (its page is the same), and
the output says so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from lanner.model import Document
from live_server import SYSTEMS, Live, document

SENTENCES, MANY, SLOWER, TIMES, ROUNDS, FRAME, SLOWEST = 60, 200, 4, 50, 3, 16.0, 40.0
SLIDER = "score by slider"
PRESSES = {
    "h_falcon": ("1", "2", "7", "3", "s", "4", "h", "9", "Enter"),
    "falcon": ("l", "2", "t", "1", "4", "7", "Enter"),
    "esa": ("ArrowRight", "ArrowRight", "1", "u", "o", "ArrowRight", "2", "u", "j"),
}
"""What a judge presses for a sentence."""
KEYS = """async keys => {
  const took = [];
  for (const key of keys) {
    await new Promise(requestAnimationFrame);
    const started = performance.now();
    const code = /\\d/.test(key) ? 'Digit' + key : key.length > 1 ? key : 'Key' + key.toUpperCase();
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
    document.body.getBoundingClientRect();
    took.push(performance.now() - started);
  }
  return took;
}"""
ASKS = """
from importlib.metadata import requires
print(*(wish.split(";")[0].replace(" ", "") for wish in requires("pearmut") or () if "extra" not in wish))
"""
SLIDES = """async ([css, times]) => {
  const slider = document.querySelector(css), took = [];
  for (let n = 1; n <= times; n++) {
    await new Promise(requestAnimationFrame);
    const started = performance.now();
    slider.value = n;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    slider.dispatchEvent(new Event('change', { bubbles: true }));
    document.body.getBoundingClientRect();
    took.push(performance.now() - started);
  }
  return took;
}"""


def opened(browser: Browser, url: str, ready: str, first: str = "") -> tuple[Page, int]:
    """The page at a quarter of the speed, and the bytes that came over the wire for it."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    if first:
        page.goto(first)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    weight = [0]
    session.on(
        "Network.loadingFinished", lambda event: weight.__setitem__(0, weight[0] + int(event["encodedDataLength"]))
    )
    page.goto(url)
    page.wait_for_selector(ready, state="attached", timeout=60_000)
    page.wait_for_load_state("networkidle")
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return page, weight[0]


def quietest(times: Callable[[], list[float]]) -> list[float]:
    """The times of the round that the rest of the machine disturbed least; the same for both pages."""
    return min((times() for _ in range(ROUNDS)), key=statistics.median)


def percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def ours(browser: Browser, folder: Path) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Sizes in kB, and the times of each thing a judge does."""
    with Live(folder / "lanner.sqlite") as live:
        sizes: dict[str, float] = {}
        times: dict[str, list[float]] = {}

        def open_task(protocol: str, text: Document, row: int = 1) -> tuple[Page, int]:
            work = live.campaign(protocol, [text], systems=SYSTEMS[:1])
            return opened(browser, f"{work.url(work.tasks[0].id)}?row={row}&whole=1", "html[data-ready]", work.link)

        def press(page: Page, keys: Sequence[str]) -> list[float]:
            return quietest(lambda: page.evaluate(KEYS, (list(keys) * TIMES)[:TIMES]))

        short = document(SENTENCES)
        for count, text in ((SENTENCES, short), (MANY, document(MANY))):
            for protocol, keys in PRESSES.items():
                page, weight = open_task(protocol, text, count // 2)
                if not sizes:
                    sizes["first page over the wire"] = weight / 1000
                    texts = (segment.source + segment.outputs[SYSTEMS[0]] for segment in short.segments)
                    sizes["of it texts, before compression"] = sum(len(each.encode()) for each in texts) / 1000
                times[f"{protocol}, {count} sentences: key"] = press(page, keys)
                page.evaluate(KEYS, ["Escape", "j"])
                times[f"{protocol}, {count} sentences: next sentence"] = press(page, "jk")
                if protocol == "esa" and count == SENTENCES:
                    times[SLIDER] = quietest(lambda page=page: page.evaluate(SLIDES, ["[type=range]", TIMES]))
                page.context.close()
        words = (" ".join(f"word{n}" for n in range(1500)), " ".join(f"낱말{n}" for n in range(1500)))
        page, _ = open_task("mqm_linked", document(texts=[words, words]))
        page.evaluate(KEYS, ["ArrowRight"] * 20)
        times["1,500 words: next word"] = press(page, ["ArrowRight"])
        page.evaluate(KEYS, ["1", "1", "1"])
        times["1,500 words: mark"] = press(page, ["ArrowRight", "1", "1", "1"])
        page.context.close()
        return sizes, times


def peer_programs(folder: Path) -> tuple[Path | None, str]:
    """The programs of an environment with Pearmut in it, and what there is to say about it."""
    newer = [path for name in ("python3.14", "python3.13", "python3.12") if (path := shutil.which(name))]
    newer += sorted(map(str, Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python3")), reverse=True)
    for place, python in enumerate([*newer, sys.executable]):
        programs = folder / f"pearmut{place}" / "bin"
        pip: list[str | Path] = [programs / "pip", "install", "--quiet", "--disable-pip-version-check"]
        steps: list[list[str | Path]] = [[python, "-m", "venv", programs.parent]]
        steps += (
            [[*pip, "pearmut"]] if python in newer else [[*pip, "--no-deps", "--ignore-requires-python", "pearmut"]]
        )
        if not all(map(_went, steps)):
            continue
        if python in newer:
            version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
            return programs, f"Pearmut on {version}."
        asked = subprocess.run([programs / "python", "-c", ASKS], capture_output=True, text=True, check=True)
        if _went([*pip, *asked.stdout.split()]):
            version = ".".join(map(str, sys.version_info[:2]))
            return programs, f"No Python 3.12 here: Pearmut runs on {version}, against its wish; its page is the same."
    return None, "Pearmut could not be installed here (it asks for Python 3.12 or newer): its column is empty."


def _went(step: Sequence[str | Path]) -> bool:
    return subprocess.run(step, capture_output=True, check=False).returncode == 0


def theirs(browser: Browser, folder: Path) -> tuple[float, list[float], str]:
    """The size of Pearmut's page in kB, the times of its slider, and what there is to say about it."""
    programs, remark = peer_programs(folder)
    if programs is None:
        return 0, [], remark
    texts = document(SENTENCES).segments
    items = [{"src": s.source, "tgt": {"m": s.outputs[SYSTEMS[0]]}, "item_id": s.id} for s in texts]
    campaign = {"info": {"assignment": "task-based", "protocol": "ESA"}, "campaign_id": "bench", "data": [[items]]}
    (folder / "bench.json").write_text(json.dumps(campaign))
    added = subprocess.run(
        [programs / "pearmut", "add", "bench.json"], cwd=folder, capture_output=True, text=True, check=True
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = re.search(r"/annotate\?\S+", added.stdout)
    serve = f"import uvicorn, pearmut.app as p; uvicorn.run(p.app, host='127.0.0.1', port={port}, log_level='error')"
    server = subprocess.Popen([programs / "python", "-c", serve], cwd=folder)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1)
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        if path is None:
            return 0, [], "Pearmut made no campaign of these texts: its column is empty."
        page, weight = opened(browser, f"http://127.0.0.1:{port}{path[0]}", "input[type=range]")
        times = quietest(lambda: page.evaluate(SLIDES, ["input[type=range]", TIMES]))
        page.context.close()
        return weight / 1000, times, remark
    finally:
        server.kill()
        server.wait()


def main() -> None:
    chromium = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if chromium is None:
        print("NO BROWSER: install Chromium (make browser) to measure the judging page.")
        return
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        sizes, times = ours(browser, Path(place))
        alone = "--ours" in sys.argv[1:]
        peer_size, peer_times, remark = (0, [], "") if alone else theirs(browser, Path(place))
        browser.close()
    for name, size in sizes.items():
        print(f"{name:36}{size:7.1f} kB")
    if peer_size:
        print(f"{'Pearmut: first page over the wire':36}{peer_size:7.1f} kB")
    print(
        f"Processor slowed down {SLOWER} times, {TIMES} presses, best of {ROUNDS} rounds; load {os.getloadavg()[0]:.1f}"
    )
    print(f"{'ms':36}{'median':>9}{'95 %':>9}")
    for name, measured in [*times.items(), *([(f"Pearmut: {SLIDER}", peer_times)] if peer_times else [])]:
        print(f"{name:36}{statistics.median(measured):9.1f}{percentile(measured, 0.95):9.1f}")
    if remark:
        print(remark)
    late = [name for name, measured in times.items() if statistics.median(measured) >= FRAME]
    late += [f"{name} (95 %)" for name, measured in times.items() if percentile(measured, 0.95) >= SLOWEST]
    print(f"Median under {FRAME:g} ms and 95 % under {SLOWEST:g} ms: {'NO: ' + ', '.join(late) if late else 'yes'}")


if __name__ == "__main__":
    main()
