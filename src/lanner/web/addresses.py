"""Where a server can listen and how it is reached from outside; needs nothing of the server itself, so that a wrong
address or a taken port is answered before the server is loaded."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from lanner.errors import LannerError


def check_public_url(url: str) -> str:
    """The address that judges' links begin with, without a slash at its end."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise LannerError(
            f"{url[:200]!r} is not the address of a server.",
            next_step="Write it as --public-url https://judge.example.org",
        )
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


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


def free_port(host: str, first_port: int) -> int:
    """The wanted port, or the next free one after it."""
    return next((port for port in range(first_port, first_port + 50) if is_free(host, port)), first_port)
