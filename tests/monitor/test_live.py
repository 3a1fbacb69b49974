from __future__ import annotations

from lanner import campaign, protocols
from lanner.model import Item, Judge, JudgeKind, Role, Task
from lanner.monitor.live import LiveCampaigns, main_question
from lanner.store import Store
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


def test_the_same_picture_is_not_made_twice(store: Store) -> None:
    open_campaign(store)
    answer(store, "J1")
    album = LiveCampaigns(store)
    assert album.snapshot(1) is album.snapshot(1)
    other = album.snapshot(1, "holistic")
    assert other.main == "holistic"
    assert other.measures is album.snapshot(1).measures


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


def test_the_main_question() -> None:
    falcon, h_falcon = protocols.load("falcon"), protocols.load("h_falcon")
    assert [
        q.id for q in (main_question(falcon), main_question(h_falcon), main_question(h_falcon, "holistic")) if q
    ] == [
        "context",
        "skills",
        "holistic",
    ]


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
