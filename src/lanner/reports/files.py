"""A report on disk: the HTML file, and beside it every table as CSV and LaTeX, every figure as SVG, PDF and PNG with
its data, and what to cite as BibTeX."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from lanner.errors import LannerError, Where
from lanner.figures.drawing import available, pdf, plain, png, standalone
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
    try:
        for name, text in files.items():
            write_whole(folder / name, text)
    except OSError as error:
        raise LannerError(f"The report cannot be written: {error.strerror}.", where=Where(folder)) from error
    return folder / "report.html"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it appears whole or not at all; text as UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
