"""`lanner new --goal` and `lanner campaign decided`, from the first draw to "enough"."""

from __future__ import annotations

from pathlib import Path

from adaptive_campaign import made, work
from cli.command import Command
from lanner.store import Store


def test_what_is_decided_is_printed_and_given_as_json(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        made(store, documents=16)
        work(store, most=12)
    assert "Not yet" in lanner("campaign", "decided", "study").out
    with Store.open(tmp_path / "lanner.sqlite") as store:
        work(store)
    text = lanner("campaign", "decided", "study").out
    assert "Enough" in text or "Ended" in text
    rows = lanner("campaign", "decided", "study", "--json").envelope["rows"]
    pairs = [row for row in rows if row.get("kind") == "pair"]
    assert {row["better"] for row in pairs if row["code"] == "decided"} <= {"birch", "cedar"}
    assert len(pairs) == 3


def test_a_goal_makes_the_design_adaptive(lanner: Command, tmp_path: Path) -> None:
    lines = ["document,segment,source,alder,birch"]
    lines += [f"d{d},{s},Source {s} of {d}.,A {s} of {d}.,B {s} of {d}." for d in range(10) for s in range(2)]
    (tmp_path / "texts.csv").write_text("\n".join(lines), encoding="utf-8")
    rest = ["--texts", "texts.csv", "--protocol", "da", "--judges", "2"]
    lanner("new", "study", *rest, "--goal", "best", "--budget", "30")
    with Store.open(tmp_path / "lanner.sqlite") as store, store.reading() as tx:
        found = tx.campaigns.find("study")
        assert found is not None and found.design == "adaptive"
        assert tx.campaigns.plan(found.id)["options"] == {"goal": "best", "budget": 30}
    assert "no goal" in lanner("new", "other", *rest, "--goal", "win").err
    assert "adaptive" in lanner("new", "other", *rest, "--goal", "best", "--design", "pool").err
