from __future__ import annotations

import pytest

from lanner.errors import InputError
from lanner.web.drafting.judges import invited


def test_lines_in_any_order() -> None:
    found = invited("Ana Ruiz <ana@example.org>, ko\nBen; ben@example.org\n\nChi, German, ten years, freelance\n")
    assert [(entry.judge.id, entry.judge.name, entry.email) for entry in found] == [
        ("ana-ruiz", "Ana Ruiz", "ana@example.org"),
        ("ben", "Ben", "ben@example.org"),
        ("chi", "Chi", ""),
    ]
    assert found[0].judge.attributes == {"language": "ko"}
    assert found[2].judge.attributes == {"language": "de", "note": "ten years, freelance"}


def test_addresses_are_not_kept_with_the_judge() -> None:
    found = invited("name\temail\tlanguage\nAna\tana@example.org\tko")
    assert "example" not in str(found[0].judge)
    assert found[0].email == "ana@example.org"


def test_a_table_with_its_own_columns() -> None:
    found = invited('id,name,years\nj1,"Ruiz, Ana",12\nj2,Ben,')
    assert [(entry.judge.id, entry.judge.name) for entry in found] == [("j1", "Ruiz, Ana"), ("j2", "Ben")]
    assert found[0].judge.attributes == {"years": "12"}


def test_ids_are_unique_and_keep_their_script() -> None:
    found = invited("Kim\nKim\n김 민수\n!!!", existing_ids={"kim"}, same_names=True)
    assert [entry.judge.id for entry in found] == ["kim-2", "kim-3", "김-민수", "judge"]


@pytest.mark.parametrize(("text", "taken"), [("Kim\nBo\nkim", ()), ("Kim", ("kim",)), ("id,name\nx,A\nX,B", ())])
def test_two_of_one_name_are_asked_about(text: str, taken: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        invited(text, taken)
    assert caught.value.code == "same_name"
    assert caught.value.where.line == text.count("\n") + 1


@pytest.mark.parametrize("text", ["", "  \n ", ", ,", "name\n,", "x" * 200])
def test_what_names_nobody_is_refused_in_words(text: str) -> None:
    with pytest.raises(InputError):
        invited(text)
