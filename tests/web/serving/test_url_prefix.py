"""Below a path: through a real server, as a proxy that takes the path off and one that leaves it on would ask."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Thread

import pytest

from lanner.store import Store
from lanner.web.server import server as server_of
from lanner.web.serving.url_prefix import is_unambiguous


@contextmanager
def serving(store: Store, root: str) -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = server_of(store, port=port, root_path=root)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        listening.listen()  # whoever comes before the server is ready waits, and is not refused
        thread.start()
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join()


def get(port: int, path: str) -> tuple[int, str, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    found = answer.status, answer.headers.get("location", ""), answer.read().decode()
    connection.close()
    return found


@pytest.mark.parametrize("root", ["/lanner", "lanner/"])
def test_it_answers_whether_or_not_the_proxy_takes_the_path_off(store: Store, root: str) -> None:
    with serving(store, root) as port:
        for before in ("", "/lanner"):
            status, location, _ = get(port, f"{before}/")
            assert (status, location) == (303, "/lanner/setup")
            status, _, page = get(port, f"{before}/setup")
            assert status == 200 and 'action="/lanner/setup"' in page
            style = page.partition('rel="stylesheet" href="/lanner')[2].partition('"')[0]
            assert get(port, before + style)[0] == 200
            assert get(port, f"{before}/nowhere")[0] == 404


def test_a_path_that_is_also_a_page_is_left_alone() -> None:
    paths = ["/", "/campaigns/{name}", "/j/{link}"]
    assert is_unambiguous("/lanner", paths)
    assert is_unambiguous("/tools/lanner", paths)
    assert not is_unambiguous("/campaigns", paths)
    assert not is_unambiguous("", paths)
