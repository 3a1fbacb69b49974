"""Tables as LaTeX (booktabs), safe for any text that stands in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lanner.reports.parts import Column, Report, Table, spans

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


def escape(text: object) -> str:
    """Text that LaTeX prints and never obeys. Line ends and control characters, some of which end a paragraph or stop
    LaTeX, are spaces."""
    return _ANY_SPECIAL.sub(lambda match: _SPECIAL[match[0]], _CONTROL.sub(" ", str(text)))


def table(part: Table) -> str:
    """One table with three rules, caption above, label `tab:<id>`. Wide tables are set smaller and tighter, and what is
    still wider than the lines is scaled down to them (graphicx); one longer than a page goes on on the next
    (longtable)."""
    wide = len(part.columns) > _MANY_COLUMNS
    size = r"\footnotesize\setlength{\tabcolsep}{3pt}" if wide else r"\small"
    caption = rf"\caption{{{_strong(part.caption)}}}", rf"\label{{tab:{part.id}}}"
    layout = "@{}" + "".join(_layout(part, place) for place in range(len(part.columns))) + "@{}"
    signature = rf"\footnotesize {escape(part.signature)}\par" if part.signature else ""
    if _lines(part) > _PAGE:
        head = [r"\toprule", *_head(part), r"\midrule"]
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
            *_body(part),
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
        *_head(part),
        r"\midrule",
        *_body(part),
        r"\bottomrule",
        r"\end{tabular}}%",
        _FITTED,
    ]
    lines += [rf"\par\smallskip{{{signature}}}"] if signature else []
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _head(part: Table) -> list[str]:
    return [
        *_spans(part.columns),
        " & ".join(rf"\textbf{{{escape(column.heading)}}}" for column in part.columns) + r" \\",
    ]


def _body(part: Table) -> list[str]:
    lines = []
    for row in part.rows:
        if "group" in row:
            lines.append(rf"\multicolumn{{{len(part.columns)}}}{{@{{}}l}}{{\textit{{{escape(row['group'])}}}}} \\")
            continue
        if row.get("total"):
            lines.append(r"\midrule")
        lines.append(" & ".join(_cell(row.get(column.key)) for column in part.columns) + r" \\")
    return lines


def _lines(part: Table) -> int:
    """How many lines the table takes, those of cells that break included."""
    broken = [place for place in range(len(part.columns)) if _is_long(part, place)]
    return sum(
        max((1 + len(str(row.get(part.columns[place].key) or "")) // _LONG for place in broken), default=1)
        for row in part.rows
    )


def _cell(value: object) -> str:
    """Braces keep a cell that begins with a bracket from being read as the option of the line break before it."""
    text = "" if value is None else escape(value)
    return f"{{{text}}}" if text.startswith(("[", "*")) else text


def _layout(part: Table, place: int) -> str:
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


def document(report: Report) -> str:
    """All tables of a report as a document that compiles by itself: by pdfLaTeX, and by LuaLaTeX or XeLaTeX, which
    print scripts that pdfLaTeX has no letters for."""
    body = "\n".join(table(part) for part in report.tables)
    title = escape(report.title)
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


def _spans(columns: Sequence[Column]) -> list[str]:
    """The line of headings over several columns, and the rules below them."""
    if not any(column.span for column in columns):
        return []
    cells: list[str] = []
    rules: list[str] = []
    place = 0
    for name, width in spans(columns):
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(name)}}}" if name else "")
        rules += [rf"\cmidrule(lr){{{place + 1}-{place + width}}}"] if name else []
        place += width
    return [" & ".join(cells) + r" \\", " ".join(rules)]


def _strong(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", escape(text))
