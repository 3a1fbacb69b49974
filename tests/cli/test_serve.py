import socket

from cli.command import Command


def test_a_taken_port_says_which_to_take(lanner: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = lanner("serve", "--port", port)
    assert ran.code == 2
    assert f"--port {port + 1}" in ran.err
