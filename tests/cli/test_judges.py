from pathlib import Path

import pytest

from lanner.cli._judges import judges_from
from lanner.errors import InputError


def test_a_number_names_or_a_file(tmp_path: Path) -> None:
    assert [judge.id for judge in judges_from("2")] == ["judge1", "judge2"]
    assert [(judge.id, judge.name) for judge in judges_from("Ana María, Ben")] == [
        ("ana-mar-a", "Ana María"),
        ("ben", "Ben"),
    ]
    path = tmp_path / "j.csv"
    path.write_text("id,name,language\nj1,Ana,ko\n", encoding="utf-8")
    [judge] = judges_from(str(path))
    assert (judge.id, judge.name, judge.attributes) == ("j1", "Ana", {"language": "ko"})


def test_a_file_without_names(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("who\nana\n", encoding="utf-8")
    with pytest.raises(InputError, match="column id or name"):
        judges_from(str(path))
