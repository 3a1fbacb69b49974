from __future__ import annotations

import pytest

from lanner.formats.parsing.spelling import alphabets

BY_LANGUAGE = {alphabet.language: alphabet for alphabet in alphabets()}


@pytest.mark.parametrize(
    ("language", "right", "wrong"),
    [
        ("Croatian", "kuće", "kuæe"),
        ("Polish", "spóźniony", "sp˘«niony"),
        ("German", "Fähre", "F„hre"),
        ("Latvian", "kavējas", "kavçjas"),
        ("French", "prévu", "prÄvu"),
        ("English", "It’s", "ItÕs"),
        ("Spanish", "¿Dónde", "ØDÃ³nde"),
    ],
)
def test_a_word_is_likelier_than_the_same_bytes_read_otherwise(language: str, right: str, wrong: str) -> None:
    assert BY_LANGUAGE[language].word_score(right) > BY_LANGUAGE[language].word_score(wrong) + 3


def test_a_word_is_likeliest_in_its_language() -> None:
    for language, word in {
        "Czech": "přístroj",
        "Icelandic": "þjóðina",
        "Turkish": "yağmurlu",
        "Finnish": "pöydän",
    }.items():
        scores = {name: alphabet.word_score(word) for name, alphabet in BY_LANGUAGE.items()}
        assert max(scores, key=scores.__getitem__) == language


def test_pairs_after_a_letter_are_probabilities() -> None:
    for alphabet in alphabets():
        for letter in "aens":
            total = sum(2.718281828**score for pair, score in alphabet.pairs.items() if pair[0] == letter)
            assert 0.6 < total < 1.5, (alphabet.language, letter)
