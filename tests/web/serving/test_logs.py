from __future__ import annotations

import json
import logging

import pytest

from lanner.web import server


@pytest.fixture(autouse=True)
def as_before():
    loggers = [logging.getLogger(name) for name in ("lanner", "uvicorn.error")]
    kept = [(list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, kept, strict=True):
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


def test_a_line_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    server.begin_log("all")
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
        server.begin_log(level)
        logging.getLogger("lanner.web").info("fine")
        logging.getLogger("lanner.web").error("wrong")
        assert len(capsys.readouterr().err.splitlines()) == lines
