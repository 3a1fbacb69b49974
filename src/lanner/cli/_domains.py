"""Domains for judgements whose file does not tell them: WMT's lists of documents, a domain and a document a line."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lanner import formats
from lanner.errors import InputError, Where


def with_domains(table: pl.DataFrame, path: Path) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The tidy table with the domains of its documents. Where a document is not in the list, an item id that is a
    number is taken as the line, counted from 0 with every line, canaries too, as WMT counts."""
    lines = _lines(path) if path.suffix == ".docs" else []
    by_name = {name: domain for domain, name in lines}
    if not lines:
        by_name = {document.id: document.domain for document in formats.read_documents(path)}
    by_line = {str(number): domain for number, (domain, _) in enumerate(lines)}
    domain = pl.col("document").replace_strict(by_name, default=None, return_dtype=pl.String)
    if by_line:
        domain = domain.fill_null(pl.col("segment").replace_strict(by_line, default=None, return_dtype=pl.String))
    with_domain = table.with_columns(domain.fill_null("").alias("domain"))
    unknown = with_domain.filter(pl.col("domain") == "", pl.col("role") == "main")["document"].n_unique()
    return with_domain, (f"{unknown} documents are not in {path.name}: their domain is unknown.",) if unknown else ()


def _lines(path: Path) -> list[tuple[str, str]]:
    parts = []
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"This cannot be read: {error.strerror or error}.", where=Where(path)) from error
    for number, line in enumerate(text.splitlines(), 1):
        domain, tab, name = line.partition("\t")
        if not tab:
            raise InputError("This line does not say DOMAIN and DOCUMENT.", where=Where(path, number))
        parts.append((domain, name))
    return parts
