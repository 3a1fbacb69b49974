from __future__ import annotations

import pytest

from lanner.errors import InputError
from lanner.formats.parsing.columns import column_map, parse


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
        ("en,ko", "source=en (80% sure), system:ko=ko (80% sure)"),
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
    assert column_map(["en", "de", "fr"]).languages == ("en", "und")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("source=sauce", "no column 'sauce'"),
        ("sauce=source", "'sauce' is nothing a column can be"),
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


def test_answers_about_each_system_stand_in_columns_of_their_own() -> None:
    header = ["judge", "doc", "seg", "rank_A", "rank_B", "rank_C"]
    rows = [[judge, *segment, 1, 2, 3] for judge in ("ann", "bob") for segment in _SEGMENTS]
    answers = column_map(header, sample=rows).answers
    assert [(answer.question, answer.system) for answer in answers] == [("rank", name) for name in "ABC"]


def test_severities_are_no_systems() -> None:
    header = ["judge", "doc", "seg", "accuracy_minor", "accuracy_major", "fluency_minor", "fluency_major"]
    rows = [[judge, *segment, 1, 0, 0, 2] for judge in ("ann", "bob") for segment in _SEGMENTS]
    answers = column_map(header, sample=rows).answers
    assert [answer.question for answer in answers] == header[3:]
    assert not any(answer.system for answer in answers)


def test_a_measure_is_taken_besides_the_answers_that_are_guessed() -> None:
    header = ["judge", "document", "segment", "system", "score", "comet"]
    sample = [[judge, "d", str(at), "X", str(at % 3), f"0.{at}"] for at in range(1, 9) for judge in ("ana", "ben")]
    assert [answer.question for answer in column_map(header, sample=sample).answers] == ["score"]
    mapped = column_map(header, "measure:comet=comet", sample=sample)
    assert [answer.question for answer in mapped.answers] == ["score", "comet"]
    assert mapped.rest == ()
    assert [answer.question for answer in column_map(header, "answer:comet=comet", sample=sample).answers] == ["comet"]


def test_names_of_systems_and_judges_are_kept_as_they_are_written() -> None:
    header = ["judge", "segment", "score_GPT-4", "score_nmt_base"]
    sample = [[judge, str(at), str(at % 5), str(at % 3)] for at in range(1, 5) for judge in ("ann", "ben")]
    assert [answer.system for answer in column_map(header, sample=sample).answers] == ["GPT-4", "nmt_base"]
    header = ["segment", "system", "score ann-marie", "score_b.o."]
    sample = [[str(at), "X", "3", "4"] for at in range(1, 5)]
    assert [answer.judge for answer in column_map(header, sample=sample).answers] == ["ann-marie", "b.o"]


def test_a_note_is_a_mark_where_it_is_a_number_and_a_remark_elsewhere() -> None:
    header = ["segment", "system", "note_ann", "note_ben"]
    marks = column_map(header, sample=[[str(at), "X", "3", "4"] for at in range(1, 5)])
    assert [(answer.question, answer.judge) for answer in marks.answers] == [("note", "ann"), ("note", "ben")]
    with pytest.raises(InputError):
        column_map(header, sample=[[str(at), "X", "too late", "fine"] for at in range(1, 5)])


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


def test_a_column_may_name_question_system_and_judge() -> None:
    answers = ["score_A_ana", "score_A_ben", "score_GPT-4_ana", "ben GPT-4 score"]
    header = ["id", "source", "target_A", "target_GPT-4", *answers]
    sample = [[str(at), f"Sentence {at}.", "Satz.", "Ein Satz.", "1", "2", "3", "4"] for at in range(1, 4)]
    expected = [("ana", "A"), ("ben", "A"), ("ana", "GPT-4"), ("ben", "GPT-4")]
    assert [(answer.judge, answer.system) for answer in column_map(header, sample=sample).answers] == expected


def test_numbers_are_no_reference_whatever_their_name() -> None:
    header = ["document", "segment", "system", "human", "bleu"]
    sample = [["d", str(at), "X", str(at * 10), f"{at}.5"] for at in range(1, 5)]
    mapped = column_map(header, sample=sample)
    assert not mapped.references
    assert [(answer.column, answer.judge) for answer in mapped.answers] == [("human", "")], "BLEU is no judge"


def test_judges_and_systems_in_one_name_are_told_apart_or_asked_for() -> None:
    sample = [[str(at), "1", "2", "3", "4"] for at in range(1, 4)]
    header = ["segment", "score_GPT_ana", "score_GPT_ben", "score_DeepL_ana", "score_DeepL_ben"]
    expected = [("ana", "GPT"), ("ben", "GPT"), ("ana", "DeepL"), ("ben", "DeepL")]
    assert [(answer.judge, answer.system) for answer in column_map(header, sample=sample).answers] == expected
    header = ["segment", "score_Alder_ana", "score_Alder_ben", "score_Birch_ana", "score_Birch_ben"]
    with pytest.raises(InputError, match="which part names the judge is not clear") as error:
        column_map(header, sample=sample)
    assert "judge:ana about Alder=score_Alder_ana" in error.value.next_step


@pytest.mark.parametrize("name", ["length", "comet", "tokens"])
def test_judges_do_not_agree_on_a_number_that_they_were_not_asked_for(name: str) -> None:
    header = ["judge", "document", "segment", "system", "score", name]
    sample = [[judge, "d", str(at), "X", str(at % 3), str(at * 2)] for at in range(1, 9) for judge in ("ana", "ben")]
    mapped = column_map(header, sample=sample)
    assert [answer.question for answer in mapped.answers] == ["score"]
    assert mapped.rest == (name,)


@pytest.mark.parametrize(("items", "expected"), [(4, ["score", "style"]), (5, ["score"])])
def test_judges_who_agree_on_few_items_were_asked(items: int, expected: list[str]) -> None:
    header = ["judge", "segment", "system", "score", "style"]
    sample = [[judge, str(at), "X", str(at % 3), str(at % 4)] for at in range(items) for judge in ("ana", "ben")]
    assert [answer.question for answer in column_map(header, sample=sample).answers] == expected
