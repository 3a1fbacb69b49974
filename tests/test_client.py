from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest

import lanner
from lanner import campaign
from lanner.campaign.accounts import SCOPES, issue
from lanner.client import ApiError, Client
from lanner.errors import InputError, LannerError
from lanner.store import Store
from lanner.web.server import server
from lanner.web.site import ServerSettings
from ports import free_port
from web_clients import complete

TEXTS = [
    {"id": f"d{n}", "segments": [{"id": "1", "source": f"Source {n}.", "outputs": {"a": f"Ziel {n}."}}]}
    for n in range(60)
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    """A real server on a free port, with a store that the tests of this file share."""
    with Store.open(tmp_path_factory.mktemp("served") / "lanner.sqlite") as store:
        port = free_port()
        serving = server(store, port=port, settings=ServerSettings(processes=False))
        thread = threading.Thread(target=serving.run, daemon=True)
        thread.start()
        while not serving.started:
            threading.Event().wait(0.01)
        yield store, f"http://127.0.0.1:{port}"
        serving.should_exit = True
        thread.join(20)


def test_the_whole_road_from_python(served: tuple[Store, str], tmp_path: Path) -> None:
    store, address = served
    client = Client(address, issue(store, "ours", SCOPES)[1])
    client.create("my study", "h_falcon", TEXTS, [{"id": "ana"}], title="Mine")
    assert list(client.add_judges("my study", [{"id": "ben", "name": "Ben"}])) == ["ben"]
    assert client.move("my study", "open")["state"] == "open"
    task = client.tasks("my study", "ana")[0]["id"]
    first = client.submit("my study", task, 0, complete(), submission="from-python-1", active=3.0)
    assert client.submit("my study", task, 0, complete(), submission="from-python-1")["saved"] == first["saved"]
    assert [row["question"] for row in client.judgements("my study")] == ["skills", "sentence", "holistic"]
    assert list(client.judgements("my study", after=first["saved"]["holistic"])) == []
    assert [text["id"] for text in client.documents("my study")] == [text["id"] for text in TEXTS]
    assert client.progress("my study")["whole"]["done"] == 1
    assert (
        client.campaign("my study")["title"]
        == {each["name"]: each["title"] for each in client.campaigns()}["my study"]
        == "Mine"
    )
    assert client.next_task("my study", "ana") == client.tasks("my study", "ana")[0]
    [item] = client.task("my study", task)["items"]
    assert (item["segment"], item["systems"], item["missing"]) == ("1", ["a"], [])
    assert item["document"] == next(client.judgements("my study"))["document"]
    assert client.finish("my study", task)["finished_at"] == client.finish("my study", task)["finished_at"] is not None
    following = client.next_task("my study", "ana")
    assert following is not None and following["id"] != task
    with pytest.raises(ApiError, match="still needs 3 answers") as refused:
        client.finish("my study", following["id"])
    assert refused.value.status == 409
    first_row = next(iter(client.agreement("my study")))
    assert (first_row["question"], first_row["value"]) == ("skills", None)
    assert client.export("my study", "native", tmp_path / "out.jsonl").stat().st_size > 1000
    assert len(campaign.history(store, "my study")) == 3


def test_refusals_come_as_errors_with_words(served: tuple[Store, str]) -> None:
    store, address = served
    with pytest.raises(ApiError, match="does not accept this token") as refused:
        Client(address, "lanner_wrong").campaigns()
    assert refused.value.status == 401
    client = Client(address, issue(store, "theirs", ["campaigns"])[1])
    with pytest.raises(ApiError, match="scope 'write'"):
        client.create("x", "h_falcon", TEXTS)
    with pytest.raises(ApiError) as missing:
        client.campaign("nowhere")
    assert missing.value.status == 404
    with pytest.raises(LannerError, match="no address"):
        Client("lanner.example.org", "x")
    with pytest.raises(ApiError, match="does not answer"):
        Client("http://127.0.0.1:9", "x").campaigns()
    with pytest.raises(ApiError, match="does not answer"):
        Client("http://127.0.0.1:9", "x").export("pilot", "native", "nowhere")


class BreaksOff(BaseHTTPRequestHandler):
    """Promises a whole file and closes the connection in its midst, so many times."""

    times = 0
    whole = b"judge,document,segment,system,score\n" + b"ana,d,1,a,50\n" * 9000

    def do_GET(self) -> None:
        cut = type(self).times > 0
        type(self).times -= 1
        self.send_response(200)
        self.send_header("content-length", str(len(self.whole)))
        self.end_headers()
        self.wfile.write(self.whole[: 70_000 if cut else None])
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def breaking_off(times: int) -> Iterator[str]:
    BreaksOff.times = times
    with ThreadingHTTPServer(("127.0.0.1", 0), BreaksOff) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_export_is_whole_or_not_there(tmp_path: Path) -> None:
    """Half a table reads like a table."""
    path = tmp_path / "out.csv"
    path.write_text("what was there before")
    with breaking_off(9) as address, pytest.raises(ApiError, match="broke off 47,036 bytes before its end"):
        Client(address, "x").export("pilot", "csv", path)
    assert path.read_text() == "what was there before"
    with breaking_off(2) as address:
        Client(address, "x").export("pilot", "csv", path)
    assert path.read_bytes() == BreaksOff.whole
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_at_an_address_is_read_whole_or_not_at_all() -> None:
    with breaking_off(1) as address, pytest.raises(LannerError, match="cannot be fetched: it broke off"):
        lanner.agreement(f"{address}/ratings.csv")


RATINGS = pl.DataFrame(
    [
        {
            "rater": rater,
            "doc": f"d{n}",
            "seg": "1",
            "system": system,
            "score": (7 * n + 11 * (system == "a") + k) % 101,
        }
        for k, rater in enumerate(("ann", "ben"))
        for system in "ab"
        for n in range(6)
    ]
)


def test_the_library_reads_a_campaign_by_its_address(served: tuple[Store, str]) -> None:
    """Also one whose protocol was made from its answers, which no other machine knows."""
    store, address = served
    (part,) = lanner.load(RATINGS)
    assert part.protocol is not None
    assert len(repr([part])) < 120
    campaign.import_campaign(
        store, "my pilot", part.judgements, part.protocol, documents=part.documents, judges=part.judges
    )
    token = issue(store, "reader", ["campaigns", "judgements"])[1]
    direct = lanner.scores(RATINGS).table["score"].to_list()
    for place in ("my%20pilot", "campaigns/my%20pilot", "campaigns/my%20pilot/judges", "api/v1/campaigns/my%20pilot"):
        assert lanner.scores(f"{address}/{place}", token=token).table["score"].to_list() == direct
    pilot = f"{address}/campaigns/my%20pilot"
    assert lanner.agreement(pilot, token=token).table.height
    compared = lanner.compare(pilot, pilot, resamples=50, token=token)
    assert set(compared.table["side"]) == {"my pilot", "my pilot (2)"}
    with pytest.raises(InputError, match=r"no campaign 'my pilto'.*\nDid you mean 'my pilot'"):
        lanner.scores(f"{address}/campaigns/my%20pilto", token=token)
    with pytest.raises(InputError, match="names no campaign"):
        lanner.scores(address, token=token)
    with pytest.raises(ApiError, match="does not accept this token"):
        lanner.scores(pilot, token="lanner_wrong")
    weak = issue(store, "weak", ["campaigns"])[1]
    with pytest.raises(ApiError, match=r"lacks the scope 'judgements'.*\n.*--scope judgements"):
        lanner.scores(pilot, token=weak)
    with pytest.raises(InputError, match=r"web page.*\n.*token="):
        lanner.scores(pilot)
