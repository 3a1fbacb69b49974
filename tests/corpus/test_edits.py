from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from lanner.corpus import edits
from lanner.corpus.edits import Edit, apply, apply_to_document, read, suggest_split
from lanner.corpus.rows import DOUBTFUL
from lanner.errors import InputError
from lanner.model import Document, Segment


def row(name: str, source: str, output: str, **meta) -> Segment:
    return Segment(
        name, source, {"a": output}, flags=(DOUBTFUL,), meta={"parent": "7", "confidence": {"output:a": 0.4}} | meta
    )


DOCUMENT = Document(
    "d",
    (
        row("7.1", "It rained.", "Llovió. Nos"),
        row("7.2", "We slept. All day.", "dormimos. Todo el día."),
        Segment("8", "Then the sun came.", {"a": "Luego salió el sol."}),
    ),
    "en",
    "es",
)


def made(*edits: Edit, document: Document = DOCUMENT) -> list[tuple[str, str, str]]:
    return [(s.id, s.source, s.outputs["a"]) for s in apply_to_document(document, edits).segments]


def test_accepting_takes_the_doubt_away_and_nothing_else():
    after = apply_to_document(DOCUMENT, [Edit("accept", "d", "7.1")])
    assert after.segments[0].flags == ()
    assert "confidence" not in after.segments[0].meta
    assert after.segments[1] == DOCUMENT.segments[1]
    assert made(Edit("accept", "d", "7.1")) == made()


def test_shifting_moves_the_border_of_one_text():
    after = made(Edit("shift", "d", "7.1", {"output:a": len("Llovió. ")}))
    assert after[:2] == [("7.1", "It rained.", "Llovió."), ("7.2", "We slept. All day.", "Nos dormimos. Todo el día.")]


def test_splitting_cuts_each_text_at_its_place():
    after = made(Edit("split", "d", "7.2", {"source": 10, "output:a": 10}))
    assert after[1:3] == [("7.2.1", "We slept.", "dormimos."), ("7.2.2", "All day.", "Todo el día.")]


def test_a_text_without_a_place_stays_in_the_first_part():
    assert made(Edit("split", "d", "8", {"source": 5}))[2:] == [
        ("8.1", "Then", "Luego salió el sol."),
        ("8.2", "the sun came.", ""),
    ]


def test_merging_joins_with_the_next_row_and_keeps_the_first_id():
    assert made(Edit("merge", "d", "7.1"))[0] == (
        "7.1",
        "It rained. We slept. All day.",
        "Llovió. Nos dormimos. Todo el día.",
    )


def test_what_stood_between_comes_back():
    document = Document("d", (row("7.1", "A.", "一。", gaps={"source": "\n\n"}), row("7.2", "B.", "二。")), "en", "zh")
    assert made(Edit("merge", "d", "7.1"), document=document) == [("7.1", "A.\n\nB.", "一。二。")]


def test_split_and_merge_are_each_others_inverse():
    split = Edit("split", "d", "8", {"source": 5, "output:a": 6})
    assert made(split, Edit("merge", "d", "8.1"))[2][1:] == made()[2][1:]


def test_a_merged_row_is_judged_only_if_both_were():
    rows = (
        row("7.1", "A.", "A."),
        Segment("7.2", "B.", {"a": "B."}, judged=False, flags=("hyperlink",), meta={"parent": "7"}),
    )
    (merged,) = apply_to_document(Document("d", rows), [Edit("merge", "d", "7.1")]).segments
    assert not merged.judged
    assert merged.flags == ("hyperlink",)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit("merge", "d", "7.2"), "last row of its segment"),
        (Edit("merge", "d", "8"), "last row of its segment"),
        (Edit("split", "d", "8"), "source must be cut somewhere inside"),
        (Edit("split", "d", "8", {"source": 4, "output:a": 99}), "cannot be cut at 99"),
        (Edit("shift", "d", "7.1", {"output:b": 1}), "no text 'output:b'"),
        (Edit("accept", "d", "7.11"), r"no row '7\.11'"),
    ],
)
def test_an_impossible_edit_says_why(edit, message):
    with pytest.raises(InputError, match=message):
        made(edit)


def test_an_edit_of_an_absent_document_is_an_error():
    with pytest.raises(InputError, match="Did you mean 'news-1'"):
        list(apply([Document("news-1", ())], [Edit("accept", "news-2", "1")]))


def test_a_cut_of_the_source_suggests_one_for_every_text():
    document = Document(
        "d", (Segment("1", "It rained hard we stayed home", {"a": "Llovió mucho, nos quedamos en casa"}),), "en", "es"
    )
    assert suggest_split(document, document.segments[0], 15) == {"source": 15, "output:a": 14}


def test_edits_survive_json():
    made = [Edit("split", "d", "8", {"source": 5}, "ana", "2026-11-15"), Edit("accept", "d", "7.1")]
    assert read(json.loads(json.dumps([asdict(edit) for edit in made]))) == made


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"kind": "splice", "document": "d", "segment": "1"}, "edit 1: This is not an edit"),
        ({"kind": "merge", "document": "d"}, "This is not an edit"),
        ({"kind": "merge", "document": "d", "segment": "1", "bye": ""}, "Did you mean 'by'"),
        ({"kind": "shift", "document": "d", "segment": "1", "at": {"source": "x"}}, "'at' is not"),
    ],
)
def test_what_is_no_edit_is_refused(entry, message):
    with pytest.raises(InputError, match=message):
        read([entry])


ONE = Edit("merge", "d", "7.1", by="Ana", when="2026-11-15T09:00:00+00:00")
TWO = Edit("split", "d", "8", {"source": 4, "output:a": 5})


def test_edits_come_back_as_they_were(tmp_path: Path) -> None:
    log = tmp_path / "new" / "c.edits.jsonl"
    edits.append_to_log(log, [ONE])
    edits.append_to_log(log, [TWO])
    assert edits.load_log(log) == [ONE, TWO]


def test_what_was_undone_stays_in_the_log_and_does_not_count(tmp_path: Path) -> None:
    log = tmp_path / "c.edits.jsonl"
    edits.append_to_log(log, [ONE, TWO])
    edits.undo_in_log(log, 1, "Ana", "later")
    assert edits.load_log(log) == [ONE]
    assert len(log.read_text().splitlines()) == 3


def test_a_manifest_is_read_by_the_same_door(tmp_path: Path) -> None:
    path = tmp_path / "c.manifest.json"
    path.write_text(json.dumps({"seed": 1, "edits": [{"kind": "accept", "document": "d", "segment": "1"}]}, indent=2))
    assert edits.load_log(path) == [Edit("accept", "d", "1")]


def test_a_line_that_was_never_finished_is_no_edit(tmp_path: Path) -> None:
    log = tmp_path / "c.edits.jsonl"
    edits.append_to_log(log, [ONE])
    with log.open("a") as file:
        file.write('{"kind": "mer')
    assert edits.load_log(log) == [ONE]
    edits.append_to_log(log, [TWO])
    assert edits.load_log(log) == [ONE, TWO]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"kind": "merge"\n{"undo": 1}\n', "not JSON"),
        ("[]\n", "not an edit"),
        ('{"kind": "turn", "document": "d", "segment": "1"}\n', "not an edit"),
        ('{"undo": 1}\n', "not that many"),
        ('{"undo": "all"}\n', "not that many"),
    ],
)
def test_a_broken_log_is_refused_with_its_place(tmp_path: Path, content: str, what: str) -> None:
    log = tmp_path / "c.edits.jsonl"
    log.write_text(content)
    with pytest.raises(InputError, match=what) as caught:
        edits.load_log(log)
    assert caught.value.where.file == log
    with pytest.raises(InputError, match="cannot be read"):
        edits.load_log(tmp_path / "none")
