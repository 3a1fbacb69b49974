from __future__ import annotations

import cProfile
import pstats
import shlex
from itertools import product

import pytest

from lanner.errors import InputError
from lanner.formats.parsing.columns import ColumnMap, column_map, parse


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            "idx,domain,doc,source,reference,target",
            "document=doc, segment=idx, domain=domain, source=source, reference:reference=reference, "
            "system:target=target",
        ),
        ("Doc ID,Seg-ID,SRC,MT", "document=Doc ID, segment=Seg-ID, source=SRC, system:MT=MT"),
        (
            "id,src,output:GPT-4,mt_small,refA,reference:B,tgt_lang",
            "segment=id, source=src, target_language=tgt_lang, reference:refA=refA, reference:B=reference:B, "
            "system:GPT-4=output:GPT-4, system:small=mt_small",
        ),
        ("en,ko", "source=en (80% sure), system:target=ko (80% sure)"),
        ("doc,system,source,mt,fun", "document=doc, source=source, system=system, output=mt; kept as they are: fun"),
    ],
)
def test_guesses(header: str, expected: str) -> None:
    assert str(column_map(header.split(","))) == expected


def test_what_is_given_wins_over_the_guess() -> None:
    header = ["doc", "source", "target", "simplified"]
    found = column_map(header, "source=simplified,system:gpt=target,reference:B=source")
    assert found.roles["source"] == "simplified"
    assert found.outputs == {"gpt": "target"}
    assert found.references == {"B": "source"}


def test_one_output_can_be_named() -> None:
    assert column_map(["source", "mt"], system="Online-A").outputs == {"Online-A": "mt"}


def test_language_columns_tell_the_languages() -> None:
    assert column_map(["en", "pt_BR"]).languages == ("en", "pt-BR")
    assert column_map(["en", "de", "fr"], pair=("en", "fr")).languages == ("en", "fr")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("source=sauce", "no column 'sauce'"),
        ("sauce=source", "'sauce' is not a role of a column"),
        ("source", "no column map"),
        ('{"source": ', "not a JSON object"),
    ],
)
def test_wrong_maps(given: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        column_map(["source", "target"], given)


def test_a_table_without_source_says_what_it_has() -> None:
    with pytest.raises(InputError, match="source text") as caught:
        column_map(["alpha", "beta"])
    assert "alpha, beta" in caught.value.next_step


def test_json_maps_take_names_with_commas() -> None:
    assert parse('{"source": "a, b"}') == {"source": "a, b"}


_SEGMENTS = [(document, segment) for document in "de" for segment in "123"]


def test_a_column_of_translations_may_name_the_systems_instead() -> None:
    header = ["annotator", "doc_id", "seg_id", "MT", "grade"]
    rows = [[judge, *segment, name, 3] for judge in "AB" for segment in _SEGMENTS for name in ("DeepL", "GPT")]
    columns = column_map(header, sample=rows)
    assert columns.roles["system"] == "MT"
    assert columns.outputs == {}
    texts = [[judge, *segment, f"Satz {segment}", 3] for judge in "AB" for segment in _SEGMENTS]
    assert column_map(header, sample=texts).outputs == {"MT": "MT"}


@pytest.mark.parametrize(
    ("first", "second"),
    [("system_a", "system_b"), ("model A", "model B"), ("MT1", "MT2"), ("left", "right"), ("sysA", "sysB")],
)
def test_two_columns_may_name_the_systems_that_are_compared(first: str, second: str) -> None:
    header = ["rater", "doc", "seg", first, second, "winner"]
    rows = [[judge, *segment, "GPT", "DeepL", "a"] for judge in "AB" for segment in _SEGMENTS]
    columns = column_map(header, sample=rows)
    assert (columns.roles["system_a"], columns.roles["system_b"]) == (first, second)
    assert [answer.column for answer in columns.answers] == ["winner"]


@pytest.mark.parametrize("names", [("x", "y"), ("0", "1"), ("yes", "no"), ("j", "n")])
def test_judges_may_have_names_that_look_like_flags(names: tuple[str, str]) -> None:
    header = ["judge", "doc", "seg", "system", "score"]
    rows = [[judge, *segment, system, 50] for segment in _SEGMENTS for system in "AB" for judge in names]
    assert column_map(header, sample=rows).roles["judge"] == "judge"


def test_an_id_numbers_the_rows_where_another_column_names_the_segment() -> None:
    assert column_map(["id", "번호", "원문", "번역"]).roles["segment"] == "번호"
    assert column_map(["id", "source", "target"]).roles["segment"] == "id"


def test_translations_come_again_on_the_rows_of_every_judge() -> None:
    header = ["judge", "segment", "source", "Alder", "Birch", "score_Alder", "score_Birch"]
    texts = ["It is late today.", "We waited for you.", "Nobody came home."]
    sample = [
        [judge, str(at), text, text.upper(), text.lower(), "3", "4"]
        for judge in ("a", "b", "c", "d")
        for at, text in enumerate(texts)
    ]
    assert set(column_map(header, sample=sample).outputs) == {"Alder", "Birch"}


def test_numbers_are_no_reference_whatever_their_name() -> None:
    header = ["document", "segment", "system", "human", "bleu"]
    sample = [["d", str(at), "X", str(at * 10), f"{at}.5"] for at in range(1, 5)]
    mapped = column_map(header, sample=sample)
    assert not mapped.references
    assert [(answer.column, answer.judge) for answer in mapped.answers] == [("human", "")], "BLEU is no judge"


def test_the_type_of_a_text_is_kept_beside_the_kind_of_a_judge() -> None:
    header = ["judge", "segment", "text_type", "type of rater", "score"]
    kinds = {"r1": "human", "r2": "LLM"}
    rows = [[judge, str(at), "news", kind, str(at % 3)] for judge, kind in kinds.items() for at in range(6)]
    roles = column_map(header, sample=rows).roles
    assert (roles["text_type"], roles["judge_kind"]) == ("text_type", "type of rater")


JUDGED = [(segment, judge, system) for segment in range(4) for judge in ("ann", "ben") for system in ("A", "B")]


def numbered_anew(
    heading: str, values: tuple[object, ...], *, answer: str = "score"
) -> tuple[list[str], list[list[str]]]:
    """A table in which segments are numbered from 0 for each value of one column; answers repeat now and then."""
    rows = [[*map(str, (*row, value)), str(at % 5)] for at, (row, value) in enumerate(product(JUDGED, values))]
    return ["seg", "rater", "system", heading, answer], rows


@pytest.mark.parametrize(
    ("heading", "values", "role"),
    [
        ("Kapitel", ("Kap. 1", "Kap. 2"), "document"),
        ("篇章", ("篇一", "篇二", "篇三"), "document"),
        ("part", (1, 2), "document"),
        ("language", ("de", "fr"), "target_language"),
        ("direction", ("en→de", "de→en"), "languages"),
        ("what", ("Fluency", "Adequacy"), "question"),
    ],
)
def test_what_is_numbered_anew_is_no_answer_twice(heading: str, values: tuple[object, ...], role: str) -> None:
    header, rows = numbered_anew(heading, values)
    for order in (rows, rows[::-1]):
        assert column_map(header, sample=order).roles[role] == heading


SESSIONS = [
    ("session", (1, 2)),
    ("Session no.", (1, 2)),
    ("time", ("test", "retest")),
    ("what", ("pre", "post")),
    ("Runde", ("erste", "zweite")),
    ("회차", ("1회", "2회")),
    ("order", (1, 2)),
]


@pytest.mark.parametrize(("heading", "values"), SESSIONS)
@pytest.mark.parametrize("segments_again", [1, 4])
def test_when_judges_answered_is_neither_a_text_nor_an_answer(
    heading: str, values: tuple[object, ...], segments_again: int
) -> None:
    header, rows = numbered_anew(heading, values)
    rows = [row for row in rows if row[3] == str(values[0]) or int(row[0]) < segments_again]
    found = column_map(header, sample=rows)
    assert found.roles.keys() == {"segment", "judge", "system"}
    assert ([answer.column for answer in found.answers], found.rest) == (["score"], (heading,))


@pytest.mark.parametrize("segments_again", [1, 2, 3])
@pytest.mark.parametrize("heading", ["Kapitel", "chapter_title", "Section no.", "章", "Text"])
def test_chapters_of_unequal_length_are_documents(heading: str, segments_again: int) -> None:
    """The sentences of the short one were second answers to those of the long one, and the chapter an answer."""
    header, rows = numbered_anew(heading, ("one", "two"))
    rows = [row for row in rows if row[3] == "one" or int(row[0]) < segments_again]
    found = column_map(header, sample=rows)
    assert (found.roles["document"], [answer.column for answer in found.answers]) == (heading, ["score"])
    with_document = [["d1", *row] for row in rows]
    if heading != "Text":
        found = column_map(["doc", *header], sample=with_document)
        assert (found.roles["document"], found.roles["collection"]) == ("doc", heading)
        assert [answer.column for answer in found.answers] == ["score"]


def test_chapters_name_documents_where_numbers_go_on() -> None:
    rows = [[str(at), str(at // 4), judge, str(at % 3)] for at in range(12) for judge in "xy"]
    found = column_map(["seg", "chapter", "judge", "score"], sample=rows)
    assert (found.roles["document"], [answer.column for answer in found.answers]) == ("chapter", ["score"])


@pytest.mark.parametrize(("heading", "values"), [("Gruppe", ("I", "II")), ("part", (1, 2))])
def test_some_rows_that_an_unknown_column_tells_apart_are_asked_about(heading: str, values: tuple[object, ...]) -> None:
    """The column was an answer, and these rows were second answers."""
    header, rows = numbered_anew(heading, values)
    rows = [row for row in rows if row[3] == str(values[0]) or row[0] == "0"]
    with pytest.raises(InputError, match=f"differ in '{heading}'") as refused:
        column_map(header, sample=rows)
    assert refused.value.code == "numbered_anew"
    assert column_map(header, f"document={heading}", sample=rows).roles["document"] == heading


def answers_of(header: list[str], rows: list[list[str]]) -> set[str]:
    return {answer.column for answer in column_map(header, sample=rows).answers}


def test_an_answer_that_happens_to_tell_rows_apart_is_one() -> None:
    header, rows = numbered_anew("Befund", ("gut", "schlecht"))
    one_judge = [row for row in rows if row[3] == "gut" or (row[0] == "0" and row[1] == "ann")]
    assert answers_of(header, one_judge) == {"Befund", "score"}
    header, rows = numbered_anew("Urteil", ("gut", "schlecht"))
    assert answers_of(header, rows) == {"Urteil", "score"}, "the word asks for an answer"
    header, rows = numbered_anew("half", ("yes", "no"))
    rows[0][3] = "no"
    assert answers_of(header, rows) == {"half", "score"}, "a judge who sees a text again may say yes again"
    few = [row for row in rows[2:] if row[1:3] == ["ann", "A"]]
    assert answers_of(header, few) == {"half", "score"}, "three texts may get another answer by chance"
    header, rows = numbered_anew("Gruppe", ("first", "second"))
    assert "document" not in column_map(header, sample=rows).roles


def test_numbers_that_some_judges_gave_are_answers() -> None:
    header, rows = numbered_anew("Befund", (0, 0))
    for at, row in enumerate(rows):
        row[3] = str((at // 2 + at % 2 * (1 + at // 10 % 2)) % 3)  # two different ones for each
    assert answers_of(header, rows) == {"Befund", "score"}
    one_judge = [[row[0], "ann", row[3], row[4]] for row in rows if row[1:3] == ["ann", "A"]]
    assert answers_of(["seg", "rater", "Befund", "score"], one_judge) == {"Befund", "score"}


def test_what_differs_on_every_row_or_is_often_missing_names_no_texts() -> None:
    header, rows = numbered_anew("Gruppe", ("I", "II"))
    each = [[*row[:3], f"key {at}", row[4]] for at, row in enumerate(rows)]
    assert "document" not in column_map(header, sample=each).roles
    gaps = [[*row[:3], "" if row[3] == "II" else "I", row[4]] for row in rows]
    assert "document" not in column_map(header, sample=gaps).roles


def test_facts_about_texts_are_asked_about_only_where_answers_come_twice() -> None:
    rows = [[*map(str, row), "hard" if row[0] % 2 else "easy", str(at % 5)] for at, row in enumerate(JUDGED)]
    found = column_map(["seg", "rater", "system", "Gruppe", "score"], sample=rows)
    assert ([answer.column for answer in found.answers], found.rest) == (["score"], ("Gruppe",))


def test_what_an_unknown_column_tells_apart_may_be_systems_or_parts_of_documents() -> None:
    header, rows = numbered_anew("Gruppe", ("I", "II"))
    without_system = [[row[0], row[1], row[3], row[4]] for row in rows if row[2] == "A"]
    for names, table in (
        (["seg", "rater", "Gruppe", "score"], without_system),
        (["doc", *header], [["d", *row] for row in rows]),
    ):
        with pytest.raises(InputError, match="differ in 'Gruppe'"):
            column_map(names, sample=table)


@pytest.mark.parametrize(
    ("values", "answer", "role"),
    [
        (("Fluency", "Humour"), "score", "question"),
        (("Fluency", "Adequacy"), "Style", "document"),
        (("de", "Kap. 2"), "score", "document"),
    ],
)
def test_what_a_column_is_about_goes_by_all_that_stands_in_it(values: tuple[str, ...], answer: str, role: str) -> None:
    header, rows = numbered_anew("what", values, answer=answer)
    assert column_map(header, sample=rows).roles[role] == "what"


def test_a_second_column_of_languages_is_not_that_of_the_translation() -> None:
    header, rows = numbered_anew("Sprache", ("de", "fr"))
    found = column_map(["tgt_lang", *header], sample=[["ko", *row] for row in rows])
    assert found.roles["target_language"] == "tgt_lang"


def test_chapters_of_documents_whose_numbers_go_on_are_kept() -> None:
    rows = [["d", str(at), str(at // 4), judge, str(at % 3)] for at in range(12) for judge in "xy"]
    found = column_map(["doc", "seg", "chapter", "judge", "score"], sample=rows)
    assert ([answer.column for answer in found.answers], found.rest) == (["score"], ("chapter",))
    assert "collection" not in found.roles


def test_chapters_beside_collections_are_asked_about() -> None:
    header, rows = numbered_anew("chapter", ("one", "two"))
    with pytest.raises(InputError, match="differ in 'chapter'"):
        column_map(["test set", "doc", *header], sample=[["t", "d", *row] for row in rows])


def test_a_text_that_several_sentences_are_from_is_their_source() -> None:
    texts = ["The whole paragraph, of which each sentence is judged by itself.", "Another one, with two sentences too."]
    rows = [[str(at), texts[at // 2], judge, str(at % 3)] for at in range(4) for judge in "xy"]
    assert column_map(["seg", "Text", "judge", "score"], sample=rows).roles["source"] == "Text"


@pytest.mark.parametrize("header", [("seg", "Text", "Ann", "Ben"), ("seg", "Text", "judge", "score", "target")])
def test_short_texts_name_documents_beside_judges_and_no_translations(header: tuple[str, ...]) -> None:
    """Short sentences that come again beside their translations became names of documents, and were lost."""
    rows = [
        [str(at), "ab"[at // 3], *(("x", "3", "Ja.") if "judge" in header else (str(at % 3), "1"))] for at in range(6)
    ]
    found = column_map(header, sample=[row[: len(header)] for row in rows])
    assert found.roles.get("document" if "target" not in header else "source") == "Text"


def test_a_score_that_differs_by_chance_is_no_text() -> None:
    header, rows = numbered_anew("Wertung", (1, 2))
    rows = [[*row[:3], str((at * 7 + at // 2) % 97), row[4]] for at, row in enumerate(rows)]
    assert {answer.column for answer in column_map(header, sample=rows).answers} == {"Wertung", "score"}


@pytest.mark.parametrize("heading", ["prompt", "temperature", "variant"])
def test_settings_of_a_system_are_asked_about(heading: str) -> None:
    header, rows = numbered_anew(heading, ("high", "low"))
    with pytest.raises(InputError, match=f"differ in '{heading}'") as refused:
        column_map(header, sample=rows)
    assert refused.value.code == "numbered_anew"
    assert column_map(header, f"ignore:{heading}={heading}", sample=rows).roles.keys() == {"segment", "judge", "system"}


@pytest.mark.parametrize(
    ("heading", "values"),
    [
        ("half", ("yes", "no")),
        ("with images", ("TRUE", "FALSE")),
        ("gruppiert", (0, 1)),
        ("context", ("full", "none")),
        ("what", ("mit Kontext", "ohne Kontext")),
    ],
)
@pytest.mark.parametrize("systems", [("A", "B"), ("A",)])
def test_how_texts_were_shown_is_asked_about(
    heading: str, values: tuple[object, ...], systems: tuple[str, ...]
) -> None:
    """It was a question that every judge answered with yes and no, or a document called 0 and one called 1."""
    header, rows = numbered_anew(heading, values)
    for table in (rows, [[*row[:3], str(at % 5), row[3]] for at, row in enumerate(rows)]):
        names = header if table is rows else ["seg", "rater", "system", "score", heading]
        with pytest.raises(InputError, match=f"differ in '{heading}'") as refused:
            column_map(names, sample=[row for row in table if row[2] in systems])
        assert refused.value.code == "numbered_anew"
        assert answers_of(names, [row for row in table if row[names.index(heading)] == str(values[0])]) >= {"score"}


@pytest.mark.parametrize("values", [("A1", "B1"), (1, 2), ("one", "two")])
def test_what_tells_rows_of_one_source_apart_is_no_document(values: tuple[object, ...]) -> None:
    """Each sentence was judged twice, and counted as sentences of two documents."""
    header, rows = numbered_anew("Gruppe", values)
    of_one = [[*row, f"Sentence {row[0]}."] for row in rows]
    with pytest.raises(InputError, match="differ in 'Gruppe'"):
        column_map([*header, "source"], sample=of_one)
    of_two = [[*row, f"Sentence {row[0]} of {row[3]}."] for row in rows]
    assert column_map([*header, "source"], sample=of_two).roles["document"] == "Gruppe"


def test_parts_of_a_test_set_may_repeat_sentences() -> None:
    rows = [[str(at), part, f"Sentence {at}."] for at in range(4) for part in ("A1", "B1")]
    assert column_map(["seg", "Gruppe", "source"], sample=rows).roles["document"] == "Gruppe"


def test_texts_numbered_anew_in_each_chapter_are_documents() -> None:
    header = ["seg", "chapter_title", "source", "target"]
    rows = [[str(n), f"Chapter {c}", f"Sentence {n} of {c}.", f"Satz {n} von {c}."] for c in "ab" for n in range(4)]
    assert column_map(header, sample=rows).roles["document"] == "chapter_title"


def test_judges_in_columns_beside_what_is_numbered_anew() -> None:
    header = ["seg", "system", "part", "R1", "R2"]
    rows = [[str(n), s, f"part {p}", str(n % 3), str(n % 4)] for n in range(5) for p in "xyz" for s in ("A", "B")]
    found = column_map(header, sample=rows)
    assert (found.roles["document"], [answer.judge for answer in found.answers]) == ("part", ["R1", "R2"])


@pytest.mark.parametrize("word", ["translation", "target", "text", "MT", "Output", "번역"])
@pytest.mark.parametrize("systems", [("DeepL", "Google"), ("Ours", "Base")])
@pytest.mark.parametrize("judge", [[], ["judge"]])
def test_what_stands_behind_the_name_of_a_system_is_its_text_or_its_score(
    word: str, systems: tuple[str, ...], judge: list[str]
) -> None:
    """Judges were called DeepL and Google, and what was said of each was said of both."""
    for name in ("{} {}", "{1}_{0}", "{} ({})"):
        header = [name.format(system, what) for system in systems for what in (word, "adequacy", "fluency")]
        rows = [[str(at), f"A sentence, {at}.", *[f"Ein Satz, {at}.", "3", "2"] * 2, "ann"[at % 3]] for at in range(6)]
        names = ["seg", "source", *header, *judge]
        found = column_map(names, sample=[row[: len(names)] for row in rows])
        assert tuple(found.outputs) == systems
        answers = {(answer.question, answer.system, answer.judge) for answer in found.answers}
        assert answers == {(question, system, "") for system in systems for question in ("adequacy", "fluency")}


def test_outputs_keep_a_name_that_is_half_another_or_a_language() -> None:
    def found(*outputs: str) -> ColumnMap:
        rows = [[str(at), f"A sentence, {at}.", f"Ein Satz, {at}.", f"Une phrase, {at}."] for at in range(6)]
        return column_map(["seg", "source", *outputs], sample=rows)

    assert list(found("text by DeepL", "second text").outputs) == ["text by DeepL", "second text"]
    assert list(found("text", "text DeepL").outputs) == ["text", "text DeepL"]
    with pytest.raises(InputError) as refused:
        found("DE text", "FR text")
    assert refused.value.code == "several_languages"


def test_a_preference_names_a_system_as_its_output_does() -> None:
    texts = [(f"A sentence, {at}.", f"Ein Satz, {at}.", f"Der Satz, {at}.") for at in range(6)]
    rows = [[*row, judge, ("Ours", "DeepL")[at % 2]] for at, row in enumerate(texts) for judge in ("ann", "ben")]
    header = ["source", "DeepL translation", "Ours translation", "judge", "bessere Fassung"]
    found = column_map(header, sample=rows)
    assert [answer.column for answer in found.answers] == ["bessere Fassung"]
    assert found.confidence["bessere Fassung"] > 0.9


@pytest.mark.parametrize(
    "header",
    [
        ("ID", "Group", "Q1", "Q2", "Q3"),
        ("segment", "Frage 1", "Frage 2"),
        ("id", "S1", "S2", "S3"),
        ("ID", "Item1_flu", "Item1_ade", "Item2_flu", "Item2_ade"),
        ("id", "S1_fluency", "S1_adequacy", "S2_fluency", "S2_adequacy"),
    ],
)
def test_what_is_asked_or_judged_is_no_judge(header: tuple[str, ...]) -> None:
    """Tables of a survey, with a row for each respondent: the questions were judges, and the respondents texts."""
    rows = [[str(100 + at), *(str((at * n) % 5) for n in range(1, len(header)))] for at in range(6)]
    with pytest.raises(InputError, match="Neither the columns") as refused:
        column_map(header, sample=rows)
    assert refused.value.code == "no_judge_column"


@pytest.mark.parametrize("judges", [("P1", "P2"), ("R1", "R2"), ("Q1", "Ben"), ("Quinn", "Titus")])
def test_participants_and_raters_are_judges(judges: tuple[str, ...]) -> None:
    rows = [[str(at), str(at % 5), str(at % 3)] for at in range(6)]
    assert [answer.judge for answer in column_map(["id", *judges], sample=rows).answers] == list(judges)
    named_segments = column_map(["segment", "S1", "S2"], sample=rows)
    assert [answer.judge for answer in named_segments.answers] == ["S1", "S2"]


def test_short_words_for_questions_are_no_systems() -> None:
    rows = [[str(at), *(str((at * n) % 5) for n in range(1, 5))] for at in range(6)]
    found = column_map(["segment", "r1_flu", "r1_ade", "r2_flu", "r2_ade"], sample=rows)
    expected = [("flu", "r1", ""), ("ade", "r1", ""), ("flu", "r2", ""), ("ade", "r2", "")]
    assert [(answer.question, answer.judge, answer.system) for answer in found.answers] == expected


def test_a_name_behind_that_of_one_system_may_be_a_judge() -> None:
    rows = [[str(at), *(str((at * n) % 5) for n in range(1, 5))] for at in range(6)]

    def header(*names: str) -> list[str]:
        return ["segment", *(f"{question} {name}" for question in ("Fluency", "Adequacy") for name in names)]

    with pytest.raises(InputError, match="Anna and Ben are judges") as refused:
        column_map(header("DeepL Anna", "DeepL Ben"), sample=rows)
    columns = shlex.split(refused.value.next_step.partition("--columns ")[2])[0].rstrip(".")
    said = column_map(header("DeepL Anna", "DeepL Ben"), columns, sample=rows)
    assert {answer.system for answer in said.answers} == {"DeepL Anna", "DeepL Ben"}
    for names in (
        ("DeepL-Pro", "DeepL-Free"),
        ("DeepL v1", "DeepL v2"),
        ("DeepL Pro", "Google Translate"),
        ("DeepL", "DeepL Pro"),
    ):
        assert {answer.system for answer in column_map(header(*names), sample=rows).answers} == set(names)


def numbered_rows(systems: str, judges: tuple[str, ...], names: tuple[str, ...]) -> list[list[str]]:
    rows = [
        (f"Sentence {n}.", f"Satz {n} von {system}.", system, judge, str((n + at) % 5))
        for at, judge in enumerate(judges)
        for n in range(8)
        for system in systems
    ]
    places = [("source", "translation", "system", "judge", "score").index(name) for name in names]
    return [[str(number), *(row[at] for at in places)] for number, row in enumerate(rows)]


@pytest.mark.parametrize("heading", ["id", "#", "No.", "row", "segment", "column 1", "Unnamed: 0"])
@pytest.mark.parametrize(
    ("systems", "judges", "names"),
    [
        ("AB", ("ann", "ben"), ("source", "translation", "system", "judge", "score")),
        ("A", ("ann", "ben", "eve"), ("source", "translation", "judge", "score")),
        ("AB", ("ann",), ("source", "translation", "system")),
    ],
)
def test_a_number_for_each_row_numbers_no_sentences(
    heading: str, systems: str, judges: tuple[str, ...], names: tuple[str, ...]
) -> None:
    """Each row was a sentence of its own: no judge had one in common with another, and no system."""
    rows = numbered_rows(systems, judges, names)
    rows[1][1:3] = rows[2 if "system" not in names else 3][1:3]  # a sentence that the text repeats
    found = column_map([heading, *names], sample=rows)
    assert ("segment" in found.roles, found.rest) == (False, (heading,))
    said = column_map([heading, *names], f"segment={heading}", sample=rows)
    assert said.roles["segment"] == heading


@pytest.mark.parametrize(
    ("systems", "judges", "names"),
    [
        ("AB", ("ann", "ben"), ("source", "translation", "judge", "score")),
        ("A", ("ann",), ("source", "translation", "judge", "score")),
        ("AB", ("ann", "ben"), ("source", "translation")),
    ],
)
def test_numbers_that_tell_texts_apart_name_sentences(
    systems: str, judges: tuple[str, ...], names: tuple[str, ...]
) -> None:
    found = column_map(["id", *names], sample=numbered_rows(systems, judges, names))
    assert found.roles["segment"] == "id"
    by_one = [[str(at), *row[1:]] for at, row in enumerate(numbered_rows("A", ("ann",), names) * 2)]
    assert column_map(["id", *names], sample=by_one).roles["segment"] == "id"
    again = [[str(int(row[0]) // 2), *row[1:]] for row in numbered_rows("A", ("ann", "ben"), names)]
    assert column_map(["id", *names], sample=again).roles["segment"] == "id"


def test_systems_that_only_their_texts_tell_apart_keep_their_numbers() -> None:
    names = ("source", "translation", "judge", "score")
    rows = numbered_rows("A", ("ann",), names) + numbered_rows("B", ("ben",), names)
    numbered = [[str(at), *row[1:]] for at, row in enumerate(rows)]
    assert column_map(["id", *names], sample=numbered).roles["segment"] == "id"


def test_scores_that_count_up_are_scores() -> None:
    rows = [[str(at), judge, str(at * 2 + (judge == "ben"))] for at in range(6) for judge in ("ann", "ben")]
    assert answers_of(["segment", "judge", "Punktzahl der Person"], rows) == {"Punktzahl der Person"}


def test_a_polish_number_is_no_pair_of_languages() -> None:
    rows = [[str(at), f"A sentence, {at}.", f"Zdanie {at}."] for at in range(6)]
    found = column_map(["Lp.", "source", "target"], sample=rows)
    assert (found.roles["segment"], "languages" in found.roles) == ("Lp.", False)
    pairs = [["en-pl", *row[1:]] for row in rows]
    assert column_map(["lp", "source", "target"], sample=pairs).roles["languages"] == "lp"


@pytest.mark.parametrize("shared", [6, 3])
def test_a_number_for_each_row_numbers_no_sentences_of_which_some_are_shared(shared: int) -> None:
    """Ann and Ben have a few sentences in common: these were items of their own too, and α was undefined."""
    parts = [range(20), range(20 - shared, 40 - shared)]
    rows = [
        (f"Sentence {n}.", judge, str(n % 5)) for judge, part in zip(("ann", "ben"), parts, strict=True) for n in part
    ]
    found = column_map(["id", "source", "judge", "score"], sample=[[str(at), *row] for at, row in enumerate(rows)])
    assert ("segment" in found.roles) == (shared < 5)
    again = [*rows, *[(text, judge, score) for text, judge, score in rows[:8]]]  # a text that repeats its sentences
    found = column_map(["id", "source", "judge", "score"], sample=[[str(at), *row] for at, row in enumerate(again)])
    assert found.roles["segment"] == "id"


def test_short_lines_that_come_again_are_not_what_judges_share() -> None:
    texts = [f"A long sentence with its number {n}." for n in range(40)]
    rows = [[text, "ann"] for text in texts[:20]] + [[text, "ben"] for text in texts[20:]]
    rows += [[line, judge] for line in ("Yes.", "No.", "Oh.", "Why?", "Thanks.", "Hello.") for judge in ("ann", "ben")]
    found = column_map(["id", "source", "judge"], sample=[[str(at), *row] for at, row in enumerate(rows)])
    assert found.roles["segment"] == "id"


@pytest.mark.parametrize(
    ("first", "name", "cell"),
    [
        (["document", "segment", "source"], "system", "Sentence {row} of column {at}, which is a long one."),
        (["judge", "segment", "score"], "extra_", "v{step}"),
    ],
)
def test_the_work_grows_less_than_with_the_cube_of_the_columns(first: list[str], name: str, cell: str) -> None:
    def work(columns: int) -> int:
        header = [*first, *(f"{name}{n}" for n in range(columns))]
        cells = [[cell.format(row=row, at=at, step=at * row % 5) for at in range(columns)] for row in range(6)]
        rows = [[*[str(row)] * len(first), *cells[row]] for row in range(6)]
        calls = cProfile.Profile()
        calls.runcall(column_map, header, sample=rows)
        return int(pstats.Stats(calls).total_calls)  # type: ignore[attr-defined]

    work(80)  # what is remembered from one table to the next
    assert work(80) < 4 * work(40)
