"""A seeded random walk over a judging page, with a model of its own of what was answered.

Keys, clicks, drags of the mouse, numbers that do not fit, reloads and lost networks in any order; afterwards what the
page shows, what the server holds and what the walk expects are equal. The model knows nothing of the page's scripts: it
reads the markup as a person reads labels, and remembers what was pressed."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from playwright.sync_api import Page

from browser_actions import Keyboard
from live_server import Work

CONTROLS = """() => {
  const shown = el => el.checkVisibility({ visibilityProperty: true }) && !el.closest('[hidden]');
  return [...document.querySelectorAll('.q:not([hidden]):not(.each)')].filter(shown).map(q => ({
    id: q.dataset.q, kind: q.dataset.kind, display: q.dataset.display, letter: q.dataset.letter ?? '',
    preset: q.dataset.preset ?? '', exclusive: q.dataset.exclusive ?? '', most: +(q.dataset.most ?? Infinity),
    need: +(q.dataset.need ?? 0),
    lines: [...q.querySelectorAll('[data-line]')].map(line => line.dataset.line),
    picks: [...q.querySelectorAll('input[type=radio], input[type=checkbox]')].filter(shown).map(i => ({
      value: i.value, line: i.closest('[data-line]')?.dataset.line ?? '', key: i.dataset.k ?? '', name: i.name,
      picked: i.closest('[data-line]')?.dataset.pick ?? '',
    })),
    field: q.querySelector('.slide [inputmode], input.count')?.dataset ?? null,
  }));
}"""
SHOWN = """() => Object.fromEntries([...document.querySelectorAll('.q:not([hidden]):not(.each)')].map(q => {
  const chosen = root => root.querySelector(':checked')?.value ?? null;
  const lines = [...q.querySelectorAll('[data-line]')];
  const number = q.querySelector('.slide [inputmode], input.count');
  const of = {
    grid: () => Object.fromEntries(lines.map(line => [line.dataset.line, chosen(line)]).filter(([, v]) => v)),
    labels: () => [...q.querySelectorAll(':checked')].map(i => i.value),
    text: () => q.querySelector('textarea').value.trim() || null,
    scale: () => number ? (number.value === '' ? null : +number.value) : chosen(q) === null ? null : +chosen(q),
    number: () => number.value === '' ? null : +number.value,
    choice: () => (q.querySelector('select')?.value ?? chosen(q)) || null,
    rank: () => lines.length ? null : chosen(q)?.split(',').map(Number) ?? null,
    spans: () => [...q.querySelectorAll('.spans li bdi')].map(bdi => bdi.textContent),
  };
  return [q.dataset.q, of[q.dataset.kind]()];
}))"""
POINT = """([css, n]) => {
  const el = [...document.querySelectorAll(css)][n] ?? document.querySelector(css);
  el.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  const box = (el.closest('label') ?? el).getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 20), row: el.closest('.row')?.dataset.row };
}"""
ITEM = """() => {
  const row = document.querySelector('.block:not([hidden]) .is-active');
  return +(row?.dataset.item ?? row?.closest('.block').dataset.item ?? 0);
}"""
VISIT = """n => (document.querySelector(`.strip [data-of='${n}']`)
  ?? document.querySelector(`.row[data-item='${n}'] .num`))?.click()"""


class Walk:
    """One walk over one task; `answers` is what it expects, item by item."""

    def __init__(self, page: Page, work: Work, task: int, items: int, seed: str) -> None:
        self.page, self.work, self.task = page, work, task
        self.keyboard, self.rng, self.seed = Keyboard(page), Random(seed), seed
        self.answers: list[dict[str, Any]] = [{} for _ in range(items)]
        self.steps: list[str] = []
        self.waiting: list[Callable[[], None]] = []

    # ---- the model
    def item(self) -> int:
        return int(self.page.evaluate(ITEM))

    def controls(self) -> list[dict[str, Any]]:
        return list(self.page.evaluate(CONTROLS))

    def started(self, item: int, controls: list[dict[str, Any]]) -> dict[str, Any]:
        """What an item holds once the first answer to it is given: also what was chosen for the judge."""
        for question in controls:
            if question["preset"]:
                self.answers[item].setdefault(question["id"], json.loads(question["preset"]))
        return self.answers[item]

    def pick(self, question: dict[str, Any], pick: dict[str, Any], item: int, controls: list[dict[str, Any]]) -> None:
        answers = self.started(item, controls)
        name, value = question["id"], pick["value"]
        if question["kind"] == "grid":
            answers[name] = {**answers.get(name, {}), pick["line"]: value}
        elif question["kind"] == "labels":
            chosen = list(answers.get(name) or [])
            if value in chosen:
                chosen.remove(value)
            elif question["exclusive"] and value == question["exclusive"]:
                chosen = [value]
            else:
                chosen = [label for label in chosen if label != question["exclusive"]]
                chosen += [value] if len(chosen) < question["most"] else []
            order = [other["value"] for other in question["picks"]]
            answers[name] = sorted(chosen, key=order.index)
        elif question["kind"] == "scale":
            answers[name] = float(value)
        elif question["kind"] == "rank":
            answers[name] = [int(part) for part in value.split(",")]
        else:
            answers[name] = value

    # ---- what a person does
    def step(self) -> None:
        """One act after the other, each as often as it stands in the list, in any order."""
        if not self.waiting:
            often = [self.click, self.keys, self.move] * 2
            seldom = [self.rate, self.number, self.write, self.mark, self.row, self.reload, self.network, self.wander]
            self.waiting = self.rng.sample([*often, *seldom], k=len(often) + len(seldom))
        act = self.waiting.pop()
        self.steps.append(act.__name__)
        act()

    def choosable(self, controls: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        return [
            (question, pick)
            for question in controls
            for pick in question["picks"]
            if question["display"] not in ("counts", "order", "select") and question["kind"] != "spans"
        ]

    def click(self) -> None:
        controls = self.controls()
        if choices := self.choosable(controls):
            question, pick = self.rng.choice(choices)
            css = f'[data-q="{question["id"]}"] [name="{pick["name"]}"][value="{pick["value"]}"]'
            self.press_at(css)
            self.pick(question, pick, self.item(), controls)

    def keys(self) -> None:
        controls = self.controls()
        choices = [(q, p) for q, p in self.choosable(controls) if q["letter"] and p["key"] and not p["line"]]
        if choices:
            question, pick = self.rng.choice(choices)
            self.keyboard.press("Escape", "Escape", question["letter"], pick["key"])
            self.pick(question, pick, self.item(), controls)

    def rate(self) -> None:
        """Lines of a grid one after the other: a digit picks a line, the next one rates it."""
        controls = self.controls()
        lines = [(q, p) for q, p in self.choosable(controls) if q["preset"] and p["picked"] and p["key"]]
        if not lines:
            return
        self.keyboard.press("Escape", "Escape")
        first, second = self.rng.choices(lines, k=2)
        for question, pick in (first, first, second):  # the same again changes nothing, and leads on
            self.keyboard.press(pick["picked"], pick["key"])
            self.pick(question, pick, self.item(), controls)

    def number(self) -> None:
        controls = self.controls()
        fields = [question for question in controls if question["field"]]
        if not fields:
            return
        question = self.rng.choice(fields)
        item = self.item()
        low, high = float(question["field"].get("min", "-inf")), float(question["field"].get("max", "inf"))
        field = f'[data-q="{question["id"]}"] .slide [inputmode], [data-q="{question["id"]}"] input.count'
        self.press_at(field)
        beyond = str(self.rng.randint(101, 999))
        if int(beyond) > high:  # not taken; it stays as it was typed
            self.keyboard.press("Control+a")
            self.keyboard.write(beyond)
            self.keyboard.press("Enter")
            shown = self.page.locator(field).first.input_value()
            assert (self.item(), shown) == (item, beyond), ("refused", self.seed, self.steps[-30:])
        before = self.answers[item].get(question["id"])
        wanted = self.rng.choice([float(self.rng.randint(0, 100)), float(self.rng.randint(0, 9)), before])
        self.keyboard.press("Control+a", "Delete")
        if wanted is not None and low <= wanted <= high:
            self.keyboard.write(f"{wanted:g}")
            self.started(item, controls)[question["id"]] = wanted
        elif before is not None:
            self.keyboard.write(f"{before:g}")
        self.keyboard.press(self.rng.choice(["ArrowDown", "ArrowUp", "Tab", "Escape"]))

    def write(self) -> None:
        controls = self.controls()
        texts = [question for question in controls if question["kind"] == "text"]
        if not texts:
            return
        question = self.rng.choice(texts)
        item, words = self.item(), f"word {self.rng.randint(1, 999)}"
        self.press_at(f'[data-q="{question["id"]}"] textarea')
        self.keyboard.press("Control+a")
        self.keyboard.write(words)
        self.started(item, controls)[question["id"]] = words
        self.keyboard.press("Escape")

    def mark(self) -> None:
        """Select a word with the mouse, overshoot its text by some pixels, and take the first choice of each step."""
        controls = self.controls()
        spans = next((question for question in controls if question["kind"] == "spans"), None)
        cell = self.page.locator(".block:not([hidden]) .is-active .tgt").first
        if spans is None or not cell.count():
            return
        self.keyboard.press("Escape", "Escape")
        self.keyboard.wait_until_still()
        item = self.item()
        text, box = cell.text_content() or "", cell.bounding_box()
        first = re.match(r"\S+", text)
        if box is None or first is None or self.answers[item].get(spans["id"]):
            return
        end = self.page.evaluate(
            """n => { const cell = document.querySelector('.block:not([hidden]) .is-active .tgt');
              const range = document.createRange();
              range.setStart(cell.firstChild, n); const at = range.getBoundingClientRect();
              const area = cell.getBoundingClientRect();
              return { x: at.left, y: at.top + at.height / 2, edge: area.left - 5,
                rtl: getComputedStyle(cell).direction === 'rtl' }; }""",
            first.end(),
        )
        self.page.mouse.move(end["x"], end["y"])
        self.page.mouse.down()
        self.page.mouse.move(end["edge"], end["y"], steps=6)
        self.page.mouse.up()
        for _ in range(4):
            if not self.page.locator(".toolbar:not([hidden])").count():
                break
            self.keyboard.press("1")
        self.started(item, controls)[spans["id"]] = [first.group()]

    def move(self) -> None:
        self.keyboard.press("Escape", "Escape", self.rng.choice(["j", "k", "ArrowDown", "ArrowUp", "PageDown"]))

    def row(self) -> None:
        rows = self.page.locator(".row:not([hidden]) .num")
        if count := rows.count():
            at = self.page.evaluate(POINT, [".row:not([hidden]) .num", self.rng.randrange(count)])
            self.page.mouse.click(at["x"], at["y"])

    def reload(self) -> None:
        self.keyboard.press("Escape")
        self.page.context.set_offline(False)
        self.page.reload()
        self.keyboard.wait_until_ready()

    def network(self) -> None:
        self.page.context.set_offline(self.rng.random() < 0.5)

    def wander(self) -> None:
        self.page.mouse.move(self.rng.randint(0, 1400), self.rng.randint(0, 880), steps=3)
        self.page.mouse.wheel(0, self.rng.randint(-400, 400))

    def press_at(self, css: str) -> None:
        self.keyboard.wait_until_still()
        at = self.page.evaluate(POINT, [css, 0])
        self.page.mouse.move(at["x"], at["y"], steps=2)
        self.page.mouse.down()
        self.page.mouse.up()

    # ---- the end
    def check(self) -> None:
        """Page, server and model agree on everything that is asked now."""
        self.page.context.set_offline(False)
        self.page.evaluate("dispatchEvent(new Event('online'))")
        self.keyboard.press("Escape", "Escape")
        self.keyboard.wait_until_saved()
        expected = copy.deepcopy(self.answers)
        for number in range(len(expected)):
            self.page.evaluate(VISIT, number)
            controls = {question["id"]: question for question in self.controls()}
            shown = self.page.evaluate(SHOWN)
            stored = self.work.stored(self.task)[number]
            for name, value in expected[number].items():
                if name not in controls or controls[name]["display"] == "counts":
                    continue
                place = (number, name, self.seed, self.steps[-30:])
                assert _plain(shown[name]) == _plain(value), ("page", *place)
                lines = controls[name]["lines"]
                few = controls[name]["kind"] == "labels" and value != [controls[name]["exclusive"]]
                if controls[name]["kind"] == "grid" and len(value) < len(lines):
                    continue  # an incomplete grid stays on the device
                if few and len(value) < controls[name]["need"]:
                    continue  # and so do fewer labels than are asked for
                held = stored.get(name)
                if controls[name]["kind"] == "spans":
                    held = [mark["text"] for mark in held or []]
                assert _plain(held) == _plain(value), ("server", *place)


def _plain(value: Any) -> Any:
    if isinstance(value, int | float):
        return float(value)
    return value or None
