"""`lanner judge --compare-contexts` and `lanner compare --judges`: the ablation of what a model sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cli.command import Command
from lanner import campaign
from lanner.model import Judge, Judgement
from lanner.store import Store
from model_campaign import corpus, opened
from stub_server import Stub, running


def seeing(body: dict[str, Any], _turn: int) -> str:
    """A judge that is right where it sees the sentences around, and ten points off where it does not."""
    return '{"score": 50}' if "(context)" in body["messages"][-1]["content"] else '{"score": 60}'


def test_a_sample_is_judged_in_each_context_and_compared_with_people(lanner: Command, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with Store.open(place) as store:
        number = opened(store, "da", corpus(4, 3))
        entries = [
            Judgement("ana", "rating", "score", f"d{d}", str(s), ("oak",), value=50) for d in range(4) for s in range(3)
        ]
        campaign.import_judgements(store, number, entries, judges=[Judge("ana")])
    stub = Stub(seeing)
    with running(stub) as url:
        command = ("judge", "c", "--model", "t", "--base-url", url, "--store", place, "--limit", "9", "--json")
        ran = lanner(*command, "--compare-contexts", "people, none, source±1")
        assert ran.code == 0, ran.err
        asked = len(stub.bodies)
        assert asked == 27
        again = lanner(*command, "--compare-contexts", "people, none, source±1")
        assert len(stub.bodies) == asked, "nothing is asked twice"
        assert again.envelope["rows"] == ran.envelope["rows"]
    rows = {row["context"]: row for row in ran.envelope["rows"]}
    assert [round(rows[name]["agreement"], 9) for name in ("people", "none")] == [1.0, 0.9]
    assert rows["none"]["same"] == 0.0
    assert rows["source±1"]["same"] == 1.0
    assert abs(rows["none"]["gain"] + 0.1) < 1e-9
    with Store.open(place) as store:
        assert {judge.id for judge in campaign.judges(store, "c")} == {"ana"}, "the campaign itself stays as it is"
    compared = lanner("compare", "--judges", "c-contexts", "--store", place, "--json").envelope["rows"]
    assert {row["context"] for row in compared} == {"people", "none", "source±1"}


def test_one_context_is_no_comparison(lanner: Command) -> None:
    Path("c.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    ran = lanner(
        "judge",
        "c.csv",
        "--protocol",
        "da",
        "--model",
        "t",
        "--base-url",
        "http://127.0.0.1:1/v1",
        "--compare-contexts",
        "none",
    )
    assert "cannot be compared" in ran.err
