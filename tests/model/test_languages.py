from __future__ import annotations

import pytest

from lanner.model import languages


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("de", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("German", "de"),
        ("DE", "de"),
        ("pt_br", "pt-BR"),
        ("zho_Hans", "zh-Hans"),
        ("zh-tw", "zh-TW"),
        ("es-419", "es-419"),
        ("jpn", "ja"),
        ("hsb", "hsb"),
        ("tlh", "tlh"),
        ("", "und"),
        ("und", "und"),
    ],
)
def test_normal(code: str, expected: str) -> None:
    assert languages.normal(code) == expected


def test_no_spelling_belongs_to_two_languages() -> None:
    spellings = [s.casefold() for c, e in languages.table().items() for s in (c, e["name"], *e.get("codes", ()))]
    assert len(spellings) == len(set(spellings))


@pytest.mark.parametrize("code", list(languages.table()))
def test_normal_is_idempotent_and_named(code: str) -> None:
    assert languages.normal(code) == code
    assert languages.name(code) == languages.table()[code]["name"]


def test_three_letter_codes() -> None:
    assert [languages.three_letter(code) for code in ("en", "deu", "zh-Hans", "hsb", "tlh")] == [
        *("eng", "deu", "zho", "hsb", "tlh")
    ]


def test_names_and_directions() -> None:
    assert languages.name("kor_KR") == "Korean (KR)"
    assert languages.name("") == "unknown language"
    assert languages.name("tlh") == "tlh"
    assert languages.direction("ara") == "rtl"
    assert languages.direction("ur") == "rtl"
    assert languages.direction("en") == "ltr"
    assert languages.direction("pa-Arab") == "rtl"
    assert languages.direction("ku-Latn") == "ltr"
    assert languages.direction("") == "ltr"
    assert [languages.direction_of_text(code) for code in ("ara", "en", "und")] == ["rtl", "ltr", "auto"]


def test_languages_that_put_no_space_between_words() -> None:
    unspaced = ("zh-Hant", "yue", "jpn", "Thai", "lo", "km", "my", "bo", "dz")
    assert all(languages.is_unspaced(code) for code in unspaced)
    assert not any(languages.is_unspaced(code) for code in ("ko", "en", "vi", "und", "tlh"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("en-de", ("en", "de")),
        ("eng-zho", ("en", "zh")),
        ("en-pt_BR", ("en", "pt-BR")),
        ("pt-BR-en", ("pt-BR", "en")),
        ("pt-br-en", ("pt-BR", "en")),
        ("pt-br-es", ("pt-BR", "es")),
        ("PT-BR-EN", ("pt-BR", "en")),
        ("en-pt-br", ("en", "pt-BR")),
        ("en-zh-tw", ("en", "zh-TW")),
        ("pt-br-en-gb", ("pt-BR", "en-GB")),
        ("fr-ca-de", ("fr-CA", "de")),
        ("de-ca-es", ("de", "ca-ES")),
        ("en-zh-TW", ("en", "zh-TW")),
        ("zh-Hant-en", ("zh-Hant", "en")),
        ("en_ko", ("en", "ko")),
        ("en→ko", ("en", "ko")),
        ("hello-world", ("und", "und")),
        ("plain", ("und", "und")),
    ],
)
def test_pair(text: str, expected: tuple[str, str]) -> None:
    assert languages.pair(text) == expected


def test_what_strangers_send_is_not_remembered_without_end() -> None:
    """A browser names its languages in every request: whoever sends others each time must not fill the memory."""
    for remembered in (languages.normal, languages.direction):
        most = remembered.cache_info().maxsize
        assert most is not None and most <= 10_000
