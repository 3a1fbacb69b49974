from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from lanner.campaign.accounts import is_sealed
from lanner.campaign.webhooks import add_webhook, seal_secrets
from lanner.store import Store
from lanner.store.backup import backup
from lanner.web import webhooks
from lanner.web.webhooks import TRIES, again_at, is_open, reachable, send_next, signature
from store_rows import fill

NOW = datetime.now(UTC)


@pytest.fixture
def receiver() -> Iterator[SimpleNamespace]:
    """An address that keeps what it is told; it answers with `status`."""
    kept = SimpleNamespace(status=204, got=[], url="")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            kept.got.append((self.path, dict(self.headers), body))
            self.send_response(kept.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        kept.url = f"http://127.0.0.1:{server.server_port}/hook?for=us"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield kept
        server.shutdown()
        thread.join()


@pytest.fixture
def announced(store: Store, receiver: SimpleNamespace) -> Store:
    filled = fill(store)
    with store.writing() as tx:
        tx.webhooks.add(receiver.url, "the secret", ["task.finished"], NOW)
        tx.webhooks.announce(filled.campaign, "task.finished", {"task": 7}, NOW)
    return store


def test_what_happened_arrives_signed(announced: Store, receiver: SimpleNamespace) -> None:
    assert send_next(announced, NOW, inside=True)
    assert not send_next(announced, NOW, inside=True)
    ((path, headers, body),) = receiver.got
    assert path == "/hook?for=us"
    assert json.loads(body) == {"event": "task.finished", "task": 7}
    assert headers["Lanner-Signature"] == signature("the secret", body)
    assert headers["Lanner-Event"] == "task.finished"


def test_what_is_not_taken_is_tried_again_later(announced: Store, receiver: SimpleNamespace) -> None:
    receiver.status = 500
    assert send_next(announced, NOW, inside=True)
    with announced.reading() as tx:
        assert tx.webhooks.waiting() == [("task.finished", 1, "answered 500")]
    assert not send_next(announced, NOW + timedelta(seconds=29), inside=True)
    receiver.status = 302  # led elsewhere: not followed, not taken
    assert send_next(announced, NOW + timedelta(seconds=31), inside=True)
    receiver.status = 200
    assert send_next(announced, NOW + timedelta(minutes=5), inside=True)
    assert len(receiver.got) == 3
    with announced.reading() as tx:
        assert tx.webhooks.waiting() == []


def test_a_receiver_that_never_comes_to_an_end_holds_up_no_others(
    announced: Store, receiver: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "_LONGEST", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as slow:
        add_webhook(announced, f"http://127.0.0.1:{slow.getsockname()[1]}/", ["task.finished"])
        with announced.writing() as tx:
            tx.webhooks.announce(1, "task.finished", {}, NOW)
        while send_next(announced, NOW + timedelta(seconds=1), inside=True):
            pass
    with announced.reading() as tx:
        [(event, tries, problem)] = tx.webhooks.waiting()
    assert (event, tries) == ("task.finished", 1) and "timed out" not in problem
    assert receiver.got


def test_the_own_network_is_told_nothing_unless_the_operator_says_so(
    announced: Store, receiver: SimpleNamespace
) -> None:
    assert send_next(announced, NOW)
    assert receiver.got == []
    with announced.reading() as tx:
        assert "not on the open network" in tx.webhooks.waiting()[0][2]
    for host in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "0.0.0.0"):
        with pytest.raises(OSError, match="open network"):
            reachable(host, 80, inside=False)


def test_a_receiver_is_told_by_the_first_of_its_addresses_that_answers(
    announced: Store, receiver: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, 0)) for number in ("127.0.0.9", "10.0.0.1", "1.1.1.1")
    ]
    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", lambda *_given, **_options: found)
        assert reachable("example.org", 80, inside=False) == ["1.1.1.1"]
    monkeypatch.setattr(webhooks, "reachable", lambda *_given, **_options: ["127.0.0.9", "127.0.0.1"])
    assert send_next(announced, NOW, inside=True)
    assert len(receiver.got) == 1


def test_after_the_last_try_it_is_left() -> None:
    waits = [again_at(n, NOW) for n in range(1, TRIES)]
    assert all(waits) and waits == sorted(waits)
    assert again_at(TRIES, NOW) is None


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("::1", False),
        ("::127.0.0.1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a00:1", False),
        ("2002:7f00:1::", False),
        ("2002:a00:1::1", False),
        ("2001:0:7f00:1::", False),
        ("fe80::1", False),
    ],
)
def test_an_address_is_open_only_if_every_address_in_it_is(address: str, expected: bool) -> None:
    assert is_open(ipaddress.ip_address(address)) is expected


def test_a_secret_is_shown_once_and_kept_sealed(store: Store, receiver: SimpleNamespace) -> None:
    filled = fill(store)
    _, secret = add_webhook(store, receiver.url, ["task.finished"])
    with store.writing() as tx:
        (hook,) = tx.webhooks.all()
        assert secret not in hook.secret and is_sealed(hook.secret)
        tx.webhooks.announce(filled.campaign, "task.finished", {"task": 7}, NOW)
    assert send_next(store, NOW, inside=True)
    ((_, headers, body),) = receiver.got
    assert headers["Lanner-Signature"] == signature(secret, body)


def test_secrets_of_an_earlier_version_are_sealed_and_go_on_working(
    announced: Store, receiver: SimpleNamespace
) -> None:
    assert seal_secrets(announced) == 1
    assert seal_secrets(announced) == 0
    with announced.reading() as tx:
        assert all(is_sealed(hook.secret) for hook in tx.webhooks.all())
    assert send_next(announced, NOW, inside=True)
    ((_, headers, body),) = receiver.got
    assert headers["Lanner-Signature"] == signature("the secret", body)


def test_another_key_sends_nothing(
    announced: Store, receiver: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal_secrets(announced)
    monkeypatch.setenv("LANNER_LINK_KEY", "another key")
    assert send_next(announced, NOW, inside=True)
    assert not receiver.got
    with announced.reading() as tx:
        ((_, _, problem),) = tx.webhooks.waiting()
    assert "another key" in problem


def test_no_secret_leaves_in_a_backup(announced: Store, tmp_path: Path) -> None:
    plain = backup(announced, tmp_path / "plain.sqlite").path
    assert b"the secret" not in plain.read_bytes(), "an earlier version kept it in plain text"
    seal_secrets(announced)
    sealed = backup(announced, tmp_path / "sealed.sqlite").path
    assert b"the secret" not in sealed.read_bytes()
    assert sealed.stat().st_mode & 0o077 == 0


def test_a_key_that_cannot_be_read_does_not_end_the_sender(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_store: Store) -> int:
        raise PermissionError("lanner.sqlite.key")

    async def run() -> None:
        looked = asyncio.Event()
        loop = asyncio.get_running_loop()

        def look(*_: object, **__: object) -> bool:
            loop.call_soon_threadsafe(looked.set)
            return False

        monkeypatch.setattr(webhooks, "send_next", look)
        sender = webhooks.WebhookSender(store)
        sender.begin()
        await asyncio.wait_for(looked.wait(), 60)
        await sender.close()

    monkeypatch.setattr(webhooks, "seal_secrets", refuse)
    monkeypatch.setattr(webhooks, "_LOOKS_EACH", 0.0)
    asyncio.run(run())
