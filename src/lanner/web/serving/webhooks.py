"""Webhooks: what happened is sent to addresses outside, signed, until it has arrived.

A message is a POST with a JSON body. `Lanner-Signature` is the HMAC-SHA256 of the body with the address's secret. Any
2xx counts as arrived; anything else is tried again later, ten times in about a day. Only addresses of the open network
are told, unless the operator says otherwise, so that nobody can use the server to reach into its own network.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import http.client
import ipaddress
import logging
import secrets
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from lanner.campaign.keys import KEY_VARIABLE, is_sealed, seal, server_key, unseal
from lanner.errors import LannerError, StoreError
from lanner.store import Store
from lanner.store.webhooks import Delivery

log = logging.getLogger("lanner.web")
LEASE = timedelta(minutes=2)
TRIES = 10
_LOOKS_EACH = 5.0
_TIMEOUT = 10.0


def signature(secret: str, body: str) -> str:
    """What a receiver compares `Lanner-Signature` with."""
    return "sha256=" + hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()


def refuse_address(url: str) -> None:
    """Refuse what is no address of the web."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("https", "http") and parts.hostname and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web or parts.username or parts.password:
        raise LannerError(f"{url[:200]!r} is no address that can be told.", next_step="Write https://host/path.")


def add_webhook(store: Store, url: str, events: Sequence[str], campaign: int | None = None) -> tuple[int, str]:
    """Tell an address from now on: its number, and the secret of its signatures, which is shown this once. The store
    keeps it sealed with the server's key."""
    refuse_address(url)
    key = server_key(store, create=True)
    if key is None:
        raise LannerError(
            "This server has no key to seal the secret with, and secrets are not kept in plain text.",
            next_step=f"Set {KEY_VARIABLE} to a long random text, for the server and for this command.",
        )
    secret = secrets.token_urlsafe(24)
    with store.writing() as tx:
        number = tx.webhooks.add(url, seal(key, secret), events, datetime.now(UTC), campaign=campaign)
    return number, secret


def seal_secrets(store: Store) -> int:
    """Seal the secrets that an earlier version kept in plain text, as far as there is a key; how many."""
    key = server_key(store, create=True)
    if key is None:
        return 0
    with store.writing() as tx:
        plain = [hook for hook in tx.webhooks.all() if hook.secret and not is_sealed(hook.secret)]
        for hook in plain:
            tx.webhooks.set_secret(hook.id, seal(key, hook.secret))
    return len(plain)


def secret_of(store: Store, kept: str) -> str:
    """The secret that the messages to an address are signed with."""
    if kept and not is_sealed(kept):
        return kept
    key = server_key(store)
    secret = unseal(key, kept) if key and kept else None
    if secret is None:
        raise ValueError("the secret was sealed with another key: remove the address and add it again")
    return secret


def is_open(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is on the open network, and so is every IPv4 address that it stands for: mapped, compatible,
    6to4, Teredo, NAT64."""
    if not address.is_global:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    teredo = address.teredo or ()
    carried = [address.ipv4_mapped, address.sixtofour, *teredo]
    if any(address in network for network in _CARRIERS):
        carried.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    return all(inner.is_global for inner in carried if inner is not None)


_CARRIERS = tuple(map(ipaddress.IPv6Network, ("::/96", "64:ff9b::/96", "64:ff9b:1::/48")))


def reachable(host: str, port: int, *, inside: bool) -> tuple[str, int]:
    """The number behind a name, looked up once, so that it cannot change between the check and the call."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    number = str(found[0][4][0])
    if not inside and not is_open(ipaddress.ip_address(number)):
        raise OSError(f"{host} is not on the open network")
    return number, port


def post(delivery: Delivery, secret: str, *, inside: bool) -> int:
    """Send one message, signed with the secret; the status of the answer."""
    parts = urlsplit(delivery.webhook.url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    number, port = reachable(host, parts.port or (443 if secure else 80), inside=inside)
    plain = socket.create_connection((number, port), _TIMEOUT)
    connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT)
    try:
        connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host) if secure else plain
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "lanner",
            "Lanner-Event": delivery.event,
            "Lanner-Delivery": str(delivery.id),
            "Lanner-Signature": signature(secret, delivery.body),
        }
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, delivery.body.encode(), headers)
        return connection.getresponse().status
    finally:
        connection.close()
        plain.close()


def again_at(attempts: int, now: datetime) -> datetime | None:
    """When to try again: after half a minute, then each time twice as late; None after the last."""
    return now + timedelta(seconds=30 * 2 ** (attempts - 1)) if attempts < TRIES else None


def send_next(store: Store, now: datetime, *, inside: bool = False) -> bool:
    """Send the next message that is due; whether there was one."""
    with store.writing() as tx:
        delivery = tx.webhooks.take(now, LEASE)
    if delivery is None:
        return False
    try:
        status = post(delivery, secret_of(store, delivery.webhook.secret), inside=inside)
        problem = "" if 200 <= status < 300 else f"answered {status}"
    except (OSError, http.client.HTTPException, ValueError) as error:
        problem = f"{type(error).__name__}: {error}"[:200]
    with store.writing() as tx:
        if problem:
            tx.webhooks.failed(delivery.id, problem, again_at(delivery.attempts, now))
        else:
            tx.webhooks.delivered(delivery.id, now)
    if problem:
        log.warning("webhook %d: %s", delivery.webhook.id, problem)
    return True


class WebhookSender:
    """Runs beside the server and sends what waits."""

    def __init__(self, store: Store, *, inside: bool = False) -> None:
        self._store = store
        self._inside = inside
        self._running: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._running = self._running or asyncio.create_task(self._run())

    async def _run(self) -> None:
        with suppress(StoreError):
            await asyncio.to_thread(seal_secrets, self._store)
        while True:
            await asyncio.sleep(_LOOKS_EACH)
            with suppress(StoreError):  # a database that is away for a moment is asked again
                while await asyncio.to_thread(send_next, self._store, datetime.now(UTC), inside=self._inside):
                    pass

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
