"""Logs as JSON, one object a line: when, how bad, what. They hold no addresses, no names, no answers, no secrets."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime

LEVELS = {"off": logging.CRITICAL + 1, "problems": logging.WARNING, "all": logging.INFO}
_SECRET = re.compile(r"(postgresql(?:\+\w+)?://[^:@/\s]*:)[^@\s]+@|(/j/|/enter/|lanner_)[\w-]+")


class Lines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "message": scrubbed(record.getMessage()),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["trace"] = scrubbed(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def scrubbed(text: str) -> str:
    """Without passwords of databases, judges' links and tokens, wherever they came from."""
    return _SECRET.sub(lambda match: (match[1] + "…@") if match[1] else f"{match[2]}…", text)


def begin(level: str) -> None:
    """Write what this program has to say to standard error from now on, and nothing else."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    for name in ("lanner", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(LEVELS[level] if name == "lanner" else max(LEVELS[level], logging.WARNING))
