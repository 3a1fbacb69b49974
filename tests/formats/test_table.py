from __future__ import annotations

import csv
import json
import re
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lanner
from formats.strategies import documents, texts
from lanner import formats
from lanner.analysis.material import Material
from lanner.errors import InputError
from lanner.formats import table
from lanner.model import Document, Judge, Judgement, Role, Segment
from lanner.reports.export import export
from lanner.stats.preference import sign_test
from property_examples import examples


def round_trip(made: list[Document], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        formats.write("table", path, made)
        assert formats.recognise(path) == "table"
        (reading,) = formats.read(path)
        assert list(reading.documents) == made
        assert list(formats.read_documents(path)) == made


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet", "t.csv.gz"])
def test_round_trip(name: str) -> None:
    @settings(max_examples=examples(12), deadline=None)
    @given(documents())
    def check(made: list[Document]) -> None:
        round_trip(made, name)

    check()


def test_a_system_named_like_a_language_gives_no_language_to_a_table_that_says_unknown() -> None:
    made = [Document("d", (Segment("1", "One.", {"sr": "Jedan.", "oak": "Un."}),), source_language="pt-BR")]
    round_trip(made, "t.csv")


@settings(max_examples=examples(15), deadline=None)
@given(documents(texts(without="\r\ufeff")))
def test_round_trip_of_spreadsheets(made: list[Document]) -> None:
    round_trip(made, "t.xlsx")


def test_a_system_called_like_a_language_does_not_name_it(tmp_path: Path) -> None:
    round_trip([Document("d", (Segment("1", "One.", {"so": "Eins."}),), "en", "und")], "t.csv")


def test_escapes_of_spreadsheets_stay_text(tmp_path: Path) -> None:
    round_trip([Document("d", (Segment("1", "_x0041_ and __x005F_", {"A": "_x000d_"}),))], "t.xlsx")


def test_a_formula_stays_text(tmp_path: Path) -> None:
    round_trip([Document("d", (Segment("1", "=1+1", {"A": "+49"}),))], "t.xlsx")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_no_cell_runs_as_a_formula_and_every_text_comes_back(name: str) -> None:
    @settings(max_examples=examples(40), deadline=None)
    @given(*[st.text(st.sampled_from("'=+-@＝a1 "), min_size=1, max_size=4)] * 2)
    def check(source: str, output: str) -> None:
        made = [Document("d", (Segment("1", source, {"A": output}),), title=source, note=output)]
        round_trip(made, name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            formats.write("table", path, made)
            with path.open(encoding="utf-8", newline="") as file:
                cells = [c for row in csv.reader(file, delimiter=",\t"[name == "t.tsv"]) for c in row]
        assert not [c for c in cells if re.match("[=+@＝]|-(?!\\d+$)", c)]

    check()


def test_an_apostrophe_in_a_table_of_other_make_is_the_texts_own(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("document,segment,source,output:A\nd,1,'=x,'+y\n", encoding="utf-8")
    (segment,) = next(iter(formats.read_documents(path)))
    assert (segment.source, segment.outputs["A"]) == ("'=x", "'+y")


@pytest.mark.parametrize("text", ["a\rb", "a\x00b", "x" * 40_000])
def test_what_a_spreadsheet_cannot_hold_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        formats.write("table", tmp_path / "t.xlsx", [Document("d", (Segment("1", text),))])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "made", "judges", "message"),
    [
        ("t.doc", [], [], "which kind of table"),
        ("t.csv", [Document("d", ())], [], "no segments"),
        ("t.csv", [Document("d", (Segment("1", ""),))] * 2, [], "Two documents"),
        ("t.csv", [], [Judge("a")], "no judgements"),
    ],
)
def test_refusals(tmp_path: Path, name: str, made: list[Document], judges: list[Judge], message: str) -> None:
    with pytest.raises(InputError, match=message):
        formats.write("table", tmp_path / name, made, (), judges)


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_wide_table(tmp_path: Path) -> None:
    path = put(tmp_path / "set.en-de.csv", "doc,idx,domain,source,ref,A,mt,fun\nd,0,news,x,r,?,y,1\nd,1,news,z,,!,,2\n")
    (reading,) = formats.read(path)
    (document,) = reading.documents
    assert (document.id, document.domain, document.language_pair) == ("d", "news", "en-de")
    first, second = document.segments
    assert (first.id, first.source, dict(first.outputs), dict(first.references)) == (
        "0",
        "x",
        {"mt": "y"},
        {"ref": "r"},
    )
    assert first.meta == {"A": "?", "fun": "1"}
    assert dict(second.outputs) == {"mt": ""}
    assert dict(second.references) == {}
    assert "Columns: document=doc" in reading.notes[0]
    assert any("1 output is empty or missing" in note for note in reading.notes)


def test_a_long_table_with_scores(tmp_path: Path) -> None:
    text = "doc,seg_id,system,source,mt,rater,score\n"
    text += "d,1,A,x,a1,r1,4.0\nd,1,B,x,b1,r1,None\nd,2,A,y,a2,r1,4\nd,2,B,y,b2,r1,good\n"
    (reading,) = formats.read(put(tmp_path / "t.csv", text), protocol="sqm")
    (document,) = reading.documents
    assert [dict(s.outputs) for s in document] == [{"A": "a1", "B": "b1"}, {"A": "a2", "B": "b2"}]
    assert [(j.systems, j.segment, j.value, j.flags) for j in reading.judgements] == [
        (("A",), "1", 4, ()),
        (("B",), "1", None, ("missing",)),
        (("A",), "2", 4, ()),
        (("B",), "2", "good", ("not_a_number",)),
    ]
    assert reading.protocol == "sqm"
    assert [judge.id for judge in reading.judges] == ["r1"]
    assert reading.judgements[1].origin == "t.csv:3"


def test_a_newline_in_a_cell_is_text(tmp_path: Path) -> None:
    (reading,) = formats.read(put(tmp_path / "t.csv", 'doc,source,mt\nd,"two\nlines",x\n'))
    assert reading.documents[0].segments[0].source == "two\nlines"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("doc,source\n,x\n", "names no document"),
        ("doc,id,source\na,,x\n", "no segment id"),
        ("doc,id,source\na,1,x\na,1,y\n", "already on line 2"),
        ("doc,id,source,system,target\na,1,x,A,k\na,1,x,B,l\na,1,x,B,m\n", "by 'B' is already on line 3"),
        ("doc,source,paragraph\na,x,first\n", "not a whole number"),
        ("doc,source,flags\na,x,{}\n", "not what 'flags' holds"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        formats.read(put(tmp_path / "t.csv", text), "table")


def test_a_file_without_source_is_not_recognised(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "login,protocol\na,b\n")
    assert not table.recognise(path)
    with pytest.raises(InputError, match="none of the formats") as caught:
        formats.recognise(path)
    assert "lacks a column that is known to hold the source text" in caught.value.next_step


@pytest.mark.parametrize(
    ("name", "content", "message", "line"),
    [
        ("t.jsonl", '{"src": "a"}\n{"src": "b"}\n{"src": "c', "not JSON", 3),
        ("t.jsonl", '{"src": "a', "not JSON", 1),
        ("t.jsonl", '{\n "src": "a",\n "tgt": ', "not JSON", 3),
        ("t.json", '[{"src": "a"},\n{"src"', "not JSON", 2),
        ("t.csv", "source,source\na,b\n", "Two columns", 1),
    ],
)
def test_a_damaged_table_is_not_called_unknown(
    tmp_path: Path, name: str, content: str, message: str, line: int
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        formats.recognise(put(tmp_path / name, content))
    assert caught.value.where.line == line


def test_sound_files_that_are_no_table_are_unknown(tmp_path: Path) -> None:
    for name, content in {
        "t.json": '{\n"a": 1\n}\n',
        "t.jsonl": '{"a": 1}\n{"a": 2}\n',
        "t.txt": "Hm, hm, hm\n",
    }.items():
        with pytest.raises(InputError, match="none of the formats"):
            formats.recognise(put(tmp_path / name, content))


def test_texts_come_one_by_one_and_notes_at_the_end(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "document,source,mt\nd,a,\ne,b,B\n")
    with formats.texts(path) as found:
        assert found is not None
        assert [document.id for document in found.documents] == ["d", "e"]
        assert found.notes[-1].startswith("1 output is empty or missing (document d, segment 1, system mt);")
    for content in ("source,system,output\na,x,b\n", "source,mt,judge,score\na,b,j,3\n"):
        with formats.texts(put(path, content)) as found:
            assert found is None


CELLS = st.sampled_from(["", "a", "b", "2", '"q"', "x,y", "l\nm"])


@settings(max_examples=examples(80), deadline=None)
@given(st.sets(st.sampled_from(["doc", "id", "ref", "mt", "hyp:B", "fun"])), st.data())
def test_streaming_gives_what_reading_gives(columns: set[str], data: st.DataObject) -> None:
    header = ["source", *sorted(columns)]
    rows = data.draw(st.lists(st.lists(CELLS, min_size=len(header), max_size=len(header)), max_size=6))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([header, *rows])
        try:
            streamed: object = list(formats.read_documents(path, "table"))
        except InputError as error:
            streamed = error.what
        try:
            whole: object = list(formats.read(path, "table")[0].documents)
        except InputError as error:
            whole = error.what
        if not (isinstance(streamed, str) and "do not stand together" in streamed):
            assert streamed == whole


_LATE = ["good", "left out", "too free"]


@pytest.mark.parametrize(
    "header",
    [
        ["judge", "id", "score", "verdict", "length"],
        ["Name", "id", "score"],
        ["judge", "id", "score", "region"],
        ["id", "score Ann", "score Ben", "score Cem"],
        ["id", "Ann", "Ben", "Cem"],
    ],
)
def test_the_order_of_rows_decides_nothing(tmp_path: Path, header: list[str]) -> None:
    """A file sorted by judge shows one of them in hundreds of rows."""
    judges, items = ["Ann", "Ben", "Cem"], range(240)

    def row(judge: str, item: int) -> list[object]:
        at = judges.index(judge)
        cells = {"judge": judge, "Name": judge, "id": f"s{item}", "score": item * (at + 3) % 101}
        return [
            {**cells, "verdict": _LATE[(item + at) % 3], "length": item % 17, "region": at}[name] for name in header
        ]

    if header[0] == "id":  # a column for each judge, of whom the last begins late
        rows = [[f"s{item}", item % 5, item % 4, item % 3 if item > 220 else ""] for item in items]
        orders = [rows, rows[::-1]]
    else:
        rows = [row(judge, item) for judge in judges for item in items]
        orders = [rows, [row(judge, item) for item in items for judge in judges]]
    results = []
    for at, order in enumerate(orders):
        path = tmp_path / f"{at}" / "ratings.csv"
        path.parent.mkdir()
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([header, *order])
        [reading] = formats.read(path)
        results.append({(j.judge, j.question, j.segment, j.value, j.role) for j in reading.judgements})
    assert results[0] == results[1]
    assert len({judge for judge, *_ in results[0]}) == 3


def test_streaming_keeps_memory_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the rows, the same peak: what is held is a document and the rows looked at first, not the file."""
    monkeypatch.setattr("lanner.formats.parsing.tables._LARGEST_SAMPLE", 200)

    def peak(documents: int) -> int:
        path = tmp_path / f"{documents}.csv"
        with path.open("w", encoding="utf-8") as out:
            out.write("doc,source,mt\n")
            for number in range(documents):
                out.write(f"d{number},{'source text ' * 160},{'target text ' * 160}\n" * 5)
        tracemalloc.start()
        count = sum(len(document.segments) for document in formats.read_documents(path))
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == documents * 5
        return highest

    small, large = peak(40), peak(160)
    assert large < small + 800_000, (small, large)  # the larger file has 2.3 MB more


_COMPARED = [("GPT", "DeepL"), ("DeepL", "GPT"), ("GPT", "DeepL"), ("DeepL", "NLLB"), ("GPT", "NLLB")]
"""Who met whom; GPT wins the first two, the third is a tie, NLLB wins the fourth, and GPT the fifth."""


@pytest.mark.parametrize(
    ("columns", "verdicts"),
    [
        ("left,right,better", ["GPT", "GPT", "equal", "NLLB", "GPT"]),
        ("left,right,better", ["left", "right", "tie", "right", "left"]),
        ("system 1,system 2,winner", ["GPT", "GPT", "tie", "NLLB", "GPT"]),
        ("model_a,model_b,winner", ["GPT", "GPT", "tie", "NLLB", "model_a"]),
        ("candidate,baseline,winner", ["GPT", "GPT", "tie", "NLLB", "GPT"]),
    ],
)
def test_two_columns_hold_the_systems_that_a_third_decides_between(
    tmp_path: Path, columns: str, verdicts: list[str]
) -> None:
    path = tmp_path / "pairs.csv"
    lines = [
        f"d{n},ann,{one},{two},{best}" for n, ((one, two), best) in enumerate(zip(_COMPARED, verdicts, strict=True))
    ]
    path.write_text("\n".join([f"document,judge,{columns}", *lines]))
    (material,) = lanner.load(path)
    (question,) = material.table["question"].unique()
    assert question == columns.rpartition(",")[2]
    strengths = {
        (row["for"], row["against"]): (row["wins"], row["ties"], row["losses"])
        for one, two in (("DeepL", "GPT"), ("DeepL", "NLLB"), ("GPT", "NLLB"))
        for row in sign_test(
            material.table.filter(material.table["system"].is_in([f"{one}|{two}", f"{two}|{one}"])), question
        ).rows
        if row["judge"] == "all"
    }
    assert strengths == {("DeepL", "GPT"): (0, 1, 2), ("DeepL", "NLLB"): (0, 0, 1), ("GPT", "NLLB"): (1, 0, 0)}


@pytest.mark.parametrize("headings", ["1st,2nd,3rd", "Rank 1,Rank 2,Rank 3", "First choice,Second choice,Third choice"])
def test_columns_of_places_give_each_system_its_rank(tmp_path: Path, headings: str) -> None:
    path = tmp_path / "places.csv"
    orders = ["DeepL,Google,GPT", "DeepL,GPT,Google", "GPT,DeepL,Google"]
    lines = [f"d{n},{judge},{order}" for judge in ("ann", "bob") for n, order in enumerate(orders)]
    path.write_text("\n".join([f"document,judge,{headings}", *lines]))
    table = lanner.load(path)[0].table
    means = {name: table.filter(table["system"] == name)["score"].mean() for name in ("DeepL", "GPT", "Google")}
    assert means == {"DeepL": pytest.approx(4 / 3), "GPT": 2, "Google": pytest.approx(8 / 3)}
    ranking = lanner.scores(path)
    assert [row["system"] for row in ranking.results[0].rows] == ["DeepL", "GPT", "Google"]  # less is better


def test_three_systems_in_turn_are_no_places(tmp_path: Path) -> None:
    path = tmp_path / "shown.csv"
    orders = ["DeepL,Google,GPT,GPT", "GPT,DeepL,Google,GPT", "Google,GPT,DeepL,GPT"]
    lines = [f"d{n},ann,{order}" for n, order in enumerate(orders)]
    path.write_text("\n".join(["document,judge,model_1,model_2,model_3,winner", *lines]))
    assert "rank" not in lanner.load(path)[0].table["question"].unique().to_list()


def test_counts_of_judges_are_no_scores_of_judges(tmp_path: Path) -> None:
    """The table for Fleiss' kappa: how many of three judges gave each answer."""
    path = tmp_path / "counts.csv"
    path.write_text("item,Minor,Major,Critical\ns1,0,3,0\ns2,1,2,0\ns3,3,0,0\ns4,0,0,3\n")
    with pytest.raises(InputError, match="add up to 3 on every row") as failure:
        lanner.load(path)
    columns = "judge:Minor=Minor,judge:Major=Major,judge:Critical=Critical"
    assert columns in str(failure.value.next_step)
    assert lanner.load(path, columns=columns)[0].table["judge"].n_unique() == 3
    path.write_text("item,Minor,Major,Critical\ns1,0,3,0\ns2,1,2,0\ns3,3,0,1\ns4,0,0,3\n")
    assert lanner.load(path)[0].table["judge"].n_unique() == 3


_FORMS = {  # item and system, or item and question, of three columns for each judge
    "Doc {} - System {}": ("1 A,1 B,2 A,2 B", "system", ["System A", "System B"]),
    "Text {} [{}]": ("1 DeepL,1 GPT-4,2 DeepL,2 GPT-4,3 DeepL,3 GPT-4", "system", ["DeepL", "GPT-4"]),
    "Sentence {} [{}]": ("1 DeepL,1 Ours,2 DeepL,2 Ours", "system", ["DeepL", "Ours"]),
    "{1}_{0}": ("1 DeepL,2 DeepL,3 DeepL,1 Google,2 Google,3 Google", "system", ["DeepL", "Google"]),
    "T{}_{}": ("1 adequacy,1 fluency,2 adequacy,2 fluency", "question", ["adequacy", "fluency"]),
}


@pytest.mark.parametrize("heading", list(_FORMS))
def test_forms_with_a_column_for_each_item_and_system_or_question(tmp_path: Path, heading: str) -> None:
    pairs, about, names = _FORMS[heading]
    columns = [heading.format(*pair.split()) for pair in pairs.split(",")]
    rows = [[(7 * row + 3 * at) % 5 + 1 for at in range(len(columns))] for row in range(3)]
    lines = [",".join(["Timestamp", "Your name", *columns])]
    lines += [",".join(["2026/03/01", f"judge {n}", *map(str, row)]) for n, row in enumerate(rows)]
    path = tmp_path / "form.csv"
    path.write_text("\n".join(lines))
    (material,) = lanner.load(path)
    assert len(material.table) == 3 * len(columns)
    for name in names:
        places = [at for at, column in enumerate(columns) if name in column]
        expected = sum(row[at] for row in rows for at in places) / (3 * len(places))
        own = material.table.filter(material.table[about] == name)
        assert own["score"].mean() == pytest.approx(expected)
        assert own["judge"].n_unique() == 3


def test_scores_without_judges_are_one_judges_unless_rows_come_again(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("document,segment,system,score\nd,1,a,70\nd,1,b,60\nd,2,a,80\nd,2,b,50\n", encoding="utf-8")
    [reading] = formats.read(path)
    assert [judgement.value for judgement in reading.judgements] == [70, 60, 80, 50]
    assert len(reading.judges) == 1 and any("one judge's" in str(note) for note in reading.notes)
    path.write_text("document,segment,system,score\nd,1,a,70\nd,1,a,60\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column says who judged it"):
        formats.read(path)


def test_answers_in_words_are_no_translations(tmp_path: Path) -> None:
    """They are as long as these short texts, and each text comes again on the rows of every judge."""
    path = tmp_path / "labels.csv"
    rows = [f"d,{n},Text {n},{who},{'no' if n % 2 and who == 'b' else 'yes'}" for n in range(4) for who in "ab"]
    for heading in ("answer", "verdict"):
        path.write_text("\n".join([f"document,segment,source,judge,{heading}", *rows]), encoding="utf-8")
        [reading] = formats.read(path)
        assert {judgement.question for judgement in reading.judgements} == {heading}
        assert len(reading.judgements) == 8


PAIRS = ("en-de", "en-ko")


def test_pearmut_label_studio_and_exports_with_two_language_pairs(tmp_path: Path) -> None:
    items = [
        {"item_id": f"{pair}_#_news_#_d_#_1", "src": "One.", "tgt": {"A": f"A {pair}"}, "ref": None} for pair in PAIRS
    ]
    pearmut = tmp_path / "pearmut.json"
    pearmut.write_text(json.dumps({"campaign_id": "c", "info": {}, "data": [[[item]] for item in items]}), "utf-8")
    studio = tmp_path / "studio.json"
    tasks = [
        {"id": at, "data": {"lp": pair, "document": "d", "segment": "1", "source": "One.", "target:A": f"A {pair}"}}
        for at, pair in enumerate(PAIRS)
    ]
    studio.write_text(json.dumps(tasks), "utf-8")
    for path, name in ((pearmut, "pearmut"), (studio, "label_studio")):
        (reading,) = formats.read(path, name)
        assert [document.id for document in reading.documents] == ["d (en-de)", "d (en-ko)"], name
        assert [document.segments[0].outputs["A"] for document in reading.documents] == ["A en-de", "A en-ko"], name


def test_exports_of_two_campaigns_put_below_each_other(tmp_path: Path) -> None:
    tables = []
    for pair in PAIRS:
        document = Document("d", (Segment("1", "One.", {"A": pair}),), *pair.split("-"))
        judgement = Judgement("j", "rating", "score", "d", "1", ("A",), 80 if pair == "en-de" else 20)
        export(Material("part", None, (document,), (Judge("j"),), (judgement,)), tmp_path / "t.csv")
        tables.append((tmp_path / "t.csv").read_text("utf-8"))
    both = tmp_path / "both.csv"
    both.write_text(tables[0] + "".join(tables[1].splitlines(keepends=True)[1:]), "utf-8")
    (reading,) = formats.read(both)
    assert {(entry.document, entry.value) for entry in reading.judgements} == {("d (en-de)", 80), ("d (en-ko)", 20)}


def test_blank_rows_are_counted_and_left_out(tmp_path: Path) -> None:
    (reading,) = formats.read(put(tmp_path / "t.csv", "source,mt\na,b\n,\nc,d\n"))
    assert [s.id for d in reading.documents for s in d] == ["1", "2"]
    assert any("1 blank row is" in note for note in reading.notes)
    assert any("No column names documents" in note for note in reading.notes)


def test_rows_of_a_document_may_be_apart_unless_streamed(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "doc,source\na,1\nb,2\na,3\n")
    (reading,) = formats.read(path)
    assert [[s.source for s in d] for d in reading.documents] == [["1", "3"], ["2"]]
    with pytest.raises(InputError, match="do not stand together"):
        list(formats.read_documents(path))


def test_language_columns(tmp_path: Path) -> None:
    (reading,) = formats.read(put(tmp_path / "t.tsv", "doc\tsource\tmt\tlp\na\tx\ty\teng-zho\n"))
    assert reading.documents[0].language_pair == "en-zh"
    (reading,) = formats.read(put(tmp_path / "t.tsv", "doc\tsource\tmt\nd\tx\ty\n"), languages="en-ko")
    assert reading.documents[0].language_pair == "en-ko"


def two_pairs(path: Path, *, rated: bool, heading: str = "lp") -> Path:
    """A test set of two documents in two language pairs, with the same names in both; rated by two judges of each."""
    lines = [f"{heading},document,segment,system," + ("judge,score" if rated else "source,target")]
    for pair in PAIRS:
        for document in ("d1", "d2"):
            for segment in ("1", "2"):
                for system in ("A", "B"):
                    place = f"{pair},{document},{segment},{system}"
                    if rated:
                        score = 90 if (pair == "en-de") == (system == "A") else 30 + 10 * int(segment)
                        lines += [f"{place},{pair} {judge},{score}" for judge in ("one", "two")]
                    else:
                        lines.append(f"{place},A sentence.,{system} in {pair}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_documents_of_one_name_in_several_language_pairs_are_several_documents(tmp_path: Path) -> None:
    """Their rows were taken for one document: texts were refused as double, and answers about translations into two
    languages were compared with each other."""
    names = ["d1 (en-de)", "d2 (en-de)", "d1 (en-ko)", "d2 (en-ko)"]
    (reading,) = formats.read(two_pairs(tmp_path / "texts.csv", rated=False))
    assert [document.id for document in reading.documents] == names
    assert {document.language_pair for document in reading.documents} == set(PAIRS)
    assert reading.documents[2].segments[0].outputs == {"A": "A in en-ko", "B": "B in en-ko"}
    assert any("several language pairs" in note for note in reading.notes)
    (ratings,) = formats.read(two_pairs(tmp_path / "ratings.csv", rated=True))
    assert len(ratings.judgements) == 32
    assert {(entry.document[4:-1], entry.judge[:5]) for entry in ratings.judgements} == {(p, p) for p in PAIRS}
    lines = (tmp_path / "ratings.csv").read_text("utf-8").splitlines()
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n", encoding="utf-8")
    (other,) = formats.read(shuffled)
    assert {document.id for document in other.documents} == set(names), "the order of rows does not matter"
    (korean,) = formats.read(tmp_path / "ratings.csv", languages="en-ko")
    assert {entry.judge for entry in korean.judgements} == {"en-ko one", "en-ko two"}
    alpha = lanner.agreement(tmp_path / "ratings.csv", judges=["en-de one", "en-ko one"])
    assert alpha.results[0].value is None, "no two of these judges answered the same items"


def test_a_table_of_two_language_pairs_in_other_shapes(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("source lang,target lang,document,source,A\nen,de,d,One.,Eins.\nen,ko,d,One.,하나.\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["d (en-de)", "d (en-ko)"]
    path.write_text("lp,source,A\nen-pt_BR,One.,Um.\nen-pt_PT,One.,Um só.\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["wide (en-pt-BR)", "wide (en-pt-PT)"]
    path.write_text("lp,document,source,A\nen-pt,d,One.,Um.\nen-pt_BR,d,Two.,Dois.\nEN-PT,d,Three.,Três.\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["d"], "spellings of one pair"
    path.write_text("lp,document,source,A\nen-de,d,One.,Eins.\nen-ko,d,One.,하나.\n,d,Two.,Zwei.\n", "utf-8")
    with pytest.raises(InputError, match=r"names no language pair"):
        formats.read(path)


def test_documents_numbered_anew_in_each_domain_are_several_documents(tmp_path: Path) -> None:
    """Answers about the first text of one domain were compared with those about the first of another."""
    path = tmp_path / "ratings.csv"
    rows = [
        f"{domain},{document},1,A,{judge},{score}"
        for domain, judges, score in (("news", "ab", 90), ("social", "cd", 20))
        for document in "12"
        for judge in judges
    ]
    path.write_text("\n".join(["domain,document,segment,system,judge,score", *rows]) + "\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["1 (news)", "2 (news)", "1 (social)", "2 (social)"]
    assert {(entry.document[3:-1], entry.value) for entry in reading.judgements} == {("news", 90), ("social", 20)}
    assert any("several values of domain" in note for note in reading.notes)
    path.write_text("\n".join(["testset,domain,doc,sent,system,judge,score", *(f"x,{row}" for row in rows)]), "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents][::3] == ["1 (x, news)", "2 (x, social)"]
    assert {entry.question for entry in reading.judgements} == {"score"}
    assert reading.documents[0].meta == {"collection": "x"}
    texts_file = tmp_path / "texts.csv"
    texts_file.write_text("domain,document,segment,source,A\nnews,1,1,One.,Eins.\nsocial,1,1,Two.,Zwei.\n", "utf-8")
    (reading,) = formats.read(texts_file)
    assert [document.id for document in reading.documents] == ["1 (news)", "1 (social)"]
    texts_file.write_text("domain,document,segment,source,A\nnews,1,1,One.,Eins.\nNews ,1,2,Two.,Zwei.\n", "utf-8")
    (reading,) = formats.read(texts_file)
    assert [document.id for document in reading.documents] == ["1"], "spellings of one domain"


def test_sentences_numbered_anew_in_each_paragraph(tmp_path: Path) -> None:
    places = [(f"d{d}", p, n) for d in range(2) for p in range(3) for n in range(2)]
    rows = [f"{d},{p},{n},{system},{judge},{(n + p) % 5}" for d, p, n in places for system in "AB" for judge in "xy"]
    (reading,) = table.read(put(tmp_path / "s.csv", "\n".join(["doc,para,sent,system,judge,adequacy", *rows])))
    assert {entry.role for entry in reading.judgements} == {Role.MAIN}
    assert [segment.id for segment in reading.documents[0]] == ["0.0", "0.1", "1.0", "1.1", "2.0", "2.1"]
    texts = [f"{d},{p},{n},Sentence {d} {p} {n}.,Satz {d} {p} {n}." for d, p, n in places]
    (reading,) = table.read(put(tmp_path / "t.csv", "\n".join(["doc,para,sent,source,target", *texts])))
    assert [segment.id for segment in reading.documents[1]] == ["0.0", "0.1", "1.0", "1.1", "2.0", "2.1"]


def test_paragraphs_are_what_is_judged_where_nothing_smaller_is_named(tmp_path: Path) -> None:
    rows = [f"d{d},{p},{system},{judge},{p}" for d in range(2) for p in range(3) for system in "AB" for judge in "xy"]
    (reading,) = table.read(put(tmp_path / "p.csv", "\n".join(["doc,para,system,judge,adequacy", *rows])))
    assert [segment.id for segment in reading.documents[0]] == ["0", "1", "2"]
    assert {entry.role for entry in reading.judgements} == {Role.MAIN}


def test_what_only_later_rows_show_is_seen(tmp_path: Path) -> None:
    places = [(c, n, s, j) for c in ("Kap1", "Kap2", "Kap3") for n in range(60) for s in "AB" for j in "xy"]
    rows = [f"{n},{c},{s},{j},{n % 5}" for c, n, s, j in places]
    (reading,) = table.read(put(tmp_path / "k.csv", "\n".join(["seg,Kapitel,system,judge,score", *rows])))
    assert [document.id for document in reading.documents] == ["Kap1", "Kap2", "Kap3"]
    assert {entry.role for entry in reading.judgements} == {Role.MAIN}


def notes_on_ids(path: Path, header: str, rows: list[str], **options: str) -> list[str]:
    path.write_text("\n".join([header, *(f"{at},{row}" for at, row in enumerate(rows, 1))]) + "\n")
    (reading,) = formats.read(path, **options)
    return [note for note in reading.notes if "of its own" in note]


def test_ids_that_may_number_rows_are_told_of(tmp_path: Path) -> None:
    """Nobody shared an item with anybody, and only α said so: undefined."""
    rows = [f"{system},{judge},{at}" for at in range(4) for system in "AB" for judge in ("ann", "ben")]
    (note,) = notes_on_ids(tmp_path / "a.csv", "id,system,annotator,score", rows)
    assert note.startswith(
        "Each row is an item of its own: 'id' is different in every row, so no two judges share one."
    )
    assert "a column `sentence`" in note
    one_judge = [row.replace("ben", "ann") for row in rows]
    (note,) = notes_on_ids(tmp_path / "b.csv", "id,system,annotator,score", one_judge)
    assert "no two systems share one" in note
    one_system = [row.replace("B", "A") for row in one_judge]
    assert not notes_on_ids(tmp_path / "c.csv", "id,system,annotator,score", one_system)
    assert not notes_on_ids(tmp_path / "d.csv", "id,system,annotator,score", rows, columns="segment=id")


def test_ids_of_texts_that_come_again_are_told_of_with_the_option(tmp_path: Path) -> None:
    rows = [
        f"Sentence {at}.,{judge},{at % 5}"
        for judge, first in (("ann", 0), ("ben", 18))
        for at in range(first, first + 20)
    ]
    (note,) = notes_on_ids(tmp_path / "a.csv", "id,source,judge,score", rows)
    assert "--columns ignore:id=id" in note
    apart = [f"Sentence {at}.,{'ann' if at % 2 else 'ben'},{at % 5}" for at in range(40)]
    assert not notes_on_ids(tmp_path / "b.csv", "id,source,judge,score", apart)


def test_ids_that_number_rows_show_behind_the_first_rows(tmp_path: Path) -> None:
    rows = [f"Sentence {at}.,{judge},{at % 5}" for judge in ("ann", "ben") for at in range(11_000)]
    assert not notes_on_ids(tmp_path / "a.csv", "id,source,judge,score", rows)
    (reading,) = formats.read(tmp_path / "a.csv")
    assert len(reading.documents[0].segments) == 11_000
