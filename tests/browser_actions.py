"""A keyboard that answers any question of the judging page, reading only what the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playwright.sync_api import Page, Route

QUESTIONS = """els => els.map(el => {
  const name = i => i.type === 'radio' || (i.type === 'checkbox' && !i.name.includes('.')) ? i.value
    : (i.name || i.parentElement.querySelector('input').name).split('.').at(-1);
  const keys = (of, id) => Object.fromEntries(of.map(i => [id(i), i.dataset.k]));
  const lines = [...el.querySelectorAll('[data-line]')].filter(line => !line.hidden);
  return {
    ...el.dataset,
    keys: keys([...el.querySelectorAll('[data-k]')].filter(i => !i.closest('[data-line]')), name),
    lines: lines.map(line => ({
      id: line.dataset.line, pick: line.dataset.pick, keys: keys([...line.querySelectorAll('[data-k]')], i => i.value),
    })),
  };
})"""
UNTIL_STILL = """() => new Promise(done => {
  const views = [...document.querySelectorAll('.scroller')], tops = () => views.map(view => view.scrollTop).join();
  let last = tops(), still = 0;
  const look = () => {
    still = tops() === last ? still + 1 : 0;
    last = tops();
    if (still > 8) done(); else requestAnimationFrame(look);
  };
  look();
})"""
PICKED = "[...(CSS.highlights.get('picked') ?? [])].join('')"
"""The words that the page shows as selected."""
CHOICE = """value => [...document.querySelectorAll('.toolbar:not([hidden]) .panel:not([hidden]) button')]
  .find(button => button.value === value).dataset.k"""


def wait_until(page: Page, condition: str, argument: Any = None) -> None:
    """Until the condition, an expression or a function of the argument, holds in the page; either may be a promise.

    Playwright's own `wait_for_function` takes any promise for true, and an expression that does not hold at once is
    evaluated again as a string, which the page's policy forbids.
    """
    asked = f"const asked = {condition}; if (await (typeof asked === 'function' ? asked(argument) : asked)) return;"
    page.evaluate(
        f"""async argument => {{
          for (const end = Date.now() + 30_000; Date.now() < end;) {{
            {asked}
            await new Promise(later => setTimeout(later, 20));
          }}
          throw new Error('never became true');
        }}""",
        argument,
    )


class Held(list[Route]):
    """Requests that wait until the test lets them go, one by one or all."""

    released = False

    def take(self, route: Route) -> None:
        if self.released:
            route.continue_()
        else:
            self.append(route)

    def release(self) -> None:
        """Those that wait, and from now on all others."""
        self.released = True
        while self:
            self.pop(0).continue_()


def hold(page: Page, address: str) -> Held:
    """The requests to an address, which wait from now on."""
    held = Held()
    page.route(address, held.take)
    return held


class Keyboard:
    """Press keys and count them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.presses = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.presses += 1

    def write(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.presses += len(text)

    def wait_until_ready(self) -> None:
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def questions(self) -> list[dict[str, Any]]:
        """The questions that are shown now, as their markup says."""
        return self.page.eval_on_selector_all(".q:not([hidden])", QUESTIONS)

    def answer(self, answers: Mapping[str, Any]) -> None:
        """Everything that is asked about the current row; questions that appear on the way are answered too."""
        done: set[str] = set()
        while waiting := [q for q in self.questions() if q["q"] in answers and q["q"] not in done]:
            question = waiting[0]
            done.add(question["q"])
            if answers[question["q"]] is not None:
                self._one(question, answers[question["q"]])

    def _one(self, q: Mapping[str, Any], value: Any) -> None:
        if q["kind"] == "grid" and q.get("preset"):
            quiet = self._preset(q)
            for line in q["lines"]:
                if value[line["id"]] != quiet:
                    self.press(line["pick"], line["keys"][value[line["id"]]])
            return
        if q["kind"] == "spans":
            self._spans(q, value)
            return
        self._arm(q)
        if q.get("each") or q["kind"] == "grid" or q["display"] == "order":
            for place, line in enumerate(q["lines"]):
                given = value[place] if isinstance(value, Sequence) else value[line["id"]]
                self.press(line["keys"][_plain(given)])
        elif q["kind"] == "labels":
            counts = value if isinstance(value, Mapping) else dict.fromkeys(value, 1)
            for label, number in counts.items():
                self.press(*[q["keys"][label]] * number)
        elif q["display"] in ("slider", "number"):
            self.write(_plain(value))
        elif q["kind"] == "text":
            self.write(value)
            self.press("Escape")
        else:
            self.press(q["keys"][_plain(value)])

    def _arm(self, q: Mapping[str, Any]) -> None:
        """By its letter; where it has none, Tab leads there."""
        if q.get("letter"):
            self.press(q["letter"])
            return
        inside = f"document.activeElement.closest('[data-q=\"{q['q']}\"]') !== null"
        for _ in range(200):
            if self.page.evaluate(inside):
                return
            self.press("Tab")
        raise AssertionError(f"Tab never reaches {q['q']}")

    def _preset(self, q: Mapping[str, Any]) -> str:
        return next(iter(self.page.evaluate("s => Object.values(JSON.parse(s))", q["preset"])))

    def _spans(self, q: Mapping[str, Any], spans: Sequence[Mapping[str, Any]]) -> None:
        """Word by word with the arrows, then the steps of the menu. `words` are the first and last word to take."""
        for span in spans:
            self.press("Escape")
            side, (first, last) = span["side"], span["words"]
            forward = "ArrowLeft" if self._rtl(side) else "ArrowRight"
            self.press(forward)
            for _ in range(4):
                if self._side() == side:
                    break
                self.press("o")
            self.press(*[forward] * first)
            self.press(*[f"Shift+{forward}"] * (last - first))
            for choice in span["menu"]:
                self.press(self.page.evaluate(CHOICE, choice))

    def _rtl(self, side: str) -> bool:
        return bool(
            self.page.evaluate(
                "s => getComputedStyle(document.querySelector(`.is-active [data-side=${s}]`)).direction === 'rtl'", side
            )
        )

    def _side(self) -> str:
        return str(
            self.page.evaluate(
                "[...(CSS.highlights.get('picked') ?? [])][0]"
                "?.startContainer.parentElement.closest('[data-side]')?.dataset.side ?? ''"
            )
        )

    def wait_until_still(self) -> None:
        """Until nothing moves any more."""
        self.page.evaluate(UNTIL_STILL)

    def wait_until_saved(self) -> None:
        """Until everything that was answered is on the server.

        A finished document opens the judge's home by itself, and only after the server has confirmed every answer.
        """
        self.page.locator("#saved[data-state=saved], #saved[data-state=kept], body.home").first.wait_for(
            state="attached"
        )


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
