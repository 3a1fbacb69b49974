import socket

from lanner.web.serving.ports import free_port, is_free


def test_a_taken_port_is_not_free_and_the_next_one_is_found() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not is_free("127.0.0.1", port)
        assert free_port("127.0.0.1", port) > port
