"""A report as one HTML file that opens anywhere: no network, its style and its one script inside. On disk it has beside
it every table as CSV and LaTeX, every figure as SVG, PDF and PNG with its data, and what to cite as BibTeX."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from lanner.figures.drawing import available, pdf, plain, png, standalone
from lanner.formats.parsing.textfile import write_whole
from lanner.reports import latex
from lanner.reports.parts import Figure, Report, Table, bibtex, csv_text, spans

STYLE = Path(__file__).parent / "style"
SHARED = {name: STYLE / name for name in ("tokens.css", "figures.css")}
"""The style sheets that the web app's pages use as well, so that a figure looks the same in both."""


@cache
def _script() -> str:
    return (STYLE / "sort.js").read_text(encoding="utf-8")


@cache
def script_hash() -> str:
    """What a content security policy names the report's own script by; no other script of a report may run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()}"


def style() -> str:
    """The report's whole style sheet."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (*SHARED.values(), STYLE / "report.css"))


def render(report: Report, say: Callable[[str], str] = str, language: str = "en") -> str:
    """The HTML text. Everything that came from a file or a person is escaped. `say` puts headings and the words around
    the text into a reader's `language`; sentences, tables and figures stay English, as they go into papers."""
    script = _script()
    numbers = {table.id: place for place, table in enumerate(report.tables, start=1)}
    numbers |= {figure.id: place for place, figure in enumerate(report.figures, start=1)}
    template = _environment().get_template("report.html")
    return template.render(
        report=report,
        say=say,
        own="" if language == report.language else Markup(' lang="{}" dir="auto"').format(language),
        numbers=numbers,
        css=style(),
        script=script,
        script_hash=script_hash(),
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("lanner.reports"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.ChainableUndefined,
    )
    environment.filters |= {
        "strong": strong,
        "kind": lambda block: type(block).__name__,
        "spans": spans,
        "downloads": downloads,
        "bibtex": bibtex,
        "bibtex_link": lambda references: _link("application/x-bibtex", bibtex(references)),
    }
    return environment


def downloads(block: Table | Figure) -> list[tuple[str, str]]:
    """What can be saved of a table or a figure, as links that hold the file itself: the page works without a server."""
    files = [("csv", "text/csv", csv_text(block.data or getattr(block, "rows", ())))]
    if isinstance(block, Table):
        files.append(("tex", "text/x-tex", latex.table(block)))
    else:
        files.append(("svg", "image/svg+xml", standalone(block.svg, _drawing_style())))
    return [(ending, _link(kind, text)) for ending, kind, text in files if text.strip()]


def _link(kind: str, text: str) -> str:
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"


@cache
def _drawing_style() -> str:
    return plain(style())


def strong(text: str) -> Markup:
    """Escaped text in which **words** are strong, and "p = .029", "95 %", "[.45, .55]" or "H-FALCON" never breaks over
    a line. Words read from the right are set apart, else a number after them would come out before them."""
    whole = _RELATION.sub("\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", str(escape(text)))
    whole = _BEFORE_SIGN.sub("\N{NO-BREAK SPACE}", whole)
    whole = _BEFORE_DASH.sub("\N{NO-BREAK SPACE}– ", whole)
    whole = _INTERVAL.sub("[\\1,\N{NO-BREAK SPACE}\\2]", whole)
    whole = _ONE_LETTER.sub(r'<span class="nb">\g<0></span>', whole)
    whole = _FROM_THE_RIGHT.sub(r"<bdi>\g<0></bdi>", whole)
    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", whole))


_RELATION = re.compile(r"(?<=[\w)²]) (=|&lt;|&gt;|≤|≥) (?=[\d.−])")
_BEFORE_SIGN = re.compile(r"(?<=\d) (?=%|\[[−\d.])|(?<=\bn) (?=\d)|(?<= \*) (?=p\b)")
_INTERVAL = re.compile(r"\[([−\d.,]+), ([−\d.,]+)\]")
_ONE_LETTER = re.compile(r"\b[^\W\d_]-[^\W\d_]+")
_BEFORE_DASH = re.compile(r"(?<=\S) – ")
_RIGHTWARD = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+"
_FROM_THE_RIGHT = re.compile(rf"{_RIGHTWARD}(?: {_RIGHTWARD})*")


def write(report: Report, folder: Path, *, pictures: bool = True) -> Path:
    """Write everything into `folder` and return the path of the HTML file. Each file appears whole or not at all.
    `pictures` are the PDF and PNG of each figure, which take longer than all the rest and need the extra `figures`."""
    css = plain(style())
    files: dict[str, str | bytes] = {"report.html": render(report), "tables.tex": latex.document(report)}
    if report.references:
        files["references.bib"] = bibtex(report.references)
    for table in report.tables:
        files[f"tables/{table.id}.tex"] = latex.table(table)
        files[f"tables/{table.id}.csv"] = csv_text(table.data or table.rows)
    for figure in report.figures:
        files[f"figures/{figure.id}.svg"] = svg = standalone(figure.svg, css)
        if pictures and available():
            files |= {f"figures/{figure.id}.pdf": pdf(svg), f"figures/{figure.id}.png": png(svg)}
        if figure.data:
            files[f"figures/{figure.id}.csv"] = csv_text(figure.data)
    for name, content in files.items():
        write_whole(folder / name, content)
    return folder / "report.html"
