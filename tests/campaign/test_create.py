from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from campaign_parts import JUDGES, NOW, corpus, first_task, known, opened, save, scales
from lanner import campaign
from lanner.errors import CampaignError, DesignError, InputError
from lanner.model import Campaign, CampaignState, Document, Judge, Judgement, Segment, Task
from lanner.store import Store, schema
from lanner.store.campaigns import Campaigns

SCALE = {"id": "q", "kind": "scale", "min": 1, "max": 9}


def plan(store: Store, name: str) -> list[tuple[str, str, object]]:
    judges = [judge.id for judge in campaign.judges(store, name)]
    return [(t.judge, t.page, t.items) for judge in judges for t in campaign.tasks(store, name, judge)]


def test_the_same_inputs_make_the_same_campaign(store: Store, tmp_path: Path) -> None:
    documents = corpus((3, 2, 4))
    made = campaign.create(store, "one", documents, "h_falcon", JUDGES, seed=7, at=NOW)
    campaign.create(store, "two", documents, known("h_falcon"), JUDGES, seed=7, at=NOW)
    campaign.create(store, "three", documents, "h_falcon", JUDGES, seed=8, at=NOW)
    assert plan(store, "one") == plan(store, "two") != plan(store, "three")
    with Store.open(tmp_path / "other.db") as elsewhere:
        again = campaign.create(elsewhere, "one", documents, "h_falcon", JUDGES, seed=7, at=NOW)
        assert replace(again, id=made.id) == made
        assert plan(elsewhere, "one") == plan(store, "one")


def test_what_goes_in_comes_out(store: Store) -> None:
    documents = corpus()
    made = campaign.create(
        store,
        "first",
        documents,
        "h_falcon",
        JUDGES,
        seed=3,
        settings={"idle_seconds": 3},
        title="Our first",
        at=NOW,
    )
    assert made == Campaign(
        made.id, "first", "Our first", "h_falcon", known("h_falcon").hash, CampaignState.DRAFT, 3, "full",
        {"idle_seconds": 3}, NOW, None,
    )  # fmt: skip
    assert campaign.get(store, "first") == campaign.get(store, made.id) == made
    assert campaign.documents(store, "first") == documents
    assert campaign.judges(store, "first") == list(JUDGES)
    assert campaign.protocol(store, "first") == known("h_falcon")
    assert campaign.protocol(store, "first").hash == made.protocol_hash
    assert [event.kind for event in campaign.events(store, "first")] == ["created"]


def test_systems_and_options_reach_the_design(store: Store) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES, systems=["birch"], options={"shuffle": False})
    tasks = campaign.tasks(store, "first", "ana")
    assert [(t.items[0].document, t.items[0].systems) for t in tasks] == [("d0", ("birch",)), ("d1", ("birch",))]


@pytest.mark.parametrize("name", ["", " first", "a/b", "x" * 101, "tab\there", ".", "..", "\ud800", "a\ud800", "\x00"])
def test_bad_names(store: Store, name: str) -> None:
    with pytest.raises(CampaignError) as caught:
        campaign.create(store, name, corpus(), "h_falcon", JUDGES)
    assert caught.value.code == "bad_name"
    assert campaign.campaigns(store) == []


def test_a_name_is_the_same_in_whichever_code_points_it_is_written(store: Store) -> None:
    taken_apart = unicodedata.normalize("NFD", "한국어 été")
    made = campaign.create(store, taken_apart, corpus(), "h_falcon", JUDGES)
    assert made.name == "한국어 été"
    assert campaign.get(store, taken_apart).id == campaign.get(store, "한국어 été").id == made.id
    for name in (taken_apart, "한국어 été"):
        with pytest.raises(CampaignError) as refused:
            campaign.create(store, name, corpus(), "h_falcon", JUDGES)
        assert refused.value.code == "name_taken"
    campaign.remove(store, taken_apart, name="한국어 été")


@pytest.mark.parametrize("name", ["...", ".x", "a..b", "-"])
def test_names_that_look_odd_and_do_no_harm(store: Store, name: str) -> None:
    assert campaign.create(store, name, corpus(), "h_falcon", JUDGES).name == name


def test_refusals_leave_nothing_behind(store: Store) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES)
    twice = Document("d", (Segment("1", "…", {"a": "…"}), Segment("1", "…", {"a": "…"})))
    refused: list[tuple[type[Exception], dict[str, object]]] = [
        (CampaignError, {}),  # the name is taken
        (InputError, {"name": "second", "documents": []}),
        (InputError, {"name": "second", "documents": corpus() * 2}),
        (InputError, {"name": "second", "documents": [twice]}),
        (InputError, {"name": "second", "documents": [replace(corpus()[0], id=id_) for id_ in ("\u00e9", "e\u0301")]}),
        (InputError, {"name": "second", "documents": [replace(corpus()[0], id="")]}),
        (InputError, {"name": "second", "documents": [Document("d", (Segment("1", "…", {"a|b": "…"}),))]}),
        (DesignError, {"name": "second", "judges": JUDGES * 2}),
        (DesignError, {"name": "second", "systems": ["nobody"]}),
        (DesignError, {"name": "second", "options": {"nonsense": 1}}),
    ]
    for kind, given in refused:
        arguments = {"name": "first", "documents": corpus(), "protocol": "h_falcon", "judges": JUDGES, **given}
        with pytest.raises(kind) as caught:
            campaign.create(store, **arguments)  # type: ignore[arg-type]
        assert getattr(caught.value, "next_step", "")
    assert [c.name for c in campaign.campaigns(store)] == ["first"]


def test_a_draft_can_be_made_anew_and_keeps_its_judges_links(store: Store) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES, seed=1)
    secret = campaign.invitations.issue(store, "first", "ana")
    documents = corpus((1, 1, 1), ("cedar",))
    changed = campaign.redefine(store, "first", documents=documents, protocol=scales(SCALE), seed=5)
    assert (changed.protocol_name, changed.seed) == ("mine", 5)
    assert campaign.documents(store, "first") == documents
    campaign.create(store, "same", documents, scales(SCALE), JUDGES, seed=5)
    assert plan(store, "first") == plan(store, "same")
    participant = campaign.invitations.lookup(store, secret)
    assert participant is not None and participant.judge.id == "ana"
    campaign.open(store, "first")
    assert save(store, first_task(store), 0, {"q": 3}).done


def test_opening_freezes(store: Store) -> None:
    opened(store)
    with pytest.raises(CampaignError) as caught:
        campaign.redefine(store, "first", seed=2)
    assert caught.value.code == "frozen" and "duplicate" in caught.value.next_step
    save(store, first_task(store))
    with store.filling() as connection:  # what no command does: a draft with answers
        connection.execute(update(schema.campaign).values(state="draft", opened_at=None))
    with pytest.raises(CampaignError, match="has answers"):
        campaign.redefine(store, "first", seed=2)


def test_a_campaign_as_a_template(store: Store) -> None:
    opened(store, settings={"note": "…"}, seed=4, systems=["alder"])
    assert campaign.archive(store, "first").settings == {"note": "…", "archived": True}
    save(store, first_task(store))
    copy = campaign.duplicate(store, "first", "second")
    assert (copy.state, copy.settings, copy.seed) == (CampaignState.DRAFT, {"note": "…"}, 4)
    assert plan(store, "second") == plan(store, "first")
    assert campaign.judgements(store, "second") == []
    other = campaign.duplicate(store, "first", "third", [Judge("cy")])
    assert [judge.id for judge in campaign.judges(store, other.id)] == ["cy"]


def test_an_imported_campaign_as_a_template(store: Store) -> None:
    given = [Judgement("eve", "", "context", "d0", "0", (), "local")]
    campaign.import_campaign(store, "first", given, "falcon", documents=corpus())
    copy = campaign.duplicate(store, "first", "second")
    assert copy.design == "full" and len(campaign.tasks(store, "second", "eve")) == 6


def test_a_design_that_makes_impossible_tasks_is_caught(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES)
    real = campaign.tasks(store, "first", "ana")[0]
    wrong = {
        "no judge here": replace(real, judge="nobody"),
        "no page": replace(real, page="nowhere"),
        "is empty": replace(real, items=()),
        "not there": replace(real, items=(replace(real.items[0], document="nowhere"),)),
        "no segment": replace(real, items=(replace(real.items[0], segment="99"),)),
        "asks nothing": replace(real, items=(replace(real.items[0], systems=()),)),
        "twice": real,
    }
    for words, task in wrong.items():
        with pytest.raises(DesignError, match=words):
            campaign.assign(store, "first", [task])
    assert len(campaign.tasks(store, "first", "ana")) == 4
    assert isinstance(real, Task)


def test_a_draft_that_is_made_anew_is_not_mistaken_for_the_old_one(store: Store) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES, at=NOW)
    before = first_task(store)
    campaign.redefine(store, "first", seed=9, documents=corpus((1,)))
    after = first_task(store)
    assert after.id > before.id
    with store.reading() as tx:
        gone, there = tx.tasks.places([(before.id, 0, "new"), (after.id, 0, "new")])
    assert gone is None and there is not None and there.item == after.items[0]


def test_a_draft_that_is_opened_meanwhile_is_not_redefined(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking for the campaign and having it for oneself, another organiser opens it. SQLite lets one write at
    a time, so that there is no such moment."""
    if store.kind == "sqlite":
        pytest.skip("one writes at a time")
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES, at=NOW)
    lock = Campaigns.lock

    def open_before(self: Campaigns, number: int) -> None:
        monkeypatch.undo()
        campaign.open(store, number, at=NOW)
        lock(self, number)

    monkeypatch.setattr(Campaigns, "lock", open_before)
    with pytest.raises(CampaignError, match="open"):
        campaign.redefine(store, "first", seed=2)
