"""A mail server on this machine that keeps what it is given, for tests that really send letters."""

from __future__ import annotations

import socketserver
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage
from types import TracebackType
from typing import Any


class SmtpServer:
    """Speaks as much SMTP as a client needs: HELO, MAIL, RCPT, DATA, RSET, QUIT."""

    def __init__(self, refuse: str = "") -> None:
        self.received: list[EmailMessage] = []
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def say(self, line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode())

            def handle(self) -> None:
                self.say("220 test")
                while line := self.rfile.readline():
                    words = line.decode().strip()
                    match words.partition(" ")[0].upper():
                        case "RCPT" if refuse and refuse in words:
                            self.say("550 no such mailbox")
                        case "DATA":
                            self.say("354 go on")
                            outer.received.append(self.message())
                            self.say("250 kept")
                        case "QUIT":
                            self.say("221 bye")
                            return
                        case _:
                            self.say("250 fine")

            def message(self) -> EmailMessage:
                lines = []
                while (line := self.rfile.readline()) != b".\r\n":
                    lines.append(line[1:] if line.startswith(b"..") else line)
                made: Any = message_from_bytes(b"".join(lines), policy=policy.default)
                return made  # type: ignore[no-any-return]

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.url = f"smtp://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> SmtpServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
