from __future__ import annotations

import re

import pytest
from starlette.datastructures import FormData

from lanner import protocols
from lanner.errors import LannerError
from lanner.model import Document, Segment
from lanner.web import speech
from lanner.web.drafting.options import (
    compose_protocol,
    offers,
    parse_protocol,
    plan_campaign,
    protocol_text,
    read_wishes,
    refuse_paths,
    remedies,
    sketch,
    with_remedy,
)
from lanner.web.speech import speaking
from web_clients import documents

WORDS = "the boats left before the tide had turned and nobody waited"
BASE = [("name", "trial"), ("protocol", "h_falcon"), ("judges", "Ana\nBen"), ("design", "full"), ("full.shuffle", "1")]


def form(*more: tuple[str, str]) -> FormData:
    return FormData([*BASE, *more])


def test_the_plain_form() -> None:
    wishes = read_wishes(form(("system", "a"), ("deadline", "2026-12-24"), ("title", "A trial")))
    assert (wishes.name, wishes.title, wishes.design, wishes.systems) == ("trial", "A trial", "full", ("a",))
    assert [judge.id for judge in wishes.people] == ["ana", "ben"]
    assert wishes.options == {}
    assert wishes.settings == {"deadline": "2026-12-24"}
    assert parse_protocol(wishes.protocol).name == "h_falcon"


def test_options_that_differ_are_kept_as_what_they_are() -> None:
    fields = [
        ("name", "x"),
        ("protocol", "da"),
        ("design", "random"),
        ("random.overlap", "0,5"),
        ("random.judges_per_document", "2"),
    ]
    wishes = read_wishes(FormData(fields))
    assert wishes.options == {"overlap": 0.5, "judges_per_document": 2}


def test_controls_calibration_and_questionnaires() -> None:
    wishes = read_wishes(form(("shuffled", "5 %"), ("repeats", "3"), ("calibration", "1"), ("before", "consent")))
    assert wishes.settings["controls"] == {"shuffled": 0.05, "repeats": 3}
    assert wishes.settings["before"] == ["consent"]
    assert wishes.for_texts(documents())["calibration"] == ["doc0"]
    assert next(iter(compose_protocol(wishes).pages)) == next(
        iter(parse_protocol("# the protocol as it is: consent").pages)
    )


def test_a_protocol_without_some_questions() -> None:
    made = parse_protocol(read_wishes(form(("leave", "comment, sentence"))).protocol)
    assert [question.id for _, question in made.questions] == ["skills", "holistic"]
    assert made.name == "h_falcon_own"
    assert not [score for score in made.scores if score.question == "sentence"]


def test_ones_own_protocol_builds_on_names_and_never_on_files() -> None:
    own = 'name = "mine"\nversion = "1"\nextends = "h_falcon"\nwithout = ["comment"]'
    assert parse_protocol(protocol_text(form(("own_protocol", own)))).name == "mine"
    for evil in ('extends = "/etc/passwd"', 'extends = "../../secret.toml"', 'include = ["../x"]', "extends = 3"):
        with pytest.raises(LannerError):
            refuse_paths(f'name = "x"\n{evil}')
    with pytest.raises(LannerError) as refused:
        parse_protocol(protocol_text(form(("own_protocol", "name = x y\nversion = 1"))))
    assert refused.value.where.line == 1


@pytest.mark.parametrize(
    "wrong",
    [
        [("protocol", "h_falcon")],
        [("name", "x")],
        [("name", "x"), ("protocol", "../x")],
        [("name", "x"), ("protocol", "da"), ("seed", "-1")],
        [("name", "x"), ("protocol", "da"), ("design", "none")],
        [("name", "x"), ("protocol", "da"), ("shuffled", "some")],
        [("name", "x"), ("protocol", "da"), ("calibration", "two")],
        [("name", "x"), ("protocol", "da"), ("leave", "Comment!")],
        [("name", "x"), ("protocol", "da"), ("design", "random"), ("random.overlap", "half")],
    ],
)
def test_what_cannot_be_understood_is_said(wrong: list[tuple[str, str]]) -> None:
    with pytest.raises(LannerError) as refused:
        read_wishes(FormData(wrong))
    assert refused.value.what


def test_the_plan_before_anything_is_made() -> None:
    found = plan_campaign(documents(4), read_wishes(form(("hourly_rate", "40"))))
    assert [row.judge for row in found.judges] == ["ana", "ben"]
    assert found.cost == pytest.approx(found.hours * 40)
    with pytest.raises(LannerError, match="Without judges"):
        plan_campaign(documents(), read_wishes(FormData([("name", "x"), ("protocol", "da")])))


def test_every_protocol_is_offered_with_words() -> None:
    found = {offer.name: offer for offer in offers()}
    assert {"h_falcon", "falcon", "esa", "mqm", "da"} <= set(found)
    assert all(offer.title and offer.summary for offer in found.values())
    assert found["consent"].about_judges


def test_the_cards_of_protocols_are_in_the_language_of_the_page() -> None:
    def lines(code: str) -> dict[str, tuple[str, str, str]]:
        with speaking(code):
            return {offer.name: (offer.title, offer.summary, offer.when) for offer in offers()}

    english = lines("en")
    for code in speech.available():
        missing = [
            (name, line)
            for name, texts in lines(code).items()
            for line, original in zip(texts[1:], english[name][1:], strict=True)
            if code != "en" and (not line or line == original)
        ]
        assert not missing, (code, missing)
    assert lines("de")["da"][0] != english["da"][0]


def test_six_protocols_by_purpose_come_first_and_what_cannot_be_asked_has_a_reason() -> None:
    choices = [offer for offer in offers() if not offer.about_judges]
    assert [bool(offer.purpose) for offer in choices[:7]] == [True] * 6 + [False]
    needed = {offer.name: offer.systems_needed for offer in choices}
    assert (needed["falcon_labels"], needed["esa"], needed["parity"]) == (0, 1, 2)
    by_name = {offer.name: offer for offer in choices}
    assert not by_name["esa"].reason_against(1) and by_name["esa"].reason_against(0)
    assert not by_name["parity"].reason_against(2) and by_name["parity"].reason_against(1)


def test_the_plan_prices_the_calibration_round_and_what_follows_it() -> None:
    texts = documents(4)
    alone = plan_campaign(texts, read_wishes(form()))
    both = plan_campaign(texts, read_wishes(form(("calibration", "1"))))
    assert both.documents == alone.documents == 4
    assert both.answers == alone.answers, "with everybody judging everything the work is the same, in two rounds"


def test_the_page_words_the_goals_of_an_adaptive_campaign() -> None:
    def goal(**fields: str) -> object:
        names = {"design": "adaptive", **{name.replace("__", "."): value for name, value in fields.items()}}
        return read_wishes(form(*names.items())).options.get("goal", "rank")

    assert goal(adaptive__goal="rank") == "rank"
    assert goal(adaptive__goal="precision", half_width="2,5") == "precision:2.5"
    assert goal(adaptive__goal="other", other_goal="better:a,b") == "better:a,b"


def test_a_remedy_changes_the_form_and_asks_for_the_plan() -> None:
    weak = form(("design", "batches"), ("batches.judges_per_document", "1"), ("judges", "Ana\nBen\nCem"))
    texts = [
        Document(f"d{n}", (Segment("1", "A.", {"oak": "B."}), Segment("2", "C.", {"oak": "D."})), "en", "de")
        for n in range(6)
    ]
    offered = remedies(plan_campaign(texts, read_wishes(weak)), weak)
    assert [(remedy.field, remedy.value) for remedy in offered] == [
        ("batches.judges_per_document", "2"),
        ("design", "full"),
    ]
    for remedy in offered:
        pressed = FormData([*weak.multi_items(), ("do", "make"), ("remedy", f"{remedy.field}={remedy.value}")])
        changed = with_remedy(pressed)
        assert changed.getlist(remedy.field) == [remedy.value]
        assert changed.getlist("do") == ["plan"], "nothing is made"
    better = with_remedy(FormData([*weak.multi_items(), ("remedy", "design=full")]))
    before, after = (plan_campaign(texts, read_wishes(entry)).half_width for entry in (weak, better))
    assert before is None and after is not None
    untouched = FormData([*weak.multi_items(), ("remedy", "name=other")])
    assert with_remedy(untouched) is untouched, "only what remedies are for"


def test_the_plan_counts_texts_controls_and_questionnaires_apart() -> None:
    """24 judgements of 12 items about texts; two of each judge's are spoiled, and each answers a questionnaire."""
    wishes = read_wishes(form(("judges", "Ana\nBen"), ("shuffled", "2"), ("before", "consent")))
    texts = [
        Document(
            f"d{n}", tuple(Segment(str(at), f"A {at}.", {"oak": f"{WORDS} {n} {at}."}) for at in range(3)), "en", "de"
        )
        for n in range(4)
    ]
    plan = plan_campaign(texts, wishes)
    assert (plan.different, plan.judged, plan.controls) == (10, 20, 4)
    assert sum(page.judged for page in plan.pages) == 20 + 4 + 2
    assert "10 different, judged 20 times; besides 4 control items" in dict(plan.facts)["items"]


def strokes(name: str, style: str) -> int:
    """How many lines or boxes of a style the sketch of a protocol has."""
    return sum(path.count("M") for path in re.findall(f'class="{style}" d="([^"]*)"', sketch(protocols.load(name))))


def test_protocols_that_ask_or_show_other_things_look_different() -> None:
    drawn: dict[str, set[tuple[object, ...]]] = {}
    for offer in offers():
        stages = protocols.load(offer.name).stages
        asked = tuple((stage.unit, stage.object, tuple(q.kind for q in stage.questions)) for stage in stages)
        assert offer.sketch.startswith("<svg") and 'aria-hidden="true"' in offer.sketch
        drawn.setdefault(str(offer.sketch), set()).add(asked)
    assert not [asked for asked in drawn.values() if len(asked) > 1]


def test_it_shows_texts_and_controls_as_the_page_does() -> None:
    lines = {name: strokes(name, "text") for name in ("ranking_rs", "ranking_sc", "ranking_ds", "da_document")}
    assert lines["ranking_rs"] < lines["ranking_sc"] == lines["ranking_ds"], "a sentence by itself, in its document"
    assert lines["da_document"] < lines["ranking_ds"], "one translation, two side by side"
    assert [strokes(name, "now") for name in ("ranking_rs", "ranking_sc", "ranking_ds")] == [0, 1, 0]
    assert [strokes(name, "dot") for name in ("da", "esa", "sqm", "mqm")] == [1, 1, 0, 0], "sliders"
    assert [strokes(name, "mark") > 0 for name in ("da", "esa", "mqm")] == [False, True, True]


def test_a_protocol_of_ones_own_has_its_own() -> None:
    own = protocols.parse_toml('name = "own"\nversion = "1"\nextends = "esa"\nwithout = ["errors"]', "own")
    assert 'class="mark"' not in sketch(own)
    assert sketch(own) == sketch(protocols.load("da")), "what is left is direct assessment"
