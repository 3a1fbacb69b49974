"""How the numbers of an adaptive campaign are set on its page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from adaptive_campaign import made, work
from diagnosed_campaigns import SYSTEMS, WEAK, judged_campaign
from lanner import campaign
from lanner.analysis.diagnosis import diagnose
from lanner.analysis.economy import economy
from lanner.analysis.material import from_campaign
from lanner.errors import StatisticError
from lanner.model.messages import estimate, percent
from lanner.stats.goals import parse_goal
from lanner.store import Store
from lanner.studies.simulation import passing_store
from lanner.web.organising import results_view
from lanner.web.organising.results_view import Diagnoses, diagnosis_page
from lanner.web.speech import FALLBACK, available, speaking


def test_work_left_and_agreement_are_said_where_they_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made(store, documents=20)
        work(store, most=10)
        now = economy(store, "study")
        shown = results_view.decided_page(store, "study")
        assert (shown.panel.work_left is None) == (now.judgements_left is None)
        assert shown.agreement is None
        agreed = replace(now, agreement=(0.5, 0.25, 0.75))
        monkeypatch.setattr(results_view, "economy", lambda *_given: agreed)
        assert results_view.decided_page(store, "study").agreement == (".500", ".250", ".750", "0")


def test_what_the_next_hundred_judgements_would_buy(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made(store, documents=40)
        work(store, most=36)
        now = economy(store, "study")
        shown = results_view.decided_page(store, "study")
    assert now.open and now.forecast is not None
    assert shown.panel.next_hundred is not None
    assert [share for _, _, share, _ in shown.panel.next_hundred.pairs] == sorted(
        (round(100 * pair.chance) for pair in now.open), reverse=True
    )
    close = next(pair for pair in now.open if {pair.first, pair.second} == {"birch", "cedar"})
    assert close.given_up > 0.05, "two points apart: giving up is no decision"
    assert close.chance + close.given_up <= 1
    assert f"{100 * close.given_up:.0f}" in shown.panel.next_hundred.pairs[0][3]
    together = sum(pair.chance for pair in now.open)
    assert shown.panel.next_hundred.together == f"{together:.1f}"
    assert shown.panel.next_hundred.hours == f"{100 * 20 / 3600:.1f}", "judges here take 20 seconds"
    steps = now.forecast.course
    for one, other in pairwise(steps):
        assert all(before <= after + 1e-9 for before, after in zip(one, other, strict=True)), "they only grow"
    _, found, lost = steps[-1]
    assert 0.9 * len(now.open) <= found + lost <= len(now.open) + 1e-9
    assert lost > close.given_up - 0.2, "given up later, if not by the next hundred: no decision either"
    assert str(shown.course).count("<circle") == len(steps)
    assert shown.tells_given_up and str(shown.course).count("given-up") == 1


def test_the_ladder_shows_ranks_that_the_settled_pairs_allow(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made(store, documents=20)
        work(store)
        now = economy(store, "study")
        shown = results_view.decided_page(store, "study")
    order = [system.system for system in now.systems]
    better = {frozenset((pair.first, pair.second)): pair.better for pair in now.pairs}
    allowed = [
        ranking
        for ranking in permutations(order)
        if all(
            not winner or ranking.index(winner) < ranking.index(next(iter(both - {winner})))
            for both, winner in better.items()
        )
    ]
    for system in order:
        ranks = [ranking.index(system) + 1 for ranking in allowed]
        assert now.rank_ranges[system] == (min(ranks), max(ranks))
    assert all(system in str(shown.panel.ladder) for system in order)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("rank:2", "every pair of systems is decided, or within ±2"),
        ("best", "every system but the best is beaten by another"),
        ("better:alder,birch", "it is decided which of alder and birch is better"),
        ("not-worse:birch,alder,3", "birch is shown to be at most 3 worse than alder"),
        ("precision:1.5", "every mean is known to ±1.5"),
        ("agreement:0.5", "the interval of agreement lies above 0.5"),
    ],
)
def test_the_goal_in_words(goal: str, words: str) -> None:
    plain = results_view._enough_when(parse_goal(goal)).replace("\u2068", "").replace("\u2069", "")
    assert plain == words


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
        "lanner.web.organising.results_view.diagnose", lambda *given: calls.append(given) or diagnose(*given)
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
