from lanner.reports.parts import Column, Figure, Paragraph, Report, Section, Table


def test_a_report_knows_its_tables_and_figures_in_order() -> None:
    tables = [Table(name, "", [Column("a", "A")], []) for name in ("one", "two")]
    figure = Figure("f", "", "<svg/>")
    sections = [Section("s1", "", [tables[0], Paragraph("x")]), Section("s2", "", [figure, tables[1]])]
    report = Report("t", "k", "b", [], sections)
    assert [table.id for table in report.tables] == ["one", "two"]
    assert report.figures == [figure]
