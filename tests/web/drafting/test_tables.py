from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from lanner import formats
from lanner.store import Store
from web_clients import sent_back, sign_in

TABLE = (
    "doc_id,domain,seg_id,source,Claude,IKUN\n"
    "d1,news,1,The tide turned before noon today.,Die Flut kam heute vor Mittag.,Das Wasser stieg am Vormittag an.\n"
    "d1,news,2,Nobody waited on the pier.,Niemand wartete am Kai.,Keiner stand auf dem Steg.\n"
)


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    return sign_in(client, store, "Olga", "organiser")


def upload(client: TestClient, token: str, content: str = TABLE, name: str = "set.csv", **fields: str) -> Any:
    return client.post("/new", data={"token": token, "from": "file", **fields}, files={"texts": (name, content)})


def taken(client: TestClient, address: str) -> list[Any]:
    """The documents that wait under an address of a draft."""
    site = client.app.state.site  # type: ignore[attr-defined]
    waiting = site.uploads._uploads[address.rpartition("/")[2]]
    return list(formats.read_documents(waiting.path, "native"))


def test_two_systems_without_typing(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    assert place.endswith("/table"), "guesses that are not sure are shown first"
    page = client.get(place).text
    fields = sent_back(page)
    assert [fields[f"role.{at}"] for at in range(6)] == [
        *("document", "domain", "segment", "source", "translation", "translation")
    ]
    assert "--" not in re.sub(r"<!--.*?-->|<style.*?</style>", "", page, flags=re.DOTALL), "no word of a command line"
    answer = client.post(place, data={"token": token, "do": "take", **fields, "from": "en", "into": "de"})
    [document] = taken(client, answer.headers["location"])
    assert (document.systems, document.source_language, document.target_language) == (("Claude", "IKUN"), "en", "de")
    draft = client.get(answer.headers["location"]).text
    assert f'href="{place}"' in draft, "one can come back"
    again = sent_back(client.get(place).text)
    assert (again["from"], again["into"]) == ("en", "de"), "what was chosen is kept"


def test_a_role_that_was_changed_is_called_yours_and_keeps_the_guess(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    page = client.get(place).text
    assert '<html lang="en" dir="ltr">' in page
    assert re.findall(r'data-guess="(\w+)">\s*<span>guessed', page) == [
        *("document", "domain", "segment", "source", "translation", "translation")
    ]
    fields = {**sent_back(page), "role.1": "ignore"}
    page = client.post(place, data={"token": token, "do": "look", **fields}).text
    guesses = re.findall(r'data-guess="(\w+)">\s*<span( hidden)?>[^<]*</span>\s*<span( hidden)?>yours', page)
    assert [(role, bool(yours)) for role, yours, _ in guesses] == [
        ("document", False), ("domain", True), ("segment", False), ("source", False),
        ("translation", False), ("translation", False),
    ]  # fmt: skip


def test_another_row_names_the_columns_and_a_column_is_left_out(client: TestClient, token: str) -> None:
    content = "set,of,spring,2026,v1,x\n" + TABLE.replace("source", "text one").replace("doc_id", "talk")
    place = upload(client, token, content).headers["location"]
    fields = sent_back(client.get(place).text)
    page = client.post(place, data={"token": token, "do": "look", **fields, "header": "2"}).text
    fields = sent_back(page)
    assert fields["column"] == ["talk", "domain", "seg_id", "text one", "Claude", "IKUN"]
    roles = ["document", "ignore", "segment", "source", "translation", "ignore"]
    chosen = {f"role.{at}": role for at, role in enumerate(roles)}
    answer = client.post(place, data={"token": token, "do": "take", **fields, **chosen, "name.4": "A"})
    [document] = taken(client, answer.headers["location"])
    assert (document.systems, document.domain, len(document.segments)) == (("A",), "", 2)


def test_a_contradiction_is_said_and_nothing_is_lost(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    fields = sent_back(client.get(place).text) | {"role.4": "source", "from": "fr", "name.5": "My system"}
    answer = client.post(place, data={"token": token, "do": "take", **fields})
    assert answer.status_code == 422
    assert "“source” and “Claude” have the same role." in answer.text
    again = sent_back(answer.text)
    assert (again["role.4"], again["from"], again["name.5"]) == ("source", "fr", "My system")


def test_a_table_in_which_nothing_is_known_asks_instead_of_refusing(client: TestClient, token: str) -> None:
    place = upload(client, token, "a,b\nThe tide turned before noon.,Die Flut kam vor Mittag.\n").headers["location"]
    page = client.get(place).text
    assert 'role="alert"' in page and "--columns" not in page
    fields = sent_back(page) | {"role.0": "source", "role.1": "translation"}
    answer = client.post(place, data={"token": token, "do": "take", **fields})
    [document] = taken(client, answer.headers["location"])
    assert document.segments[0].outputs == {"b": "Die Flut kam vor Mittag."}


def test_the_table_of_another_account_is_not_there(client: TestClient, store: Store, token: str) -> None:
    place = upload(client, token).headers["location"]
    sign_in(client, store, "Otto", "organiser")
    assert client.get(place).status_code == 404


def test_languages_that_nothing_says_are_guessed_shown_and_can_be_changed(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    page = client.get(place).text
    fields = sent_back(page)
    assert (fields["from"], fields["into"]) == ("en", "de"), "guessed without typing"
    assert len(re.findall(r"guessed, \d+ % sure", page)) >= 4, "languages and columns"
    answer = client.post(place, data={"token": token, "do": "take", **fields, "into": "nl"})
    [document] = taken(client, answer.headers["location"])
    assert (document.source_language, document.target_language) == ("en", "nl"), "what was chosen counts"
    place = upload(client, token, source="fr").headers["location"]
    assert sent_back(client.get(place).text)["from"] == "fr", "what was said before is no guess"


def test_a_mistake_stands_at_the_columns_it_is_about(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    fields = sent_back(client.get(place).text)
    page = client.post(place, data={"token": token, "do": "take", **fields, "role.1": "source"}).text
    marked = re.findall(r'<select name="(role\.\d+)"[^>]*aria-invalid="true"', page)
    assert marked == ["role.1", "role.3"]
    assert 'href="#role.1"' in page, "the summary leads there"
    assert sent_back(page) == {**fields, "role.1": "source"}, "nothing chosen is lost"
