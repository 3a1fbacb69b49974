import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lanner import protocols, registry
from lanner.model import Interval, Result, Signature
from lanner.reports.parts import (
    Column,
    Figure,
    Paragraph,
    Report,
    Section,
    Table,
    bibtex,
    csv_text,
    identifier,
    used_references,
)


def test_a_report_knows_its_tables_and_figures_in_order() -> None:
    tables = [Table(name, "", [Column("a", "A")], []) for name in ("one", "two")]
    figure = Figure("f", "", "<svg/>")
    sections = [Section("s1", "", [tables[0], Paragraph("x")]), Section("s2", "", [figure, tables[1]])]
    report = Report("t", "k", "b", [], sections)
    assert [table.id for table in report.tables] == ["one", "two"]
    assert report.figures == [figure]


def test_times_are_all_written_alike() -> None:
    whole = datetime(2026, 5, 2, 9, 30, tzinfo=UTC)
    lines = csv_text([{"at": whole}, {"at": whole.replace(microsecond=40)}, {"at": None}]).splitlines()
    assert lines[1:3] == ["2026-05-02 09:30:00.000000+00:00", "2026-05-02 09:30:00.000040+00:00"]


@pytest.mark.parametrize("name", ["meta/llama", "meta llama", "../../up", "한국어 모델", "x" * 300, "🦙" * 300])
def test_any_name_makes_an_id_that_is_a_file_of_its_own(name: str, tmp_path: Path) -> None:
    made = identifier("preference", name, "oak")
    (tmp_path / f"{made}.svg").write_text("", encoding="utf-8")
    assert [path.stem for path in tmp_path.iterdir()] == [made] and not set(made) & set("/. ")
    assert made != identifier("preference", f"{name}?", "oak")
    assert identifier("confusion", "judge-1", "a_b") == "confusion-judge-1-a_b"


ALPHA = Result("alpha", 0.5, Interval(0.4, 0.6, method="jackknife-t"), signature=Signature("alpha"))


def test_what_was_used_is_cited_and_nothing_else() -> None:
    references = used_references([ALPHA], "h_falcon", "Kim 2025 (WMT)", ["holm"])
    assert [reference.key for reference in references] == [
        "holm1979",
        "kim2025",
        "krippendorff2011",
        "miller1974",
        "lanner",
    ]
    weighted = Result("kappa", 0.5, signature=Signature("kappa", parts=(("weights", "quadratic"),)))
    keys = {reference.key for reference in used_references([weighted], "esa")}
    assert {"cohen1960", "cohen1968", "kocmi2024"} <= keys and "krippendorff2011" not in keys


def test_a_protocol_of_ones_own_is_cited_as_it_says() -> None:
    own = used_references([], "mine", "Ours 2026")[0]
    assert (own.key, own.fields["note"]) == ("mine", "Ours 2026")
    assert used_references([], "mine")[0].key == "lanner", "without a citation there is nothing to cite"


def test_bibtex_is_whole_and_reads_in_plain_letters() -> None:
    references = used_references([], "parity")
    text = bibtex(references)
    assert text.count("{") == text.count("}")
    assert text.startswith("@inproceedings{laubli2018,\n") and '  author = {L{\\"a}ubli, Samuel and' in text
    assert references[0].text.startswith("Läubli, Samuel and Sennrich, Rico")
    assert "4791–4796" in references[0].text and "{" not in references[0].text


def test_every_entry_can_be_set_and_every_cited_protocol_has_one() -> None:
    for key, entry in registry.table("reports.references").items():
        assert re.fullmatch(r"[a-z]+\d{4}[a-z]*", key)
        assert {"type", "author", "title", "year"} <= set(entry), key
        assert entry.get("methods") or entry.get("protocols"), key
    named = {name for entry in registry.table("reports.references").values() for name in entry.get("protocols", ())}
    assert named <= set(protocols.names())
    assert {name for name in protocols.names() if protocols.load(name).citation} <= named
