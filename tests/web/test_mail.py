from __future__ import annotations

import pytest

from lanner.errors import LannerError
from lanner.web.mail import Letter, Mailer, mailer_from_environment
from smtp_server import SmtpServer


def test_letters_reach_a_real_server_whole_and_in_any_script() -> None:
    with SmtpServer() as server:
        letters = [Letter("ana@example.org", "Erinnerung: Übersetzungen", "Hallo Ana,\nhttps://x.example/j/abc\n안녕")]
        assert Mailer(server.url, "study@example.org").send(letters) == 1
    (received,) = server.received
    assert (received["From"], received["To"]) == ("study@example.org", "ana@example.org")
    assert str(received["Subject"]) == "Erinnerung: Übersetzungen"
    assert "안녕" in received.get_content()
    assert "https://x.example/j/abc" in received.get_content()


def test_a_server_that_refuses_or_is_away_is_an_error_with_what_to_do() -> None:
    with SmtpServer(refuse="bad@") as server, pytest.raises(LannerError, match="after 1 letters") as caught:
        Mailer(server.url, "s@example.org").send([Letter("good@x.org", "s", "t"), Letter("bad@x.org", "s", "t")])
    assert caught.value.next_step
    with pytest.raises(LannerError, match="after 0 letters"):
        Mailer(server.url, "s@example.org").send([Letter("good@x.org", "s", "t")])


def test_the_server_is_set_up_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANNER_SMTP", raising=False)
    assert mailer_from_environment() is None
    monkeypatch.setenv("LANNER_SMTP", "smtp://127.0.0.1:2525")
    assert mailer_from_environment() == Mailer("smtp://127.0.0.1:2525", "lanner@localhost")
