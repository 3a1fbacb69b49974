from __future__ import annotations

import gzip
import shutil
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lanner import formats
from lanner.errors import InputError
from lanner.formats.parsing import textfile
from lanner.formats.parsing.textfile import bare, guarded, replacing, text_file, whole


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\nb", ["a", "b"]),
        (b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
        ("a\nß".encode("utf-16"), ["a", "ß"]),
        (b"a\nb\r\nc\n", ["a", "b\r", "c"]),  # a carriage return in a file with line feeds is text
        (b"a\n\nb\n", ["a", "", "b"]),
        ("a\u2028b\x85c\x0bd\n".encode(), ["a\u2028b\x85c\x0bd"]),  # other separators are text
        (b"", []),
    ],
)
def test_lines(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    path = put(tmp_path / "x.txt", content)
    assert list(textfile.lines(path)) == expected
    assert list(textfile.lines(put(tmp_path / "x.gz", gzip.compress(content)))) == expected
    assert list(textfile.lines(put(tmp_path / "x.zst", zstandard.compress(content)))) == expected


def test_rows_know_where_they_begin(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", b'a,b\r\n"1\r\n2",x\r\n\r\n3,"say ""hi"""\r\n')
    assert list(textfile.rows(path)) == [(1, ["a", "b"]), (2, ["1\r\n2", "x"]), (5, ["3", 'say "hi"'])]


def test_quotes_can_be_text(tmp_path: Path) -> None:
    path = put(tmp_path / "x.tsv", b'a\tb\n"open\tx\n')
    assert list(textfile.rows(path, "\t", quoted=False)) == [(1, ["a", "b"]), (2, ['"open', "x"])]


def test_a_large_cell_is_read(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", b"a\n" + b"x" * 300_000 + b"\n")
    assert len(list(textfile.rows(path))[1][1][0]) == 300_000


@pytest.mark.parametrize("content", [b'a\n"b\n', b'a\n"b"c\n'])
def test_broken_quotes_are_named(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="not well formed") as caught:
        list(textfile.rows(put(tmp_path / "x.csv", content)))
    assert caught.value.where.line == 2


def test_damaged_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    good = "".join(f"{n} Übermäßig größere Müller äußern süße Grüße\n" for n in range(40)).encode()
    with pytest.raises(InputError, match="not UTF-8") as caught:
        list(textfile.lines(put(tmp_path / "x.txt", good + b"a\nM\xfcller\n")))
    assert caught.value.where.line == 42
    assert "--encoding" in caught.value.next_step


def test_the_encoding_is_found_said_and_can_be_told(tmp_path: Path) -> None:
    path = put(tmp_path / "x.txt", "Die Fähre ist spät.\n".encode("cp1252"))
    with textfile.decoding() as decoding:
        assert list(textfile.lines(path)) == ["Die Fähre ist spät."]
    assert "CP1252" in " ".join(decoding.notes())
    with textfile.decoding("cp437"):
        assert list(textfile.lines(path)) != ["Die Fähre ist spät."]
    with pytest.raises(InputError, match="no encoding called 'cp99'"), textfile.decoding("cp99"):
        pass


def test_utf_8_is_read_without_a_word_about_it(tmp_path: Path) -> None:
    for data in ("ä\n".encode(), b"\xef\xbb\xbf" + "ä\n".encode()):
        with textfile.decoding() as decoding:
            assert list(textfile.lines(put(tmp_path / "x.txt", data))) == ["ä"]
        assert list(decoding.notes()) == []


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_cut_off_file_is_refused(tmp_path: Path, pack) -> None:
    packed = pack(b"".join(b"line %d\n" % n for n in range(20_000)))
    with pytest.raises(InputError, match="damaged or cut off"):
        list(textfile.lines(put(tmp_path / "x", packed[: len(packed) // 2])))


def test_several_zstandard_frames_are_one_file(tmp_path: Path) -> None:
    packed = zstandard.compress(b"a\nb") + zstandard.compress(b"c\n")
    assert list(textfile.lines(put(tmp_path / "x", packed))) == ["a", "bc"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack) -> None:
    monkeypatch.setattr(textfile, "EXPANSION_FREE", textfile.MIB)
    packed = pack((b"x" * 1023 + b"\n") * (textfile.EXPANSION_FREE // 1024 + 1000))
    with pytest.raises(InputError, match="unpacks to more than"):
        for _ in textfile.raw_lines(put(tmp_path / "x", packed)):
            pass


def test_a_file_of_one_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "LINE_LIMIT", 100)
    with pytest.raises(InputError, match="longer than 100"):
        list(textfile.lines(put(tmp_path / "x", b"ok\n" + b"x" * 200)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": "\\ud83d"}', "surrogate"),
        ("[" * 100_000, "too deeply|not JSON"),
        ("{", "not JSON"),
        ("[Infinity]", "Infinity"),
    ],
)
def test_bad_json_is_an_input_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        textfile.parse_json(text, tmp_path / "x.json", 3)


def test_json_reads_pairs_and_nan() -> None:
    assert textfile.parse_json('["\\ud83d\\ude00", NaN]', Path("x")) == ["😀", None]


def test_the_head_of_a_binary_file_is_no_text(tmp_path: Path) -> None:
    assert textfile.head(put(tmp_path / "x", b"\0\1\2")) == ""
    assert textfile.head(tmp_path) == ""


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(textfile.lines(tmp_path / "none.txt"))


@pytest.mark.parametrize("name", ["t.txt", "t.txt.gz", "t.txt.zst"])
def test_a_watcher_hears_of_every_byte_read_once_and_of_no_look_ahead(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with text_file(path) as out:
        out.write("line\n" * 1000)
    heard: list[int] = []
    with textfile.watched(heard.append):
        textfile.head(path)
        assert heard == []
        assert sum(1 for _ in textfile.lines(path)) == 1000
    assert sum(heard) == path.stat().st_size
    list(textfile.lines(path))
    assert sum(heard) == path.stat().st_size


LINE = '{"id": "a", "segments": [{"id": "1", "source": "x"}]}\n'


def pack(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_single_file_in_a_zip_is_read(tmp_path: Path) -> None:
    path = pack(tmp_path / "set.zip", **{"deep/er/set.jsonl": LINE, "__MACOSX/x": "litter"})
    assert formats.recognise(path) == "native"
    assert [document.id for document in formats.read_documents(path)] == ["a"]


def test_an_error_names_archive_and_member(tmp_path: Path) -> None:
    path = pack(tmp_path / "set.zip", **{"d/set.jsonl": LINE + "{\n"})
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}/d/set.jsonl:2: ")


def test_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "EXPANSION_FREE", textfile.MIB)
    path = pack(tmp_path / "bomb.zip", **{"a.jsonl": "\n" * (textfile.EXPANSION_FREE + 1)})
    with pytest.raises(InputError, match="unpacks to more than"):
        formats.read(path)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "MEMBER_LIMIT", 2)
    with pytest.raises(InputError, match="more than 2 files"):
        formats.read(pack(tmp_path / "many.zip", a="", b="", c=""))


@pytest.mark.parametrize("name", ["../out.jsonl", "/etc/out.jsonl", "a/../../out.jsonl", "C:\\out.jsonl"])
def test_nothing_lands_outside(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="outside its folder"):
        formats.read(pack(tmp_path / "evil.zip", **{name: LINE, "ok.jsonl": LINE}))


def test_damaged_and_empty_archives_are_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "set.zip", **{"set.jsonl": LINE * 100})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match="cannot be unpacked"):
        formats.read(path)
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="cannot be unpacked"):
        formats.read(path)


def test_a_folder_in_a_folder_is_the_inner_one(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / ".DS_Store").write_text("")
    (inner / "src.txt").write_text("a\n")
    (inner / "hyp.oak.txt").write_text("b\n")
    assert formats.recognise(tmp_path / "outer") == "parallel"
    assert [d.systems for d in formats.read_documents(tmp_path / "outer")] == [("oak",)]
    (tmp_path / "outer" / "note.md").write_text("x")
    with pytest.raises(InputError, match="none of the formats"):
        formats.recognise(tmp_path / "outer")


@pytest.mark.parametrize("zipped", [False, True])
def test_a_codebook_beside_an_export_is_not_in_the_way(tmp_path: Path, zipped: bool) -> None:
    outer = tmp_path / "outer"
    inner = outer / "judgements"
    inner.mkdir(parents=True)
    (inner / "src.txt").write_text("a\n")
    (inner / "hyp.oak.txt").write_text("b\n")
    (outer / "judgements.codebook.csv").write_text("kind,id,meaning\n")
    place = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", outer)) if zipped else outer
    assert formats.recognise(place) == "parallel"
    assert [d.systems for d in formats.read_documents(place)] == [("oak",)]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_written_text_is_read_again(tmp_path: Path, name: str) -> None:
    with text_file(tmp_path / "new" / name) as out:
        out.write("ä\r\n😀\n")
    assert whole(tmp_path / "new" / name) == "ä\r\n😀\n"


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with text_file(tmp_path / name) as out:
            out.write("x" * 100)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), text_file(path) as out:
        out.write("new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="surrogate"), text_file(tmp_path / "a.txt") as out:
        out.write("\ud83d")
        out.flush()


def test_a_folder_with_something_in_it_is_not_replaced(tmp_path: Path) -> None:
    wanted = tmp_path / "out"
    wanted.mkdir()
    with replacing(wanted) as made:
        made.mkdir()
        (made / "x").write_text("1")
    assert (wanted / "x").read_text() == "1"
    with pytest.raises(InputError, match="not empty"), replacing(wanted) as made:
        made.mkdir()
    assert (wanted / "x").read_text() == "1"


RISKY = st.text(st.sampled_from("'=+-@\t\r\n＝＠a1.e "), max_size=6)


@given(st.one_of(st.text(), RISKY))
def test_what_is_guarded_comes_back_to_the_letter(text: str) -> None:
    kept = guarded(text)
    assert bare(kept) == text
    assert kept in (text, f"'{text}")


@given(RISKY)
def test_nothing_that_runs_is_left(text: str) -> None:
    kept = guarded(text)
    assert kept[:1] not in set("=+@\t\r\n＝＠") and (kept[:1] != "-" or float(kept) <= 0)


@pytest.mark.parametrize("text", ["=1+1", "+49 30", "-5+cmd", "@SUM(A1)", "\t=1", "＝1", "'=1", "''-x", "-"])
def test_formulas_are_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "-5.25", "-1e-3", "5", "don't", "'tis", "a=b", ""])
def test_other_texts_are_not(text: str) -> None:
    assert guarded(text) == text == bare(text)


def test_a_refusal_over_headings_says_how_they_were_decoded(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("výchozí;cíl;kdo;přesnost\nThe ferry.;Prám.;ann;3\nThe hill.;Kopec.;ben;4\n".encode("cp1250"))
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert caught.value.code == "unrecognised"
    assert "--encoding" in caught.value.next_step
    with pytest.raises(InputError) as caught:
        formats.read(path, encoding="cp1250")
    assert "--encoding" not in caught.value.next_step, "it was said already"
