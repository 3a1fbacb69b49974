from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pandas as pd
import polars as pl
import pytest

from campaign_parts import corpus, opened
from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.analysis.scores import planned_rankings, rank_systems
from lanner.model import Item, Judge, JudgeKind, Role, Task
from lanner.monitor.live import LiveCampaigns, paces
from lanner.monitor.snapshot import DisagreementFilter
from lanner.stats.goals import State
from lanner.store import Store
from lanner.store.campaign_copies import bring_back, copy_campaign
from life.oracle import decided_pairs
from web_clients import complete, open_campaign


def answer(store: Store, judge: str, place: int = 0, comment: str = "", **over: object) -> None:
    task = campaign.tasks(store, "trial", judge)[place]
    for item in range(len(task.items)):
        answers = {**complete(), "sentence": 1 + item % 4, **over, **({"comment": comment} if comment else {})}
        campaign.submit(
            store, task.id, item, answers, submission=f"{judge}.{task.id}.{item}.{comment}{over}", active=30.0
        )


def test_an_empty_campaign_has_a_picture_without_numbers(store: Store) -> None:
    open_campaign(store)
    snapshot = LiveCampaigns(store).snapshot(1)
    assert snapshot.stamp == 0
    assert snapshot.people == ("J1", "J2")
    assert all(measure.value is None for measure in snapshot.measures)
    assert snapshot.divergence is None
    assert snapshot.main == "skills"


def test_new_answers_are_added_and_revised_ones_replaced(store: Store) -> None:
    open_campaign(store)
    album, fresh = LiveCampaigns(store), LiveCampaigns(store)
    answer(store, "J1")
    first = album.snapshot(1, "sentence")
    answer(store, "J2")
    second = album.snapshot(1, "sentence")
    assert second.stamp > first.stamp
    by_question = {measure.question: measure for measure in second.measures if measure.main}
    assert by_question["sentence"].value == 1.0
    answer(store, "J2", sentence=4)
    third = album.snapshot(1, "sentence")
    whole = fresh.snapshot(1, "sentence")
    assert [m.value for m in third.measures] == [m.value for m in whole.measures]
    assert third.measures != second.measures
    assert third.paces == whole.paces


@pytest.mark.parametrize("looked_before", [False, True])
def test_who_revises_all_they_did_began_with_the_first_answer(store: Store, looked_before: bool) -> None:
    open_campaign(store)
    [task] = campaign.tasks(store, "trial", "J1")[:1]
    album, begun = LiveCampaigns(store), datetime.now(UTC) - timedelta(days=9)
    for days in range(3):
        answers = {**complete(), "sentence": 1 + days}
        at = begun + timedelta(days=days)
        campaign.submit(store, task.id, 0, answers, submission=f"s{days}", active=30.0, answered_at=at)
        pace = album.snapshot(1).paces["J1"] if looked_before else None
        assert pace is None or (pace.first, pace.last) == (begun, at)
    assert LiveCampaigns(store).snapshot(1).paces["J1"].first == begun


def test_the_same_picture_is_not_made_twice(store: Store) -> None:
    open_campaign(store)
    answer(store, "J1")
    album = LiveCampaigns(store)
    assert album.snapshot(1) is album.snapshot(1)
    other = album.snapshot(1, "holistic")
    assert other.main == "holistic"
    assert other.measures is album.snapshot(1).measures
    made = album.snapshot(1)
    answer(store, "J2")
    assert album.latest(1) is made and album.latest(1, "holistic") is other
    assert album.snapshot(1) is not made


def test_comments_newest_first_and_models_apart(store: Store) -> None:
    open_campaign(store)
    campaign.add_judges(store, "trial", [Judge("gpt", JudgeKind.MODEL), Judge("sim", JudgeKind.SIMULATED)])
    answer(store, "J1", comment="first")
    answer(store, "J2", comment="second")
    snapshot = LiveCampaigns(store).snapshot(1)
    assert snapshot.people == ("J1", "J2", "sim")
    assert snapshot.models == ("gpt",)
    assert snapshot.comments_in_all == 6
    assert {comment.text for comment in snapshot.comments} == {"first", "second"}


def test_missed_control_items_are_counted_by_judge(store: Store) -> None:
    open_campaign(store)
    rule = {"holistic": {"at_most": 4}}
    for judge, segment in (("J1", "0"), ("J2", "1")):
        item = Item("doc0", segment, ("secret-system-one",), Role.CONTROL, {"secret-system-one": "Words."}, rule)
        campaign.assign(store, "trial", [Task(0, judge, "rating", (item,))])
    album = LiveCampaigns(store)
    assert album.snapshot(1).controls == {"J1": (0, 0), "J2": (0, 0)}
    for judge, score in (("J1", 9), ("J2", 2)):
        task = campaign.tasks(store, "trial", judge)[-1]
        campaign.submit(store, task.id, 0, {**complete(), "holistic": score}, submission=f"{judge}-control")
    assert album.snapshot(1).controls == {"J1": (1, 1), "J2": (0, 1)}


def test_comments_are_about_texts_and_not_what_judges_say_of_themselves(store: Store) -> None:
    open_campaign(store, settings={"before": ["background"]})
    [task, *_] = campaign.tasks(store, "trial", "J1")
    about = {"native_language": "Korean", "working_language": "English"}
    campaign.submit(store, task.id, 0, about, submission="background")
    snapshot = LiveCampaigns(store).snapshot(1)
    assert (snapshot.comments, snapshot.comments_in_all) == ((), 0)


def test_what_came_back_from_an_older_copy_is_counted_anew(store: Store, tmp_path: Path) -> None:
    open_campaign(store)
    album = LiveCampaigns(store)
    answer(store, "J1")
    answer(store, "J2")
    copy = tmp_path / "copy.sqlite"
    copy_campaign(store, 1, copy)
    before = album.snapshot(1, "sentence")
    answer(store, "J1", place=1)
    answer(store, "J2", place=1, sentence=4)
    assert album.snapshot(1, "sentence").measures != before.measures
    campaign.remove(store, "trial", name="trial")
    bring_back(copy, "trial", store.address)
    back = album.snapshot(1, "sentence")
    assert (back.stamp, back.measures) == (before.stamp, before.measures)


def test_someone_who_withdrew_is_gone_from_the_numbers(store: Store) -> None:
    open_campaign(store)
    album = LiveCampaigns(store)
    for judge in ("J1", "J2"):
        answer(store, judge, comment="hm")
    assert album.snapshot(1).comments_in_all == 6
    campaign.withdraw(store, "trial", "J1")
    after = album.snapshot(1)
    assert after.comments_in_all == 3
    assert "J1" not in after.people


def test_controls_assigned_after_the_first_look_are_seen(store: Store) -> None:
    """Answers given before the control item was assigned to the same unit count for its comparison too."""
    open_campaign(store)
    numbers = LiveCampaigns(store)
    for judge in ("J1", "J2"):
        answer(store, judge)
    assert numbers.snapshot(1).controls == {}
    item = Item("doc0", "0", ("secret-system-one",), Role.CONTROL, {"secret-system-one": "Words."},
                {"holistic": {"at_most": 4}})  # fmt: skip
    campaign.assign(store, "trial", [Task(0, "J1", "rating", (item,))])
    assert numbers.snapshot(1).controls == {"J1": (0, 0)}
    task = campaign.tasks(store, "trial", "J1")[-1]
    campaign.submit(store, task.id, 0, {**complete(), "holistic": 9}, submission="late-control")
    assert numbers.snapshot(1).controls == {"J1": (1, 1)} == LiveCampaigns(store).snapshot(1).controls


def test_a_judge_left_out_counts_nowhere_until_counted_again(store: Store) -> None:
    open_campaign(store, judges=3)
    numbers = LiveCampaigns(store)
    for judge, value in (("J1", 1), ("J2", 2), ("J3", 4)):
        answer(store, judge, sentence=value)
    before = numbers.snapshot(1, "sentence")
    campaign.leave_out(store, "trial", "J3", "too fast")
    after = numbers.snapshot(1, "sentence")
    assert (after.people, after.left_out) == (("J1", "J2"), {"J3": "too fast"})
    assert {m.judges for m in after.measures if m.value is not None} == {2}
    assert after.divergence is not None and "J3" not in after.divergence.people
    assert numbers.disagreements(1, DisagreementFilter("sentence")).entries[0].given == (("J1", "1"), ("J2", "2"))
    campaign.count_again(store, "trial", "J3")
    again = numbers.snapshot(1, "sentence")
    assert [m.value for m in again.measures] == [m.value for m in before.measures]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_the_price_of_leaving_out_counts_decided_pairs_as_the_report_will(store: Store) -> None:
    systems, dice = ("ash", "elm", "oak", "yew"), Random(3)
    opened(store, "mqm", "trial", documents=corpus((2,) * 8, systems), judges=[Judge(name) for name in ("a", "b", "c")])
    rows = []
    for judge in ("a", "b", "c"):
        for task in campaign.tasks(store, "trial", judge):
            for place, item in enumerate(task.items):
                worse = systems.index(item.systems[0])
                errors = dice.randint(0, 12) if judge == "c" else worse + dice.randint(0, 2)
                at = {"side": "target", "severity": "minor", "category": "mistranslation"}
                marks = [{**at, "start": start, "end": start + 1} for start in range(errors)]
                campaign.submit(store, task.id, place, {"errors": marks}, submission=f"{judge}.{task.id}.{place}")
                rows.append((judge, item.document, item.segment, item.systems[0], float(errors)))
    raw = pd.DataFrame(rows, columns=["judge", "document", "segment", "system", "value"])
    numbers = LiveCampaigns(store)
    price = numbers.leaving_out(1, "c")
    assert price is not None and price.pairs is not None and price.pairs_without is not None
    expected, without = decided_pairs(raw), decided_pairs(raw[raw["judge"] != "c"])
    assert (price.pairs.pairs, set(price.pairs.decided)) == expected
    assert (price.pairs_without.pairs, set(price.pairs_without.decided)) == without
    assert without[1] > expected[1] and set(price.decides) == without[1] - expected[1]
    assert price.opens == price.turns == ()
    campaign.leave_out(store, "trial", "c", "by chance")
    after = numbers.leaving_out(1, "a")
    assert after is not None and after.pairs == price.pairs_without
    material = from_campaign(store, "trial")
    [ranking] = planned_rankings(material.protocol, material.counted("scores").table)
    reported = rank_systems(material.counted("scores"), ranking.of, material.protocol, **ranking.options)
    assert reported.count(State.DECIDED) == len(without[1])


def test_calibration_is_looked_at_until_the_main_part_has_answers(store: Store) -> None:
    open_campaign(store, settings={"calibration": ["doc0"]})
    numbers = LiveCampaigns(store)
    for judge, value in (("J1", 1), ("J2", 4)):
        answer(store, judge, sentence=value)
    snapshot = numbers.snapshot(1, "sentence")
    assert snapshot.purpose == "calibration"
    assert next(m for m in snapshot.measures if m.question == "sentence").items == 3
    found = numbers.disagreements(1, DisagreementFilter("sentence"))
    assert {entry.given for entry in found.entries} == {(("J1", "1"), ("J2", "4"))}
    campaign.after_calibration(store, "trial")
    answer(store, "J1", place=-1, sentence=2)
    assert numbers.snapshot(1, "sentence").purpose == "agreement"
    assert numbers.disagreements(1, DisagreementFilter("sentence")).found == 0
    assert numbers.disagreements(1, DisagreementFilter("sentence", calibration=True)).found == 3


def test_a_questionnaire_is_neither_the_main_question_nor_work(store: Store) -> None:
    open_campaign(store, settings={"before": ["consent"]})
    numbers = LiveCampaigns(store)
    for judge in ("J1", "J2"):
        first = campaign.tasks(store, "trial", judge)[0]
        campaign.submit(store, first.id, 0, {"consent": "agree"}, submission=f"{judge}-consent", active=1.0)
        answer(store, judge, place=1)
    snapshot = numbers.snapshot(1)
    assert snapshot.main == "skills"
    assert {m.question for m in snapshot.measures} == {"skills", "sentence", "holistic"}
    assert snapshot.paces["J1"].per_minute == 2.0, "thirty seconds an item, the questionnaire left out"


def test_what_is_expected_when_all_is_in_does_not_count_calibration(store: Store) -> None:
    texts = corpus((4,) * 5, ("alder",))
    opened(store, "da", documents=texts, settings={"calibration": ["d0"]}, seed=2)
    dice = Random(4)

    def work() -> None:
        for judge in campaign.judges(store, "first"):
            for task in campaign.tasks(store, "first", judge.id):
                if task.finished_at is not None:
                    continue
                for at, item in enumerate(task.items):
                    truth = Random(f"{item.document} {item.segment}").randint(20, 80)
                    answers = {"score": truth + dice.randint(-9, 9)}
                    campaign.submit(store, task.id, at, answers, submission=f"{task.id} {at}")
                campaign.finish(store, task.id)

    work()
    campaign.after_calibration(store, "first")
    work()
    [main] = [entry for entry in LiveCampaigns(store).snapshot(1).measures if entry.main]
    assert main.documents == 4 and main.low is not None
    assert (main.expected_low, main.expected_high) == (main.low, main.high), "everything that counts is in"


# How fast each judge works, from the times kept with their answers


NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)


def times(judge: str, seconds: list[float], start: datetime = NOW - timedelta(days=2)) -> pl.DataFrame:
    rows = [
        {"judge": judge, "document": "d", "segment": str(at), "system": "", "role": "main", "domain": "news",
         "active": second, "elapsed": 2 * second, "answered_at": start + timedelta(minutes=at)}
        for at, second in enumerate(seconds)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_a_pace_counts_each_item_once_at_its_longest() -> None:
    table = pl.concat([times("a", [30.0] * 30), times("a", [60.0] * 30)])
    pace = paces(table)["a"]
    assert pace.active == 1800
    assert pace.median == 60
    assert pace.per_minute == pytest.approx(1)
    assert pace.parts == pytest.approx([1.0] * 10)


def test_how_fast_a_judge_is_counts_main_items_domain_by_domain_and_active_time_everything() -> None:
    news, talks = times("a", [30.0] * 10), times("a", [60.0] * 30).with_columns(domain=pl.lit("talks"))
    controls = times("a", [1.0] * 5).with_columns(role=pl.lit("control"))
    calibration = times("a", [120.0] * 3).with_columns(role=pl.lit("calibration"))
    table = pl.concat([news, talks, controls, calibration])
    pace = paces(table)["a"]
    assert (pace.active, pace.median) == (300 + 1800 + 5 + 360, 60)
    assert pace.per_minute == pytest.approx((2 + 1) / 2), "as in the report"
    assert paces(table, Role.CALIBRATION)["a"].per_minute == pytest.approx(0.5)


def test_an_item_without_a_time_is_counted_at_the_mean() -> None:
    """Its work counted as done in no time: the rest was promised for tomorrow, and the cost was a tenth."""
    timed = pl.col("segment").cast(pl.Int64) % 10 == 0
    table = times("a", [30.0] * 40).with_columns(
        active=pl.when(timed).then("active"), elapsed=pl.when(timed).then("elapsed")
    )
    assert paces(table)["a"].active == 40 * 30


def test_ten_parts_show_who_becomes_faster() -> None:
    parts = paces(times("a", [float(x) for x in range(40, 0, -1)]))["a"].parts
    assert list(parts) == sorted(parts)


def test_few_items_have_no_parts_and_nothing_has_no_pace() -> None:
    assert paces(times("a", [30.0] * 5))["a"].parts == ()
    assert paces(pl.DataFrame()) == {}


def test_elapsed_time_stands_in_where_activity_is_not_known() -> None:
    table = times("a", [30.0] * 4).with_columns(active=pl.lit(None, pl.Float64))
    assert paces(table)["a"].active == 240
