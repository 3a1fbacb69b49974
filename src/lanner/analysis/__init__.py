"""What counts and which statistic suits: decided here once, for pages, commands, reports, programs and notebooks."""

from __future__ import annotations

from lanner.analysis.agreement import (
    PartAgreement,
    QuestionAgreement,
    agreements,
    measure,
    pairs,
    question_agreement,
    statistic_plan,
    unaided_rows,
    without_each_judge,
)
from lanner.analysis.measures import (
    FEWEST_ITEMS,
    Measure,
    Part,
    QuestionPlan,
    main_question,
    plan,
    plan_question,
    plan_score,
    plan_table,
    shared_measures,
)
from lanner.analysis.rows import GROUPS, PEOPLE, CountedRows, Purpose, Reason, Selection, counted

__all__ = [
    "FEWEST_ITEMS",
    "GROUPS",
    "PEOPLE",
    "CountedRows",
    "Measure",
    "Part",
    "PartAgreement",
    "Purpose",
    "QuestionAgreement",
    "QuestionPlan",
    "Reason",
    "Selection",
    "agreements",
    "counted",
    "main_question",
    "measure",
    "pairs",
    "plan",
    "plan_question",
    "plan_score",
    "plan_table",
    "question_agreement",
    "shared_measures",
    "statistic_plan",
    "unaided_rows",
    "without_each_judge",
]
