"""From settings to plans: what fits together, and what is said where it does not."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from lanner import campaign, protocols
from lanner.errors import LannerError
from lanner.judges.plan import Member, Plan
from lanner.judges.providers import Endpoint
from lanner.judges.settings import SETTINGS
from lanner.judges.setup import campaign_of_texts, limits_from, new_campaign, plans_from, price_notes, removed_if_unused
from lanner.store import Store
from lanner.store.claims import running_judges
from model_campaign import corpus

GIVEN: dict[str, Any] = {name: setting.default for name, setting in SETTINGS.items()} | {
    "models": ("small",),
    "base_urls": ("http://127.0.0.1:8000/v1",),
    "provider": "openai_compatible",
    "judge_name": "",
    "prompt": "",
    "context": "",
    "max_cost": None,
    "limit": None,
    "retry_missing": False,
}


def plans(**more: Any) -> Any:
    return plans_from({**GIVEN, **more})


def test_several_models_are_several_judges_or_one_panel() -> None:
    assert [plan.judge for plan in plans(models=("Big/Model-1", "small"))] == ["big-model-1", "small"]
    [panel] = plans(models=("a", "b"), panel=True, base_urls=("http://x/v1", "http://y/v1"))
    assert (panel.judge, [m.endpoint.base_url for m in panel.members]) == ("panel", ["http://x/v1", "http://y/v1"])


@pytest.mark.parametrize(
    ("model", "name"), [("Qwen/Qwen3_8B", "qwen-qwen3-8b"), ("한국어 모델", "한국어-모델"), ("!!!", "model")]
)
def test_a_judge_is_called_what_its_model_is(model: str, name: str) -> None:
    assert plans(models=(model,))[0].judge == name


def test_two_models_of_one_name_are_not_one_judge() -> None:
    with pytest.raises(LannerError, match="2 of these models would be the judge 'gpt-4'"):
        plans(models=("gpt-4", "gpt.4"))


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("", "people"),
        ("own±2", "own±2"),
        ("kim2025", "kim2025"),
        ("3", "reference±3"),  # as it was given before contexts had names
        ("5,0", "reference±5,0"),
        ("document", "reference±all"),
    ],
)
def test_context(name: str, context: str) -> None:
    [plan] = plans_from(GIVEN | {"models": ["m"], "context": name})
    assert plan.settings.context == context


def test_dice_are_off_unless_several_samples_need_them() -> None:
    assert plans()[0].members[0].temperature == 0.0
    assert plans(samples=3)[0].members[0].temperature == 1.0
    assert plans(samples=3, temperature=0.3)[0].members[0].temperature == 0.3


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"models": ()}, "--model"),
        ({"models": ("a", "b", "c"), "base_urls": ("http://x", "http://y")}, "3 models and 2 servers"),
        ({"base_urls": ("localhost:8000",)}, "no address"),
        ({"base_urls": ("http://[::1",)}, "no address"),
        ({"base_urls": ("http://localhost:99999999/v1",)}, "no address"),
        ({"context": "some"}, "--context"),
        ({"models": ("a", "b"), "judge_name": "x"}, "One name"),
    ],
)
def test_what_does_not_fit_is_said(more: dict[str, Any], words: str) -> None:
    with pytest.raises(LannerError, match=words):
        plans(**more)


def test_a_limit_on_costs_needs_prices() -> None:
    with pytest.raises(LannerError, match="needs prices"):
        limits_from({**GIVEN, "max_cost": 5.0}, plans(price_in=1.0))
    assert limits_from({**GIVEN, "max_cost": 5.0}, plans(price_in=1.0, price_out=2.0)).max_cost == 5.0


def test_the_published_way_is_a_name_that_stands_for_its_context() -> None:
    [plan] = plans(judge_name="kim2025")
    assert (plan.judge, plan.settings.context) == ("small-kim2025", "kim2025")
    assert [plan.judge for plan in plans(models=("a", "b"), judge_name="kim2025")] == ["a-kim2025", "b-kim2025"]
    with pytest.raises(LannerError, match="its own context"):
        plans(judge_name="kim2025", context="own±2")


def test_prices_come_from_the_table_unless_they_are_given() -> None:
    url = ("https://api.openai.com/v1",)
    [member] = plans(models=("gpt-4o-mini-2024-07-18",), base_urls=url)[0].members
    assert (member.price_in, member.price_out, member.price_cached) == (0.15, 0.6, 0.075)
    [member] = plans(models=("gpt-4o-mini",), base_urls=url, batch=True)[0].members
    assert (member.price_in, member.endpoint.provider) == (0.075, "openai_batch")
    [member] = plans(models=("gpt-4o-mini",), base_urls=url, price_in=1.0, price_out=2.0)[0].members
    assert (member.price_in, member.price_out, member.price_cached) == (1.0, 2.0, None)
    [member] = plans(models=("gpt-4o-mini",), base_urls=url, price_cached=0.0)[0].members
    assert (member.price_in, member.price_out, member.price_cached) == (0.15, 0.6, 0.0)
    [note] = price_notes(plans(models=("gpt-4o-mini",), base_urls=url), {**GIVEN})
    assert "2026-11-16" in note


def test_a_provider_has_its_own_address_and_its_own_batches() -> None:
    [member] = plans(base_urls=(), provider="anthropic", batch=True)[0].members
    assert (member.endpoint.base_url, member.endpoint.provider) == ("https://api.anthropic.com/v1", "anthropic_batch")


def test_reasons_come_first_where_the_prompt_can_ask_for_them() -> None:
    assert plans(rationale=True)[0].settings.template.label == "judge-5+rationale"


@pytest.mark.parametrize("whose", ["ours", "another run's", "taken up by another run"])
def test_a_run_that_failed_removes_what_it_added_and_nobody_else_is_at_work_with(tmp_path: Path, whose: str) -> None:
    asked = [Plan("m", (Member("m", Endpoint("http://127.0.0.1:9/v1")),))]
    with Store.open(tmp_path / "s.db") as store, ExitStack() as others:
        with suppress(LannerError), removed_if_unused(store, asked):
            if whose == "another run's":
                campaign.create(store, "c", corpus(1, 1), "da", [asked[0].as_judge()])
            else:
                new_campaign(store, "c", corpus(1, 1), protocols.load("da"), asked)
            if whose == "taken up by another run":
                others.enter_context(running_judges(store, {"m": 1}))
            raise LannerError("The server cannot be reached.")
        assert bool(campaign.campaigns(store)) == (whose != "ours")


def test_a_campaign_that_another_run_has_just_made_of_the_same_texts_is_gone_on_with(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol, chosen, steps, writing = protocols.load("da"), plans(), [], store.writing
    monkeypatch.setattr(store, "writing", lambda: steps.append("one") or writing())  # type: ignore[func-returns-value]
    made = new_campaign(store, "c", corpus(), protocol, chosen)
    assert made.state == "open" and steps == ["one"], "nobody ever finds a draft"
    monkeypatch.setattr(campaign, "campaigns", lambda _store: [])  # as it was a moment ago
    assert campaign_of_texts(store, "c", corpus(), protocol, chosen).id == made.id
    with pytest.raises(LannerError, match="with other texts"):
        campaign_of_texts(store, "c", corpus()[:1], protocol, chosen)
