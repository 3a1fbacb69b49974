"""A report as files: one HTML file that opens anywhere (no network, its style and its one script inside), and beside it
every table as CSV and LaTeX, every figure as SVG, PDF and PNG with its data, and what to cite as BibTeX."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from lanner.figures.drawing import available, pdf, plain, png, standalone
from lanner.formats.parsing.textfile import write_whole
from lanner.model import languages
from lanner.reports.parts import Column, Figure, Report, Table, as_named, bibtex, csv_text, spans

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
        "direction": languages.direction,
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
        files.append(("tex", "text/x-tex", latex_table(block)))
    else:
        files.append(("svg", "image/svg+xml", standalone(block.svg, _drawing_style())))
    return [(ending, _link(kind, text)) for ending, kind, text in files if text.strip()]


def _link(kind: str, text: str) -> str:
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"


@cache
def _drawing_style() -> str:
    return plain(style())


def strong(text: str, ours: bool = True) -> Markup:
    """Escaped text in which **words** are strong, and "p = .029", "95 %", "[.45, .55]" or "H-FALCON" never breaks over
    a line. In sentences of ours words read from the right are set apart, else a number after them would come out before
    them."""
    whole = _RELATION.sub("\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", str(escape(text)))
    whole = _BEFORE_SIGN.sub("\N{NO-BREAK SPACE}", whole)
    whole = _BEFORE_DASH.sub("\N{NO-BREAK SPACE}– ", whole)
    whole = _INTERVAL.sub("[\\1,\N{NO-BREAK SPACE}\\2]", whole)
    whole = _ONE_LETTER.sub(r'<span class="nb">\g<0></span>', whole)
    if ours:
        whole = _FROM_THE_RIGHT.sub(r"<bdi>\g<0></bdi>", whole)
    return Markup(as_named(_STRONG.sub(r"<b>\1</b>", whole)))


_STRONG = re.compile(r"(?<![^\s(])\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\w)")
"""What begins a word and ends one: the asterisks of a name such as A** stand at one side alone."""
_RELATION = re.compile(r"(?<=[\w)²]) (=|&lt;|&gt;|≤|≥) (?=[\d.−])")
_BEFORE_SIGN = re.compile(r"(?<=\d) (?=%|\[[−\d.])|(?<=\bn) (?=\d)|(?<= \*) (?=p\b)")
_INTERVAL = re.compile(r"\[([−\d.,]+), ([−\d.,]+)\]")
_ONE_LETTER = re.compile(r"\b[^\W\d_]-[^\W\d_]+")
_BEFORE_DASH = re.compile(r"(?<=\S) – ")
_FROM_THE_RIGHT = re.compile(rf"{languages.LEFTWARD}+(?: {languages.LEFTWARD}+)*")


def write(report: Report, folder: Path, *, pictures: bool = True) -> Path:
    """Write everything into `folder` and return the path of the HTML file. Each file appears whole or not at all.
    `pictures` are the PDF and PNG of each figure, which take longer than all the rest and need the extra `figures`."""
    css = plain(style())
    files: dict[str, str | bytes] = {"report.html": render(report), "tables.tex": latex_document(report)}
    if report.references:
        files["references.bib"] = bibtex(report.references)
    for table in report.tables:
        files[f"tables/{table.id}.tex"] = latex_table(table)
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


# Tables as LaTeX (booktabs), safe for any text that stands in them.

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "κ": r"$\kappa$", "α": r"$\alpha$", "τ": r"$\tau$", "ρ": r"$\rho$", "²": r"$^2$", "−": r"$-$", "–": "--",
    "—": "---", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$", "×": r"$\times$", "✓": r"\checkmark{}",
    "△": r"$\triangle$", "·": r"$\cdot$", "…": r"\ldots{}", "“": "``", "”": "''", "‘": "`", "’": "'", "χ": r"$\chi$",
    "β": r"$\beta$", "γ": r"$\gamma$", "Δ": r"$\Delta$", "→": r"$\rightarrow$", "←": r"$\leftarrow$",
    "≈": r"$\approx$", "≠": r"$\neq$", "∞": r"$\infty$", "½": r"$\frac12$",
}  # fmt: skip
_KNOWN = "€£§©®™°¿¡«»"
_LATIN = 0x17F  # the letters that the T1 encoding has are below
_MANY_COLUMNS, _LONG, _PAGE = 7, 44, 44
_FITTED = r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"
_FALLBACKS = ", ".join(
    f"'{name}:mode=harf;'"
    for name in (
        "Noto Serif CJK KR",
        "Noto Sans CJK KR",
        "Noto Naskh Arabic",
        "Noto Serif Hebrew",
        "Noto Serif Devanagari",
    )
)
_CONTROL = re.compile(r"\r\n|[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ANY_SPECIAL = re.compile("|".join(map(re.escape, _SPECIAL)))


def latex_text(text: object) -> str:
    """Text that LaTeX prints and never obeys. Line ends and control characters, some of which end a paragraph or stop
    LaTeX, are spaces."""
    return _ANY_SPECIAL.sub(lambda match: _SPECIAL[match[0]], _CONTROL.sub(" ", str(text)))


def latex_table(part: Table) -> str:
    """One table with three rules, caption above, label `tab:<id>`. Wide tables are set smaller and tighter, and what is
    still wider than the lines is scaled down to them (graphicx); one longer than a page goes on on the next
    (longtable)."""
    wide = len(part.columns) > _MANY_COLUMNS
    size = r"\footnotesize\setlength{\tabcolsep}{3pt}" if wide else r"\small"
    caption = rf"\caption{{{_latex_strong(part.caption)}}}", rf"\label{{tab:{part.id}}}"
    layout = "@{}" + "".join(_latex_layout(part, place) for place in range(len(part.columns))) + "@{}"
    signature = rf"\footnotesize {latex_text(part.signature)}\par" if part.signature else ""
    if _latex_lines(part) > _PAGE:
        head = [r"\toprule", *_latex_head(part), r"\midrule"]
        lines = [
            rf"{{{size}",
            rf"\begin{{longtable}}{{{layout}}}",
            "".join(caption) + r"\\",
            *head,
            r"\endfirsthead",
            *head,
            r"\endhead",
            rf"\midrule\multicolumn{{{len(part.columns)}}}{{r@{{}}}}{{\textit{{continued}}}} \\",
            r"\endfoot",
            r"\bottomrule",
            r"\endlastfoot",
            *_latex_body(part),
            r"\end{longtable}}",
            *([rf"{{\centering{signature}}}"] if signature else []),
        ]
        return "\n".join(lines) + "\n"
    lines = [
        r"\begin{table}[!htbp]",
        rf"\centering{size}\setlength{{\belowcaptionskip}}{{4pt}}",
        *caption,
        rf"\sbox0{{\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        *_latex_head(part),
        r"\midrule",
        *_latex_body(part),
        r"\bottomrule",
        r"\end{tabular}}%",
        _FITTED,
    ]
    lines += [rf"\par\smallskip{{{signature}}}"] if signature else []
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_head(part: Table) -> list[str]:
    return [
        *_latex_spans(part.columns),
        " & ".join(rf"\textbf{{{latex_text(column.heading)}}}" for column in part.columns) + r" \\",
    ]


def _latex_body(part: Table) -> list[str]:
    lines = []
    for row in part.rows:
        if "group" in row:
            lines.append(rf"\multicolumn{{{len(part.columns)}}}{{@{{}}l}}{{\textit{{{latex_text(row['group'])}}}}} \\")
            continue
        if row.get("total"):
            lines.append(r"\midrule")
        lines.append(" & ".join(_latex_cell(row.get(column.key)) for column in part.columns) + r" \\")
    return lines


def _latex_lines(part: Table) -> int:
    """How many lines the table takes, those of cells that break included."""
    broken = [place for place in range(len(part.columns)) if _is_long(part, place)]
    return sum(
        max((1 + len(str(row.get(part.columns[place].key) or "")) // _LONG for place in broken), default=1)
        for row in part.rows
    )


def _latex_cell(value: object) -> str:
    """Braces keep a cell that begins with a bracket from being read as the option of the line break before it."""
    text = "" if value is None else latex_text(value)
    return f"{{{text}}}" if text.startswith(("[", "*")) else text


def _latex_layout(part: Table, place: int) -> str:
    """Numbers to the right, words to the left; long words in a column that breaks lines."""
    column = part.columns[place]
    if place and not column.text:
        return "r"
    if not _is_long(part, place):
        return "l"
    long = sum(_is_long(part, other) for other in range(len(part.columns)))
    return rf">{{\raggedright\arraybackslash}}p{{{min(0.36, 0.66 / long):.2f}\linewidth}}"


def _is_long(part: Table, place: int) -> bool:
    column = part.columns[place]
    longest = max((len(str(row.get(column.key) or "")) for row in part.rows), default=0)
    return (not place or column.text) and longest > _LONG


def latex_document(report: Report) -> str:
    """All tables of a report as a document that compiles by itself: by pdfLaTeX, and by LuaLaTeX or XeLaTeX, which
    print scripts that pdfLaTeX has no letters for."""
    body = "\n".join(latex_table(part) for part in report.tables)
    title = latex_text(report.title)
    unknown = sorted({character for character in body + title if ord(character) > _LATIN and character not in _KNOWN})
    declarations = [rf"  \DeclareUnicodeCharacter{{{ord(one):04X}}}{{\textquestiondown}}" for one in unknown]
    head = [
        r"\documentclass{article}",
        r"\usepackage[margin=2.2cm]{geometry}",
        r"\usepackage{array,booktabs,longtable,amssymb,graphicx,iftex}",
        r"\ifPDFTeX",
        r"  \usepackage[T1]{fontenc}",
        *declarations,
        r"\else",
        r"  \usepackage{fontspec}",
        r"  \ifLuaTeX",
        rf"    \directlua{{luaotfload.add_fallback('scripts', {{{_FALLBACKS}}})}}",
        r"    \setmainfont{Latin Modern Roman}[RawFeature={fallback=scripts}]",
        r"  \fi",
        r"\fi",
        r"\extrafloats{100}",
        rf"\title{{{title}}}",
        r"\begin{document}",
        r"\maketitle",
    ]
    return "\n".join([*head, body, r"\end{document}"]) + "\n"


def _latex_spans(columns: Sequence[Column]) -> list[str]:
    """The line of headings over several columns, and the rules below them."""
    if not any(column.span for column in columns):
        return []
    cells: list[str] = []
    rules: list[str] = []
    place = 0
    for name, width in spans(columns):
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{latex_text(name)}}}" if name else "")
        rules += [rf"\cmidrule(lr){{{place + 1}-{place + width}}}"] if name else []
        place += width
    return [" & ".join(cells) + r" \\", " ".join(rules)]


def _latex_strong(text: str) -> str:
    return as_named(_STRONG.sub(r"\\textbf{\1}", latex_text(text)))
