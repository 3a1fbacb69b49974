"""How often each label was used, per panel (domain): a dot per judge, people above, models below, one shared axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.reports.svg import WIDTH, Drawing, fit

_LEFT, _GAP, _STEP, _TOP = 172.0, 20.0, 27.0, 54.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One domain: n items and, for each judge, the share of items with each label."""

    title: str
    n: int
    shares: Mapping[str, Mapping[str, float]]

    def of(self, label: str, judges: Sequence[str], names: Mapping[str, str]) -> list[tuple[str, float]]:
        """How often these judges used a label, by the judges' names."""
        return [(names.get(j, j), self.shares[j].get(label, 0.0)) for j in judges if j in self.shares]


def shares(
    labels: Sequence[tuple[str, str, str]],
    panels: Sequence[Panel],
    people: Sequence[str],
    models: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Drawing:
    """Dot rows. `labels` are (id, words, group); a group's rows stand together in its colour. At most four panels.
    Judges are given by id, as in the panels; `names` says what they are called."""
    panels, called = panels[:4], names or {}
    rows, y = [], _TOP + 12.0
    for place, (name, words, group) in enumerate(labels):
        if place and group != labels[place - 1][2]:
            y += 10
        rows.append((name, words, group, y))
        y += _STEP
    width = (WIDTH - _LEFT - _GAP * (len(panels) - 1)) / max(1, len(panels)) - 8
    drawing = Drawing("Share of items on which each label was used, per domain and judge", y + 22)
    _legend(drawing, *([called.get(judge, judge) for judge in judges] for judges in (people, models)))
    for number, panel in enumerate(panels):
        x = _LEFT + number * (width + _GAP)
        drawing.text(x, 44, fit(panel.title, width - 50), "tb")
        drawing.text(x + width, 44, f"n {panel.n}", "tm", "end")
        for share, words in ((0.0, "0"), (0.5, "50 %"), (1.0, "100")):
            drawing.line(x + share * width, _TOP, x + share * width, y, "gr")
            drawing.text(x + share * width, y + 16, words, "tm", "middle" if share else "start")
        for name, words, group, row_y in rows:
            below, above = row_y + (4 if models else 0), row_y - (5 if models else 0)
            own = panel.of(name, models, called), panel.of(name, people, called)
            _dots(drawing, x, width, below, f"{words}, {panel.title}", own[0], "dm", "rm")
            _dots(drawing, x, width, above, f"{words}, {panel.title}", own[1], f"g-{group}", f"rg-{group}")
    for place, (_, words, group, row_y) in enumerate(rows):
        drawing.lines(12, row_y + 4, words, _LEFT - 24)
        if group:
            first = place == 0 or rows[place - 1][2] != group
            drawing.rect(0, row_y - (12 if first else _STEP - 12), 3, _STEP - 4 if first else _STEP, f"g-{group}", rx=0)
    return drawing


def _dots(
    drawing: Drawing,
    x: float,
    width: float,
    y: float,
    about: str,
    found: Sequence[tuple[str, float]],
    style: str,
    line: str,
) -> None:
    if not found:
        return
    values = [share for _, share in found]
    if len(found) > 1:
        drawing.line(x + min(values) * width, y, x + max(values) * width, y, line)
    for judge, share in found:
        title = f"{judge}, {about}: {100 * share:.1f} %"
        (drawing.diamond if style == "dm" else drawing.circle)(x + share * width, y, 3.8, style, title)


def _legend(drawing: Drawing, people: Sequence[str], models: Sequence[str]) -> None:
    if people:
        drawing.circle(_LEFT + 6, 9, 4, "fk")
        drawing.text(_LEFT + 16, 13, _who("people", people, 280), "tm")
    if models:
        drawing.diamond(_LEFT + 316, 9, 4, "dm")
        drawing.text(_LEFT + 326, 13, _who("models", models, 250), "tm")


def _who(kind: str, names: Sequence[str], pixels: float) -> str:
    """Who the marks stand for: by name where there is room, else how many there are."""
    named = f"{kind} ({', '.join(names)})"
    return named if fit(named, pixels) == named else f"{len(names)} {kind}"
