"""The lines of a document as markup. A page has hundreds of them, each with a dozen places to fill: by a template they
are half of what a page costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from lanner.web.judge.blocks import Block, Cell, Row

_CLASSES = {"source": "src", "target": "tgt", "reference": "ref"}


def lines(block: Block, first: int, active: int, say: Callable[..., str], *, answers: bool) -> Markup:
    """The rows of a block, which are the page's from `first` on. `active` is the row being judged; with `answers` each
    has a place for the judge's own."""
    end = '<p class="mine"></p></li>\n' if answers else "</li>\n"
    columns = block.columns if len(block.columns) > 2 else ()  # on a phone such texts stand under each other, labelled
    labels = [" ".join(filter(None, (column.name, column.note))) for column in columns]
    heads: dict[tuple[str, int, str, str], str] = {}
    made: list[str] = []
    for at, line in enumerate(block.rows, first):
        aside = line.item is None and block.item is None
        made += (_opening(line, at, at == active, aside, say), *_cells(line.cells, labels, heads), end)
    return Markup("".join(made))  # every text in it was escaped


def _opening(line: Row, at: int, active: bool, aside: bool, say: Callable[..., str]) -> str:
    classes = "row is-active" if active else "row"
    if line.state:
        classes += f" is-{escape(line.state)}"
    if aside:
        classes += " aside"
    item = "" if line.item is None else f' data-item="{line.item}"'
    segment = f' data-segment="{escape(line.segment)}"' if line.segment else ""
    hidden = " hidden" if line.hidden else ""
    label = escape(say("rail.sentence", n=line.number))
    here = ' aria-current="true"' if active else ""
    return (
        f'<li class="{classes}" data-row="{at}"{item}{segment}{hidden}>'
        f'<a class="num" href="?row={at + 1}" aria-label="{label}"{here}>'
        f'<b>{line.number}</b><span class="brief"></span></a>'
    )


def _cells(cells: Sequence[Cell], labels: Sequence[str], heads: dict[tuple[str, int, str, str], str]) -> list[str]:
    made: list[str] = []
    for place, cell in enumerate(cells):
        kind = (cell.side, cell.output, cell.lang, cell.dir)  # the same few for every row
        head = heads.get(kind)
        if head is None:
            lang = f' lang="{escape(cell.lang)}"' if cell.lang else ""
            label = f' data-label="{escape(labels[place])}"' if place < len(labels) else ""
            head = heads[kind] = (
                f'<p class="{_CLASSES[cell.side]}" data-side="{escape(cell.side)}" data-output="{cell.output}"'
                f'{label}{lang} dir="{escape(cell.dir)}">'
            )
        made += (head, str(escape(cell.text)), "</p>")
    return made
