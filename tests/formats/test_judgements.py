"""What `lanner export` writes is read again: the same judgements, whatever the protocol."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random

import polars as pl
import pytest

from lanner import formats, protocols
from lanner.analysis import material
from lanner.analysis.material import Material
from lanner.errors import InputError
from lanner.model import Document, Judge, JudgeKind, Judgement, Object, Role, Segment, Unit
from lanner.protocols.kinds.base import JudgedTexts
from lanner.reports.export import export
from simulated_pages import simulate_page

WHEN = datetime(2026, 3, 1, 10, tzinfo=UTC)
SOURCE, OUTPUTS = "The ferry is late, = again.", {"oak": "배가 늦습니다, 또.", "elm": "연락선이 늦었다."}


@cache
def simulated(name: str, seed: int = 1) -> Material:
    """Two judges who answer all that a protocol asks about two documents, the second segment twice."""
    protocol = protocols.load(name)
    rng = Random(seed)
    documents = tuple(
        Document(key, tuple(Segment(str(n), SOURCE, OUTPUTS) for n in range(2)), "en", "ko", domain="news")
        for key in ("d1", "=d2")
    )
    judgements: list[Judgement] = []
    for judge in ("ann", "+ben"):
        for page, stages in protocol.pages.items():
            stage = stages[0]
            places = {Unit.JUDGE: [("", "")], Unit.DOCUMENT: [(d.id, "") for d in documents]}.get(
                stage.unit, [(d.id, s.id) for d in documents for s in d]
            )
            systems = {Object.OUTPUT: [("oak",), ("elm",)], Object.OUTPUTS: [("oak", "elm")]}.get(stage.object, [()])
            for document, segment in places:
                for shown in systems:
                    texts = JudgedTexts(SOURCE, tuple(OUTPUTS[name] for name in shown))
                    outputs = max(2, len(shown))
                    answers = simulate_page(protocol, page, rng=rng, texts=texts, outputs=outputs)
                    owner = {q.id: s.id for s in stages for q in s.questions}
                    judgements += [
                        Judgement(
                            judge, owner[q], q, document, segment, shown, value,
                            role=Role.REPEAT if segment == "1" else Role.MAIN,
                            elapsed_seconds=12.5, active_seconds=3.25, answered_at=WHEN,
                        )
                        for q, value in answers.items()
                    ]  # fmt: skip
    judges = (Judge("ann", attributes={"native": "ko"}), Judge("+ben", JudgeKind.MODEL))
    return Material("pilot", protocol, documents, judges, tuple(judgements))


def content(judgements: tuple[Judgement, ...]) -> list[str]:
    return sorted(
        repr((j.judge, j.stage, j.question, j.document, j.segment, j.systems, str(j.role), _plain(j.value),
              j.elapsed_seconds, j.active_seconds, j.answered_at))
        for j in judgements
    )  # fmt: skip


def _plain(value: object) -> object:
    """Numbers alike whether whole or not, sets in order, marks by their content."""
    if isinstance(value, dict):
        return sorted((key, _plain(entry)) for key, entry in value.items())
    if isinstance(value, list):
        entries = [_plain(entry) for entry in value]
        return sorted(entries, key=repr) if entries and isinstance(entries[0], str) else entries
    return float(value) if isinstance(value, int | float) else value


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("name", protocols.names())
def test_every_export_comes_back(tmp_path: Path, name: str, ending: str) -> None:
    made = simulated(name)
    path = tmp_path / f"pilot{ending}"
    export(made, path)
    assert formats.recognise(path) == "judgements"
    (reading,) = formats.read(path)
    assert reading.protocol == name
    assert content(reading.judgements) == content(made.judgements)
    assert {judge.id: (judge.kind, dict(judge.attributes)) for judge in reading.judges} == {
        judge.id: (judge.kind, dict(judge.attributes)) for judge in made.judges
    }
    if ending == ".csv":
        (again,) = material.from_file(path)
        assert again.table["score"].equals(made.table["score"])  # sums of counted labels with them
        assert not any("flagged" in note for note in again.notes), "marks are not held against texts that are not there"


def test_an_export_of_the_first_version_says_which_counts_it_lacks(tmp_path: Path) -> None:
    """There each label stood once, beside the sum of all counts."""
    export(simulated("scenarios"), tmp_path / "pilot.parquet")
    table = pl.read_parquet(tmp_path / "pilot.parquet").with_columns(pl.col("labels").list.unique().list.sort())
    table.write_parquet(tmp_path / "pilot.parquet")
    (reading,) = formats.read(tmp_path / "pilot.parquet")
    assert any("answers gave one of several labels more than once" in note for note in reading.notes)


def test_without_its_codebook_the_protocol_is_guessed_and_said(tmp_path: Path) -> None:
    export(simulated("h_falcon"), tmp_path / "pilot.csv")
    (tmp_path / "pilot.codebook.csv").unlink()
    (again,) = material.from_file(tmp_path / "pilot.csv")
    assert again.protocol is not None
    assert again.protocol.name == "h_falcon"
    assert "fit h_falcon" in again.notes[0]


def test_who_counts_in_no_result_counts_in_none_of_the_file(tmp_path: Path) -> None:
    made = replace(simulated("da"), left_out={"+ben": "=by chance"})
    export(made, tmp_path / "pilot.csv")
    (again,) = material.from_file(tmp_path / "pilot.csv")
    assert again.left_out == made.left_out
    export(made, tmp_path / "counted.csv", counted=True)
    assert not formats.read(tmp_path / "counted.csv")[0].left_out, "nobody is named who is not there"


def test_the_codebook_alone_says_what_it_is(tmp_path: Path) -> None:
    export(simulated("da"), tmp_path / "pilot.csv")
    with pytest.raises(InputError, match="codebook") as caught:
        formats.read(tmp_path / "pilot.codebook.csv")
    assert "pilot" in caught.value.next_step
