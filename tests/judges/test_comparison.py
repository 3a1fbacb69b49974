"""Model judges side by side: agreement, gains and changes are what they are by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from lanner import campaign
from lanner.errors import LannerError
from lanner.judges.comparison import (
    agreed_answers,
    answers_in_ledger,
    audit,
    compare,
    mean_by_document,
    sample_documents,
)
from lanner.judges.plan import Limits
from lanner.model import Document, Judge, JudgeKind, Judgement, Result, Role
from lanner.stats.resample import Resampling
from lanner.store import Store
from model_campaign import corpus, judge, opened
from stub_server import Stub, completion, good


def scores(store: Store, number: int, name: str, values: dict[tuple[str, str], int], kind: JudgeKind) -> None:
    entries = [
        Judgement(name, "rating", "score", document, segment, ("oak",), value=value)
        for (document, segment), value in values.items()
    ]
    campaign.import_judgements(store, number, entries, judges=[Judge(name, kind)])


def asked(body: dict[str, Any]) -> tuple[str, str]:
    """The document and segment that a question is about, from its text."""
    sentence = str(body["messages"][-1]["content"]).partition(">>>")[2] or str(body["messages"][-1]["content"])
    document, _, segment = sentence.partition("The ferry ")[2].partition(" ")[0].partition(".")
    return f"d{document}", segment


def test_agreement_gain_and_change_are_those_by_hand(tmp_path: Path) -> None:
    people = {(f"d{d}", str(s)): 40 + 10 * d + s for d in range(3) for s in range(2)}
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(3, 2))
        scores(store, number, "ana", people, JudgeKind.PERSON)
        judge(store, number, Stub(lambda body, _: f'{{"score": {people[asked(body)] + 10}}}'), judge="far")
        judge(store, number, Stub(lambda body, _: f'{{"score": {people[asked(body)]}}}'), judge="near", price_in=1.0,
              price_out=1.0)  # fmt: skip
        far, near = compare(store, number, ["far", "near"])
    assert far.agreement["score"].value == pytest.approx(0.9)  # ten points of a hundred away
    assert near.agreement["score"].value == pytest.approx(1.0)
    assert near.gain["score"].value == pytest.approx(0.1)
    assert near.same_as_first["score"].value == 0.0
    assert (far.gain, far.same_as_first) == ({}, {})
    assert near.agreement["score"].counts == {"items": 6, "documents": 3}
    assert (near.replies, near.missing, near.refusals, near.tokens) == (6, 0, 0, 720)
    assert near.cost == pytest.approx(720 / 1e6)
    assert far.cost is None
    assert (near.context, near.prompt, near.model) == ("people", "judge-5", "tiny")


def test_only_main_items_of_judges_who_count_are_what_people_agreed_on(tmp_path: Path) -> None:
    """Spoiled texts, second looks and judges who were left out say nothing about a model."""
    units = [(f"d{d}", str(s)) for d in range(2) for s in range(2)]
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(2, 2))
        scores(store, number, "ana", dict.fromkeys(units, 80), JudgeKind.PERSON)
        scores(store, number, "careless", dict.fromkeys(units, 0), JudgeKind.PERSON)
        for role in (Role.CONTROL, Role.REPEAT):
            entries = [Judgement("ana", "rating", "score", *unit, ("oak",), value=0, role=role) for unit in units]
            campaign.import_judgements(store, number, entries)
        campaign.leave_out(store, number, "careless", "failed all controls")
        judge(store, number, Stub(lambda *_: '{"score": 80}'))
        [standing] = compare(store, number)
        assert agreed_answers(store, number)["score"] == {(*unit, ("oak",)): 80 for unit in units}
        assert standing.agreement["score"].value == 1.0
        campaign.leave_out(store, number, "m", "another model")
        with pytest.raises(LannerError, match="no model judges"):
            compare(store, number)
        assert [entry.judge for entry in compare(store, number, ["m"])] == ["m"]


def test_a_pair_is_the_same_in_whichever_order_it_was_shown(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "ranking_rs", corpus(2, 4, ("oak", "ash")))
        entries = [
            Judgement(name, "rs_ranking", "ranking_rs", f"d{d}", str(s), pair, value=ranks)
            for d in range(2)
            for s in range(4)
            for name, pair, ranks in (("ana", ("oak", "ash"), [1, 2]), ("ben", ("ash", "oak"), [2, 1]))
        ]
        campaign.import_judgements(store, number, entries, judges=[Judge("ana"), Judge("ben")])

        def oak(body: dict[str, Any], _turn: int) -> str:
            text = body["messages"][-1]["content"]
            return '{"ranking_rs": %s}' % ([1, 2] if text.index("von oak") < text.index("von ash") else [2, 1])

        judge(store, number, Stub(oak))
        [standing] = compare(store, number)
        people = agreed_answers(store, number)["ranking_rs"]
    assert {unit[2] for unit in people} == {("ash", "oak")}
    assert (standing.agreement["ranking_rs"].value, standing.agreement["ranking_rs"].counts["items"]) == (1.0, 8)


def test_a_question_that_was_answered_in_another_way_is_not_missing(tmp_path: Path) -> None:
    """With a longer limit, or in a call about fewer sentences. A request that got no reply is no reply."""

    def cut_off(body: dict[str, Any], _turn: int) -> Any:
        reply = completion(body, "" if body["max_tokens"] < 100 else good(body))
        reply["choices"][0]["finish_reason"] = "length" if body["max_tokens"] < 100 else "stop"
        return reply

    def partly(body: dict[str, Any], _turn: int) -> str:
        about_three = "3" in body["response_format"]["json_schema"]["schema"]["properties"]
        return '{"1": {"score": 5}, "2": {"score": 500}, "3": {}}' if about_three else good(body)

    again = Limits(8, backoff=0.0, retry_missing=True)
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 3))
        assert judge(store, number, Stub(cut_off), max_tokens=50).missing == 3
        with pytest.raises(LannerError):
            judge(store, number, Stub(lambda *_: web.Response(status=401)), judge="none")
        assert compare(store, number, ["m"])[0].missing == 3
        assert judge(store, number, Stub(cut_off), max_tokens=500).items == 3
        judge(store, number, Stub(partly), judge="d", calls="documents", reasks=0)
        assert [(one.replies, one.missing) for one in compare(store, number, ["m", "d"])] == [(6, 0), (1, 2)]
        judge(store, number, Stub(lambda *_: web.Response(status=500)), judge="d", calls="documents",
              limits=Limits(8, tries=1, backoff=0.0, retry_missing=True))  # fmt: skip
        assert [(one.replies, one.missing) for one in compare(store, number, ["d"])] == [(1, 2)]
        judge(store, number, Stub(), judge="d", calls="documents", limits=again)
        assert [(one.replies, one.missing) for one in compare(store, number, ["d"])] == [(2, 0)]


def test_refusals_are_counted_and_unknown_judges_refused(tmp_path: Path) -> None:
    def refusing(body: dict[str, Any], _turn: int) -> Any:
        message = {"role": "assistant", "content": "", "refusal": "no"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"model": "t", "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}

    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        with pytest.raises(LannerError, match="no model judges"):
            compare(store, number)
        judge(store, number, Stub(refusing))
        [standing] = compare(store, number)
        assert (standing.refusals, standing.missing, standing.agreement) == (2, 2, {})
        with pytest.raises(LannerError, match="No model judge is called"):
            compare(store, number, ["n"])


def test_an_adjudicated_answer_stands_for_those_of_people(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        scores(store, number, "ana", {("d0", "0"): 40, ("d0", "1"): 40}, JudgeKind.PERSON)
        scores(store, number, "ben", {("d0", "0"): 60, ("d0", "1"): 40}, JudgeKind.PERSON)
        scores(store, number, "end", {("d0", "0"): 55}, JudgeKind.ADJUDICATED)
        answers = agreed_answers(store, number)["score"]
    assert answers == {("d0", "0", ("oak",)): 55, ("d0", "1", ("oak",)): 40}


def test_a_sample_is_whole_documents_from_everywhere() -> None:
    documents = corpus(64, 5)
    sample = sample_documents(documents, 40)
    assert len(sample) == 8
    assert sample == sample_documents(documents, 40)
    places = [documents.index(document) for document in sample]
    assert places[0] == 0
    assert places[-1] > 48
    assert sample_documents(documents, 1) == documents[:1]
    assert sample_documents([], 5) == []
    assert isinstance(sample[0], Document)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "s.db") as opened_:
        yield opened_


def audited(store: Store, protocol: str, answer: Any, *, pair: bool = False, **more: Any) -> dict[str, Result]:
    number = opened(store, protocol, corpus(6, 3, ("oak", "ash") if pair else ("oak",)))
    judge(store, number, Stub(answer), **more)
    return {f"{r.labels['question']}: {r.name}": r for r in audit(store, number, "m")}


def ranks(body: dict[str, Any], given: list[int]) -> str:
    return json.dumps(dict.fromkeys(body["response_format"]["json_schema"]["schema"]["properties"], given))


def test_documents_alike_by_chance_count_for_no_more_answers_than_there_are() -> None:
    values = [(f"d{at // 10}", float(at % 10 < 5 + (at // 10 == 5))) for at in range(60)]
    found = mean_by_document("share", "score", values, Resampling())
    reach = 2 * norm.sf(t.ppf(0.975, 5))
    assert (found.low, found.high) == pytest.approx(proportion_confint(31, 60, alpha=reach, method="wilson"))


def test_always_the_first_is_a_position_bias(store: Store) -> None:
    found = audited(store, "ranking_rs", lambda body, _: ranks(body, [1, 2]), pair=True, swap=True)
    assert found["ranking_rs: first of two preferred"].value == 1
    assert found["ranking_rs: same verdict in both orders"].value == 0
    assert found["ranking_rs: self-consistency"].value == 0
    assert found["ranking_rs: first of two preferred"].counts == {"items": 36, "documents": 6}


def test_a_verdict_that_follows_the_text_is_none(store: Store) -> None:
    def oak(body: dict[str, Any], _: int) -> str:
        text = body["messages"][-1]["content"]
        return ranks(body, [1, 2] if text.index("von oak") < text.index("von ash") else [2, 1])

    found = audited(store, "ranking_rs", oak, pair=True, swap=True)
    assert found["ranking_rs: first of two preferred"].value == 0.5
    assert found["ranking_rs: same verdict in both orders"].value == 1


def test_samples_that_differ_lower_consistency(store: Store) -> None:
    scores = iter([0, 100] * 18)
    found = audited(store, "da", lambda _body, _turn: json.dumps({"score": next(scores)}), samples=2)
    assert 0 <= (found["score: self-consistency"].value or 0) < 1
    assert found["score: self-consistency"].signature is not None


def test_always_the_first_option_is_found_when_options_are_shuffled(store: Store) -> None:
    def first(body: dict[str, Any], turn: int) -> str:
        made = json.loads(good(body, turn))
        context = body["response_format"]["json_schema"]["schema"]["properties"].get("context")
        return json.dumps({**made, "context": context["enum"][0]} if context else made)

    found = audited(store, "falcon", first, shuffle=True)
    result = found["context: first option chosen"]
    assert result.value == 1
    assert "by chance 0.200" in " ".join(result.notes)


def test_asked_once_there_is_nothing_to_audit(store: Store) -> None:
    assert audited(store, "da", good) == {}


def test_sentences_that_are_asked_again_in_a_smaller_call_are_the_same_sentences(store: Store) -> None:
    """The second call numbers its sentences anew; a retry is not a second opinion."""
    number = opened(store, "da", corpus(1, 3))
    whole = {str(n): {"score": 10 * n} for n in (1, 2, 3)}

    def without_the_second(body: dict[str, Any], _: int) -> str:
        return json.dumps({**whole, "2": {"score": 1000}})

    judge(store, number, Stub(without_the_second), calls="documents", samples=1)
    again = Limits(8, backoff=0.0, retry_missing=True)
    judge(store, number, Stub(lambda _body, _turn: '{"1": {"score": 20}}'), calls="documents", limits=again)
    assert {entry.unit[0]: entry.value for entry in answers_in_ledger(store, number, "m")} == {
        "0": 10,
        "1": 20,
        "2": 30,
    }
    assert audit(store, number, "m") == []  # nobody was asked twice
