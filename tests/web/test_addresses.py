from __future__ import annotations

import socket

import pytest

from lanner.errors import LannerError
from lanner.web.addresses import check_public_url, free_port, is_free, is_own


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://judge.example.org/", "https://judge.example.org"),
        ("http://10.0.0.2:8080/lanner/", "http://10.0.0.2:8080/lanner"),
        ("https://[::1]:8000", "https://[::1]:8000"),
    ],
)
def test_a_public_address_has_no_slash_at_its_end(address: str, kept: str) -> None:
    assert check_public_url(address) == kept


@pytest.mark.parametrize(
    "words", ["judge.example.org", "ftp://x", "https://", "https://a:b@c", "https://x?y=1", "https://[", "https://x:y"]
)
def test_what_is_no_address_is_refused(words: str) -> None:
    with pytest.raises(LannerError) as caught:
        check_public_url(words)
    assert "--public-url https://" in caught.value.next_step


def test_a_taken_port_is_not_free_and_the_next_one_is_found() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not is_free("127.0.0.1", port)
        assert free_port("127.0.0.1", port) > port


def test_a_server_listens_only_on_addresses_of_this_machine() -> None:
    assert is_own("127.0.0.1")
    assert is_own("localhost")
    assert not is_own("192.0.2.7")
    assert not is_own("")
