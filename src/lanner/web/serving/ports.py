"""Whether a port can be listened on, and which one is free."""

from __future__ import annotations

import socket


def is_own(host: str) -> bool:
    """Whether a name or number is one of this machine's, so that a server can listen there."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.bind(address)
    except (OSError, UnicodeError, TypeError, ValueError):
        return False
    return bool(host)


def is_free(host: str, port: int) -> bool:
    """Whether nobody listens there yet and we may."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host: str, wanted: int) -> int:
    """The wanted port, or the next free one after it."""
    return next((port for port in range(wanted, wanted + 50) if is_free(host, port)), wanted)
