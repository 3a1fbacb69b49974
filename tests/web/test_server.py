from __future__ import annotations

import gc
import json
import logging
import socket
import sys
import threading

import pytest
from starlette.testclient import TestClient

from lanner.store import Store
from lanner.web.server import Server, ServerSettings, begin_log, serve, server
from ports import free_port


def test_serving_ends_gracefully(store: Store) -> None:
    """A real server on a free port, until told to stop."""
    port = free_port()
    serving = server(store, port=port)
    thread = threading.Thread(target=serving.run, daemon=True)
    thread.start()
    while not serving.started:
        threading.Event().wait(0.01)
        assert thread.is_alive()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert b"200 OK" in connection.recv(4096)
    serving.should_exit = True
    thread.join(60)
    assert not thread.is_alive()


def test_a_server_answers_to_its_own_names_only(store: Store) -> None:
    settings = ServerSettings(public_url="https://judge.example.org", processes=False)
    app = server(store, settings=settings, hosts=("other.example.org",)).config.app
    for host in ("judge.example.org", "other.example.org", "localhost:8000", "127.0.0.1"):
        assert TestClient(app).get("/healthz", headers={"host": host}).status_code == 200
    assert TestClient(app).get("/healthz", headers={"host": "evil.example"}).status_code == 421


def test_while_it_serves_threads_take_short_turns(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before, turns = sys.getswitchinterval(), list[float]()
    monkeypatch.setattr(Server, "run", lambda *_: turns.append(sys.getswitchinterval()))
    monkeypatch.setattr(gc, "freeze", lambda: None)
    try:
        serve(store, settings=ServerSettings(processes=False))
    finally:
        sys.setswitchinterval(before)
    assert turns and turns[0] < before


@pytest.fixture(autouse=True)
def as_before():
    loggers = [logging.getLogger(name) for name in ("lanner", "uvicorn.error")]
    kept = [(list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, kept, strict=True):
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


def test_a_line_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    begin_log("all")
    logging.getLogger("lanner.web").info("request", extra={"fields": {"what": "save", "ms": 1.5}})
    try:
        raise ValueError("postgresql://ana:secret@host/db")
    except ValueError:
        logging.getLogger("lanner.web").exception("bug at /j/AbC_123-x and lanner_T0ken")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["level"], first["what"], first["ms"]) == ("info", "save", 1.5)
    assert "AbC" not in second["message"] and "T0ken" not in second["message"]
    assert "secret" not in second["trace"] and "ValueError" in second["trace"]


def test_as_much_as_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for level, lines in (("off", 0), ("problems", 1), ("all", 2)):
        begin_log(level)
        logging.getLogger("lanner.web").info("fine")
        logging.getLogger("lanner.web").error("wrong")
        assert len(capsys.readouterr().err.splitlines()) == lines
