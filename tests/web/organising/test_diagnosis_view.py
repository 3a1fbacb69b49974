from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from diagnosed_campaigns import SYSTEMS, WEAK, judged_campaign
from lanner import campaign
from lanner.analysis.diagnosis import diagnose
from lanner.analysis.material import from_campaign
from lanner.errors import StatisticError
from lanner.figures.typeset import estimate, percent
from lanner.store import Store
from lanner.studies.simulation import passing_store
from lanner.web.organising.diagnosis_view import Diagnoses, diagnosis_page
from lanner.web.speech import FALLBACK, available, speaking


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with passing_store() as opened:
        judged_campaign(opened, "h_falcon", "skills")
        judged_campaign(opened, "esa", "marks")
        yield opened


def test_the_page_says_what_the_diagnosis_says(store: Store) -> None:
    material = from_campaign(store, "skills").under_code_names()
    result = diagnose(material)
    page = diagnosis_page(material, result)
    cell = result.cell("birch", WEAK, "social")
    assert page.cell == f"birch/{WEAK}/social", "the first cell to be improved is looked at"
    assert estimate(cell.quality.value, cell.quality.low, cell.quality.high, 2, bounded=False) in page.summary
    assert percent(cell.matters.value, 0) in page.summary
    assert [entry.system for entry in page.advice] == list(SYSTEMS)
    assert [bool(entry.place) for entry in page.advice] == [False, True]
    assert page.cells[0][0] == page.cell, "what is to be improved stands first in the list"
    assert len(page.cells) == sum(cell.enough for cell in result.cells) == len(set(page.cells))


def test_sentences_come_with_every_translation_and_rating(store: Store) -> None:
    page = Diagnoses().page(store, campaign.get(store, "skills").id, "", "")
    worst = next(sentence for sentence in page.sentences if sentence.why == "worst")
    assert [output.system for output in worst.outputs] == ["birch", "alder"]
    assert [rating.text for rating in worst.outputs[0].ratings] == ["1", "1"]
    assert worst.outputs[0].ratings[0].steps == (1, 3)
    assert worst.source.startswith("Sentence") and worst.outputs[0].text.startswith("birch says")
    assert worst.languages == ("en", "de")
    names = {rating.judge for sentence in page.sentences for output in sentence.outputs for rating in output.ratings}
    assert not names & {"person-1", "person-2"}, "judges stand under their code names, as in the report"


def test_a_cell_of_the_picture_leads_to_its_sentences(store: Store) -> None:
    diagnoses, number = Diagnoses(), campaign.get(store, "skills").id
    page = diagnoses.page(store, number, "", "alder/style_register/news")
    assert page.figure is not None
    assert 'href="?question=skills&amp;cell=birch%2Frelational_address%2Fsocial#sentences"' in page.figure.svg
    assert page.cell == "alder/style_register/news"
    assert page.figure.svg.count('class="cell-now"') == 1
    assert all(sentence.outputs[0].system == "alder" for sentence in page.sentences)
    with pytest.raises(StatisticError, match="no cell 'oak/x/news'"):
        diagnoses.page(store, number, "", "oak/x/news")


def test_what_is_new_is_in_the_next_page_and_nothing_is_computed_twice(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    diagnoses, number = Diagnoses(), campaign.get(store, "skills").id
    calls = []
    monkeypatch.setattr(
        "lanner.web.organising.diagnosis_view.diagnose", lambda *given: calls.append(given) or diagnose(*given)
    )
    diagnoses.page(store, number, "", "")
    diagnoses.page(store, number, "", "alder/style_register/news")
    assert len(calls) == 1
    campaign.leave_out(store, number, "person-2", "asleep")
    diagnoses.page(store, number, "", "")
    assert len(calls) == 2
    campaign.count_again(store, number, "person-2")


def test_errors_are_diagnosed_by_category_or_severity() -> None:
    with passing_store() as store:
        mqm = Diagnoses().page(store, judged_campaign(store, "mqm", "mqm"), "", "")
        esa = Diagnoses().page(store, judged_campaign(store, "esa", "esa"), "", "")
    assert [entry.place for entry in mqm.advice] == ["", "accuracy in social"]
    assert "points a judgement" in mqm.summary
    assert [entry.place for entry in esa.advice] == ["minor in social", "major in social"]
    assert "minor in social: in " in esa.summary


@pytest.mark.parametrize("name", ["skills", "marks"])
def test_every_sentence_of_the_page_is_in_the_readers_language(store: Store, name: str) -> None:
    material = from_campaign(store, name).under_code_names()
    result = diagnose(material)
    numbers = re.compile(r"\d*\.?\d+")

    def sentences() -> list[str]:
        page = diagnosis_page(material, result)
        assert page.figure is not None
        heads = [column.heading for table in page.tables for column in table.columns]
        texts = [page.summary, page.figure.caption, *heads, *page.notes, *(table.caption for table in page.tables)]
        texts += [part for entry in page.advice for part in (entry.reason, entry.rest)]
        return [text for text in texts if text.strip("p0123456789[] %")]

    english = sentences()
    for code in available():
        if code != FALLBACK:
            with speaking(code):
                own = sentences()
            assert [text for text, same in zip(own, english, strict=True) if text == same] in ([], ["System"])
            assert [sorted(numbers.findall(text)) for text in own] == [
                sorted(numbers.findall(text)) for text in english
            ]
