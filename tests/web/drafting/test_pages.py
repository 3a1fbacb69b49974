from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner import campaign, protocols
from lanner.protocols.describe import describe
from lanner.store import Store
from lanner.web.drafting.pages import ListEntry, ProtocolBlock, blocks
from newcomer_files import NEWCOMER_FILES, Maker
from web_clients import another, enter, open_campaign, sent_back, sign_in

TABLE = "document,segment,source,system:alpha,system:beta\nd1,1,Hello.,Hallo.,Hi.\nd1,2,Bye.,Tschüs.,Ciao.\n"


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    return sign_in(client, store, "Olga", "organiser")


def upload(client: TestClient, token: str, name: str = "mine.csv", content: str = TABLE):
    return client.post("/new", data={"token": token, "from": "file"}, files={"texts": (name, content)})


def test_from_a_file_to_an_open_campaign(client: TestClient, store: Store, token: str) -> None:
    assert "Read the texts" in client.get("/new").text
    place = upload(client, token).headers["location"]
    page = client.get(place).text
    assert "Tschüs." in page
    assert "alpha" in page
    fields = {
        "token": token,
        "name": "first",
        "protocol": "h_falcon",
        "judges": "Ana, ana@example.org\nBen",
        "system": "alpha",
    }
    plan = client.post(place, data={**fields, "do": "plan"})
    assert "The plan" in plan.text
    assert campaign.campaigns(store) == []
    made = client.post(place, data={**fields, "do": "make"})
    links = re.findall(r"http://testserver/j/([\w-]+)", made.text)
    assert len(set(links)) == 2
    assert campaign.get(store, "first").state == "draft"
    assert "Preview as a judge" in client.get("/campaigns/first").text
    client.post("/campaigns/first/state", data={"token": token, "to": "open"})
    assert enter(another(client), links[0])
    systems = {
        system for task in campaign.tasks(store, "first", "ana") for item in task.items for system in item.systems
    }
    assert systems == {"alpha"}


def test_ticking_no_system_takes_all_and_the_page_says_so(client: TestClient, store: Store, token: str) -> None:
    place = upload(client, token).headers["location"]
    assert "If none is ticked, all are judged." in client.get(place).text
    client.post(place, data={"token": token, "name": "all", "protocol": "da", "judges": "Ana", "do": "make"})
    client.post("/campaigns/all/state", data={"token": token, "to": "open"})
    assert {
        system for task in campaign.tasks(store, "all", "ana") for item in task.items for system in item.systems
    } == {"alpha", "beta"}


@pytest.mark.parametrize("make", NEWCOMER_FILES, ids=lambda make: make.__name__)
def test_a_newcomers_file_becomes_a_campaign_with_two_judges(
    client: TestClient, store: Store, token: str, tmp_path: Path, make: Maker
) -> None:
    """As a person goes through the pages: choose the files, look at the guessed columns, name two judges, make it."""
    files = [("texts", (path.name, path.read_bytes())) for path in make(tmp_path)]
    place = client.post("/new", data={"token": token, "from": "file"}, files=files).headers["location"]
    if place.endswith("/table"):
        guesses = sent_back(client.get(place).text)
        place = client.post(place, data={"token": token, "do": "take", **guesses}).headers["location"]
    fields = {"token": token, "name": "mine", "protocol": "da", "judges": "Ana\nBen", "do": "make"}
    systems = re.findall(r'name="system" value="([^"]+)"', client.get(place).text)
    answer = client.post(place, data={**fields, "system": systems})
    assert len(set(re.findall(r"http://testserver/j/([\w-]+)", answer.text))) == 2, answer.text
    client.post("/campaigns/mine/state", data={"token": token, "to": "open"})
    items = NEWCOMER_FILES[make]
    assert {part.name: part.items for part in campaign.progress(store, "mine").judges} == {"ana": items, "ben": items}


def test_mistakes_in_texts_are_shown_with_name_and_line(client: TestClient, token: str) -> None:
    good = [f'{{"document": "d", "segment": "{at}", "source": "a"}}' for at in range(400)]
    answer = upload(client, token, "../../mine.jsonl", "\n".join([*good, '{"doc']))
    assert answer.status_code == 422
    assert "mine.jsonl:401" in answer.text
    assert "/tmp" not in answer.text
    nothing = client.post("/new", data={"token": token, "from": "file"})
    assert nothing.status_code == 422
    twice = [("texts", ("mine.de", "Eins.\n")), ("texts", ("mine.en", "One.\n")), ("texts", ("a/mine.de", "Zwei.\n"))]
    answer = client.post("/new", data={"token": token, "from": "file"}, files=twice)
    assert answer.status_code == 422
    assert "Two files are called mine.de." in answer.text


def test_mistakes_in_wishes_keep_what_was_typed(client: TestClient, store: Store, token: str) -> None:
    place = upload(client, token).headers["location"]
    fields = {"token": token, "protocol": "h_falcon", "name": "a/b", "judges": "Ana", "title": "Kept", "do": "make"}
    answer = client.post(place, data=fields)
    assert answer.status_code == 422
    assert 'value="Kept"' in answer.text
    assert campaign.campaigns(store) == []


def test_demonstration_texts_and_texts_of_another_campaign(client: TestClient, store: Store, token: str) -> None:
    demo = client.post("/new", data={"token": token, "from": "demo"})
    assert "demonstration texts" in client.get(demo.headers["location"]).text
    open_campaign(store, "secret")
    refused = client.post("/new", data={"token": token, "from": "campaign", "campaign": "secret"})
    assert refused.status_code == 404, "texts of a campaign that is not theirs"
    owner = another(client)
    own = sign_in(owner, store)
    taken = owner.post("/new", data={"token": own, "from": "campaign", "campaign": "secret"})
    assert "Source 0.0" in owner.get(taken.headers["location"]).text


def test_an_upload_is_its_owners_alone(client: TestClient, store: Store, token: str) -> None:
    place = upload(client, token).headers["location"]
    other = another(client)
    sign_in(other, store, "Mallory", "organiser")
    assert other.get(place).status_code == 404


def test_a_protocol_as_a_person_reads_it(client: TestClient, token: str) -> None:
    page = client.get("/protocols/h_falcon").text
    assert "<li>" in page
    assert "holistic" in page
    assert client.get("/protocols/..%2Fx").status_code == 404
    assert client.get("/protocols/nothing").status_code == 404


def test_ones_own_protocol_as_a_file(client: TestClient, store: Store, token: str) -> None:
    place = upload(client, token).headers["location"]
    own = b'name = "mine"\nversion = "1"\nextends = "h_falcon"\nwithout = ["skills"]\n'
    fields = {"token": token, "name": "own", "judges": "Ana", "system": "alpha", "do": "make"}
    client.post(place, data=fields, files={"own_file": ("mine.toml", own)})
    assert campaign.get(store, "own").protocol_name == "mine"
    binary = client.post(place, data={**fields, "name": "b"}, files={"own_file": ("x.toml", b"\xff\xfe\x00")})
    assert binary.status_code == 422


def test_too_large_an_upload(client: TestClient, token: str) -> None:
    client.headers["accept-language"] = "de"
    answer = upload(client, token, content="x" * (65 * 1024 * 1024))
    assert answer.status_code == 413
    assert "Was gesendet wurde, ist zu groß." in answer.text, "in words, on a page"


def test_headings_groups_lists_and_lines() -> None:
    text = "# Title\n\nA line.\nAnother.\n\n### Skills (skills)\n*Field*\n- one: first\n  - below\n*Tenor*\n- two\n"
    assert blocks(text) == [
        ProtocolBlock("h1", "Title"),
        ProtocolBlock("p", "A line."),
        ProtocolBlock("p", "Another."),
        ProtocolBlock("h3", "Skills (skills)"),
        ProtocolBlock("group", "Field"),
        ProtocolBlock("list", entries=(ListEntry("one: first"), ListEntry("below", deeper=True))),
        ProtocolBlock("group", "Tenor"),
        ProtocolBlock("list", entries=(ListEntry("two"),)),
    ]


def test_no_protocol_leaves_marks_of_markdown_on_the_page() -> None:
    for name in protocols.names():
        for block in blocks(describe(protocols.load(name))):
            for text in (block.text, *(entry.text for entry in block.entries)):
                assert not text.startswith(("#", "- ", "* ")), (name, text)
                assert "**" not in text
                assert not (text.startswith("*") and text.endswith("*")), (name, text)


@pytest.mark.parametrize(
    ("control", "wrong"),
    [
        ("name", {"name": ""}),
        ("judges", {"judges": "Ana\nana"}),
        ("seed", {"seed": "x"}),
        ("calibration", {"calibration": "two"}),
        ("shuffled", {"shuffled": "many"}),
        ("batches.judges_per_document", {"design": "batches", "batches.judges_per_document": "x"}),
        ("design", {"design": "batches", "batches.judges_per_document": "2", "judges": "Ana\nBen\nCem"}),
        ("own_protocol", {"own_protocol": 'extends = "/etc/passwd"'}),
        ("deadline", {"deadline": "tomorrow"}),
        ("time_zone", {"time_zone": "Mars/Olympus"}),
    ],
)
def test_a_mistake_stands_at_its_control_and_nothing_typed_is_lost(
    client: TestClient, token: str, control: str, wrong: dict[str, str]
) -> None:
    place = upload(client, token).headers["location"]
    fields = {"name": "mine", "protocol": "esa", "judges": "Ana\nBen", "title": "A title", **wrong}
    page = client.post(place, data={"token": token, "do": "plan", **fields, "system": "alpha"})
    assert page.status_code == 422
    assert f'href="#{control}"' in page.text
    assert f'id="{control}"' in page.text, "the link leads to the control"
    for value in fields.values():
        assert html.escape(value, quote=True).replace("&quot;", "&#34;") in page.text, value


def test_cards_say_minutes_published_agreement_and_where_it_is_from(client: TestClient, token: str) -> None:
    page = client.get(upload(client, token).headers["location"]).text
    [card] = [
        card for card in re.findall(r'<label class="card.*?</label>', page, re.DOTALL) if 'value="falcon"' in card
    ]
    assert "0.5 min an item" in card
    assert "judges agree κ .36–.50 (Kim 2025)" in card
    assert page.count("judges agree") == 3, "a protocol about which nothing is known claims nothing"
