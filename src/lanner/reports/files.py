"""A report on disk: the HTML file, and beside it every table as CSV and LaTeX, every figure as SVG, PDF and PNG with
its data, and what to cite as BibTeX."""

from __future__ import annotations

from pathlib import Path

from lanner.figures.drawing import available, pdf, plain, png, standalone
from lanner.formats.parsing.textfile import write_whole
from lanner.reports import html, latex
from lanner.reports.parts import Report, bibtex, csv_text


def write(report: Report, folder: Path, *, pictures: bool = True) -> Path:
    """Write everything into `folder` and return the path of the HTML file. Each file appears whole or not at all.
    `pictures` are the PDF and PNG of each figure, which take longer than all the rest and need the extra `figures`."""
    css = plain(html.style())
    files: dict[str, str | bytes] = {"report.html": html.render(report), "tables.tex": latex.document(report)}
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
