from pathlib import Path

import polars as pl
import pytest

from lanner.cli._domains import with_domains
from lanner.errors import InputError

TABLE = pl.DataFrame({"document": ["d1", "items", "d9"], "segment": ["7", "2", "x"], "role": ["main"] * 3})


def test_domains_by_document_then_by_line_counted_with_the_canary(tmp_path: Path) -> None:
    path = tmp_path / "en-de.docs"
    path.write_text("canary\tcanary\nnews\td1\ntalk\td2\n", encoding="utf-8")
    made, notes = with_domains(TABLE, path)
    assert made["domain"].to_list() == ["news", "talk", ""]
    assert notes == ("1 documents are not in en-de.docs: their domain is unknown.",)


def test_a_line_without_two_fields(tmp_path: Path) -> None:
    path = tmp_path / "en-de.docs"
    path.write_text("news\td1\nnews\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        with_domains(TABLE, path)
    assert caught.value.where.line == 2
