"""Running the pages on this machine: all that the command line and the notebook use of `web`."""

from __future__ import annotations

import gc
import json
import logging
import re
import socket
import sys
from datetime import UTC, datetime
from typing import Any

import uvicorn
from starlette.applications import Starlette

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.app import ROUTES, create_app
from lanner.web.middleware import AllowedHosts, TimeoutProtocol, UrlPrefix, allowed_hosts, is_unambiguous
from lanner.web.rendering import load_templates
from lanner.web.review import HOST as REVIEW_HOST
from lanner.web.review import serve as serve_review
from lanner.web.site import ServerSettings

# Logs as JSON, one object a line: when, how bad, what. They hold no addresses, no names, no answers, no secrets.

LEVELS = {"off": logging.CRITICAL + 1, "problems": logging.WARNING, "all": logging.INFO}
_SECRET = re.compile(r"(postgresql(?:\+\w+)?://[^:@/\s]*:)[^@\s]+@|(/j/|/enter/|lanner_)[\w-]+")


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "message": scrub(record.getMessage()),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["trace"] = scrub(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def scrub(text: str) -> str:
    """Remove passwords of databases, judges' links and tokens from a text."""
    return _SECRET.sub(lambda match: (match[1] + "…@") if match[1] else f"{match[2]}…", text)


def begin_log(level: str) -> None:
    """Write what this program has to say to standard error from now on, and nothing else."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("lanner", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(LEVELS[level] if name == "lanner" else max(LEVELS[level], logging.WARNING))


__all__ = [
    "REVIEW_HOST",
    "ServerSettings",
    "begin_log",
    "serve",
    "serve_review",
    "server",
]


class Server(uvicorn.Server):
    """Sends home those who only listen before it waits for those who are saving."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = self.config.app
        assert isinstance(app, Starlette)
        await app.state.site.live.send_home()
        await super().shutdown(sockets)


def server(
    store: Store,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    settings: ServerSettings | None = None,
    root_path: str = "",
    trusted_proxies: str = "127.0.0.1",
    hosts: tuple[str, ...] = (),
) -> uvicorn.Server:
    """A server that is ready to run. `root_path` is where a proxy serves it, whether or not the proxy takes that off;
    `trusted_proxies` are those whose word on https and addresses is believed; `hosts` are names it answers to besides
    that of its public address and the machine's own."""
    if "*" in trusted_proxies:
        raise LannerError(
            "Every address would be believed, so that no limit on tries would hold.",
            next_step="Name the proxy's own address: --trusted-proxies 10.0.0.2",
        )
    app = create_app(store, settings=settings)
    load_templates(app.state.site.templates)
    root_path = root_path and "/" + root_path.strip("/")
    if is_unambiguous(root_path, (route.path for route in ROUTES)):
        app.add_middleware(UrlPrefix, root=root_path)
    public_url = settings.public_url if settings else ""
    app.add_middleware(AllowedHosts, names=allowed_hosts(host, public_url, hosts))
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        root_path=root_path,
        forwarded_allow_ips=trusted_proxies,
        http=TimeoutProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    return Server(config)


_TURN_SECONDS = 0.001
"""How long a thread that draws a page goes on while the one that saves waits for its turn. With Python's own five
milliseconds a save waited twice as long for others who draw pages without a pause."""


def serve(
    store: Store,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    listener: socket.socket | None = None,
    **options: Any,
) -> None:
    """Serve until told to stop; what was begun is finished first. A `listener` has the port already."""
    ready = server(store, host, port, **options)
    sys.setswitchinterval(_TURN_SECONDS)
    gc.collect()
    gc.freeze()  # what was loaded stays: looking through it again and again would hold up saves
    ready.run([listener] if listener else None)
