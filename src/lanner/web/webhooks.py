"""Sending webhooks: what happened goes to addresses outside, signed, until it has arrived.

A message is a POST with a JSON body. `Lanner-Signature` is the HMAC-SHA256 of the body with the address's secret. Any
2xx counts as arrived; anything else is tried again later, ten times in about a day. Only addresses of the open network
are called, unless the operator says otherwise, so that nobody can use the server to reach into its own network.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import http.client
import ipaddress
import logging
import socket
import ssl
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from lanner.campaign.webhooks import seal_secrets, secret_of
from lanner.errors import StoreError
from lanner.store import Store
from lanner.store.campaigns import Delivery

log = logging.getLogger("lanner.web")
LEASE = timedelta(minutes=2)
TRIES = 10
_LOOKS_EACH = 5.0
_TIMEOUT = 10.0
_ADDRESSES = 4
"""How many addresses of a receiver are tried."""
_LONGEST = 30.0
"""Seconds for a whole message: a receiver that answers a letter at a time keeps within any other limit."""


def signature(secret: str, body: str) -> str:
    """What a receiver compares `Lanner-Signature` with."""
    return "sha256=" + hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()


def is_open(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is on the open network, and so is every IPv4 address that it stands for: mapped, compatible,
    6to4, Teredo, NAT64."""
    if not address.is_global:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    teredo = address.teredo or ()
    inner_addresses = [address.ipv4_mapped, address.sixtofour, *teredo]
    if any(address in network for network in _CARRIERS):
        inner_addresses.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    return all(inner.is_global for inner in inner_addresses if inner is not None)


_CARRIERS = tuple(map(ipaddress.IPv6Network, ("::/96", "64:ff9b::/96", "64:ff9b:1::/48")))


def reachable(host: str, port: int, *, inside: bool) -> list[str]:
    """The numbers behind a name, looked up once, so that they cannot change between the check and the call."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    numbers = dict.fromkeys(str(address[4][0]) for address in addresses)
    allowed = [number for number in numbers if inside or is_open(ipaddress.ip_address(number))]
    if not allowed:
        raise OSError(f"{host} is not on the open network")
    return allowed[:_ADDRESSES]


def _connect(numbers: Sequence[str], port: int) -> socket.socket:
    """A connection to the first of these that answers: a receiver may have no IPv6, or one machine of several."""
    for number in numbers[:-1]:
        with suppress(OSError):
            return socket.create_connection((number, port), _TIMEOUT)
    return socket.create_connection((numbers[-1], port), _TIMEOUT)


def post(delivery: Delivery, secret: str, *, inside: bool) -> int:
    """Send one message, signed with the secret; the status of the answer."""
    parts = urlsplit(delivery.webhook.url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    plain = _connect(reachable(host, port, inside=inside), port)
    connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT)
    end = threading.Timer(_LONGEST, _hang_up, [connection])
    end.daemon = True
    end.start()
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
        end.cancel()
        connection.close()
        plain.close()


def _hang_up(connection: http.client.HTTPConnection) -> None:
    with suppress(OSError, AttributeError):  # it has ended by itself
        connection.sock.shutdown(socket.SHUT_RDWR)


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
            tx.webhooks.mark_failed(delivery.id, problem, again_at(delivery.attempts, now))
        else:
            tx.webhooks.mark_delivered(delivery.id, now)
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
        try:
            await asyncio.to_thread(seal_secrets, self._store)
        except (StoreError, OSError) as error:  # a key that cannot be read or written: addresses without one go on
            log.error("webhooks: %s", error)
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
