"""Ports for servers that tests start."""

from __future__ import annotations

import socket
from contextlib import suppress
from random import SystemRandom


def free_port() -> int:
    """A port of this machine on which nobody listens, and which is given to nobody who connects somewhere: one of
    those may be gone before the server listens, or while a test has killed it."""
    for port in SystemRandom().sample(range(20_000, 30_000), 100):
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")
