import errno
from pathlib import Path

import pytest

from lanner.errors import (
    AnswerError,
    CampaignError,
    ExitCode,
    InputError,
    LannerError,
    MissingExtraError,
    StoreError,
    Where,
    check_known,
    did_you_mean,
    nearest,
    refused_by_system,
)


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Where("a.csv", 3, 7), "a.csv:3:7"), (Where("a.csv"), "a.csv"), (Where(line=3), "line 3"),
        (Where("p.toml", 2, item="question 'x'"), "p.toml:2, question 'x'"), (Where(), ""),
        (Where(item="row 4"), "row 4"),
    ],
)  # fmt: skip
def test_a_place_reads_as_editors_write_it(where: Where, text: str) -> None:
    assert str(where) == text


def test_an_error_says_what_where_and_what_next() -> None:
    error = InputError("The file ends in the middle of a line.", where=Where("a.jsonl", 12), next_step="Copy it again.")
    assert str(error) == "a.jsonl:12: The file ends in the middle of a line.\nCopy it again."
    assert isinstance(error, LannerError)


def test_an_answer_error_names_its_question() -> None:
    error = AnswerError("Too few.", question="skills", code="too_few")
    assert (error.question, error.code) == ("skills", "too_few")


def test_a_missing_extra_says_what_to_type() -> None:
    assert 'pip install "lanner[xlsx]"' in str(MissingExtraError("Reading spreadsheets", "xlsx"))


def test_nearest_ignores_capitals_and_gives_up_on_nonsense() -> None:
    assert nearest("H_Falcom", ["falcon", "h_falcon"]) == "h_falcon"
    assert nearest("zzz", ["falcon"]) is None
    assert nearest("ab" * 7, ["a" * 6]) == "a" * 6 and nearest("a" * 14, ["a" * 6]) == "a" * 6
    assert nearest("a" * 15, ["a" * 6]) is None
    assert nearest("", ["falcon"]) is None and nearest("falcon", []) is None
    assert did_you_mean("falcom", ["falcon"]) == "Did you mean 'falcon'?"
    assert did_you_mean("zzz", ["a", "b"]) == "Known: a, b."
    assert did_you_mean("zzz", []) == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LannerError("x"), 2),
        (InputError("x"), 2),
        (AnswerError("x"), 2),
        (CampaignError("closed", code="closed"), 4),
        (CampaignError("refused"), 4),
        (CampaignError("no such campaign", code="unknown_campaign"), 2),
        (CampaignError("taken", code="name_taken"), 2),
        (StoreError("locked"), 5),
        (MissingExtraError("Reading spreadsheets", "xlsx"), 6),
    ],
)
def test_exit_codes_say_who_has_to_do_something(error: LannerError, code: int) -> None:
    assert error.exit_code == code


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), ExitCode.SYSTEM),
        (OSError(errno.EACCES, "Permission denied"), ExitCode.SYSTEM),
        (OSError(errno.EISDIR, "Is a directory"), ExitCode.MISTAKE),
        (OSError(errno.ENAMETOOLONG, "File name too long"), ExitCode.MISTAKE),
    ],
)
def test_a_full_disk_is_no_mistake_of_whoever_named_the_file(refused: OSError, code: ExitCode) -> None:
    assert refused_by_system("It cannot be written", refused, "out.csv").exit_code is code


def test_the_documentation_has_the_table_of_exit_codes() -> None:
    page = (Path(__file__).parent.parent / "docs" / "errors.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line[:3].strip("| ").isdigit()] == [
        f"| {code.value} | {code.meaning} |" for code in ExitCode
    ]


def test_an_unknown_name_is_refused_with_the_nearest_and_a_known_one_passes() -> None:
    check_known("fluency", ["fluency", "adequacy"], "never said")
    with pytest.raises(InputError, match="There is no skill") as refused:
        check_known("fluence", ["fluency"], "There is no skill 'fluence'.", InputError, where=Where("a.csv", 3))
    assert refused.value.next_step == "Did you mean 'fluency'?" and refused.value.where.line == 3
    with pytest.raises(LannerError) as without_kind:
        check_known("x", {}, "There is no x.")
    assert type(without_kind.value) is LannerError
