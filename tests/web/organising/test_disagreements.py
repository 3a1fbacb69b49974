"""A meeting: the most disputed sentences, reasons side by side, decisions in the guidelines, a round, its effect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams
from starlette.testclient import TestClient

from lanner import campaign, protocols
from lanner.campaign import Submission
from lanner.campaign.adjudication import settled_answers
from lanner.model import Document, Json, Judge, JudgeKind, Judgement, Number, Role, Segment
from lanner.model.protocol import Wording
from lanner.monitor.snapshot import DisagreementFilter, DisagreementList, UnitAnswers
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.organising.disagreements import CampaignTexts, Matrix, Piece, filter_of, mark_spans, matrix
from lanner.web.site import ServerSettings
from lanner.web.speech import speaking
from web_clients import another, complete, open_campaign, sign_in


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    """A campaign in dispute, with an organiser in front of it."""
    open_campaign(store, protocol="falcon")
    for judge, level in (("J1", "local"), ("J2", "universal")):
        mine = campaign.tasks(store, "trial", judge)
        task = next(task for task in mine if task.page == "label" and task.items[0].document == "doc0")
        for item in range(3):
            answers = {**complete("falcon"), "context": level}
            campaign.submit(store, task.id, item, answers, submission=f"{judge}.{item}")
    return sign_in(client, store)


def agreed(store: Store) -> dict[str, object]:
    judges = {judge.id: judge.kind for judge in campaign.judges(store, "trial")}
    return {
        judgement.question: judgement.value
        for judgement in campaign.judgements(store, "trial")
        if judges[judgement.judge] is JudgeKind.ADJUDICATED
    }


def settle(client: TestClient, token: str, store: Store, **fields: str):
    given = {"token": token, "document": "doc0", "segment": "1", "system": "", **fields}
    return client.post("/campaigns/trial/settle", data=given)


def test_the_page_shows_the_dispute(client: TestClient, token: str) -> None:
    page = client.get("/campaigns/trial/disagreements?question=context").text
    assert "disagreement" in page
    assert "Agreed: Local" in page
    assert "0 settled" in page


def test_an_agreed_answer_is_a_judge_of_its_own(client: TestClient, token: str, store: Store) -> None:
    answer = settle(client, token, store, context="local", note="Spelled out above.", next="?at=x")
    assert answer.headers["location"] == "/campaigns/trial/disagreements?at=x"
    assert agreed(store) == {"context": "local"}
    page = client.get("/campaigns/trial/disagreements?show=settled").text
    assert "1 settled" in page
    event = campaign.events(store, "trial")[-1]
    assert (event.kind, event.detail["note"]) == ("settled", "Spelled out above.")
    own = [j.value for j in campaign.judgements(store, "trial") if j.judge == "J2" and j.question == "context"]
    assert set(own) == {"universal"}, "the judges' own answers stay"


def test_what_judges_left_open_can_be_settled_when_they_are_done(client: TestClient, token: str, store: Store) -> None:
    campaign.close(store, "trial")
    assert settle(client, token, store, context="local").status_code in (200, 303)
    assert agreed(store) == {"context": "local"}


def test_a_change_of_mind_and_back_again(client: TestClient, token: str, store: Store) -> None:
    for level in ("local", "universal", "local"):
        settle(client, token, store, context=level)
        assert agreed(store) == {"context": level}


def test_nobody_overwrites_what_was_settled_meanwhile(client: TestClient, token: str, store: Store) -> None:
    """Two organisers have the same page open; the second had replaced the first one's decision unseen."""

    def seen() -> str:
        address = "/campaigns/trial/disagreements?show=all&at=doc0&segment=1&system="
        [digest] = re.findall(r'name="seen" value="(\w+)"', client.get(address).text)
        return str(digest)

    before = seen()
    settle(client, token, store, context="local", seen=before)
    refusal = settle(client, token, store, context="universal", seen=before)
    assert "refused=Someone+else" in refusal.headers["location"]
    assert agreed(store) == {"context": "local"}
    assert "refused" not in settle(client, token, store, context="local", seen=before).headers["location"], "the same"
    settle(client, token, store, context="universal", seen=seen())
    assert agreed(store) == {"context": "universal"}, "whoever has seen it may change it"


def test_one_answer_alone_is_no_agreement() -> None:
    """“They agree on …” stood where a single judge had answered."""
    number = Number(id="count", kind="number")
    for answers, same in (({"a": 1}, None), ({"a": 1, "b": 1}, True), ({"a": 1, "b": 2}, False)):
        table = matrix(number, answers, ["a", "b", "c"], None, Wording(H_FALCON))
        assert table is not None and table.agreed is same


def test_what_the_protocol_refuses_is_refused(client: TestClient, token: str, store: Store) -> None:
    answer = settle(client, token, store, skills="idea_development")
    assert "refused=" in answer.headers["location"]
    assert "at+least" in answer.headers["location"]
    assert agreed(store) == {}


def test_a_number_is_agreed_on_too(client: TestClient, store: Store) -> None:
    open_campaign(store)
    for judge, score in (("J1", 2), ("J2", 8)):
        task = campaign.tasks(store, "trial", judge)[0]
        said = {**complete(), "holistic": score}
        campaign.submit(store, task.id, 0, said, submission=judge)
    unit = campaign.tasks(store, "trial", "J1")[0].items[0]
    token = sign_in(client, store)
    about = {"document": unit.document, "segment": unit.segment, "system": "|".join(unit.systems)}
    answer = settle(client, token, store, **about, holistic="5")
    assert "refused" not in answer.headers["location"]
    assert agreed(store) == {"holistic": 5}


def test_no_digit_of_a_number_is_lost() -> None:
    (line,) = matrix(Number(id="count", kind="number"), {"a": 1234567}, ["a"], 33.3333333, Wording(H_FALCON)).lines
    assert (line.cells, line.value) == (("1234567",), "33.3333333")


def test_an_answer_is_taken_from_a_judge(client: TestClient, token: str, store: Store) -> None:
    settle(client, token, store, **{"context@": "J2"})
    assert agreed(store) == {"context": "universal"}
    answer = settle(client, token, store, **{"context@": "nobody"})
    assert "refused=" in answer.headers["location"]


def test_a_guideline_note_is_written_when_asked(client: TestClient, token: str, store: Store) -> None:
    settle(client, token, store, context="local", note="Not this one.")
    assert "guideline_notes" not in campaign.get(store, "trial").settings
    settle(client, token, store, context="local", note="Acronyms are local.", guideline="1")
    notes = campaign.get(store, "trial").settings["guideline_notes"]
    assert [note["text"] for note in notes] == ["Acronyms are local."]


def test_where_it_goes_next_stays_on_this_site(client: TestClient, token: str, store: Store) -> None:
    answer = settle(client, token, store, context="local", next="https://evil.example/")
    assert answer.headers["location"] == "/campaigns/trial/disagreements"


def test_nothing_judged_yet_says_what_will_come(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    assert "as soon as two people" in client.get("/campaigns/trial/disagreements").text
    assert client.get("/campaigns/trial/disagreements?at=doc0&segment=1").status_code == 404


def test_filters_from_the_address() -> None:
    wanted = filter_of(QueryParams("question=q&judges=a|b&labels=x|y&show=odd&domain=news"))
    assert (wanted.question, wanted.judges, wanted.labels, wanted.show) == ("q", ("a", "b"), ("x", "y"), "open")
    assert filter_of(QueryParams("judges=a&labels=x|y|z")).judges == ()


def scene(store: Store) -> CampaignTexts:
    open_campaign(store, protocol="falcon")
    campaign.add_judges(store, "trial", [Judge("gpt", JudgeKind.MODEL)])
    return CampaignTexts(store, campaign.get(store, "trial"))


SAID = UnitAnswers(
    given={
        "context": {"J1": "local", "J2": "universal", "gpt": "global"},
        "spans": {"J1": [{"side": "source", "start": 0, "end": 6, "text": "Source"}], "J2": []},
        "comment": {"J2": "Why?"},
    },
    seconds={"J1": 12.4},
    parts={"context": 1.0},
)


def test_a_row_in_its_context_with_its_marks(store: Store) -> None:
    place = scene(store)
    item = place.item(("doc0", "1", ""), SAID, models=False)
    assert item
    assert [(row.number, row.current) for row in item.rows] == [(1, False), (2, True), (3, False)]
    assert item.rows[1].source[0].who == ("Judge 1",)
    assert (item.number, item.rows_in_all) == (2, 3)
    assert item.comments == (("Judge 2", "Why?"),)
    assert item.seconds == ("12", "")
    assert [made.question for made in item.matrices] == ["context"]
    assert item.extras[0].cells == ("Source", "nothing")
    assert [words for _, words in item.extras[0].options] == ["as Judge 1", "as Judge 2"]
    assert "differ on context level" in item.share
    assert item.parts == "context level 1.0"
    with speaking("ar"):
        told = place.item(("doc0", "1", ""), SAID, models=False)
    assert told and told.parts.endswith(" \u20681.0\u2069"), "a figure keeps its direction"


def test_models_stay_hidden_until_people_have_decided(store: Store) -> None:
    place = scene(store)
    hidden = place.item(("doc0", "1", ""), SAID, models=True)
    assert hidden and hidden.judges == ("Judge 1", "Judge 2")
    decided = UnitAnswers(SAID.given, SAID.seconds, SAID.parts, {"context": "local"})
    shown = place.item(("doc0", "1", ""), decided, models=True)
    assert shown and shown.judges == ("Judge 1", "Judge 2", "gpt")


def test_a_document_that_is_not_there(store: Store) -> None:
    assert scene(store).item(("nowhere", "1", ""), SAID, models=False) is None


def test_the_filters_know_judges_and_labels(store: Store) -> None:
    context = scene(store).context(DisagreementList((), 0, 0, 0), DisagreementFilter(question="context"))
    assert context["pairs"] == [("J1|J2", "Judge 1 and Judge 2")]
    assert len(context["label_pairs"]) == 10  # type: ignore[arg-type]
    assert ("comment", "Comment") not in context["questions"]  # type: ignore[operator]


FALCON, H_FALCON = protocols.load("falcon"), protocols.load("h_falcon")


def made(protocol: protocols.Protocol, question: str, given: dict[str, Json], settled: Json = None) -> Matrix:
    found = protocol.find(question)
    assert found
    table = matrix(found[1], given, ["a", "b", "c"], settled, Wording(protocol))
    assert table
    return table


def test_a_choice_has_its_options_as_rows() -> None:
    table = made(FALCON, "context", {"a": "local", "b": "universal", "c": "local"}, "local")
    assert [(line.value, line.count, line.split, line.chosen) for line in table.lines] == [
        ("sentence_level", "", False, False),
        ("local", "2", True, True),
        ("extended", "", False, False),
        ("global", "", False, False),
        ("universal", "1", True, False),
    ]
    assert table.lines[1].picked == (True, False, True)
    assert not table.agreed
    assert {line.control for line in table.lines} == {"radio"}


def test_sets_are_boxes_and_order_does_not_matter() -> None:
    three = ["style_register", "idea_development", "participant_focus"]
    table = made(FALCON, "skills", {"a": three, "b": three[::-1]}, three[:1])
    assert table.agreed
    assert [line.value for line in table.lines if line.chosen] == ["style_register"]
    assert [line.group for line in table.lines][:4] == ["field", "field", "field", "tenor"]


def test_a_grid_has_a_select_per_row_with_short_words() -> None:
    table = made(H_FALCON, "skills", {"a": {"idea_development": "low"}, "b": {"idea_development": "high"}})
    line = next(line for line in table.lines if line.name == "skills.idea_development")
    assert line.cells == ("L", "H", "")
    assert line.split
    assert [value for value, _ in line.options] == ["not_relevant", "low", "medium", "high"]


def test_scales_spans_and_repeated_questions() -> None:
    score = made(H_FALCON, "holistic", {"a": 7, "b": 4}, 6)
    assert score.lines[0].cells == ("7", "4", "")
    assert score.lines[0].value == "6"
    assert len(score.lines[0].options) == 10
    each = made(FALCON, "ratings", {"a": {"style_register": 3}, "b": {"style_register": 3, "idea_development": 1}})
    assert [line.name for line in each.lines] == ["ratings.style_register", "ratings.idea_development"]


def test_marked_passages_are_taken_from_a_judge_as_they_are() -> None:
    spans = made(FALCON, "spans", {"a": [{"text": "PRS"}], "b": []}, [{"text": "PRS"}])
    [line] = spans.lines
    assert line.cells == ("PRS", "nothing", "")
    assert (line.control, line.name, line.value) == ("select", "spans@", "a")
    assert line.options == (("a", "as a"), ("b", "as b"))
    assert line.split


def test_texts_and_questions_nobody_answered_have_no_table() -> None:
    comment = H_FALCON.find("comment")
    holistic = H_FALCON.find("holistic")
    assert comment and holistic
    assert matrix(comment[1], {"a": "hm"}, ["a"], None, Wording(H_FALCON)) is None
    assert matrix(holistic[1], {}, ["a"], None, Wording(H_FALCON)) is None


def test_overlaps_name_everyone() -> None:
    spans = {"a": [{"side": "source", "start": 0, "end": 5}], "b": [{"side": "source", "start": 3, "end": 8}]}
    assert mark_spans("012345678", spans, "source") == (
        Piece("012", ("a",)),
        Piece("34", ("a", "b")),
        Piece("567", ("b",)),
        Piece("8"),
    )


def test_the_other_side_and_places_outside_do_not_count() -> None:
    spans = {
        "a": [{"side": "target", "start": 0, "end": 2}, {"side": "source", "start": 2, "end": 99}, {"missing": True}]
    }
    assert mark_spans("abcd", spans, "source") == (Piece("ab"), Piece("cd", ("a",)))
    both = {"a": [{"side": "target", "output": 1, "start": 0, "end": 2}]}
    assert mark_spans("abcd", both, "target", 0) == (Piece("abcd"),), "it is a mark in the other output"
    assert mark_spans("abcd", both, "target", 1) == (Piece("ab", ("a",)), Piece("cd"))


def test_offsets_count_code_points() -> None:
    assert mark_spans("😀ab", {"a": [{"side": "target", "start": 1, "end": 2}]}, "target") == (
        Piece("😀"),
        Piece("a", ("a",)),
        Piece("b"),
    )


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5))
def test_no_letter_is_lost(text: str, places: list[tuple[int, int]]) -> None:
    spans = {"a": [{"side": "source", "start": start, "end": end} for start, end in places]}
    assert "".join(piece.text for piece in mark_spans(text, spans, "source")) == text


def test_a_mark_says_how_severe_each_judge_found_it() -> None:
    spans = {
        "Ana": [{"side": "target", "start": 0, "end": 3, "severity": "Major"}],
        "Ben": [{"side": "target", "start": 0, "end": 3, "severity": "Minor"}],
    }
    assert mark_spans("one two", spans, "target") == (Piece("one", ("Ana", "Ben"), ("Major", "Minor")), Piece(" two"))
    errors = protocols.load("esa").find("errors")
    assert errors is not None
    mark = {"side": "target", "start": 0, "end": 3, "text": "one", "severity": "major"}
    found = matrix(errors[1], {"a": [mark], "b": []}, ["a", "b"], None, Wording(protocols.load("esa")))
    assert found is not None
    assert found.lines[0].cells == ("one (major)", "nothing")
    errors = protocols.load("mqm").find("errors")
    assert errors is not None
    answers = {"a": [{**mark, "category": "mistranslation"}], "b": []}
    found = matrix(errors[1], answers, ["a", "b"], None, Wording(protocols.load("mqm")))
    assert found is not None
    assert found.lines[0].cells == ("one (mistranslation, major)", "nothing")


def test_counted_labels_are_shown_and_agreed_on_with_their_counts(client: TestClient, store: Store) -> None:
    open_campaign(store, protocol="adequacy_fluency_sc")
    for judge, number in (("J1", 1), ("J2", 3)):
        task = campaign.tasks(store, "trial", judge)[0]
        answers = {"adequacy_sc": 2, "fluency_sc": 2, "errors_sc": {"mistranslation": number}}
        campaign.submit(store, task.id, 0, answers, submission=judge)
    item = campaign.tasks(store, "trial", "J1")[0].items[0]
    token = sign_in(client, store)
    system = "|".join(item.systems)
    page = client.get(f"/campaigns/trial/disagreements?at={item.document}&segment={item.segment}&system={system}").text
    row = page[: page.index('name="errors_sc.mistranslation"')].rsplit("<tr", 1)[1]
    assert "<td>1</td>" in row and "<td>3</td>" in row
    fields = {"errors_sc.mistranslation": "2"}
    settle(client, token, store, document=item.document, segment=item.segment, system=system, **fields)
    assert agreed(store) == {"errors_sc": {"mistranslation": 2}}
    page = client.get(f"/campaigns/trial/disagreements?at={item.document}&segment={item.segment}&system={system}").text
    assert re.search(r'name="errors_sc.mistranslation"\s+value="2"', page)


SIDE_BY_SIDE = """
name = "sides"
version = "1"
[[stage]]
id = "compare"
unit = "isolated_sentence"
object = "outputs"
[[stage.question]]
id = "order"
kind = "rank"
[[stage.question]]
id = "fluent"
kind = "choice"
options = ["a", "b", "tie"]
[[stage.question]]
id = "better_in"
kind = "grid"
rows = ["tone", "terms"]
options = ["a", "b", "tie"]
[[stage.question]]
id = "errors"
kind = "spans"
severities = ["bad", "worse"]
[[stage.question]]
id = "gaps"
kind = "spans"
sides = ["source"]
[[stage.question]]
id = "note"
kind = "text"
[text.en]
title = "Side by side"
questions.errors = { label = "Errors", options = { bad.label = "Bad", worse.label = "Worse" } }
questions.gaps.label = "Gaps"
questions.order.label = "Order"
questions.fluent = { label = "Fluent", options = { a.label = "a", b.label = "b", tie.label = "tie" } }
questions.better_in = { label = "Better in", rows = { tone.label = "Tone", terms.label = "Terms" } }
questions.note.label = "Note"
"""


@pytest.fixture
def sides(client: TestClient, store: Store) -> str:
    """Ann and Ben prefer oak, Cem prefers elm; Ben was shown the two the other way round. The address of the unit."""
    texts = [Document("d", (Segment("1", "One.", {"oak": "Eins.", "elm": "Einer."}),), "en", "de")]
    people = [Judge(name.lower(), name=name) for name in ("Ann", "Ben", "Cem")]
    campaign.create(store, "trial", texts, protocols.parse_toml(SIDE_BY_SIDE), people)
    campaign.open(store, "trial")
    for judge, shown, best in (("ann", "oak|elm", "a"), ("ben", "elm|oak", "b"), ("cem", "oak|elm", "b")):
        answers: dict[str, Json] = {
            "order": [1, 2] if best == "a" else [2, 1],
            "fluent": best,
            "better_in": {"tone": best, "terms": "tie"},
            "note": f"Said by {judge}.",
            "errors": [
                {
                    "side": "target",
                    "output": shown.split("|").index("oak"),
                    "start": 0,
                    "end": 4,
                    "text": "Eins",
                    "severity": "bad",
                }
            ],
            "gaps": [{"side": "source", "start": 0, "end": 3}],
        }
        entries = [
            Judgement(judge, "compare", question, "d", "1", tuple(shown.split("|")), value)
            for question, value in answers.items()
        ]
        campaign.import_judgements(store, "trial", entries)
    return "/campaigns/trial/disagreements?" + urlencode({"at": "d", "segment": "1", "system": "elm|oak"})


def test_a_pair_that_was_shown_in_both_orders_is_one_unit(client: TestClient, store: Store, sides: str) -> None:
    sign_in(client, store)
    page = re.sub(r"\s+", " ", client.get(sides).text)
    assert "Translation: elm" in page and page.index("Translation: elm") < page.index("Translation: oak")
    order = page[: page.index('name="order@"')].rsplit("<tr", 1)[1]
    assert re.findall(r"<td>([^<]+ &gt; [^<]+)</td>", order) == ["oak &gt; elm", "oak &gt; elm", "elm &gt; oak"]
    for row in ("a", "b"):
        line = page[: page.index(f'name="fluent" value="{row}"')].rsplit("<tr", 1)[1]
        assert re.findall(r">(not chosen|chosen)<", line) == (
            ["not chosen", "not chosen", "chosen"] if row == "a" else ["chosen", "chosen", "not chosen"]
        )
    tone = page[: page.index('name="better_in.tone"')].rsplit("<tr", 1)[1]
    assert re.findall(r"<td[^>]*> ?([AB]) ?</td>", tone) == ["B", "B", "A"]
    for judge in ("ann", "ben", "cem"):
        assert f"Said by {judge}." in page
    assert page.count("<td>Eins (bad, oak)</td>") == 3
    source, elm, oak = re.findall(r"<td lang[^>]*>(.*?)</td>", page)
    assert (source, elm, oak) == (
        "<mark>One<sup>all</sup></mark>.",
        "Einer.",
        "<mark>Eins<sup>all · Bad</sup></mark>.",
    )
    assert "elm and oak" in page
    arabic = client.get(f"{sides}&language=ar").text
    order = "<td>\u2068\u2068oak\u2069 &gt; \u2068elm\u2069\u2069</td>"
    assert "elm and oak" not in arabic and order in arabic, "an order is read from the left, whatever its names"


def test_an_answer_about_a_pair_is_taken_over_whichever_order_its_judge_saw(
    client: TestClient, store: Store, sides: str
) -> None:
    token = sign_in(client, store)
    about = {"document": "d", "segment": "1", "system": "elm|oak"}
    settle(client, token, store, **about, **{"order@": "ann"})
    assert agreed(store) == {"order": [2, 1]}
    assert [entry.systems for entry in campaign.judgements(store, "trial")][-1] == ("elm", "oak")
    page = re.sub(r"\s+", " ", client.get(sides).text)
    assert re.search(r'<option value="(ann|ben)" selected', page)
    unit = ("d", "1", ("oak", "elm"))
    assert settled_answers(store, "trial", unit) == {"order": [1, 2]}, "in the order that is asked for"
    campaign.settle(store, "trial", unit, {"order": [1, 2], "fluent": "a"})
    assert agreed(store) == {"order": [2, 1], "fluent": "b"}, "one unit, whichever order it is named in"
    assert "0 open" in client.get(sides).text


def test_a_comment_leads_to_what_it_is_about(client: TestClient, store: Store, sides: str) -> None:
    open_campaign(store, "alone", protocol="da")
    task = campaign.tasks(store, "alone", "J1")[0]
    campaign.submit(store, task.id, 0, {"score": 7.0, "comment": "Said alone."}, submission="a comment")
    sign_in(client, store)
    for name in ("trial", "alone"):
        number = campaign.get(store, name).id
        client.portal.call(partial(client.app.state.site.live.snapshot, number, "", wait=60.0))  # type: ignore
        page = client.get(f"/campaigns/{name}").text
        links = re.findall(r'<p dir="auto">(Said [^<]+)</p>\s*<a href="([^"]+)"', page)
        assert links, name
        for words, link in links:
            answer = client.get(link.replace("&amp;", "&"))
            assert answer.status_code == 200, link
            assert words in answer.text


LEVELS = ("sentence_level", "local", "extended")
TRAINED = datetime(2026, 3, 2, tzinfo=UTC)


def judged(store: Store) -> None:
    """Ann and Ben differ on every second sentence of the first document, with reasons, and later agree."""
    texts = [
        Document(
            f"d{d}",
            tuple(Segment(str(n), f"Sentence {d}.{n} <i>", {"oak": "Never judged."}) for n in range(1, 13)),
            "en",
            "ko",
        )
        for d in (1, 2)
    ]
    judges = [Judge("ann", name="Ann"), Judge("ben", name="Ben")]
    campaign.create(store, "pilot", texts, "falcon_labels", judges)
    campaign.open(store, "pilot")
    for judge in judges:
        for task in campaign.tasks(store, "pilot", judge.id):
            for place, item in enumerate(task.items):
                number = int(item.segment)
                differs = item.document == "d1" and number % 2 == 1 and judge.id == "ben"
                answers = {"context": LEVELS[(number + differs) % 3], "comment": f"{judge.name} on {item.segment}"}
                if differs:
                    mark = {"side": "source", "start": 0, "end": 8, "text": "Sentence", "category": "needs_context"}
                    answers["spans"] = [mark]
                at = TRAINED + timedelta(days=1 if item.document == "d2" else -1)
                name = f"{judge.id}-{task.id}-{place}"
                [result] = campaign.submit_many(
                    store, [Submission(task.id, place, answers, name, judge=judge.id, answered_at=at)]
                )
                assert not isinstance(result, Exception), result
    campaign.add_judges(store, "pilot", [Judge("gpt", JudgeKind.MODEL)])


@pytest.fixture(scope="module")
def pilot_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    place: Path = tmp_path_factory.mktemp("meeting") / "lanner.sqlite"
    with Store.open(place) as store:
        judged(store)
        with TestClient(create_app(store, settings=ServerSettings(processes=False)), follow_redirects=False) as opened:
            opened.token = sign_in(opened, store)  # type: ignore[attr-defined]
            yield opened


def test_texts_are_those_that_were_judged_with_what_was_marked_in_them(pilot_client: TestClient) -> None:
    for address in ("meeting?n=4", "disagreements?at=d1&segment=1&show=all"):
        page = pilot_client.get(f"/campaigns/pilot/{address}").text
        assert "Never judged." not in page, "FALCON's labels are about the source alone"
        assert ">Sentence<" in page.replace("<mark>", ">").replace("<sup>", "<"), "what needs context is marked"


def test_compared_translations_stand_side_by_side(pilot_client: TestClient) -> None:
    store: Store = pilot_client.app.state.site.store  # type: ignore[attr-defined]
    texts = [Document("d", (Segment("1", "One.", {"oak": "Eins.", "elm": "Einer."}),), "en", "de")]
    campaign.create(store, "pairs", texts, "ranking_rs", [Judge("ann", name="Ann"), Judge("ben", name="Ben")])
    campaign.open(store, "pairs")
    for judge, best in (("ann", "oak"), ("ben", "elm")):
        [task] = campaign.tasks(store, "pairs", judge)
        [item] = task.items
        answer = {"ranking_rs": [1 if system == best else 2 for system in item.systems]}
        [result] = campaign.submit_many(store, [Submission(task.id, 0, answer, f"{judge}-pair", judge=judge)])
        assert not isinstance(result, Exception), result
    page = pilot_client.get("/campaigns/pairs/meeting").text
    assert "Eins." in page and "Einer." in page
    unit = "|".join(sorted(item.systems))
    page = pilot_client.get("/campaigns/pairs/disagreements", params={"at": "d", "segment": "1", "system": unit}).text
    assert "Eins." in page and "Einer." in page


def test_the_most_disputed_stand_with_everybodys_reasons(pilot_client: TestClient) -> None:
    page = pilot_client.get("/campaigns/pilot/meeting?n=4").text
    assert page.count('class="panel case"') == 4
    assert "Sentence 2." not in page, "what everybody agrees on is not talked about"
    for judge in ("Ann", "Ben"):
        assert f"{judge} on 1" in page or f"{judge} on 3" in page
    assert "&lt;i&gt;" in page and "<i>" not in page
    assert "/campaigns/pilot/disagreements?at=d1" in page
    assert pilot_client.get("/campaigns/pilot/meeting?n=x").text.count('class="panel case"') == 6


def test_a_decision_is_an_example_of_the_guidelines(pilot_client: TestClient) -> None:
    before = pilot_client.get("/campaigns/pilot/guidelines").text
    assert "Named outright." not in before
    fields = {"token": pilot_client.token, "document": "d1", "segment": "1", "system": "", "context": "local"}  # type: ignore[attr-defined]
    pilot_client.post("/campaigns/pilot/settle", data={**fields, "note": "Named outright."})
    after = pilot_client.get("/campaigns/pilot/guidelines").text
    assert "Named outright." in after and "Sentence 1.1 &lt;i&gt;" in after
    arabic = pilot_client.get("/campaigns/pilot/guidelines?language=ar").text
    assert '<html lang="ar" dir="rtl">' in arabic and "السبب: Named outright." in arabic
    assert "settled" in pilot_client.get("/campaigns/pilot/meeting").text


def test_agreement_before_and_after_a_day(pilot_client: TestClient) -> None:
    page = pilot_client.get("/campaigns/pilot/meeting?since=2026-03-02").text
    assert "Documents: 1 before, 1 after" in page and "alpha (context)" in page and "MOVER" in page
    row = page.split("<tbody>")[-1]
    assert "1.00" in row
    refused = pilot_client.get("/campaigns/pilot/meeting?since=2027-01-01").text
    assert "Nothing was answered before that day" in refused
    assert pilot_client.get("/campaigns/pilot/meeting?since=soon").status_code == 422
    store = pilot_client.app.state.site.store  # type: ignore[attr-defined]
    for zone, is_before in (("UTC", False), ("America/New_York", True)):  # where it is still the evening before
        campaign.configure(store, "pilot", settings={"time_zone": zone})
        page = pilot_client.get("/campaigns/pilot/meeting?since=2026-03-03").text
        assert ("Nothing was answered before that day" in page) is is_before


def test_the_sentences_are_given_to_every_person_again_by_an_organiser(pilot_client: TestClient) -> None:
    store = pilot_client.app.state.site.store  # type: ignore[attr-defined]
    viewer = another(pilot_client)
    token = sign_in(viewer, store, "Vic", "viewer")
    assert viewer.post("/campaigns/pilot/calibrate", data={"token": token, "n": "3"}).status_code == 403
    answer = pilot_client.post("/campaigns/pilot/calibrate", data={"token": pilot_client.token, "n": "3"})  # type: ignore[attr-defined]
    assert "given=2" in answer.headers["location"]
    for judge, number in (("ann", 3), ("ben", 3), ("gpt", 0)):
        items = [item for task in campaign.tasks(store, "pilot", judge) for item in task.items]
        assert sum(item.role is Role.CALIBRATION for item in items) == number
    event = campaign.events(store, "pilot")[-1]
    assert (event.kind, event.detail["tasks"]) == ("calibration_assigned", 2)
