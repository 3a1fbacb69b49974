from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lanner.metrics._neural import STEP, Marks, TrimCounts, by_length, joint, padded, single

MARKS = Marks(begin=0, end=2, pad=1, between=2, single=12, joint=20)
TOKENS = {"a": [10, 11], "b": [20, 21, 22], "c": [30, 31, 32, 33], "long": list(range(40, 60)), "": []}


def test_context_stands_before_the_sentence_with_an_end_mark_after_each():
    cuts = TrimCounts()
    window = single(("a", "b"), TOKENS, MARKS, cuts)
    assert window.ids == (0, 10, 11, 2, 20, 21, 22, 2)
    assert window.ids[window.start :] == (20, 21, 22, 2)
    assert not cuts.notes


def test_context_is_trimmed_at_its_left_and_the_sentence_stays_whole():
    cuts = TrimCounts()
    window = single(("a", "b", "a", "c"), TOKENS, MARKS, cuts)
    assert window.ids == (0, 21, 22, 2, 10, 11, 2, 30, 31, 32, 33, 2)
    assert window.start == 7
    assert cuts == TrimCounts(trimmed=1)


def test_a_sentence_longer_than_the_encoder_loses_its_end_and_all_its_context():
    cuts = TrimCounts()
    window = single(("a", "long"), TOKENS, MARKS, cuts)
    assert window.ids == (0, *range(40, 50), 2)
    assert window.start == 1
    assert cuts == TrimCounts(trimmed=1, cut=1)
    assert len(cuts.notes) == 2


def test_texts_read_together_are_parted_by_two_marks():
    cuts = TrimCounts()
    window = joint([("a",), ("b",), ("c",)], TOKENS, MARKS, cuts)
    assert window.ids == (0, 10, 11, 2, 2, 20, 21, 22, 2, 2, 30, 31, 32, 33, 2)
    assert window.first == 4
    assert not cuts.notes


def test_of_several_contexts_the_longest_gives_way_first():
    cuts = TrimCounts()
    window = joint([("a", "a"), ("c", "b", "b")], TOKENS, MARKS, cuts)
    text = (0, 10, 11, 2, 10, 11, 2, 2, 32, 33, 2, 20, 21, 22, 2, 20, 21, 22, 2)
    assert window.ids[:7] == text[:7]  # the short context is whole
    assert len(window.ids) == MARKS.joint
    assert window.ids[-8:] == text[-8:]
    assert cuts == TrimCounts(trimmed=1)


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c", "long", ""]), min_size=1, max_size=4), min_size=2, max_size=3),
    st.integers(8, 60),
)
def test_a_window_always_fits_and_keeps_its_sentences_if_they_fit(texts, size):
    marks = Marks(0, 2, 1, 2, single=size, joint=size)
    for text in texts:
        cuts = TrimCounts()
        window = single(tuple(text), TOKENS, marks, cuts)
        own = TOKENS[text[-1]]
        assert len(window.ids) <= size
        if len(own) + 2 <= size:
            assert list(window.ids[window.start : -1]) == own
            assert not cuts.cut
    cuts = TrimCounts()
    window = joint([tuple(text) for text in texts], TOKENS, marks, cuts)
    sentences = [TOKENS[text[-1]] for text in texts]
    assert len(window.ids) <= size
    if sum(map(len, sentences)) + 2 + 2 * (len(texts) - 1) <= size:
        assert not cuts.cut
        assert list(window.ids[len(window.ids) - 1 - len(sentences[-1]) : -1]) == sentences[-1]


@given(st.lists(st.integers(1, 600), max_size=80), st.integers(1, 5000))
def test_every_text_is_in_one_batch_that_fits(lengths, tokens):
    batches = by_length(lengths, tokens)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        width = padded(max(lengths[place] for place in batch))
        assert len(batch) == 1 or width * len(batch) <= tokens
    longest = [lengths[batch[0]] for batch in batches]
    assert longest == sorted(longest, reverse=True)


def test_texts_of_like_length_go_together():
    assert by_length([3, 90, 4, 88, 5], 192) == [[1, 3], [4, 2, 0]]
    assert padded(1) == STEP
    assert padded(STEP) == STEP
    assert by_length([], 10) == []
