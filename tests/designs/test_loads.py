"""Nobody reads more than 1.2 times the mean, unless a document alone is longer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets import data_dir
from design_setups import people, protocol
from lanner import designs, formats
from lanner.designs.loads import loads
from lanner.model import Document, Segment
from property_examples import examples

RATING = protocol({"unit": "sentence_in_context", "object": "output"})


def text(name: str, words: int) -> Document:
    return Document(name, (Segment("1", " ".join(["word"] * words), {"m0": "x"}),), "en", "de")


@settings(max_examples=examples(40), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(20, 400), min_size=24, max_size=60),
    judges=st.sampled_from([4, 6]),
    design=st.sampled_from(["random", "batches"]),
)
def test_words_are_balanced_whatever_the_documents(seed: int, sizes: list[int], judges: int, design: str) -> None:
    documents = [text(f"d{at}", words) for at, words in enumerate(sizes)]
    rng = np.random.default_rng(seed)
    options = {"judges_per_document": 2, **({"judges_on_overlap": 3} if design == "random" else {})}
    tasks = designs.assign(design, documents, people(judges), RATING, rng=rng, systems=["m0"], **options)
    spread = loads(tasks, documents)
    words = {document.id: len(document.segments[0].source.split()) for document in documents}
    assert sum(spread.words.values()) == sum(words[task.items[0].document] for task in tasks)
    assert spread.uneven == [], (spread.words, spread.mean)


def test_one_long_document_forces_an_uneven_load_and_is_named() -> None:
    documents = [text("long", 5000), *(text(f"d{at}", 20) for at in range(10))]
    tasks = designs.assign(
        "batches", documents, people(4), RATING, rng=np.random.default_rng(1), systems=["m0"], judges_per_document=2
    )
    spread = loads(tasks, documents)
    assert len(spread.uneven) == 2 and all(spread.words[judge] == 5000 for judge in spread.uneven)


@pytest.mark.data
def test_twenty_judges_on_wmt24_have_even_loads() -> None:
    documents = list(formats.read(data_dir("wmt24"))[0].documents)
    tasks = designs.assign(
        "random", documents, people(20), RATING, rng=np.random.default_rng(3), systems=list(documents[0].systems)[:1]
    )
    assert loads(tasks, documents).uneven == []
