from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from lanner.web.page.speech import FOLDER, Messages, available, choose, from_header

WEB = FOLDER.parent


def places(text: str) -> set[str]:
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
    wrong = [key for key, text in other.items() if not text.strip() or places(text) != places(english[key])]
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
    assert Messages("en").table("rank") == {"first": "{a} is better", "tie": "No difference"}
    with pytest.raises(KeyError):
        korean.get("rail.nothing")
