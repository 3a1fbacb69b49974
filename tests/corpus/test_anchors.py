from __future__ import annotations

import pytest

from lanner.corpus.anchors import anchors, skeleton


@pytest.mark.parametrize(
    ("latin", "other"),
    [
        ("Johnson", "존슨"),
        ("Whitehouse", "화이트하우스"),
        ("Biden", "바이든"),
        ("Putin", "Путин"),
        ("Milano", "ミラノ"),
        ("Samira", "سميرة"),
        ("Müller", "Muller"),
    ],
)
def test_a_name_sounds_alike_in_every_script(latin, other):
    assert skeleton(other).startswith(skeleton(latin))


def test_different_names_do_not():
    assert skeleton("Johnson") != skeleton("Biden")


def test_what_is_written_on_both_sides_is_an_anchor():
    source = "In 2023 @ana paid 1,200 at https://shop.example/x 😂 said Wilson."
    target = "2023년에 @ana 님이 https://shop.example/x 에서 1200원을 냈다 😂 윌슨은 말했다."
    pairs = anchors(source, target)
    found = {source[a:].split(maxsplit=1)[0]: (target[b:].split(maxsplit=1)[0], sure) for a, b, sure in pairs}
    assert found == {
        "2023": ("2023년에", 1.0),
        "@ana": ("@ana", 1.0),
        "1,200": ("1200원을", 1.0),
        "https://shop.example/x": ("https://shop.example/x", 1.0),
        "😂": ("😂", 1.0),
        "Wilson.": ("윌슨은", 0.5),
    }


def test_what_occurs_unequally_often_is_none():
    assert anchors("7 and 7", "7") == []
    assert [(a, b) for a, b, _ in anchors("7 x 7", "7 y 7")] == [(0, 0), (4, 4)]
