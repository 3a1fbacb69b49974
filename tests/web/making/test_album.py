from __future__ import annotations

from lanner import campaign, protocols
from lanner.model import Judge, JudgeKind
from lanner.store import Store
from lanner.web.making.album import Album, main_question
from visiting import complete, open_campaign


def answer(store: Store, judge: str, place: int = 0, comment: str = "", **over: object) -> None:
    task = campaign.tasks(store, "trial", judge)[place]
    for item in range(len(task.items)):
        answers = {**complete(), "sentence": 1 + item % 4, **over, **({"comment": comment} if comment else {})}
        campaign.submit(
            store, task.id, item, answers, submission=f"{judge}.{task.id}.{item}.{comment}{over}", active=30.0
        )


def test_an_empty_campaign_has_a_picture_without_numbers(store: Store) -> None:
    open_campaign(store)
    picture = Album(store).picture(1)
    assert picture.stamp == 0
    assert picture.people == ("J1", "J2")
    assert all(measure.value is None for measure in picture.measures)
    assert picture.apart is None
    assert picture.main == "skills"


def test_new_answers_are_added_and_revised_ones_replaced(store: Store) -> None:
    open_campaign(store)
    album, fresh = Album(store), Album(store)
    answer(store, "J1")
    first = album.picture(1, "sentence")
    answer(store, "J2")
    second = album.picture(1, "sentence")
    assert second.stamp > first.stamp
    by_label = {measure.label: measure for measure in second.measures}
    assert by_label["Sentence score"].value == 1.0
    answer(store, "J2", sentence=4)
    third = album.picture(1, "sentence")
    whole = fresh.picture(1, "sentence")
    assert [m.value for m in third.measures] == [m.value for m in whole.measures]
    assert third.measures != second.measures
    assert third.paces == whole.paces


def test_the_same_picture_is_not_made_twice(store: Store) -> None:
    open_campaign(store)
    answer(store, "J1")
    album = Album(store)
    assert album.picture(1) is album.picture(1)
    other = album.picture(1, "holistic")
    assert other.main == "holistic"
    assert other.measures is album.picture(1).measures


def test_comments_newest_first_and_models_apart(store: Store) -> None:
    open_campaign(store)
    campaign.add_judges(store, "trial", [Judge("gpt", JudgeKind.MODEL), Judge("sim", JudgeKind.SIMULATED)])
    answer(store, "J1", comment="first")
    answer(store, "J2", comment="second")
    picture = Album(store).picture(1)
    assert picture.people == ("J1", "J2", "sim")
    assert picture.models == ("gpt",)
    assert picture.comments_in_all == 6
    assert {comment.text for comment in picture.comments} == {"first", "second"}


def test_the_main_question() -> None:
    falcon, h_falcon = protocols.load("falcon"), protocols.load("h_falcon")
    assert [
        q.id for q in (main_question(falcon), main_question(h_falcon), main_question(h_falcon, "holistic")) if q
    ] == [
        "context",
        "skills",
        "holistic",
    ]
