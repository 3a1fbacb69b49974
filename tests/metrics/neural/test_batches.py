from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lanner.metrics.neural.batches import STEP, by_length, padded


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
