"""Letters by SMTP, where whoever runs the server has set it up.

`LANNER_SMTP` is the server, as smtp://host:port or smtps://user:password@host:port; `LANNER_MAIL_FROM` is the sender.
"""

from __future__ import annotations

import os
import smtplib
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from lanner.errors import LannerError
from lanner.web.speech import say


@dataclass(frozen=True, slots=True)
class Letter:
    """What is sent to one address."""

    to: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Mailer:
    """A mail server and the sender's address."""

    url: str
    sender: str

    def send(self, letters: Iterable[Letter]) -> int:
        """Send letters over one connection; how many. What the server refuses is raised with its own words."""
        parts = urlsplit(self.url)
        host, port = parts.hostname or "localhost", parts.port or (465 if parts.scheme == "smtps" else 25)
        count = 0
        try:
            connect = smtplib.SMTP_SSL if parts.scheme == "smtps" else smtplib.SMTP
            with connect(host, port, timeout=20) as server:
                if parts.username:
                    if parts.scheme != "smtps":
                        server.starttls()
                    server.login(unquote(parts.username), unquote(parts.password or ""))
                for letter in letters:
                    server.send_message(self._message(letter))
                    count += 1
        except (OSError, smtplib.SMTPException) as error:
            raise LannerError(
                say("The mail server refused after {n} letters: {error}", n=count, error=error),
                next_step=say("Copy the texts instead, or ask whoever runs the server."),
            ) from error
        return count

    def _message(self, letter: Letter) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.sender, letter.to, letter.subject
        message.set_content(letter.text)
        return message


def mailer_from_environment() -> Mailer | None:
    """The mail server that was set up; None where there is none."""
    url = os.environ.get("LANNER_SMTP", "")
    return Mailer(url, os.environ.get("LANNER_MAIL_FROM", "lanner@localhost")) if url else None
