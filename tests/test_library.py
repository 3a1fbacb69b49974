"""The library in one line each: the same numbers from a frame, a file, a campaign or an address."""

from __future__ import annotations

import inspect
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import lanner
from lanner import campaign, formats, library
from lanner.errors import InputError, LannerError
from lanner.formats.parsing.textfile import fact_of
from lanner.stats.agreement import alpha
from lanner.stats.resample import Resampling
from lanner.store import Store

ROWS = [
    {
        "rater": judge,
        "doc": f"d{d}",
        "seg": s,
        "system": name,
        "score": 1 + (d * s + len(name) + shift * (d % 2)) % 5,
    }
    for d in range(8)
    for s in range(3)
    for name in ("oak", "ash-tree")
    for judge, shift in (("ann", 0), ("ben", 1))
]
FRAME = pl.DataFrame(ROWS)
QUICK = {"resamples": 50}


@pytest.mark.parametrize("name", ["agreement", "scores", "compare", "metaeval", "report", "plot", "load"])
def test_signatures_say_what_one_may_pass(name: str) -> None:
    function = getattr(lanner, name)
    parameters = inspect.signature(function).parameters
    assert not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    assert function.__doc__
    assert name in dir(lanner)
    assert list(inspect.signature(lanner.load).parameters)[1:] == list(parameters)[-8:]
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'colums'"):
        function(lanner.scores(FRAME) if name == "plot" else FRAME, colums={"judge": "who"})


def test_frames_of_both_kinds_and_files_give_the_same_numbers(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "r.csv")
    tables = [
        lanner.agreement(data, **QUICK).table.drop("part") for data in (FRAME, pd.DataFrame(ROWS), tmp_path / "r.csv")
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    (part,) = lanner.load(FRAME)
    assert tables[0]["value"][0] == pytest.approx(alpha(part.table, "score", level="ordinal").value)


def test_results_are_short_to_read_and_show_a_figure(tmp_path: Path) -> None:
    found = lanner.agreement(FRAME, **QUICK)
    assert len(repr(found)) < 1000
    assert "<svg" in found._repr_html_()
    assert "score" in repr(found)
    assert any("No protocol is named" in note for note in found.notes)
    figure = found.plot()
    assert figure.save(tmp_path / "f.svg").read_text(encoding="utf-8").startswith("<svg")
    assert figure.table.height == found.table.height
    with pytest.raises(InputError, match="must end in"):
        figure.save(tmp_path / "f.docx")


def test_a_figure_says_at_which_level_its_intervals_are() -> None:
    columns = {"rater": "judge", "doc": "document", "seg": "segment"}
    ratings = FRAME.rename(columns).with_columns(question=pl.lit("score"))
    usual, narrow = (alpha(ratings, "score", resampling=Resampling(n=100, level=level)) for level in (0.95, 0.9))
    labels = [re.findall(r'aria-label="(.*?)"', lanner.plot(results)._repr_html_())[0] for results in (usual, narrow)]
    assert labels == ["Estimates with 95 % intervals", "Estimates with 90 % intervals"]
    assert "Estimates with intervals" in lanner.plot([usual, narrow])._repr_html_()


def test_scores_are_means_with_ranks() -> None:
    found = lanner.scores(FRAME)
    means = dict(FRAME.group_by("system").agg(pl.col("score").mean()).iter_rows())
    assert {row["system"]: row["value"] for row in found.table.to_dicts()} == pytest.approx(means)
    assert found.table["rank"].to_list() == sorted(found.table["rank"])
    assert lanner.plot(FRAME, "score").table.equals(found.table)
    assert lanner.plot(found).table.equals(found.table)


def test_judges_and_questions_are_chosen_and_mistakes_named() -> None:
    with pytest.raises(InputError, match="no judge 'anne'"):
        lanner.agreement(FRAME, judges=["anne"], **QUICK)
    with pytest.raises(InputError, match="No part of this asks 'scroe'"):
        lanner.agreement(FRAME, "scroe", **QUICK)
    alike = FRAME.with_columns(acceptable=pl.lit("yes"), batch=pl.lit("yes"))
    assert "every answer is 'yes'" in lanner.agreement(alike, "acceptable", **QUICK).notes[-1]
    with pytest.raises(InputError, match="answer:batch"):
        lanner.agreement(alike, "batch", **QUICK)
    with pytest.raises(InputError, match="no file 'nothing'"):
        lanner.agreement("nothing", store="none.sqlite")


def test_columns_can_be_named() -> None:
    odd = FRAME.rename({"rater": "who", "score": "verdict", "seg": "place"})
    named = lanner.agreement(odd, columns={"judge": "who", "answer:score": "verdict", "segment": "place"}, **QUICK)
    assert named.table["value"].to_list() == lanner.agreement(FRAME, **QUICK).table["value"].to_list()


def test_a_campaign_and_an_address(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "r.csv")
    (reading,) = formats.read(tmp_path / "r.csv")
    (part,) = lanner.load(tmp_path / "r.csv")
    place = tmp_path / "s.sqlite"
    assert part.protocol is not None
    with Store.open(str(place)) as store:
        campaign.import_campaign(
            store, "pilot", reading.judgements, part.protocol, documents=reading.documents, judges=reading.judges
        )
    stored = lanner.agreement("pilot", store=place, **QUICK)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/r.csv"
        fetched = lanner.agreement(address, **QUICK)
        evaluated = [lanner.metaeval(data, "ann", store=place).table for data in ("pilot", address)]
        drawn = [lanner.plot(data, store=place).table.drop("part") for data in ("pilot", address)]
        compared = lanner.compare("pilot", address, names=("stored", "fetched"), resamples=50, store=place)
        with pytest.raises(LannerError, match=r"cannot be fetched.*\n.*token="):
            lanner.metaeval(f"{address}x")
        (tmp_path / "page").write_text("<html><body>No table.</body></html>")
        page = address.replace("r.csv", "page")
        with pytest.raises(InputError, match=rf"^{re.escape(page)}: The content is none of the formats known"):
            lanner.plot(page)
        server.shutdown()
    assert stored.table["value"].to_list() == fetched.table["value"].to_list()
    assert evaluated[0].equals(evaluated[1])
    assert drawn[0].equals(drawn[1])
    assert set(compared.table["side"]) == {"stored", "fetched"}
    assert lanner.report("pilot", tmp_path / "out", store=place, **QUICK).path.is_file()


def test_errors_say_what_to_pass_in_python() -> None:
    with pytest.raises(InputError, match=r'\(metrics="comet,ter"\)') as raised:
        lanner.metaeval(FRAME)
    assert "--" not in str(raised.value)
    with pytest.raises(InputError, match=r'columns="system=COLUMN"\. If .*: columns="answer:score=score"\.') as raised:
        lanner.scores(FRAME.select("seg", "score"))
    assert "--" not in str(raised.value)
    with pytest.raises(InputError, match="one name for each"):
        lanner.compare(FRAME, FRAME, names="first")
    with pytest.raises(InputError, match="no answers yet"):
        (part,) = lanner.load(FRAME)
        lanner.plot(part.only([]))


def test_a_report_is_written(tmp_path: Path) -> None:
    made = lanner.report(FRAME, tmp_path / "out", **QUICK)
    assert made.path.is_file()
    assert made.findings
    assert len(repr(made)) < 2000


def test_scorers_are_compared_with_gold() -> None:
    found = lanner.metaeval(FRAME, "ann")
    assert found.table["metric"].to_list() == ["ben"]
    assert lanner.metaeval(FRAME, "ann", metrics="ben").table.equals(found.table)
    two = lanner.metaeval([*lanner.load(FRAME), *lanner.load(FRAME)], "ann")
    assert any("Of 2 parts only" in note for note in two.notes)


def test_two_sets_are_compared() -> None:
    other = FRAME.with_columns(pl.col("score") * 0 + 3)
    found = lanner.compare(FRAME, other, names=("first", "second"), resamples=50)
    assert found.table.height
    assert len(repr(found)) < 3000


@pytest.mark.parametrize("word", ["skip", "not sure", "跳过"])
def test_the_word_for_a_missing_answer_can_be_pasted(tmp_path: Path, word: str) -> None:
    path = tmp_path / "ratings.csv"
    rows = [f"{who},d{n},oak,{word if n == 3 else 60 + n}" for n in range(8) for who in ("ann", "ben")]
    path.write_text("\n".join(["judge,document,system,score", *rows]), encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        lanner.scores(path)
    assert f'missing="{word}"' in refusal.value.next_step
    assert lanner.scores(path, missing=word).table["n"].to_list() == [7]


def test_metrics_in_columns_are_evaluated_without_being_named(tmp_path: Path) -> None:
    people = {(n, system): (n * 7 + len(system) * 3) % 11 for n in range(12) for system in ("A", "BB", "CCC")}
    rows = [
        f"d{n // 3},{n},{system},{-score},{score / 11:.3f},{score},{11 - score}"
        for (n, system), score in people.items()
    ]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(["doc,seg,system,MQM,BLEURT,MetricX-24,COMET-22", *rows]), encoding="utf-8")
    frame = lanner.metaeval(table).table
    # MQM below zero is a quality score, MetricX above zero counts errors: COMET-22 agrees with both, BLEURT with none
    accuracy = dict(frame.select("metric", "acc_eq").iter_rows())
    assert accuracy["metricx_24"] == accuracy["comet_22"] == 1
    assert accuracy["bleurt"] < 0.5


def test_a_model_beside_people_and_metrics_is_a_judge(tmp_path: Path) -> None:
    rows = [f"d{n},{system},{n % 5},{(n + 1) % 5},0.{n}" for n in range(8) for system in "AB"]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(["doc,system,Human,LLM,COMET", *rows]), encoding="utf-8")
    [part] = lanner.load(table)
    assert {judge.id: str(judge.kind) for judge in part.judges} == {"Human": "person", "LLM": "model"}


def test_notes_say_what_to_pass_in_python(tmp_path: Path) -> None:
    """They spoke of the command line, and what they said could not be passed."""
    path = tmp_path / "ratings.csv"
    rows = [f"{n},Sentence {n % 9}.,{who},{n % 5}" for n, who in enumerate(["ann"] * 9 + ["ben"] * 4)]
    path.write_text("\n".join(["Nr. of it,source,judge,score", *rows]), encoding="utf-8")
    for notes in (lanner.load(path)[0].notes, lanner.agreement(path, **QUICK).notes):
        said = " ".join(notes)
        assert 'columns="document=NAME" changes that' in said
        assert "--" not in said
        assert 'scores(…, better="lower")' in said
    (note,) = (note for note in lanner.load(path)[0].notes if "document=NAME" in note)
    assert fact_of(note) == "No column names documents, so all rows are one document."
    note = library._note_in_python("""Write --columns '{"ignore:a, b": "a, b"}', or --standardise for z.""")
    assert note == 'Write columns={"ignore:a, b": "a, b"}, or standardise=True for z.'
