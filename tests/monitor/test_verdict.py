from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from scipy.stats import binom

from lanner.designs.expected import controls_called_by_chance
from lanner.model import Campaign, CampaignState
from lanner.model.alarms import Alarm, Code, PanelTest
from lanner.model.messages import spell
from lanner.monitor.snapshot import (
    AgreementMeasure,
    Divergence,
    ExclusionPreview,
    JudgePace,
    JudgeProgress,
    RemainingWork,
    Swap,
)
from lanner.monitor.status import NO_SNAPSHOT
from lanner.monitor.verdict import (
    Evidence,
    JudgeStanding,
    QuestionNames,
    Targets,
    Verdict,
    VerdictCheck,
    needs,
    verdict,
)

NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)
PLAN = Targets(minimum=0.4, deadline=date(2026, 11, 18), control_limit=0.25)


def summary(verdict: Verdict) -> str:
    return " ".join(map(str, verdict.summary))


def advice(verdict: Verdict) -> str:
    return " ".join(map(str, verdict.advice))


def words(check: VerdictCheck) -> tuple[str, str, str, str]:
    return spell(check.value), spell(check.small), check.tone, spell(check.why)


def measure(
    value: float | None, low: float | None = None, high: float | None = None, **more: object
) -> AgreementMeasure:
    more = {"documents": 16, **more}
    return AgreementMeasure("context", value=value, low=low, high=high, items=412, **more)  # type: ignore[arg-type]


def outlook(judge: str, days: float | None, done: int = 50) -> JudgeProgress:
    finish = NOW + timedelta(days=days) if days is not None else None
    return JudgeProgress(judge, done, 100, (), JudgePace(last=NOW), 50.0, 100.0, 1.0, finish)


def judged(*people: JudgeProgress, **more: Any) -> Verdict:
    names = {"a": "J1", "b": "J2", "c": "J3", **more.pop("names", {})}
    return verdict(Evidence(progress=people, **more), PLAN, names)


ALIKE, APART = PanelTest("a", 1.1, 0.43, 412, 3), PanelTest("c", 4.2, 0.002, 412, 3)


def test_nothing_is_green_before_there_is_data() -> None:
    found = judged()
    assert {check.tone for check in found.checks} == {"none"}
    assert summary(found) == "Too early to say."
    assert "10 sentences" in advice(found)
    assert words(found.checks[2])[3] == "no judges yet"
    assert words(judged(to_come=RemainingWork(270)).checks[2])[3] == "nobody has begun", "items are dealt out later"


def test_alike_answers_and_a_single_document_are_called_what_they_are() -> None:
    found = judged(main=measure(None))
    assert words(found.checks[0])[3] == "all answers are alike"
    assert "same answer" in advice(found)
    found = judged(main=measure(0.5, documents=1))
    assert words(found.checks[0])[1] == "no interval yet"
    assert "several documents" in advice(found)
    assert "There is no interval yet: these documents" in advice(judged(main=measure(1.0, documents=6)))


def test_a_campaign_with_two_things_to_fix() -> None:
    found = judged(outlook("a", 7), main=measure(0.46, 0.41, 0.50), controls={"a": (0, 12), "c": (2, 15)}, panel=APART)
    agreement, attention, finish, judges = found.checks
    assert words(agreement) == ("α .46", "[.41, .50]", "ok", "all of it above .40")
    assert words(attention) == ("2 of 27", "controls missed", "ok", "nobody over the limit of 25 %")
    assert words(finish) == ("Fri 20 Nov", "plan: Wed 18 Nov", "warn", "J1 decides: 2 days late")
    assert words(judges) == ("J3", "p .002", "warn", "differs from the others")
    assert summary(found) == "Usable so far. Two things to fix."


@pytest.mark.parametrize(
    ("low", "high", "tone", "start"),
    [(0.3, 0.5, "warn", "Not settled yet"), (0.1, 0.3, "bad", "Not usable yet")],
)
def test_the_interval_decides(low: float, high: float, tone: str, start: str) -> None:
    found = judged(main=measure(0.45 if tone == "warn" else 0.2, low, high))
    assert found.checks[0].tone == tone
    assert summary(found).startswith(start)


def test_what_more_judging_cannot_fix_is_named() -> None:
    found = judged(main=measure(0.2, 0.1, 0.3, expected_low=0.15, expected_high=0.25))
    assert "More judgements will not fix it" in advice(found)


def test_what_all_judgements_together_will_not_settle_is_not_waited_for() -> None:
    running = measure(0.5, 0.3, 0.7, expected_low=0.35, expected_high=0.65, documents=12)
    assert "narrows as judgements come in" in advice(judged(main=running))
    complete = measure(0.5, 0.3, 0.7, expected_low=0.3, expected_high=0.7, documents=12)
    assert "more overlap narrows it" in advice(judged(main=complete))


@pytest.mark.parametrize(("low", "high"), [(0.8, 0.95), (0.1, 0.3)])
@pytest.mark.parametrize(("documents", "few"), [(2, True), (4, True), (5, False)])
def test_few_documents_give_no_verdict(documents: int, few: bool, low: float, high: float) -> None:
    main = measure(0.9, low, high, documents=documents)
    found = judged(main=main)
    assert (found.checks[0].tone == "warn") == few
    assert (summary(found) == f"Not settled yet: agreement rests on {documents} documents.") == few
    assert ("A verdict takes 5 documents" in advice(found)) == few
    assert ("people agree well" in summary(judged(main=main, calibration=True))) == (not few and low > 0.4)
    assert ("Closed. Usable." in summary(judged(main=main, closed=True))) == (not few and low > 0.4)


def test_the_weakest_row_of_a_grid_stands_with_its_mean() -> None:
    found = judged(main=measure(0.5, 0.45, 0.55, part="mean", weakest="x", weakest_value=0.11), weakest="Tone")
    assert "the weakest is Tone (α .11)" in advice(found)


def test_controls_are_judged_by_their_share_and_its_interval() -> None:
    for counts, tone in (((2, 12), "ok"), ((4, 12), "warn"), ((11, 12), "bad")):
        assert judged(controls={"a": counts}).checks[1].tone == tone
    why = words(judged(controls={"a": (11, 12)}).checks[1])[3]
    assert why == "J1 missed 92 % [65 %, 99 %], limit 25 %"


def test_complete_is_complete_and_closed_is_closed() -> None:
    done = JudgeProgress("a", 100, 100, (), JudgePace(), 9.0, 0.0, 1.0, None)
    assert words(judged(done).checks[2])[0] == "complete"
    found = judged(outlook("a", 7), main=measure(0.2, 0.1, 0.3), closed=True)
    assert words(found.checks[2]) == ("closed", "50 of 100 items", "none", "no more answers")
    assert summary(found) == "Closed. Not usable: people do not agree enough."
    assert advice(found) == "", "nobody can follow advice any more"


def test_a_calibration_round_that_is_done_is_not_the_end() -> None:
    check = judged(outlook("a", None, done=100), calibration=True).checks[2]
    assert (words(check)[0], *words(check)[2:]) == ("not yet", "none", "the rest is not assigned yet")


def test_calibration_is_named_and_counts_nowhere() -> None:
    found = judged(main=measure(0.5, 0.45, 0.55), calibration=True)
    assert summary(found).startswith("Calibration: people agree well.")
    assert "they count in no result" in advice(found)


def test_who_has_not_begun_is_named() -> None:
    check = judged(outlook("a", 1), outlook("b", None, done=0), names={"b": "Bea"}).checks[2]
    assert words(check)[2:] == ("warn", "not begun: Bea")
    check = judged(outlook("a", None, done=100), outlook("b", None, done=0), names={"b": "Bea"}).checks[2]
    assert (words(check)[0], *words(check)[2:]) == ("not yet", "warn", "not begun: Bea"), "the others have finished"
    many = judged(outlook("a", 1), *(outlook(f"j{n}", None, done=0) for n in range(50))).checks[2]
    assert words(many)[2:] == ("warn", "50 judges have not begun"), "three names would stand for all"


def test_swaps_then_the_panel_then_speed_then_nothing() -> None:
    fast = Alarm(Code.SPEED, "b", 5.0, 40.0, 60)
    swap = Swap("c", ("low", "high"), 20, 1)
    assert words(judged(swaps=[swap], panel=APART).checks[3]) == ("J3", "", "bad", "seems to swap two labels")
    assert words(judged(alarms=[fast], panel=APART).checks[3])[0] == "J3"
    assert words(judged(alarms=[fast], panel=ALIKE).checks[3]) == ("J2", "", "warn", "far too fast")
    assert words(judged(panel=ALIKE).checks[3]) == ("alike", "p .43", "ok", "nobody differs more than chance explains")


LABEL = {"low": "low", "high": "high"}


def campaign(state: str = "open", **settings: object) -> Campaign:
    return Campaign(
        1, "trial", "", "h_falcon", "", CampaignState(state), 1, settings=settings, created_at=datetime.now(UTC)
    )


def standing(
    name: str, done: int = 5, late: int | None = None, *, total: int = 10, revoked: bool = False
) -> JudgeStanding:
    progress = JudgeProgress(name, done, total, (), JudgePace(), 100.0, 100.0, 0.7, None)
    return JudgeStanding(name, name, progress, late, revoked)


def titles(people: list[JudgeStanding], where: Campaign | None = None, **numbers: Any) -> list[tuple[str, str, str]]:
    labels = QuestionNames({("q", ""): "Focus"}, LABEL)
    found = needs(where or campaign(), people, replace(NO_SNAPSHOT, **numbers), Targets(), labels)
    return [(need.code, need.tone, str(need.title)) for need in found]


def test_nothing_needed_when_all_is_well() -> None:
    assert titles([standing("a"), standing("b")]) == []


def test_a_pause_is_not_forgotten_and_a_closed_campaign_needs_nothing() -> None:
    assert titles([], campaign("paused")) == [("paused", "warn", "The campaign is paused.")]
    assert titles([standing("a", late=3), standing("b", done=0)], campaign("closed")) == []


def test_the_worst_comes_first() -> None:
    people = [standing("a"), standing("b"), standing("c", late=2), standing("d", done=0)]
    fast = Alarm(Code.SPEED, "b", 5.0, 40.0, 60)
    line = Alarm(Code.STRAIGHT_LINE, "a", 0.97, 0.4, 60, label="low")
    found = titles(people, controls={"a": (11, 12), "b": (4, 12)}, alarms=(fast, line), panel=APART)
    assert found == [
        ("controls", "bad", "a missed 11 of 12 control items."),
        ("controls", "warn", "b missed 4 of 12 control items."),
        ("differs", "warn", "c differs from the others more than chance explains."),
        ("speed", "warn", "b is 8.0 times as fast as the others."),
        ("straight_line", "warn", "a gave one and the same answer to 97 % of 60 items."),
        ("late", "warn", "c is 2 days late."),
        ("idle", "warn", "Not begun: d."),
    ]


def test_the_rest_is_assigned_first_of_all() -> None:
    people = [standing("a", done=10), standing("b", done=10)]
    where = campaign("open", calibration=["d1"])
    assert titles(people, where)[0] == ("calibration", "warn", "The calibration round is done.")
    assert titles([standing("a"), *people], where)[0][2] == "The calibration round is under way."
    assert titles([standing("a", done=0), standing("b", done=0)], campaign("draft", calibration=["d1"])) == []
    for nobody in ([], [standing("a", done=10, revoked=True)]):
        assert titles(nobody, where) == []


def test_whoever_has_no_link_is_not_reminded_and_their_open_work_is_told() -> None:
    replaced, withdrawn = standing("a", done=0, total=0, revoked=True), standing("b", done=0, late=3, revoked=True)
    people = [replaced, withdrawn, standing("c", done=9, revoked=True), standing("d", done=10, revoked=True)]
    assert titles([*people, standing("e"), standing("f", done=0)]) == [
        ("stuck", "warn", "b cannot go on: the link is revoked."),
        ("stuck", "warn", "c cannot go on: the link is revoked."),
        ("idle", "warn", "Not begun: f."),
    ]
    assert titles([*people, standing("e", done=0)])[2:] == [], "the only one who can judge"
    calibrated = titles([*people, standing("e", done=10)], campaign("open", calibration=["d1"]))
    assert calibrated[0][2] == "The calibration round is done."


def test_before_anyone_has_begun_nobody_is_blamed() -> None:
    assert titles([standing("a", done=0), standing("b", done=0)]) == []


def test_what_more_judging_cannot_fix() -> None:
    weak = AgreementMeasure(
        "q", value=0.22, low=0.14, high=0.27, expected_low=0.15, expected_high=0.27, items=50, documents=9
    )
    assert titles([standing("a")], measures=(weak,)) == [("weak", "info", "“Focus” is at α .22.")]
    assert titles([standing("a")], measures=(replace(weak, items=5),)) == []


def test_a_swap_is_the_first_need() -> None:
    crossed = Divergence("q", ("a", "b"), "κ", {}, 40, swaps=(Swap("a", ("low", "high"), 20, 1),))
    first = titles([standing("a"), standing("b", late=1)], divergence=crossed)[0]
    assert first == ("swap", "bad", "a seems to swap “low” and “high”.")


def test_more_overlap_is_asked_for_where_the_plan_will_not_do() -> None:
    wide = AgreementMeasure("q", value=0.5, low=0.2, high=0.8, items=50, documents=6, needed=54)
    assert titles([standing("a")], measures=(wide,)) == [("overlap", "info", "The interval of “Focus” will stay wide.")]


def test_targets_from_settings_forgive_nonsense() -> None:
    targets = Targets.from_settings(
        {"deadline": "2026-11-18", "hourly_rate": 40, "minimum_agreement": 0.5, "control_limit": 2}
    )
    assert (targets.deadline, targets.hourly_rate, targets.minimum) == (date(2026, 11, 18), 40, 0.5)
    odd = Targets.from_settings({"deadline": "soon", "hourly_rate": "much", "minimum_agreement": True})
    assert (odd.deadline, odd.hourly_rate, odd.minimum) == (None, None, 0.4)


def test_what_is_still_being_computed_says_no_number() -> None:
    pending = judged(outlook("a", 2), ready=False)
    assert summary(pending) == "One moment."
    for check in pending.checks:
        if check.code != "finish":  # that is counted with the page
            assert words(check) == ("not yet", "", "none", "being counted")


def test_each_rule_says_whom_it_calls_and_how_many_by_chance() -> None:
    people = [outlook(judge, 1) for judge in "abc"]
    controls = {"a": (0, 12), "b": (1, 12), "c": (5, 12)}
    fast = Alarm(Code.SPEED, "c", 5.0, 30.0, 40)
    found = judged(*people, controls=controls, alarms=[fast], fast_by_chance=0.004, panel=APART, labels=4)
    rules = {rule.code: rule for rule in found.rules}
    assert {code: rule.judges for code, rule in rules.items()} == {
        "controls": ("c",), "speed": ("c",), "differs": ("c",), "straight_line": (), "swap": (),
    }  # fmt: skip
    share = 1.5 / 25  # of the two who are not called, with half a miss more
    expected = 3 * binom.sf(3, 12, share)
    assert rules["controls"].by_chance == pytest.approx(expected)
    assert spell(rules["controls"].takes) == "more than 25 % of control items missed; careful judges miss 6 %"
    assert spell(rules["controls"].chance) == f"By chance: {expected:.2g} of 3."
    assert spell(rules["speed"].chance) == "By chance: at most 0.01 of 3."
    assert spell(rules["differs"].chance) == "By chance: 0.05 of 3."
    assert spell(rules["straight_line"].chance) == "By chance: at most 0.05 of 3."
    assert rules["swap"].by_chance == pytest.approx(0.01 * 3 * 6)
    assert judged(*people).rules == (), "nothing was looked at"
    assert spell(judged(*people, alarms=[fast]).rules[0].chance) == "By chance: not known with so few judges."


def test_limits_in_items_count_as_many_by_chance() -> None:
    share, expected = controls_called_by_chance({"a": (0, 10), "b": (4, 20)}, 3.0) or (0, 0)
    assert share == pytest.approx(0.5 / 11)
    assert expected == pytest.approx(binom.sf(3, 10, share) + binom.sf(3, 20, share))
    assert controls_called_by_chance({"a": (9, 10)}, 0.25) is None, "nobody is careful"


def leaving_out(change: float, weakest: str = "x") -> ExclusionPreview:
    return ExclusionPreview("c", measure(0.46), measure(0.46 + change, weakest=weakest, weakest_value=0.29), 90, 60)


def test_one_judge_or_one_question() -> None:
    main = measure(0.46, 0.41, 0.51, part="mean", weakest="x", weakest_value=0.21)
    without = {"a": 0.44, "b": 0.45, "c": 0.55}
    text = advice(judged(main=main, weakest="Tone", without=without, leaving_out=leaving_out(0.09)))
    assert "Without J3 it would be α .55; no other judge moves it by more than .02." in text
    assert "Tone stays the weakest without J3 (α .29): it is not one person." in text
    assert "stays the weakest" not in advice(
        judged(main=main, weakest="Tone", without=without, leaving_out=leaving_out(0.09, "y"))
    )
    text = advice(judged(main=main, without={**without, "c": 0.47}, leaving_out=leaving_out(0.01)))
    assert "No single judge moves it by more than .02." in text and "Without" not in text
    text = advice(judged(main=main, without={"a": 0.457, "b": 0.458, "c": 0.464}, leaving_out=leaving_out(0.004)))
    assert "No single judge moves it by more than .01." in text, "more than .00 was not true"
    four = replace(main, judges=4)
    text = advice(judged(main=four, without=without, leaving_out=leaving_out(0.09)))
    assert "Without J3 it would be α .55." in text and "moves it" not in text, "of the fourth nothing is known"
    assert "moves it" not in advice(judged(main=four, without={**without, "c": 0.47}, leaving_out=leaving_out(0.01)))
