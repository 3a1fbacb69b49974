from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus import split
from lanner.corpus.align import ENDS, align, anchors, candidates, ending, project, skeleton
from lanner.corpus.rows import SOURCE_ODDS, TARGET_ODDS
from property_examples import examples


def both(source: str, target: str, code: str = "es"):
    return (
        candidates(source, "en", split.cuts(source, "en")),
        candidates(target, code, split.cuts(target, code)),
    )


def borders(source: str, target: str, code: str = "es") -> list[tuple[str, str]]:
    found = align(*both(source, target, code)).borders()
    return [(source[x:].split(maxsplit=1)[0], target[y:].split(maxsplit=1)[0]) for x, y, _ in found]


def test_sentences_meet_their_translations():
    source = "The bridge is old. Nobody repairs it. Why?"
    target = "El puente es viejo. Nadie lo repara. ¿Por qué?"
    assert borders(source, target) == [("Nobody", "Nadie"), ("Why?", "¿Por")]


def test_two_sentences_translated_as_one_make_one_bead():
    source = "The bridge is old. Nobody repairs it. The mayor will speak about it in the town hall tomorrow."
    target = "El puente es viejo y nadie lo repara. El alcalde hablará de ello mañana en el ayuntamiento."
    assert borders(source, target) == [("The", "El")]


def test_a_headline_without_a_stop_is_found_through_its_translation():
    source = "Old bridge closed for repairs The town council decided this on Monday after a long debate."
    target = "Cierran el viejo puente por obras. El ayuntamiento lo decidió el lunes tras un largo debate."
    assert borders(source, target) == [("The", "El")]


def test_an_anchor_decides_where_lengths_do_not():
    source = "I saw Miriam. He was there in 1987. It was cold. They left in 2004."
    target = "Vi a Miriam. Estaba allí en 1987. Hacía frío. Se fueron en 2004."
    assert len(borders(source, target)) == 3


def test_texts_in_scripts_without_spaces_align():
    source = "It rained today. We stayed at home. Did you go out?"
    target = "今天下雨了。我们待在家里。你出门了吗？"
    assert borders(source, target, "zh") == [("We", "我们待在家里。你出门了吗？"), ("Did", "你出门了吗？")]


def test_every_cut_of_the_source_finds_a_place():
    source = "One is here. Two is there. Three is gone."
    target = "Uno está aquí, dos allí y tres se fue."
    cands, other = both(source, target)
    kept = [i for i, offset in enumerate(cands.offsets) if offset in (0, len(source), *split.cuts(source, "en"))]
    places = project(cands.select(kept), other)
    first, second = (target[y:].split(maxsplit=1)[0] for y in places)
    assert first == "dos"
    assert second in ("y", "tres")


TEXTS = st.lists(
    st.sampled_from(["Yes.", "No!", "Why is it so?", "We went home", "and", "The old man slept.", "3 4", "😂", "a\nb"]),
    max_size=12,
).map(" ".join)


@settings(max_examples=examples(60), deadline=None)
@given(TEXTS, TEXTS)
def test_borders_form_a_chain_and_probabilities_are_probabilities(source, target):
    source, target = source or "x", target or "y"
    alignment = align(*both(source, target))
    assert np.all(alignment.posterior >= -1e-9)
    assert np.all(alignment.posterior.sum(axis=0) <= 1 + 1e-6)
    assert np.all(alignment.posterior.sum(axis=1) <= 1 + 1e-6)
    assert alignment.posterior[0, 0] == pytest.approx(1)
    assert alignment.posterior[-1, -1] == pytest.approx(1)
    found = alignment.borders()
    assert [x for x, _, _ in found] == sorted({x for x, _, _ in found})
    assert [y for _, y, _ in found] == sorted({y for _, y, _ in found})
    places = project(*both(source, target))
    assert places == sorted(places)
    assert len(places) == len(both(source, target)[0]) - 2


def test_a_whole_long_document_stays_affordable():
    sentences = [f"Sentence number {n} says that {'many ' * (n % 7)}people came." for n in range(100)]
    translated = [f"La frase número {n} dice que vinieron {'muchas ' * (n % 7)}personas." for n in range(100)]
    source, target = " ".join(sentences), " ".join(translated)
    ours, theirs = both(source, target)
    found = {(x, y) for x, y, _ in align(ours.at_least(SOURCE_ODDS), theirs.at_least(TARGET_ODDS)).borders()}
    truth, x, y = set(), 0, 0
    for one, other in zip(sentences[:-1], translated[:-1], strict=True):
        x, y = x + len(one) + 1, y + len(other) + 1
        truth.add((x, y))
    assert found == truth


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


def strengths(text: str, code: str = "en") -> dict[str, float]:
    found = candidates(text, code, split.cuts(text, code))
    return {
        text[offset:].split(maxsplit=1)[0]: float(odds)
        for offset, odds in zip(found.offsets[1:-1], found.strengths[1:-1], strict=True)
    }


def test_a_full_stop_is_likelier_than_a_comma_and_a_comma_than_nothing():
    odds = strengths("We came home late. Then, tired as we were, nobody spoke about it.")
    assert odds["Then,"] > 0 > odds["tired"] > odds["spoke"]


def test_a_small_word_with_a_capital_likely_begins_a_sentence():
    odds = strengths("Council opens new bridge The mayor thanked Anna Berg for it")
    assert odds["The"] > max(odds["Anna"], odds["Berg"])


def test_quoted_speech_holds_together():
    plain, quoted = strengths("It is over. Go home.")["Go"], strengths('"It is over. Go home."')["Go"]
    assert plain > quoted


def test_line_breaks_are_the_strongest():
    assert max(strengths("no stop here\nnext. Third.").items(), key=lambda item: item[1])[0] == "next."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Really?", "question"),
        ('he said."', "stop"),
        ("真的吗？", "question"),
        ("Wait...", "ellipsis"),
        ("nice 😂", "emoji"),
        ("first\n", "line"),
        ("(later)", "close"),
        ("word", "word"),
        ("वह गया।", "stop"),
    ],
)
def test_endings(text, kind):
    assert ending(text) == kind
    assert kind in ENDS


@settings(deadline=None)
@given(st.text(alphabet='ab C.!?,。、！\n"”😂다', max_size=50), st.sampled_from(["en", "ko", "zh"]))
def test_candidates_are_in_order_with_both_ends(text, code):
    found = candidates(text, code, split.cuts(text, code))
    assert found.offsets[0] == 0
    assert found.offsets[-1] == len(text)
    assert list(found.offsets[1:-1]) == sorted(set(found.offsets[1:-1]))
    assert list(found.lengths) == [sum(not c.isspace() for c in text[:offset]) for offset in found.offsets]
