"""What a heading says by itself; what it means beside others and above values is in `test_columns`."""

from __future__ import annotations

import pytest

from lanner.formats.parsing import headings


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Accuracy (1-5)", "Accuracy"),
        ("Score 0–100", "Score"),
        ("Note /20", "Note"),
        ("점수(100점)", "점수"),
        ("Overall from 0 to 100", "Overall"),
        ("score GPT 3-5", "score GPT 3-5"),  # the name of a system, and no scale
    ],
)
def test_a_heading_without_its_scale(heading: str, name: str) -> None:
    assert headings.without_scale(heading) == name


@pytest.mark.parametrize(
    ("heading", "ends"),
    [
        ("Accuracy (1-7)", (1, 7)),
        ("Preference (-2 to 2)", (-2, 2)),
        ("Score (1 = poor, 5 = excellent)", (1, 5)),
        ("Score (1 = best, 5 = worst)", (5, 1)),
        ("Qualität (1 = sehr gut, 6 = ungenügend)", (6, 1)),
        ("Note /20", None),
        ("Score GPT 3-5", None),
    ],
)
def test_the_ends_of_the_scale_that_a_heading_names(heading: str, ends: tuple[int, int] | None) -> None:
    assert headings.scale_of(heading) == ends


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("output:GPT-4", ("output", "GPT-4")),
        ("tgt_text.GPT-4", ("output", "GPT-4")),
        ("refA", ("reference", "refA")),
        ("訳文A", ("output", "訳文A")),
        ("System code", None),
        ("Target text (DE)", None),  # a target text with its language
        ("score", None),
    ],
)
def test_outputs_and_references(heading: str, role: tuple[str, str] | None) -> None:
    assert headings.output_or_reference(heading) == role


@pytest.mark.parametrize(
    ("heading", "base", "language"),
    [
        ("Source text (EN-US)", "Source text", "en-US"),
        ("Target_de", "Target", "de"),
        ("번역(한국어)", "번역", "ko"),
        ("segment_id", "segment_id", ""),  # an identifier, and not Indonesian
    ],
)
def test_the_language_of_a_column(heading: str, base: str, language: str) -> None:
    assert headings.without_language(heading) == (base, language)


def test_who_answered_what() -> None:
    words = headings.spellings_of("answer", "criterion")
    assert headings.judge_and_question("score_ann", words) == ("ann", "score")
    assert headings.judge_and_question("Rater 1", words) == ("Rater 1", "score")
    assert headings.judge_and_question("rater2_fluency", words) == ("rater2", "fluency")
    assert headings.judge_and_question("annotators", words) == ("", "annotators"), "how many there were"
    for remark in ("reviewer note", "Rater_comments", "annotator status"):
        assert headings.judge_and_question(remark, words) == ("", remark), "no judge is called so"


def test_words_for_roles() -> None:
    names = ("Source", "Satz-ID", "judge", "colour")
    assert [headings.role_named(name) for name in names] == ["source", "segment", "judge", ""]
    assert headings.role_of_identifier("Nr dokumentu") == "document"
    assert headings.role_of_identifier("SystemC") == "", "c is no word for numbers here"
    assert headings.says_system("Système 1") is headings.says_system("System 1") is True
    assert headings.sides_of("model_a", "model_b") == ("a", "b")
    assert headings.sides_of("model_a", "system_b") is None


def test_systems_judges_and_what_programs_computed() -> None:
    assert all(map(headings.names_engine, ("DeepL", "ONLINE-B", "System A", "MT2")))
    assert not headings.names_engine("MT fluency"), "asks for something"
    assert headings.names_one_judge("R2")
    assert not headings.names_one_judge("DeepL")
    assert all(map(headings.is_computed, ("bleu", "z", "Average")))
    assert headings.is_total("Summe")
    assert headings.is_summary("Mean score")


def test_scales_in_words() -> None:
    assert headings.steps_in_words(["Good", "Poor", "Fair", "Good"]) == [4, 2, 3, 4]
    assert headings.steps_in_words(["good", "bad"]) is None, "labels"


def test_a_row_of_names_is_a_header_and_a_row_with_names_twice_is_none() -> None:
    assert headings.header_score(["document", "source", "score"]) == 3
    assert headings.header_score(["source", "source"]) == 0
    assert headings.over_columns("System A", "Translation") == "output:A"


@pytest.mark.parametrize(
    "name", ["BLEU", "BLEURT", "BLEURT-20", "sacreBLEU", "COMET-22", "XCOMET", "chrF++", "MetricX-24", "TER"]
)
def test_metrics_are_known_by_name(name: str) -> None:
    assert headings.names_metric(name)


@pytest.mark.parametrize("name", ["Rouget", "Bleuler", "Terry", "Cometa", "human"])
def test_people_are_not_called_after_metrics(name: str) -> None:
    assert not headings.names_metric(name)
