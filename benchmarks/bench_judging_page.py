"""How the judging page feels: what a key press costs on documents of 60 and 200 sentences at a quarter of the
processor's speed, and what the first page weighs; beside Pearmut's page with the same texts, where it can be installed.

    python benchmarks/bench_judging_page.py

Keys are pressed as a person presses them, and the answers they should leave are compared with what the server holds.
The cost of a key is the time that the page's main thread works from the press to the first frame drawn after it, from
the browser's own trace: the page's scripts wherever they run, style, layout and paint, in processor time, which other
programs on the machine disturb least, times four. (The browser's own way to slow a page down keeps its thread spinning,
and on a machine with other work that is counted too.) Median and 95th percentile; the goal is a median under 16 ms, a
frame, and a 95th percentile under 40 ms. That frame shows the answer; what sums it up (the margin of the row, the
meter, the save indicator), what is kept on the device, what is laid out for the next step, and the frames of a smooth
scroll follow: their median is the column "after". The cost holds neither what other threads do nor the wait for the
screen: the last column, "shown", is the median from the press until the frame is on the screen by the browser's Event
Timing, as the clock has it on this machine, at its own speed and in the company of its other programs; up to a sixtieth
of a second of it is waiting for the screen. Every protocol is measured with both lengths. A long document opens with a
window around the sentence that is judged, as for every judge; one line is about a document that was unfolded whole.
The slider from 0 to 100 (ESA) is timed inside the page, for Pearmut and for ours alike: from
the event to the end of everything it sets off, layout included, in the least disturbed of six rounds. `--ours` leaves
the peer out. Pearmut asks for Python 3.12 or newer; where there is none, it is installed into this one with that wish
set aside (its page is the same), and the output says so.
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
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from lanner.model import Document
from live_server import SYSTEMS, Live, Work, document

SENTENCES, MANY, SLOWER, TIMES, ROUNDS, FRAME_LENGTH, SLOWEST = 60, 200, 4, 50, 6, 16.0, 40.0
SLIDER = "score by slider"
PRESSES: Mapping[str, tuple[Sequence[str], Mapping[str, Any]]] = {
    "h_falcon": (("1", "2", "7", "3", "s", "4", "h", "9", "Enter"), {"sentence": 4, "holistic": 9}),
    "falcon": (
        ("l", "2", "t", "1", "4", "7", "Enter"),
        {"context": "local", "skills": ["information_density", "style_register", "reference_consistency"]},
    ),
    "esa": (("ArrowRight", "ArrowRight", "1", "ArrowRight", "2", "8", "5", "Enter"), {"score": 85}),
    "mqm": (("ArrowRight", "1", "1", "1", "ArrowRight", "ArrowRight", "2", "1", "1", "Enter"), {"errors": ...}),
    "da": (("8", "5", "Enter"), {"score": 85}),
    "sqm": (("4", "Enter"), {"score": 4}),
    "ranking_rs": (("2", "Enter"), {"ranking_rs": ...}),
    "context_survey": (("1", "Enter"), {"translatable": ...}),
}
"""What a judge presses for a sentence, and what the server then holds (`...`: whatever the keys mean)."""
FRAME = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
PARTS = ("script", "style", "layout", "paint")
WORK = {
    **dict.fromkeys(("EventDispatch", "TimerFire", "FunctionCall"), "script"),
    "UpdateLayoutTree": "style",
    "Layout": "layout",
    **dict.fromkeys(("PrePaint", "Paint", "Layerize"), "paint"),
}
"""Which part of the work each event of the browser's trace belongs to. A frame ends with Layerize."""
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
    """The page, and the bytes that came over the wire for it."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    if first:
        page.goto(first)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.setBypassServiceWorker", {"bypass": True})  # what it hands over counts as nothing
    weight = [0]
    session.on(
        "Network.loadingFinished", lambda event: weight.__setitem__(0, weight[0] + int(event["encodedDataLength"]))
    )
    page.goto(url)
    page.wait_for_selector(ready, state="attached", timeout=60_000)
    page.wait_for_load_state("networkidle")
    return page, weight[0]


def slow_down(page: Page, times: int = SLOWER) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": times})


def quietest(times: Callable[[], list[float]]) -> list[float]:
    """The times of the round that the rest of the machine disturbed least; the same for both pages."""
    return min((times() for _ in range(ROUNDS)), key=statistics.median)


def percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


@dataclass
class Cost:
    """What one key press made the page do, in milliseconds of the main thread."""

    key: str
    parts: Counter[str] = field(default_factory=Counter)
    after: float = 0.0
    shown: float = 0.0
    """By the clock, at this machine's own speed: from the press until the frame is on the screen."""

    @property
    def total(self) -> float:
        return sum(self.parts.values())


def press(page: Page, keys: Sequence[str]) -> list[Cost]:
    """Press keys, one a frame, and read off the browser's trace what each of them cost."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[bool] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    categories = {"includedCategories": ["devtools.timeline", "blink.user_timing"]}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": categories})
    for key in keys:
        page.evaluate("key => void performance.mark(`key ${key}`)", key)
        page.keyboard.press(key)
        page.evaluate(FRAME)
    page.evaluate("performance.mark('key ')")
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    session.detach()
    return _costs(events)


def _costs(events: Sequence[Mapping[str, Any]]) -> list[Cost]:
    """The work from each press to the frame that shows it, and after that, as it would take on a slower processor.
    Inside a script the browser may lay out the page: that is layout."""
    marks = sorted((event for event in events if event["name"].startswith("key ")), key=lambda event: event["ts"])
    presses, costs = [mark["ts"] for mark in marks], [Cost(mark["name"][4:]) for mark in marks]
    thread = marks[0]["pid"], marks[0]["tid"]
    spans = [
        event
        for event in events
        if event["ph"] == "X" and (event["pid"], event["tid"]) == thread and event["name"] in WORK and _own(event)
    ]
    for event in events:
        timing = event["args"].get("data", {}) if event["name"] == "EventTiming" else {}
        if timing.get("type") == "keydown":
            costs[bisect(presses, event["ts"]) - 1].shown = timing["duration"]
    pressed, shown = [False] * len(marks), [False] * len(marks)
    around: list[Mapping[str, Any]] = []
    for event in sorted(spans, key=lambda event: (event["ts"], -event["dur"])):
        while around and around[-1]["ts"] + around[-1]["dur"] <= event["ts"]:
            around.pop()
        place = bisect(presses, event["ts"]) - 1
        if place < 0:
            continue
        cost, took = costs[place], SLOWER * event.get("tdur", 0) / 1000
        pressed[place] |= event["name"] == "EventDispatch" and event["args"]["data"]["type"] == "keydown"
        if shown[place]:
            cost.after += took if not around else 0
        elif pressed[place]:
            cost.parts[WORK[event["name"]]] += took
            if around:
                cost.parts[WORK[around[-1]["name"]]] -= took
            shown[place] = event["name"] == "Layerize"
        around.append(event)
    return costs[:-1]


def _own(event: Mapping[str, Any]) -> bool:
    """Whether work is the page's: what the benchmark evaluates there has no address."""
    return event["name"] != "FunctionCall" or bool(event["args"]["data"].get("url"))


def ours(browser: Browser, folder: Path) -> tuple[dict[str, float], dict[str, list[Cost]], list[float]]:
    """Sizes in kB, the cost of each thing a judge does, and the times of the slider."""
    with Live(folder / "lanner.sqlite") as live:
        sizes: dict[str, float] = {}
        costs: dict[str, list[Cost]] = {}
        slider: list[float] = []

        def open_task(protocol: str, text: Document, row: int = 1, more: str = "") -> tuple[Page, int, Work]:
            work = live.campaign(protocol, [text], systems=SYSTEMS if protocol.startswith("ranking") else SYSTEMS[:1])
            url = f"{work.url(work.tasks[0].id)}?row={row}{more}"
            return *opened(browser, url, "html[data-ready]", work.link), work

        short = document(SENTENCES)
        for count, text in ((SENTENCES, short), (MANY, document(MANY))):
            for protocol, (keys, answers) in PRESSES.items():
                page, weight, work = open_task(protocol, text, count // 2)
                if not sizes:
                    sizes["first page over the wire"] = weight / 1000
                    texts = (segment.source + segment.outputs[SYSTEMS[0]] for segment in short.segments)
                    sizes["of it texts, before compression"] = sum(len(each.encode()) for each in texts) / 1000
                if protocol == "esa" and count == SENTENCES:
                    slow_down(page)
                    slider = quietest(lambda page=page: page.evaluate(SLIDES, ["[type=range]", TIMES]))
                    slow_down(page, 1)
                    page.keyboard.press("j")
                press(page, keys)  # the first sentence warms the scripts up
                costs[f"{protocol}, {count} sentences: key"] = press(page, list(keys) * ROUNDS)
                check(page, work, 1 + ROUNDS, answers)
                page.keyboard.press("Escape")
                costs[f"{protocol}, {count} sentences: next sentence"] = press(page, ["j", "k"] * ROUNDS)
                page.context.close()
        page, _, _ = open_task("h_falcon", document(MANY), MANY // 2, "&whole=1")
        press(page, PRESSES["h_falcon"][0])
        costs[f"h_falcon, {MANY} unfolded: key"] = press(page, list(PRESSES["h_falcon"][0]) * ROUNDS)
        page.context.close()
        words = (" ".join(f"word{n}" for n in range(1500)), " ".join(f"낱말{n}" for n in range(1500)))
        page, _, _ = open_task("mqm_linked", document(texts=[words, words]))
        press(page, ["ArrowRight"] * 20)
        costs["1,500 words: next word"] = press(page, ["ArrowRight"] * TIMES)
        steps = ["ArrowRight", "1", "1", "1"]  # each mark on a word of its own
        costs["1,500 words: mark"] = press(page, [key for n in range(ROUNDS) for key in ["ArrowRight"] * n + steps])
        page.context.close()
        return sizes, costs, slider


def check(page: Page, work: Work, sentences: int, answers: Mapping[str, Any]) -> None:
    """The keys have answered so many sentences as they should, or the figures say nothing."""
    page.wait_for_selector("#saved[data-state=saved]")
    items = work.stored(work.tasks[0].id)
    held = [
        item for item in items if all(name in item and value in (item[name], ...) for name, value in answers.items())
    ]
    if len(held) < sentences:
        raise SystemExit(f"{work.protocol.name}: {len(held)} of {sentences} sentences hold {dict(answers)}")


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
        slow_down(page)
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
        sizes, costs, slider = ours(browser, Path(place))
        alone = "--ours" in sys.argv[1:]
        peer_size, peer_times, remark = (0, [], "") if alone else theirs(browser, Path(place))
        browser.close()
    for name, size in sizes.items():
        print(f"{name:44}{size:7.1f} kB")
    if peer_size:
        print(f"{'Pearmut: first page over the wire':44}{peer_size:7.1f} kB")
    print(f"For a processor {SLOWER} times slower; load {os.getloadavg()[0]:.1f}")
    print(f"{'ms a key':44}" + "".join(f"{column:>9}" for column in ("median", "95 %", *PARTS, "after", "shown")))
    for name, measured in costs.items():
        shares = "".join(f"{statistics.median(cost.parts[part] for cost in measured):9.1f}" for part in PARTS)
        after = statistics.median(cost.after for cost in measured)
        shown = statistics.median(cost.shown for cost in measured)
        late = percentile(totals(measured), 0.95)
        print(f"{name:44}{median(measured):9.1f}{late:9.1f}{shares}{after:9.1f}{shown:9.1f}")
    for name, times in ((SLIDER, slider), (f"Pearmut: {SLIDER}", peer_times)):
        if times:
            print(f"{name:44}{statistics.median(times):9.1f}{percentile(times, 0.95):9.1f}")
    if remark:
        print(remark)
    over = [name for name, measured in costs.items() if median(measured) >= FRAME_LENGTH]
    over += [f"{name} (95 %)" for name, measured in costs.items() if percentile(totals(measured), 0.95) >= SLOWEST]
    goal = f"Median under {FRAME_LENGTH:g} ms and 95 % under {SLOWEST:g} ms"
    print(f"{goal}: {'NO: ' + ', '.join(over) if over else 'yes'}")


def totals(costs: Sequence[Cost]) -> list[float]:
    return [cost.total for cost in costs]


def median(costs: Sequence[Cost]) -> float:
    return statistics.median(totals(costs))


if __name__ == "__main__":
    main()
