"""Which label becomes which: counts as text, shade by share of the row, the diagonal framed."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.reports.svg import WIDTH, Drawing, shade, width
from lanner.reports.typeset import percent

_ROW, _FEW = 36.0, 10


def confusion(labels: Sequence[str], one: str, other: str, counts: Sequence[Sequence[int]]) -> Drawing:
    """The confusion matrix of two judges. Rows with fewer than ten items are left unshaded."""
    left = min(210.0, 16 + 1.06 * max(map(width, (*labels, f"{one} chose")), default=7.0))
    cell = min(84.0, (WIDTH - left - 70) / max(1, len(labels)))
    drawing = Drawing(f"Confusion matrix of {one} and {other}", 60 + _ROW * len(labels) + 34)
    drawing.text(left + cell * len(labels) / 2, 14, f"{other} chose", "tb", "middle")
    drawing.lines(left - 10, 36, f"{one} chose", left - 12, "tb", "end")
    drawing.text(left + cell * len(labels) + 10, 36, "all", "tm")
    for row, label in enumerate(labels):
        drawing.lines(left + cell * (row + 0.5), 36, label, cell - 2, "tm", "middle")
        y = 52 + _ROW * row
        drawing.lines(left - 10, y + 23, label, left - 12, "t", "end")
        total = sum(counts[row])
        for column, number in enumerate(counts[row]):
            x = left + cell * column
            share = number / total if total >= _FEW else 0.0
            title = f"{one} {label}, {other} {labels[column]}: {number}"
            drawing.rect(x + 1, y + 1, cell - 2, _ROW - 2, shade(share), title)
            if number:
                drawing.text(x + cell / 2, y + 23, str(number), "tb" if row == column else "t", "middle")
            if row == column:
                drawing.rect(x + 1, y + 1, cell - 2, _ROW - 2, "diag")
        drawing.text(left + cell * len(labels) + 10, y + 23, str(total), "tm")
    n = sum(map(sum, counts))
    same = sum(counts[place][place] for place in range(len(labels)))
    share_same = percent(same / n) if n else "—"
    drawing.text(left, 52 + _ROW * len(labels) + 24, f"{same} of {n} on the diagonal ({share_same})")
    return drawing
