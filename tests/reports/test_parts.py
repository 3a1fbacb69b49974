from datetime import UTC, datetime

from lanner.reports.parts import Column, Figure, Paragraph, Report, Section, Table, csv_text


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
