import pytest

from lanner.errors import InputError
from lanner.studies import sentences
from lanner.studies.study import Data
from reports.world import material

DATA = Data({"h": material("h_falcon"), "f": material("falcon")})


PUNKT = {"abbreviations": ["dr"], "written": {}, "texts": sentences.digest(DATA, "h")}


def test_sentences_are_counted_only_in_texts_that_were_looked_up() -> None:
    for stated in (None, {**PUNKT, "texts": "others"}):
        with pytest.raises(InputError, match="these texts are others"):
            sentences.texts(DATA, part="h", count="sentences per segment", punkt=stated)


def test_counts_of_texts() -> None:
    assert sentences.texts(DATA, part="h", count="documents") == 4
    assert sentences.texts(DATA, part="h", count="segments", domain="news") == 12
    per_document = sentences.texts(DATA, part="h", count="sentences per document", punkt=PUNKT)
    per_segment = sentences.texts(DATA, part="h", count="sentences per segment", punkt=PUNKT)
    assert per_document is not None
    assert per_segment is not None
    assert per_document == pytest.approx(per_segment * 6)
    assert sentences.texts(DATA, part="h", count="sentences per segment", domain="none such", punkt=PUNKT) is None


def test_labels_as_they_were_given() -> None:
    given = sentences.given(DATA, "f", "skills", "j0")
    assert {len(labels) for labels in given} == {3}
    assert all(len(labels) == 1 for labels in sentences.given(DATA, "f", "context", "j0", "news"))


def test_rates_of_all_domains_and_of_the_judge() -> None:
    found = sentences.rates(DATA, "h", "j0", "holistic")
    domains = [rate for name, rate in found.items() if name != "all"]
    assert found["all"] == pytest.approx(sum(domains) / len(domains))


def test_shares_of_agreed_labels_add_up() -> None:
    labels = set(sentences.agreed_labels(DATA, "f", "skills", ["j0", "j1"]))
    shares = [
        sentences.agreed_share(DATA, part="f", question="skills", judges=["j0", "j1"], label=label) for label in labels
    ]
    assert sum(shares) == pytest.approx(100)
    assert sentences.agreed_share(DATA, part="f", question="skills", judges=["j0", "j1"], label="none such") == 0


def test_where_two_judges_differ() -> None:
    shares = [
        sentences.differing_domain(DATA, part="f", question="context", judges=["j0", "j1"], domain=domain).value
        for domain in {document.domain for document in DATA.documents("f")}
    ]
    assert sum(share for share in shares if isinstance(share, float)) == pytest.approx(100)


def test_numbers_chosen() -> None:
    assert len(sentences.numbers_chosen(DATA, "h", "skills_chosen", "j0")) == 48
