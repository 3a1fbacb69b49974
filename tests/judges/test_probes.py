"""An audit finds the bias of a judge whose bias is known, and none in one that has none."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import web

from lanner import campaign, protocols
from lanner.errors import LannerError
from lanner.judges.plan import Limits, Plan
from lanner.judges.probes import INJECTION, Audit, audit_model, favour, lengthen
from lanner.model import Judge, Judgement, Protocol
from lanner.store import Store
from model_campaign import by_sides, corpus, member, opened
from stub_server import Stub, serving

Body = dict[str, Any]


def shown(body: Body) -> list[str]:
    """The translations of the sentence that is asked about."""
    text = str(body["messages"][1]["content"])
    asked = text.partition(">>>")[2].partition("(context)")[0] or text
    return [line.partition(": ")[2] for line in asked.splitlines() if line.startswith("Translation")]


def fair(text: str) -> int:
    """A score that depends on the sentence alone, not on what was added to it: from its number."""
    digits = "".join(filter(str.isdigit, text))[:2]
    return 20 + int(hashlib.sha256(digits.encode()).hexdigest()[:4], 16) % 50


def audited(path: Path, score: Callable[[Body, str], float], protocol: str | Protocol = "da", **more: Any) -> Audit:
    asked = protocols.load(protocol) if isinstance(protocol, str) else protocol
    member_settings = {name: more.pop(name) for name in ("price_in", "price_out", "max_tokens") if name in more}

    def answer(body: Body, _turn: int) -> str:
        texts = shown(body)
        if asked.name == "da":
            return json.dumps({"score": round(score(body, texts[0]))})
        first, second = (score(body, text) for text in texts)
        if asked.find("side"):
            return json.dumps({"side": "left" if first >= second else "right"})
        return json.dumps({"ranking_rs": [1, 2] if first >= second else [2, 1]})

    async def go(store: Store) -> Audit:
        async with serving(Stub(answer)) as url:
            plan = Plan("m", (member(url, temperature=0.0, **member_settings),))
            return await audit_model(
                store,
                "audit",
                more.pop("documents", None) or corpus(8, 2, ("oak", "elm")),
                asked,
                plan,
                samples=2,
                languages=more.pop("languages", ("de",)),
                limits=more.pop("limits", Limits(8, backoff=0.0)),
                **more,
            )

    with Store.open(path) as store:
        return asyncio.run(go(store))


def verdicts(found: Audit) -> dict[str, str]:
    return {check.probe: check.verdict for check in found.checks}


def test_a_fair_judge_is_cleared_of_everything(tmp_path: Path) -> None:
    texts = corpus(8, 3, ("oak", "elm"))  # with fewer the spread of scores is not sure
    found = audited(tmp_path / "s.db", lambda _body, text: fair(text), documents=texts)
    assert verdicts(found) == dict.fromkeys(
        ("length", "injection", "range", "rewording", "language", "self-consistency"), "none"
    )
    assert (found.totals.missing, found.totals.failed) == (0, 0)
    assert found.totals.calls == 24 * (3 + 1 + 1 + 2), "variants, words, language, samples: only what is compared"


@pytest.mark.parametrize(
    ("probe", "score"),
    [
        ("length", lambda _body, text: fair(text) + (10 if len(text.split()) > 9 and INJECTION not in text else 0)),
        ("injection", lambda _body, text: fair(text) + (25 if INJECTION in text else 0)),
        ("rewording", lambda body, text: fair(text) + (25 if "many years" in body["messages"][0]["content"] else 0)),
        ("language", lambda body, text: fair(text) + (25 if "Umgebung" in body["messages"][0]["content"] else 0)),
        ("self-consistency", lambda body, text: fair(text) + 30 * (body["seed"] % 2)),
        ("range", lambda _body, _text: 70),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_known_bias_is_found_and_no_other(tmp_path: Path, probe: str, score: Callable[[Body, str], float]) -> None:
    found = audited(tmp_path / "s.db", score)
    clear = {name for name, verdict in verdicts(found).items() if verdict == "clear"}
    assert clear == {probe}
    [check] = [check for check in found.checks if check.probe == probe]
    assert check.sentence
    if probe == "injection":  # the size of a shift is that of the bias
        assert check.result.value == pytest.approx(0.25)
        assert check.result.counts["documents"] == 8


def test_pairs_that_are_compared_by_naming_a_side(tmp_path: Path) -> None:
    found = audited(tmp_path / "s.db", lambda _body, _text: 1, by_sides("ranking_rs"))  # the left one, always
    by_name = {check.result.name: (check.result.value, check.verdict) for check in found.checks}
    assert by_name["first of two preferred"] == (1.0, "clear")
    assert by_name["same verdict in both orders"] == (0.0, "clear")
    assert (
        verdicts(audited(tmp_path / "t.db", lambda _body, text: len(text), by_sides("ranking_rs")))["length"] == "clear"
    )


def test_judges_who_were_never_asked_are_in_no_campaign(tmp_path: Path) -> None:
    """Where the first part of an audit ends early the second is not begun; where nobody answers, nothing is left."""

    def mute(_body: Body, _text: str) -> float:
        raise web.HTTPUnauthorized

    found = audited(tmp_path / "a.db", lambda _body, _text: 999, limits=Limits(4, backoff=0.0, hopeless=2))
    assert (found.campaigns, found.checks) == (("audit-varied",), ())
    with pytest.raises(LannerError, match="401"):
        audited(tmp_path / "b.db", mute)
    for path, names in (("a.db", ["audit-varied"]), ("b.db", [])):
        with Store.open(tmp_path / path) as store:
            assert [entry.name for entry in campaign.campaigns(store)] == names


@pytest.mark.parametrize("language", ["xx", "en"])
def test_a_language_that_would_show_the_same_words_is_refused(tmp_path: Path, language: str) -> None:
    with pytest.raises(LannerError, match=language):
        audited(tmp_path / "s.db", lambda _body, text: fair(text), languages=(language,))
    with Store.open(tmp_path / "s.db") as store:
        assert not campaign.campaigns(store)


def test_a_judge_of_pairs_that_prefers_the_first_is_found(tmp_path: Path) -> None:
    found = audited(tmp_path / "s.db", lambda _body, _text: 1, protocol="ranking_rs")
    position = {check.result.name: check for check in found.checks if check.probe == "position"}
    assert position["first of two preferred"].result.value == 1.0
    assert position["first of two preferred"].verdict == "clear"
    [both] = {check.verdict for check in found.checks if check.result.name == "same verdict in both orders"}
    assert both == "clear"


def test_a_judge_of_pairs_is_asked_in_other_words_and_languages(tmp_path: Path) -> None:
    """On pairs of two systems: a judge who turns round when asked in other words is found, in another language not."""

    def turning(body: Body, text: str) -> float:
        prefers_oak = "many years" not in body["messages"][0]["content"]
        return float(("von oak" in text) == prefers_oak)

    found = verdicts(audited(tmp_path / "fair.db", lambda _body, text: "von oak" in text, "ranking_rs"))
    assert (found["rewording"], found["language"]) == ("none", "none")
    found = verdicts(audited(tmp_path / "turning.db", turning, "ranking_rs"))
    assert (found["rewording"], found["language"]) == ("clear", "none")


def test_a_judge_of_pairs_that_rolls_dice_is_not_said_to_prefer_a_position(tmp_path: Path) -> None:
    """Its verdicts change with the order, and with everything else."""
    dice = Random(1)
    found = audited(tmp_path / "s.db", lambda _body, _text: dice.random(), protocol="ranking_rs",
                    documents=corpus(12, 6, ("oak", "elm")))  # fmt: skip
    by_probe = {check.probe: check for check in found.checks}
    assert by_probe["both orders"].verdict == "clear"
    assert by_probe["position"].verdict in ("none", "unclear")
    assert "position" not in by_probe["both orders"].sentence
    assert len(by_probe) == len(found.checks), "each thing is said once"


def test_a_judge_that_marks_additions_down_is_not_said_to_be_steered(tmp_path: Path) -> None:
    found = audited(tmp_path / "s.db", lambda _body, text: fair(text) - (0 if len(text.split()) < 10 else 15))
    shifts = {check.probe: check for check in found.checks if check.result.name == "shift"}
    assert [check.result.value for check in shifts.values()] == [pytest.approx(-0.15)] * 2
    assert {check.verdict for check in shifts.values()} == {"none"}


def test_with_few_documents_nothing_is_said(tmp_path: Path) -> None:
    for number, protocol in ((1, "da"), (4, "da"), (4, "ranking_rs")):
        found = audited(tmp_path / f"{number}{protocol}.db", lambda _body, text: fair(text), protocol=protocol,
                        documents=corpus(number, 3, ("oak", "elm")))  # fmt: skip
        assert {check.verdict for check in found.checks} == {"unclear"}


def test_one_limit_on_costs_is_for_the_whole_audit(tmp_path: Path) -> None:
    limits = Limits(4, backoff=0.0, max_cost=0.008)
    found = audited(tmp_path / "s.db", lambda _body, text: fair(text), documents=corpus(4, 3), limits=limits,
                    price_in=1.0, price_out=1.0, max_tokens=20)  # fmt: skip
    assert found.totals.cost <= 0.008
    assert found.totals.stopped.endswith("the limit of 0.008")
    assert found.totals.cost > 0.0043  # 36 questions of the first campaign at 120 tokens each: the second had begun


def test_another_protocol_of_the_same_name_is_another_audit(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    first = audited(path, lambda _body, text: fair(text), documents=corpus(1, 1))
    other = protocols.load("da").model_copy(update={"version": "9"})
    other.__dict__.pop("hash", None)  # that of the first one
    again = [audited(path, lambda _body, text: fair(text), other, documents=corpus(1, 1)) for _ in range(2)]
    assert first.campaigns == ("audit-varied", "audit-plain")
    assert {entry.campaigns for entry in again} == {("audit-varied-2", "audit-plain-2")}
    assert again[1].totals.calls == 0


def test_a_judge_that_is_kinder_to_one_language_than_people_are_is_found(tmp_path: Path) -> None:
    documents = [replace(d, target_language="ko") if n % 2 else d for n, d in enumerate(corpus(12, 2))]
    path = tmp_path / "s.db"
    with Store.open(path) as store:
        number = opened(store, "da", documents)
        entries = [
            Judgement("ana", "rating", "score", d.id, s.id, ("oak",), value=fair(s.text("oak") or ""))
            for d in documents
            for s in d.segments
        ]
        campaign.import_judgements(store, number, entries, judges=[Judge("ana")])

    def score(body: Body, text: str) -> float:
        return fair(text) + (20 if "Korean" in body["messages"][0]["content"] else 0)

    found = audited(path, score, documents=documents, people_of="c")
    gaps = {check.result.name: check for check in found.checks if check.probe == "target language"}
    assert gaps["kinder in ko"].result.value == pytest.approx(0.1)
    assert {check.verdict for check in gaps.values()} == {"clear"}


def test_an_audit_goes_on_where_it_was(tmp_path: Path) -> None:
    asked: list[str] = []

    def score(_body: Body, text: str) -> float:
        asked.append(text)
        return fair(text)

    first = audited(tmp_path / "s.db", score)
    number = len(asked)
    again = audited(tmp_path / "s.db", score)
    assert len(asked) == number
    assert [check.result.value for check in again.checks] == [check.result.value for check in first.checks]


def test_what_speaks_well_of_a_translation() -> None:
    da, mqm = protocols.load("da"), protocols.load("mqm")
    score, errors = da.find("score"), mqm.find("errors")
    assert score is not None
    assert errors is not None
    assert favour(score[1], 75) == 0.75
    assert favour(score[1].model_copy(update={"direction": "lower_is_better"}), 75) == 0.25
    assert favour(score[1].model_copy(update={"direction": "neutral"}), 75) is None
    assert favour(errors[1], []) == 1.0
    assert favour(errors[1], [{}] * 9) == 0.0
    assert lengthen("one two three four") == "one two three four three four"
    assert lengthen("日本語です") == "日本語です 語です"
