"""Tables as LaTeX (booktabs), safe for any text that stands in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lanner.reports.parts import Column, Report, Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "κ": r"$\kappa$", "α": r"$\alpha$", "τ": r"$\tau$", "ρ": r"$\rho$", "²": r"$^2$", "−": r"$-$", "–": "--",
    "—": "---", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$", "×": r"$\times$", "✓": r"\checkmark{}",
    "△": r"$\triangle$", "·": r"$\cdot$",
}  # fmt: skip
_ANY_SPECIAL = re.compile("|".join(map(re.escape, _SPECIAL)))


def escape(text: object) -> str:
    """Text that LaTeX prints and never obeys."""
    return _ANY_SPECIAL.sub(lambda match: _SPECIAL[match[0]], str(text)).replace("\n", " ")


def table(part: Table) -> str:
    """One table float with three rules, caption above, label `tab:<id>`."""
    layout = "".join("l" if column.text or place == 0 else "r" for place, column in enumerate(part.columns))
    lines = [
        r"\begin{table}[t]", r"\centering\small", rf"\caption{{{_strong(part.caption)}}}", rf"\label{{tab:{part.id}}}",
        rf"\begin{{tabular}}{{@{{}}{layout}@{{}}}}", r"\toprule",
    ]  # fmt: skip
    if spans := _spans(part.columns):
        lines.append(spans)
    lines += [" & ".join(rf"\textbf{{{escape(column.heading)}}}" for column in part.columns) + r" \\", r"\midrule"]
    for row in part.rows:
        if "group" in row:
            lines.append(rf"\multicolumn{{{len(part.columns)}}}{{@{{}}l}}{{\textit{{{escape(row['group'])}}}}} \\")
            continue
        if row.get("total"):
            lines.append(r"\midrule")
        lines.append(" & ".join(escape(row.get(column.key, "")) for column in part.columns) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if part.signature:
        lines.append(rf"\par\smallskip{{\footnotesize {escape(part.signature)}\par}}")
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def document(report: Report) -> str:
    """All tables of a report as a document that compiles by itself."""
    head = [
        r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs,amssymb}",
        rf"\title{{{escape(report.title)}}}", r"\begin{document}", r"\maketitle",
    ]  # fmt: skip
    return "\n".join([*head, *(table(part) for part in report.tables), r"\end{document}"]) + "\n"


def _spans(columns: Sequence[Column]) -> str:
    if not any(column.span for column in columns):
        return ""
    cells: list[str] = []
    place = 0
    while place < len(columns):
        name, width = columns[place].span, 1
        while name and place + width < len(columns) and columns[place + width].span == name:
            width += 1
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(name)}}}" if name else "")
        place += width
    return " & ".join(cells) + r" \\"


def _strong(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", escape(text))
