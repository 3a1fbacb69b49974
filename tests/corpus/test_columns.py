from __future__ import annotations

from lanner.corpus.columns import language, texts, with_texts
from lanner.model import Document, Segment

SEGMENT = Segment("1", "x", outputs={"same": "o"}, references={"same": "r"})


def test_a_reference_and_an_output_of_the_same_name_stay_apart():
    assert texts(SEGMENT) == {"source": "x", "reference:same": "r", "output:same": "o"}
    assert with_texts(SEGMENT, texts(SEGMENT)) == SEGMENT


def test_columns_that_are_not_given_are_gone():
    assert with_texts(SEGMENT, {"source": "y"}) == Segment("1", "y")


def test_each_column_has_its_language():
    document = Document("d", (), "en", "ko")
    assert (language(document, "source"), language(document, "output:a")) == ("en", "ko")
