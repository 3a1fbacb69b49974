"""Every element of the five papers and how it is checked here: paper, section, element, check.

A check either looks at the thing itself (a protocol, a design, a setting, a study's table) or names the test that
proves it. Tables of papers without released data are checked on simulated judges and say so.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from lanner import designs, protocols
from lanner.corpus import recipe
from lanner.designs.controls import shuffled_words
from lanner.model import Choice, Document, Grid, Judge, Labels, Number, Protocol, Rank, Scale, Segment, Spans
from lanner.model.protocol import Wording
from lanner.studies.study import load, names

ROOT = Path(__file__).resolve().parents[2]
NINE = (
    "information_density", "idea_development", "terminology_control", "style_register", "relational_address",
    "modality_attitude", "reference_consistency", "participant_focus", "logical_connectivity",
)  # fmt: skip
LEVELS = ("sentence_level", "local", "extended", "global", "universal")
FOUR_ERRORS = {"mistranslation", "untranslated", "word_form", "word_order", "no_errors"}
REASONS = ["source_problem", "unknown_word", "no_equivalent", "terminology", "ambiguity", "gender", "other"]


class Element(NamedTuple):
    paper: str
    section: str
    element: str
    how: str
    check: Callable[[], bool]


@cache
def protocol(name: str, wording: str = "") -> Protocol:
    return protocols.load(name, wording=wording)


def question(name: str, id_: str) -> Any:
    found = protocol(name).find(id_)
    assert found is not None, f"{name} has no question {id_}"
    return found[1]


def stage(name: str, id_: str) -> Any:
    return next(stage for stage in protocol(name).stages if stage.id == id_)


def options(name: str, id_: str) -> list[str]:
    return [option.id for option in question(name, id_).options]


def words(name: str, id_: str) -> str:
    about = Wording(protocol(name, "published")).question(id_)
    return f"{about.label} {about.help}"


def plans(name: str, statistic: str, of: str) -> bool:
    return any((a.statistic, a.of) == (statistic, of) for a in protocol(name).analyses)


def table(study: str, where: str, *, cells: int = 1, simulated: bool = False) -> Callable[[], bool]:
    """The study has these cells; tests/studies/test_reproduce.py recomputes every one from the released data."""

    def check() -> bool:
        own = [cell for cell in load(study).cells if where in cell.where]
        return len(own) >= cells and all(cell.simulated is simulated for cell in own)

    return check


def figure(study: str, kind: str, count: int = 1) -> Callable[[], bool]:
    return lambda: sum(drawing.kind == kind for drawing in load(study).drawings) >= count


def proven_by(path: str, name: str) -> Callable[[], bool]:
    """The named test exists; it runs with the others."""

    def check() -> bool:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        return any(isinstance(node, ast.FunctionDef) and node.name == name for node in ast.walk(tree))

    return check


def remark(study: str, text: str) -> Callable[[], bool]:
    return lambda: any(text in remark for remark in load(study).remarks)


def _texts(count: int = 4, *, sets: bool = False, outputs: Sequence[str] = ("a", "b")) -> list[Document]:
    return [
        Document(
            f"d{n}",
            tuple(Segment(str(k), f"s{k}", outputs=dict.fromkeys(outputs, "x")) for k in range(1, 4)),
            meta={"set": f"set{n % 2}"} if sets else {},
        )
        for n in range(count)
    ]


def _castilho_tasks() -> list[Any]:
    judges = [Judge(f"t{n}") for n in range(8)]
    return designs.assign(
        "latin_square",
        _texts(4, sets=True),
        judges,
        protocol("scenarios"),
        rng=np.random.default_rng(1),
        systems=["a", "b"],
        rated="a",
        set_field="set",
    )


def _no_source_twice() -> bool:
    scenario_of = {page: stages[0].scenario for page, stages in protocol("scenarios").pages.items()}
    seen: dict[tuple[str, str], set[str | None]] = {}
    for task in _castilho_tasks():
        for item in task.items:
            seen.setdefault((task.judge, item.document), set()).add(scenario_of[task.page])
    return all(len(scenarios) == 1 for scenarios in seen.values())


def _half_start_with_each() -> bool:
    scenario_of = {page: stages[0].scenario for page, stages in protocol("scenarios").pages.items()}
    first: dict[str, str | None] = {}
    for task in _castilho_tasks():
        first.setdefault(task.judge, scenario_of[task.page])
    return list(first.values()).count("isolated") == 4


def _documents_after_their_sentences() -> bool:
    order = [stage.id for stage in protocol("scenarios").stages]
    tasks = [task for task in _castilho_tasks() if task.judge == "t0"]
    pages = [task.page for task in tasks]
    return order.index("ds") > order.index("sc") and pages.index("ds") > pages.index("sc")


def _spam_keeps_ends() -> bool:
    before = [f"w{n}" for n in range(40)]
    after = shuffled_words(" ".join(before), np.random.default_rng(1)).split()
    return after[:4] == before[:4] and after[-4:] == before[-4:] and sorted(after) == sorted(before) != after


def _recipe(step: str) -> Any:
    return next(part for part in recipe.load("wmt24_sample").steps if part.do == step)


def _filters(rule: str) -> bool:
    return any(part.do == "filter" and rule in part.rules for part in recipe.load("wmt24_sample").steps)


K, P, C21, C20, L = "Kim 2025", "Kim 2025, preprint", "Castilho 2021", "Castilho et al. 2020", "Läubli et al. 2018"
HANDLERS, TASKS = "tests/web/judging/test_handlers.py", "tests/campaign/test_tasks.py"
ELEMENTS = [
    # Kim 2025 (000)
    Element(
        K,
        "§2.3",
        "three groups FIELD, TENOR, MODE",
        "protocol",
        lambda: protocol("falcon").groups == ("field", "tenor", "mode"),
    ),
    Element(
        K,
        "§2.3, Figure 1",
        "nine skills, three in each group",
        "protocol",
        lambda: [o.group for o in question("falcon", "skills").options] == ["field"] * 3 + ["tenor"] * 3 + ["mode"] * 3,
    ),
    Element(
        K,
        "Figure 1",
        "where the grouping comes from is said",
        "published wording",
        lambda: "Figure 1" in Wording(protocol("falcon", "published")).sources["groups"],
    ),
    Element(
        K,
        "Figure 1",
        "another grouping by file",
        "test",
        proven_by(
            "tests/protocols/test_reading.py",
            "test_the_skills_can_be_grouped_otherwise_by_a_file_as_the_page_on_protocols_shows",
        ),
    ),
    Element(
        K,
        "§2.3",
        "LLM judge sees two segments before and after",
        "protocol",
        lambda: (
            (stage("falcon", "context").context.model_before, stage("falcon", "context").context.model_after) == (2, 2)
        ),
    ),
    Element(
        K,
        "§2.3",
        "each chosen skill rated on four points",
        "protocol",
        lambda: (
            (
                question("falcon", "ratings").min,
                question("falcon", "ratings").max,
                question("falcon", "ratings").for_each,
            )
            == (1, 4, "skills")
        ),
    ),
    Element(
        K,
        "§2.3",
        "sentence-level sentences are left out of the score",
        "protocol",
        lambda: all(s.when is not None and "sentence_level" in s.when.is_not for s in protocol("falcon").scores),
    ),
    Element(
        K,
        "§2.3",
        "scores per segment, skill and group",
        "protocol",
        lambda: {s.id for s in protocol("falcon").scores} == {"skill_mean", "field", "tenor", "mode"},
    ),
    Element(
        K,
        "§2.3",
        "the paper's flow: no skills for sentence level",
        "protocol",
        lambda: stage("falcon_skip", "skills").when.is_not == ("sentence_level",),
    ),
    Element(
        K,
        "§3 Task I",
        "five levels of context",
        "protocol",
        lambda: tuple(options("falcon", "context")) == LEVELS and isinstance(question("falcon", "context"), Choice),
    ),
    Element(
        K,
        "§3 Task II",
        "exactly three of nine skills",
        "protocol",
        lambda: (
            (question("falcon", "skills").min, question("falcon", "skills").max, tuple(options("falcon", "skills")))
            == (3, 3, NINE)
        ),
    ),
    Element(
        K,
        "§3",
        "labels only, as in the human study",
        "protocol",
        lambda: {s.id for s in protocol("falcon_labels").stages} == {"context", "skills"},
    ),
    Element(
        K,
        "Figure 9",
        "None goes with sentence level",
        "protocol",
        lambda: question("falcon_labels", "skills").exclusive == "none",
    ),
    Element(
        K,
        "Figure 9",
        "the question of Task I",
        "published wording",
        lambda: "highest level of context knowledge necessary" in words("falcon", "context"),
    ),
    Element(
        K,
        "Figure 9",
        "the question of Task II",
        "published wording",
        lambda: "3 MOST important translation skills" in words("falcon", "skills"),
    ),
    Element(
        K,
        "Figure 9",
        "words marked as needing context",
        "protocol",
        lambda: isinstance(question("falcon", "spans"), Spans) and question("falcon", "spans").sides == ("source",),
    ),
    Element(
        K,
        "Figure 9",
        "source, domain and definitions at hand",
        "protocol",
        lambda: (
            "domain" in stage("falcon", "context").show
            and all(Wording(protocol("falcon")).option("context", level).definition for level in LEVELS)
        ),
    ),
    Element(
        K,
        "Appendix B",
        "labels of the five levels",
        "published wording",
        lambda: (
            [Wording(protocol("falcon", "published")).option("context", level).label for level in LEVELS]
            == ["Sentence-level", "Local", "Extended", "Global", "Universal"]
        ),
    ),
    Element(
        K,
        "Appendix C",
        "labels of the nine skills",
        "published wording",
        lambda: (
            Wording(protocol("falcon", "published")).option("skills", "terminology_control").label
            == "Terminology Control"
        ),
    ),
    Element(
        K,
        "Appendix C",
        "devices and examples of each skill",
        "published wording",
        lambda: all(
            "Devices: " in Wording(protocol("h_falcon", "published")).option("skills", skill).definition
            for skill in NINE
        ),
    ),
    Element(
        K,
        "§3.1",
        "speech is removed",
        "recipe",
        lambda: "speech" in next(p for p in recipe.load("wmt24_sample").steps if p.do == "filter").domains,
    ),
    Element(
        K,
        "§3.1",
        "hyperlinks, hashtags, timestamps discarded",
        "recipe",
        lambda: all(map(_filters, ("hyperlink", "hashtag", "timestamp"))),
    ),
    Element(
        K,
        "§3.1",
        "re-segmented into sentences and aligned",
        "recipe",
        lambda: any(p.do == "split" for p in recipe.load("wmt24_sample").steps),
    ),
    Element(
        K,
        "§3.1",
        "rows in doubt verified by hand",
        "test",
        proven_by("tests/cli/test_prepare.py", "test_the_list_of_doubtful_rows_comes_and_goes"),
    ),
    Element(
        K,
        "§3.1",
        "the best system by COMET",
        "test",
        proven_by("tests/cli/test_prepare.py", "test_systems_are_chosen_by_any_metric_that_lanner_has"),
    ),
    Element(
        K,
        "§3.1, Table 1",
        "809 sentences in the paper's shares",
        "recipe",
        lambda: (
            (_recipe("sample").sentences, dict(_recipe("sample").shares))
            == (809, {"literary": 76, "news": 233, "social": 500})
        ),
    ),
    Element(K, "Table 1", "ours", "study", table("kim2025", "Table 1, ours", cells=14)),
    Element(K, "Table 1", "original", "study", table("kim2025", "Table 1, original", cells=12)),
    Element(K, "Table 1", "row All from printed rows, said so", "study", table("kim2025", "Table 1, row All", cells=3)),
    Element(
        K,
        "§3.2",
        "orientation with a trial on the platform",
        "test",
        proven_by("tests/designs/test_prepare.py", "test_the_tutorial_comes_before_the_first_text_and_after_consent"),
    ),
    Element(K, "§3.2", "time tracked per item", "study", table("kim2025", "Figures 7 and 8", cells=4)),
    Element(
        K,
        "§3.2",
        "revise until final submission",
        "test",
        proven_by(TASKS, "test_answers_can_be_revised_until_the_last_task_is_finished_where_the_campaign_says_so"),
    ),
    Element(K, "§3.4", "Cohen's κ", "study", table("kim2025", "Table 5", cells=30)),
    Element(K, "§3.4", "Jaccard", "study", table("kim2025", "Table 6", cells=30)),
    Element(K, "Table 2", "average of the three pairs", "study", table("kim2025", "Table 2, average", cells=2)),
    Element(K, "Figure 2", "disagreements by label", "study", table("kim2025", "Figure 2", cells=2)),
    Element(K, "Figure 2", "drawn again", "figure", figure("kim2025", "differing", 2)),
    Element(K, "Table 3", "κ after merging two labels", "study", table("kim2025", "Table 3", cells=18)),
    Element(
        K,
        "§4.2, Table 4",
        "the pronoun rule",
        "test",
        proven_by(
            "tests/protocols/test_worked_examples.py",
            "test_falcon_shows_every_level_the_pronoun_rule_and_the_way_to_decide",
        ),
    ),
    Element(K, "Figure 3", "skills by domain and judge", "figure", figure("kim2025", "skill_shares")),
    Element(K, "§4.3", "skill shares by domain", "study", table("kim2025", "§4.3 and Figure 3", cells=6)),
    Element(K, "§4.3", "the two most frequent skills", "study", table("kim2025", "§4.3: the two most", cells=3)),
    Element(K, "§5.1", "closest person and model", "study", table("kim2025", "§5.1")),
    Element(K, "Figure 4", "disagreement of J2 and o4-mini", "study", table("kim2025", "Figure 4", cells=2)),
    Element(
        K,
        "§6",
        "the number of skills is left to the judge",
        "test",
        proven_by("tests/protocols/test_wording.py", "test_no_wording_primes_how_many_skills_there_are"),
    ),
    Element(K, "§6.1", "no Task I", "protocol", lambda: protocol("h_falcon").find("context") is None),
    Element(
        K,
        "§6.1",
        "labelling and rating in one step, all set to not relevant",
        "protocol",
        lambda: (
            isinstance(question("h_falcon", "skills"), Grid)
            and question("h_falcon", "skills").preselected == "not_relevant"
        ),
    ),
    Element(
        K,
        "§6.1",
        "low, medium, high = 1, 2, 3",
        "protocol",
        lambda: [o.value for o in question("h_falcon", "skills").options] == [0, 1, 2, 3],
    ),
    Element(
        K,
        "§6.2",
        "sentence score 1–4, errors only",
        "protocol",
        lambda: (question("h_falcon", "sentence").min, question("h_falcon", "sentence").max) == (1, 4),
    ),
    Element(
        K,
        "§6.2",
        "holistic score 1–10",
        "protocol",
        lambda: (question("h_falcon", "holistic").min, question("h_falcon", "holistic").max) == (1, 10),
    ),
    Element(
        K,
        "Figure 10",
        "ends of the two scales",
        "published wording",
        lambda: "1 = lowest, 10 = highest" in words("h_falcon", "holistic"),
    ),
    Element(
        K,
        "Figure 10",
        "the ten kinds of sentence error",
        "published wording",
        lambda: all(
            kind in Wording(protocol("h_falcon", "published")).question("sentence").definition
            for kind in (
                "addition",
                "mistranslation",
                "omission",
                "untranslated",
                "grammar",
                "inconsistency",
                "punctuation",
                "source",
                "word order",
                "terminology",
            )
        ),
    ),
    Element(K, "§6.2", "300 sentences", "study", table("kim2025", "§6.2")),
    Element(K, "§6.3", "Jaccard of relevant skills", "study", table("kim2025", "§6.3")),
    Element(K, "Table 7", "correlations of two judges", "study", table("kim2025", "Table 7", cells=12)),
    Element(
        K,
        "§6.3, Figure 5",
        "regression of the holistic score",
        "plan",
        lambda: plans("h_falcon", "regression.blocks", "holistic"),
    ),
    Element(K, "Figure 5", "drawn again", "figure", figure("kim2025", "coefficients")),
    Element(K, "§6.3", "intervals that leave out 0", "study", table("kim2025", "§6.3 and Figure 5", cells=4)),
    Element(
        K,
        "Table 8",
        "R², intercept, coefficient; missing scores left out, and as 10",
        "study",
        table("kim2025", "Table 8", cells=20),
    ),
    Element(K, "§6.4, Figure 6", "number of skills per sentence", "study", table("kim2025", "Figure 6", cells=4)),
    Element(K, "Figure 6", "drawn again", "figure", figure("kim2025", "numbers")),
    Element(K, "Appendix A, Figures 7, 8", "throughput by judge and domain", "figure", figure("kim2025", "speed", 2)),
    Element(
        K,
        "Appendix A",
        "slowest, fastest, between; less than half the speed",
        "study",
        table("kim2025", "Appendix A", cells=18),
    ),
    Element(K, "Table 9", "shares of labels", "study", table("kim2025", "Table 9", cells=56)),
    Element(
        K,
        "§8",
        "calibration among judges",
        "test",
        proven_by("tests/designs/test_prepare.py", "test_a_calibration_round_then_the_rest"),
    ),
    Element(
        K,
        "§8",
        "skills that tell a developer what to improve",
        "test",
        proven_by(
            "tests/analysis/test_diagnosis.py", "test_the_weak_skill_of_the_right_system_in_the_right_domain_is_named"
        ),
    ),
    # preprint (001)
    Element(P, "Table 1", "words and sentences per segment", "study", table("kim2025", "Preprint, Table 1", cells=16)),
    Element(P, "Table 2", "all ten merges", "study", table("kim2025", "Preprint, Table 2", cells=30)),
    Element(P, "Figure 2", "where J1 differs", "study", table("kim2025", "Preprint, Figure 2", cells=4)),
    Element(P, "Figure 3", "agreed skills by domain", "study", table("kim2025", "Preprint, Figure 3", cells=36)),
    Element(P, "§4.2", "most often agreed", "study", table("kim2025", "Preprint, §4.2")),
    Element(P, "Tables 4, 5", "as Tables 5 and 6 of the paper", "study", table("kim2025", "Table 6", cells=30)),
    Element(P, "Figure 4", "disagreement of J3 and o4-mini", "study", table("kim2025", "Preprint, Figure 4", cells=3)),
    Element(P, "Table 6", "as Table 7 of the paper", "study", table("kim2025", "Table 7", cells=12)),
    Element(P, "Table 7", "R² and intercept to four digits", "study", table("kim2025", "Preprint, Table 7", cells=8)),
    Element(P, "§6.5, Figure 5", "coefficients of J2", "study", table("kim2025", "Preprint, §6.5", cells=3)),
    # Castilho 2021 (002)
    Element(
        C21,
        "§3.1",
        "random sentences, sentences in context, documents",
        "protocol",
        lambda: (
            {s.scenario for s in protocol("scenarios").stages} == {"isolated", "in_context"}
            and {s.id for s in protocol("scenarios").stages} >= {"rs", "sc", "ds"}
        ),
    ),
    Element(
        C21,
        "§3.1",
        "random sentences are shuffled and alone",
        "protocol",
        lambda: stage("scenarios", "rs").shuffled and str(stage("scenarios", "rs").unit) == "isolated_sentence",
    ),
    Element(C21, "§3.1", "documents right after their sentences", "design", _documents_after_their_sentences),
    Element(C21, "§3.2", "513 sentences, 258 + 254", "study", remark("castilho2021", "258 + 254")),
    Element(C21, "§3.3, Table 1", "two test sets, two groups, no source twice", "design", _no_source_twice),
    Element(C21, "Table 1", "half of each group starts with the other task", "design", _half_start_with_each),
    Element(
        C21,
        "§3.3",
        "detailed guidelines",
        "protocol",
        lambda: all(Wording(protocol("scenarios")).option("errors_rs", kind).definition for kind in FOUR_ERRORS),
    ),
    Element(
        C21,
        "§3.5",
        "one system rated, two compared",
        "test",
        proven_by(
            "tests/designs/test_counterbalancing.py",
            "test_names_may_come_as_text_with_commas_as_a_command_line_gives_them",
        ),
    ),
    Element(
        C21,
        "§3.5",
        "adequacy 1–4 and its question",
        "published wording",
        lambda: (
            "How much of the meaning expressed in the source" in words("scenarios", "adequacy_rs")
            and question("scenarios", "adequacy_rs").max == 4
        ),
    ),
    Element(
        C21,
        "§3.5",
        "fluency 1–4 and its labels",
        "published wording",
        lambda: (
            [Wording(protocol("scenarios", "published")).mark("fluency_sc", n) for n in range(1, 5)]
            == ["No fluency", "Little fluency", "Near native", "Native"]
        ),
    ),
    Element(
        C21,
        "§3.5",
        "four error categories or none, several and repeated",
        "protocol",
        lambda: (
            isinstance(question("scenarios", "errors_rs"), Labels)
            and set(options("scenarios", "errors_rs")) == FOUR_ERRORS
            and question("scenarios", "errors_rs").counts
            and question("scenarios", "errors_rs").exclusive == "no_errors"
        ),
    ),
    Element(C21, "§4.3", "no errors per document", "protocol", lambda: protocol("scenarios").find("errors_ds") is None),
    Element(
        C21,
        "§3.5",
        "ranking of two systems with ties",
        "protocol",
        lambda: isinstance(question("scenarios", "ranking_ds"), Rank) and question("scenarios", "ranking_ds").ties,
    ),
    Element(
        C21,
        "§3.6",
        "ten statements on 1–6 for each scenario",
        "protocol",
        lambda: all(
            len(question("post_task_scenarios", f"effort_{s}").rows) == 10
            and len(options("post_task_scenarios", f"effort_{s}")) == 6
            for s in ("rs", "sc")
        ),
    ),
    Element(
        C21,
        "§3.6",
        "one score for a document: how easy",
        "protocol",
        lambda: len(question("post_task_scenarios", "one_score").rows) == 3,
    ),
    Element(
        C21,
        "§3.6",
        "read again, for ranking also best and worst only",
        "protocol",
        lambda: (
            {"best_only", "worst_only"} <= set(options("post_task_scenarios", "reread_ranking"))
            and "best_only" not in options("post_task_scenarios", "reread_adequacy")
        ),
    ),
    Element(
        C21,
        "§3.7, Table 2",
        "weighted κ, Cohen's κ, Fleiss κ, α, percent by scenario and set",
        "report",
        proven_by("tests/reports/sections/test_agreement.py", "test_every_scenario_and_test_set_has_its_coefficients"),
    ),
    Element(C21, "Table 3", "adequacy", "simulated study", table("castilho2021", "Table 3", cells=24, simulated=True)),
    Element(
        C21,
        "Table 4",
        "adequacy, both sets",
        "simulated study",
        table("castilho2021", "Table 4", cells=6, simulated=True),
    ),
    Element(C21, "Table 5", "fluency", "simulated study", table("castilho2021", "Table 5", cells=24, simulated=True)),
    Element(
        C21,
        "Table 6",
        "fluency, both sets",
        "simulated study",
        table("castilho2021", "Table 6", cells=6, simulated=True),
    ),
    Element(
        C21,
        "Table 7",
        "errors, binary and by type",
        "simulated study",
        table("castilho2021", "Table 7", cells=32, simulated=True),
    ),
    Element(
        C21,
        "Table 8",
        "errors, both sets",
        "simulated study",
        table("castilho2021", "Table 8", cells=8, simulated=True),
    ),
    Element(C21, "Table 9", "ranking", "simulated study", table("castilho2021", "Table 9", cells=24, simulated=True)),
    Element(
        C21,
        "Table 10",
        "ranking, both sets",
        "simulated study",
        table("castilho2021", "Table 10", cells=6, simulated=True),
    ),
    Element(
        C21,
        "Table 11",
        "questionnaire averages",
        "simulated study",
        table("castilho2021", "Table 11", cells=20, simulated=True),
    ),
    Element(
        C21,
        "Table 12",
        "how easy one score is",
        "simulated study",
        table("castilho2021", "Table 12", cells=3, simulated=True),
    ),
    Element(
        C21, "Table 13", "read again", "simulated study", table("castilho2021", "Table 13", cells=11, simulated=True)
    ),
    Element(
        C21,
        "§5, Figure 2",
        "misevaluations",
        "plan",
        lambda: any(a.statistic == "context.misevaluations" for a in protocol("scenarios").analyses),
    ),
    Element(
        C21,
        "Tables 4, 6, 8, 10",
        "the aggregation of κ is not defined in the paper",
        "study",
        remark("castilho2021", "not defined in it: unknown"),
    ),
    # Castilho, Popović and Way 2020 (003)
    Element(
        C20,
        "§4.3",
        "consent before anything else",
        "test",
        proven_by(HANDLERS, "test_consent_is_kept_with_its_version_and_opens_the_rest"),
    ),
    Element(
        C20, "§4.3", "background questionnaire", "protocol", lambda: protocol("background").stages[0].unit == "judge"
    ),
    Element(
        C20,
        "§4.2",
        "judges carry their target language",
        "protocol",
        lambda: stage("context_survey", "span").promotion.per == "target_language",
    ),
    Element(
        C20,
        "§4.3",
        "phase I: isolated, random source sentences",
        "protocol",
        lambda: (
            stage("context_survey", "phase_one").shuffled
            and str(stage("context_survey", "phase_one").object) == "source"
        ),
    ),
    Element(
        C20,
        "§4.3",
        "the question, and what confidently means",
        "published wording",
        lambda: (
            "confidently translate the sentence into your target language" in words("context_survey", "translatable")
        ),
    ),
    Element(
        C20,
        "§4.3",
        "seven reasons, several at once",
        "protocol",
        lambda: options("context_survey", "reasons") == REASONS and question("context_survey", "reasons").max is None,
    ),
    Element(
        C20,
        "§4.3",
        "reasons only after no",
        "protocol",
        lambda: question("context_survey", "reasons").when.is_ == ("no",),
    ),
    Element(
        C20,
        "§4",
        "over 40 % of no go on",
        "protocol",
        lambda: stage("context_survey", "phase_two").promotion.more_than == 0.4,
    ),
    Element(
        C20,
        "§4.3",
        "the list is confirmed; sentences and what stands before them are shown",
        "test",
        proven_by("tests/cli/test_campaign.py", "test_the_list_shows_each_sentence_and_what_stands_before_it"),
    ),
    Element(
        C20,
        "§4.3",
        "phase II: two sentences before",
        "protocol",
        lambda: (
            (stage("context_survey", "phase_two").context.before, stage("context_survey", "phase_two").context.can_open)
            == (2, False)
        ),
    ),
    Element(C20, "§4.3", "42 + 30 + 25 is not 107", "study", remark("castilho2020", "which is 97")),
    Element(
        C20,
        "§5.1, Table 3",
        "issues of phase I by domain",
        "simulated study",
        table("castilho2020", "Table 3", cells=28, simulated=True),
    ),
    Element(
        C20,
        "§5.2, Table 4",
        "issues of phase II by domain",
        "simulated study",
        table("castilho2020", "Table 4", cells=28, simulated=True),
    ),
    Element(
        C20,
        "Figures 2, 3",
        "agreement on no",
        "simulated study",
        table("castilho2020", "Figures 2 and 3", cells=14, simulated=True),
    ),
    Element(C20, "Figures 2, 3", "drawn again", "figure", figure("castilho2020", "refusals")),
    Element(
        C20,
        "§5.3, Tables 6, 7",
        "results by target language",
        "simulated study",
        table("castilho2020", "context that settles", cells=21, simulated=True),
    ),
    Element(
        C20,
        "§5.3",
        "span analysis by an analyst: +n before, +n after, global, visual, unavailable",
        "protocol",
        lambda: (
            options("context_survey", "resolved_by")
            == ["preceding", "following", "global_context", "visual", "unavailable"]
            and isinstance(question("context_survey", "sentences_before"), Number)
        ),
    ),
    Element(
        C20,
        "§6",
        "up to 15 sentences whole, else 5 + 5 that open further",
        "protocol",
        lambda: (
            (
                stage("h_falcon", "rating").context.whole_up_to,
                stage("h_falcon", "rating").context.before,
                stage("h_falcon", "rating").context.can_open,
            )
            == (15, 5, True)
        ),
    ),
    Element(
        C20,
        "§6",
        "issues annotated in the source (DELA)",
        "protocol",
        lambda: (
            set(options("dela", "issues"))
            == {"gender", "number", "reference", "ellipsis", "lexical_ambiguity", "terminology"}
        ),
    ),
    # Läubli, Sennrich and Volk 2018 (004)
    Element(
        L,
        "§2.2",
        "adequacy with the source, fluency without",
        "protocol",
        lambda: (
            "source" in stage("parity", "adequacy_sentence").show
            and "source" not in stage("parity", "fluency_sentence").show
        ),
    ),
    Element(
        L,
        "§2.2",
        "condition between raters, unit within",
        "protocol",
        lambda: {s.arm for s in protocol("parity").stages} == {"adequacy", "fluency"},
    ),
    Element(
        L,
        "§2.2",
        "the two questions",
        "published wording",
        lambda: (
            "expresses the meaning of the source text more adequately" in words("parity", "adequacy_of_sentence")
            and "better English" in words("parity", "fluency_of_document")
        ),
    ),
    Element(L, "§2.2", "pairwise with ties", "protocol", lambda: question("parity", "adequacy_of_document").ties),
    Element(L, "§2.2", "spam items: words shuffled but the outer 10 %", "design", _spam_keeps_ends),
    Element(L, "§2.2", "two-sided sign tests, ties dropped", "study", table("laubli2018", "Sign tests", cells=12)),
    Element(L, "Footnote 3", "ties split", "study", table("laubli2018", "Footnote 3", cells=4)),
    Element(L, "§2.3", "experience, reviews and pay of raters", "study", table("laubli2018", "§2.3", cells=3)),
    Element(
        L, "§2.3", "items that overlap with documents are left out", "study", remark("laubli2018", "begins with U")
    ),
    Element(L, "§2.3", "raters excluded by missed spam", "study", table("laubli2018", "Control items", cells=10)),
    Element(L, "Figure 1", "drawn again", "figure", figure("laubli2018", "preferences")),
    Element(
        L, "Table 1", "ratings by rater and condition", "study", table("laubli2018", "Table 1, by rater", cells=48)
    ),
    Element(L, "Table 2", "average and majority", "study", table("laubli2018", "Table 2", cells=24)),
    Element(L, "Table 3", "same label and WMT's κ", "study", table("laubli2018", "Table 3", cells=8)),
    Element(L, "Table 4", "confusion matrices", "study", table("laubli2018", "Table 4", cells=126)),
]


@pytest.mark.parametrize(
    "element", ELEMENTS, ids=lambda element: f"{element.paper}, {element.section}: {element.element}"
)
def test_the_element_is_there(element: Element) -> None:
    assert element.check()


def test_the_list_holds_all_five_papers_and_nothing_twice() -> None:
    assert {element.paper for element in ELEMENTS} == {K, P, C21, C20, L}
    keys = [(element.paper, element.section, element.element) for element in ELEMENTS]
    assert len(set(keys)) == len(keys)
    assert len(keys) >= 115


def test_every_study_of_the_papers_is_in_the_list() -> None:
    assert {"kim2025", "castilho2020", "castilho2021", "laubli2018"} <= set(names())


def test_scales_state_a_direction() -> None:
    """Every scale of a paper's protocol says which end is good."""
    for name in ("falcon", "h_falcon", "scenarios"):
        for _, asked in protocol(name).questions:
            if isinstance(asked, Scale):
                assert asked.direction == "higher_is_better"
