from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner.model import languages
from lanner.store import Store
from lanner.web import speech
from lanner.web.speech import (
    FOLDER,
    Messages,
    _preferred_language,
    _texts,
    amount,
    apart,
    available,
    choose,
    day,
    from_header,
    language,
    listed,
    mark,
    say,
    speaking,
)
from web.page_texts import texts
from web_clients import open_campaign, sign_in

OTHERS = [code for code in speech.available() if code != speech.FALLBACK]


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", OTHERS)
def test_every_text_is_there_in_every_language_with_its_places(code: str) -> None:
    known = _texts(code)
    assert texts() - set(known) == set()
    assert set(known) - texts() == set(), "no page says this any more"
    assert [text for text, own in known.items() if places(text) != places(own)] == []
    assert [text for text, own in known.items() if text.count("<") != own.count("<")] == []


def test_english_is_said_where_nothing_else_is_known() -> None:
    with speaking("de"):
        assert say("Nobody has ever written this {n}.", n=3) == "Nobody has ever written this 3."
    assert language() == "en"


def test_what_fills_a_place_is_escaped_and_the_text_is_not() -> None:
    assert mark("<b>{own}</b> for their {theirs} {times}", own="<i>", theirs="a", times="once") == (
        "<b>&lt;i&gt;</b> for their a once"
    )


def test_amounts_lists_and_days() -> None:
    assert [amount(n, "{n} task", "{n} tasks") for n in (1, 2, 1200)] == ["1 task", "2 tasks", "1,200 tasks"]
    assert (listed(["oak"]), listed(["oak", "elm", "fir"])) == ("oak", "oak, elm and fir")
    for code, comma in (("ja", "、"), ("zh", "、"), ("ar", "، "), ("de", ", ")):
        with speaking(code):
            assert f"oak{comma}elm" in listed(["oak", "elm", "fir"])
    assert day(date(2026, 11, 18)) == "Wed 18 Nov"
    with speaking("ko"):
        assert day(date(2026, 11, 18)) == "2026-11-18"


@pytest.mark.parametrize(
    ("query", "headers", "wanted"),
    [
        (b"", [], "en"),
        (b"", [(b"accept-language", b"fr, pt-BR;q=0.9, de;q=0.2")], "pt"),
        (b"", [(b"cookie", b"a=b; lanner_language=ko"), (b"accept-language", b"de")], "ko"),
        (b"language=ar", [(b"cookie", b"lanner_language=ko")], "ar"),
        (b"language=xx", [(b"cookie", b"lanner_language=../en")], "en"),
    ],
)
def test_the_language_is_what_was_asked_for_then_chosen_before_then_the_browsers(
    query: bytes, headers: list[tuple[bytes, bytes]], wanted: str
) -> None:
    assert _preferred_language({"type": "http", "query_string": query, "headers": headers}) == wanted


def test_arabic_is_read_from_the_right() -> None:
    assert languages.direction("ar") == "rtl"


def test_a_page_comes_in_the_language_asked_for_and_stays_in_it(client: TestClient, store: Store) -> None:
    open_campaign(store, protocol="falcon")
    sign_in(client, store)
    page = client.get("/campaigns/trial?language=ar").text
    assert '<html lang="ar" dir="rtl">' in page
    assert "التقدم" in page
    assert "من يتفق مع من" in client.get("/campaigns/trial").text
    panels = client.get("/campaigns/trial/panels?language=de").text
    assert "Wer mit wem übereinstimmt" in panels
    assert "noch keine Kontrolle beantwortet" in panels, "what is made in another thread speaks it too"


def test_problems_are_told_in_the_readers_language(client: TestClient) -> None:
    assert "Hier ist nichts." in client.get("/nowhere", headers={"accept-language": "de"}).text


def test_figures_and_names_keep_their_direction_in_a_sentence_read_from_the_right() -> None:
    with speaking("ar"):
        assert apart("−.03") == "\u2068−.03\u2069"
        assert "\u2068.40\u2069" in say("all of it above {least}", least=".40")
    assert apart("−.03") == "−.03"
    assert say("without {name}: {value}", name="نور", value=".50") == "without \u2068نور\u2069: .50"


WEB = FOLDER.parent


def named_places(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def flat(language: str) -> dict[str, str]:
    read = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{table}.{key}": text for table, texts in read.items() for key, text in texts.items()}


def test_eight_languages_each_by_its_own_name() -> None:
    assert list(available()) == ["en", "ar", "de", "es", "ja", "ko", "pt", "zh"]
    assert available()["ko"] == "한국어"


@pytest.mark.parametrize("language", available())
def test_every_text_is_translated_with_the_same_places(language: str) -> None:
    english, other = flat("en"), flat(language)
    assert other.keys() == english.keys()
    wrong = [key for key, text in other.items() if not text.strip() or named_places(text) != named_places(english[key])]
    assert not wrong


def used() -> Iterator[str]:
    for path in [*WEB.glob("*.py"), *WEB.glob("templates/**/*.html")]:
        yield from re.findall(r"""(?:\bt|say|\.get)\(\s*"([a-z]+\.[a-z_]+)\"""", Path(path).read_text(encoding="utf-8"))


def test_every_text_that_is_asked_for_is_there() -> None:
    known, asked = flat("en"), set(used())
    assert len(asked) > 60
    assert not {key for key in asked if key not in known}


def test_choosing_a_language() -> None:
    assert choose(["fr", "pt-BR", "de"]) == "pt"
    assert choose(["", "xx"]) == "en"
    assert from_header("fr;q=0.2, de-AT, en;q=0.8, *;q=0.1") == ["de-AT", "en", "fr"]
    assert from_header("en;q=oops,ko") == ["ko", "en"]


def test_getting_a_text() -> None:
    korean = Messages("ko-KR")
    assert (korean.language, korean.direction) == ("ko", "ltr")
    assert korean.get("rail.sentence", n=3) == "문장 3"
    assert Messages("ar").direction == "rtl"
    assert Messages("en").table("rank").keys() == {"first", "tie", "best"}
    with pytest.raises(KeyError):
        korean.get("rail.nothing")
