"""The judging page as data and as markup, for every page of every protocol."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from lxml import html

from lanner import campaign
from lanner.model import Document, Item, Role, Segment, Stage, Task, Unit
from lanner.model.protocol import Wording
from lanner.protocols import load, names, parse_toml
from lanner.store import Store
from lanner.web.access import Owners
from lanner.web.judging.form import FormQuestion, asks
from lanner.web.judging.page import (
    PageProgress,
    PageSettings,
    StoredAnswers,
    TaskPage,
    definitions,
    keys,
    paragraphs,
    task_page,
    task_view,
)
from lanner.web.rendering import STATIC, Assets, environment
from lanner.web.speech import Messages
from web_clients import complete, open_campaign

SYSTEMS = ("secret-one", "secret-two")
DOCUMENT = Document(
    "doc",
    tuple(
        Segment(
            f"s{n}", f"Source {n} <b>&amp;", {name: f"{name[-3:]} text {n}" for name in SYSTEMS}, {"ref": f"Ref {n}"}
        )
        for n in range(20)
    ),
    "en",
    "ar",
    domain="news",
    title="A <title>",
    text_type="report",
    note="A note.",
)
PAGES = [(name, page) for name in names() for page in load(name).pages]
ASSETS = Assets()
ENVIRONMENT = environment()


def items(stage: Stage, count: int = 20) -> tuple[Item, ...]:
    if stage.unit is Unit.JUDGE:
        return (Item(""),)
    systems = {"source": (), "output": SYSTEMS[:1], "outputs": SYSTEMS}[stage.object.value]
    if stage.unit is Unit.DOCUMENT:
        return (Item("doc", "", systems),)
    return tuple(Item("doc", segment.id, systems) for segment in DOCUMENT.segments[:count])


def shown(name: str, page: str | None = None, language: str = "en", **more: object) -> TaskPage:
    protocol = load(name) if isinstance(name, str) else name
    page = page or next(iter(protocol.pages))
    task = more.pop("task", None) or Task(7, "J1", page, items(protocol.pages[page][0]))
    given = more.pop("given", None) or [StoredAnswers() for _ in task.items]
    return task_page(
        protocol, task, {"doc": more.pop("document", DOCUMENT)}, given, Messages(language), who="1.2", **more
    )


def rendered(view: TaskPage, language: str = "en") -> html.HtmlElement:
    words = Messages(language)
    context = {
        "page": view,
        "messages": words,
        "t": words.get,
        "token": "form-token",
        "root": "/sub",
        "submission": "1" * 32,
    }
    text = ENVIRONMENT.get_template("judge/task.html").render(static=ASSETS.path, **context)
    return html.document_fromstring(text)


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_every_page_renders_as_agreed_with_the_script(name: str, page: str) -> None:
    tree = rendered(shown(name, page))
    questions = tree.xpath("//*[contains(concat(' ', @class, ' '), ' q ')]")
    asked = [question.id for stage in load(name).pages[page] for question in stage.questions]
    assert [element.get("data-q") for element in questions] == asked
    for element in questions:
        assert element.get("data-kind") and element.get("data-need").isdecimal() and element.get("data-short")
        assert element.xpath(".//*[contains(@class, 'hint')]"), "every question has a place to say what is missing"
    letters = [element.get("data-letter") for element in questions if element.get("data-letter")]
    assert len(letters) == len(set(letters))
    for armed in tree.xpath("//*[@data-line] | //*[@data-q][not(.//*[@data-line])]"):
        keys = list(armed.xpath(".//@data-k"))
        assert len(keys) == len(set(keys)), "one key, one answer"
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert not tree.xpath("//@style") and not tree.xpath("//@onclick")
    assert all(s.get("src") or s.get("type") == "application/json" for s in tree.xpath("//script"))
    assert not tree.xpath("//input[not(@type='hidden')][not(ancestor::label)][not(@aria-label)][not(@id)]")
    text = html.tostring(tree, encoding="unicode")
    assert "secret" not in text and "Undefined" not in text


@pytest.mark.parametrize("language", ["ko", "ar"])
def test_other_languages_of_interface_and_texts(language: str) -> None:
    tree = rendered(shown("h_falcon", language=language), language)
    assert tree.get("lang") == language and tree.get("dir") == {"ko": "ltr", "ar": "rtl"}[language]
    target = tree.xpath("//p[contains(@class, 'tgt')]")[0]
    assert (target.get("lang"), target.get("dir")) == ("ar", "rtl")
    assert tree.xpath("//p[contains(@class, 'src')]")[0].get("dir") == "ltr"


def test_sentences_are_counted_as_judged_or_not_at_all() -> None:
    """The head counted the context too ("1 of 13") where the bar counted what is judged ("0 of 8")."""
    for count in (3, len(DOCUMENT.segments)):
        task = Task(7, "J1", "label", items(load("falcon").pages["label"][0], count))
        view = shown("falcon", "label", task=task)
        text = " ".join(rendered(view).text_content().split())
        whole = count == len(DOCUMENT.segments)
        assert (view.of, len(view.states)) == (count if whole else 0, count)
        assert f"Sentences 0 of {count}" in text
        expected = f"Sentences: {count} ·" if whole else f"Sentences: {count}, with context {len(DOCUMENT.segments)} ·"
        assert expected in text
        assert ("Sentence 1 of" in text) == whole


def test_an_unknown_language_is_left_to_the_browser() -> None:
    unknown = replace(DOCUMENT, source_language="und", target_language="und")
    protocol = load("h_falcon")
    task = Task(1, "J", "rating", items(protocol.stages[0]))
    view = task_page(protocol, task, {"doc": unknown}, [StoredAnswers() for _ in task.items], Messages(), who="x")
    cell = view.blocks[0].rows[0].cells[0]
    assert (cell.lang, cell.dir) == ("", "auto")


def test_nothing_is_said_of_a_language_nobody_knows() -> None:
    page = rendered(shown("esa", document=replace(DOCUMENT, source_language="und", target_language="und")))
    [meta] = page.xpath("//p[@class='meta']")
    assert meta.text_content() == "news · report · Sentences: 20 · A note."
    heads = [head.text_content().strip() for head in page.xpath("//*[@class='heads']/span")]
    assert heads[1].startswith("Source")
    assert "unknown" not in page.text_content()
    [meta] = rendered(shown("esa", document=replace(DOCUMENT, target_language="und"))).xpath("//p[@class='meta']")
    assert meta.text_content().startswith("news · report · English · ")
    [meta] = rendered(shown("esa")).xpath("//p[@class='meta']")
    assert meta.text_content().startswith("news · report · English to Arabic · ")


def test_window_and_row() -> None:
    view = shown("h_falcon", row=10)
    assert [line.number for line in view.blocks[0].rows if not line.hidden] == list(range(5, 16))
    assert (view.blocks[0].above, view.blocks[0].below, view.current, view.heading) == (4, 5, 9, "Sentence 10")
    assert not any(line.hidden for line in shown("h_falcon", row=10, whole=True).blocks[0].rows)
    assert shown("h_falcon", row=999).row == 0, "a row that is not there is no reason to fail"


def test_a_fixed_window_is_all_that_is_sent() -> None:
    protocol = load("context_survey")
    task = Task(1, "J", "phase_two", (Item("doc", "s9"),))
    view = task_page(protocol, task, {"doc": DOCUMENT}, [StoredAnswers()], Messages(), who="x")
    assert [line.number for line in view.blocks[0].rows] == [8, 9, 10]
    assert [line.item for line in view.blocks[0].rows] == [None, None, 0]
    assert view.current == 0 and view.row == 2


def test_isolated_sentences_stand_alone() -> None:
    view = shown("parity", "adequacy_sentence")
    assert len(view.blocks) == 20 and all(len(block.rows) == 1 for block in view.blocks)
    assert [block.hidden for block in view.blocks] == [False] + [True] * 19
    assert not view.blocks[0].title, "the title would be context"


def test_resumes_at_the_first_open_row() -> None:
    done = StoredAnswers(answers={"skills": {}, "sentence": 3, "holistic": 7})
    part = StoredAnswers(answers={"sentence": 3})
    view = shown("h_falcon", given=[done, done, part, *[StoredAnswers()] * 17])
    assert view.states[:4] == ("done", "done", "partial", "")
    assert (view.row, view.done) == (2, 2)
    assert next(ask for ask in view.asks if ask.id == "sentence").value == 3


def test_earlier_pages_decide_what_is_asked() -> None:
    earlier = {"context": "local", "skills": ["idea_development", "style_register", "participant_focus"]}
    view = shown("falcon", "rating", given=[StoredAnswers(earlier=earlier)] + [StoredAnswers()] * 19)
    rating = next(ask for ask in view.asks if ask.id == "ratings")
    assert rating.shown and rating.shown_rows == set(earlier["skills"])
    tree = rendered(view)
    lines = tree.xpath("//*[@data-q='ratings']//*[@data-line][not(@hidden)]/@data-line")
    assert set(lines) == set(earlier["skills"])


def test_finished_is_read_only() -> None:
    protocol = load("h_falcon")
    task = replace(Task(7, "J1", "rating", items(protocol.stages[0])), finished_at=datetime.now(UTC))
    tree = rendered(shown("h_falcon", task=task))
    sends_answers = "//button[@type='submit'][not(@form)][not(ancestor::form[@id='message'])]"
    assert tree.xpath("//fieldset[@disabled]//input") and not tree.xpath(sends_answers)


def test_what_the_script_is_told() -> None:
    given = StoredAnswers(answers={"sentence": 3}, ids={"sentence": 41}, elapsed=9.5, active=4.0)
    view = shown(
        "h_falcon",
        given=[given] + [StoredAnswers()] * 19,
        progress=PageProgress(3, 9, 17.0),
        settings=PageSettings(idle_seconds=60, break_minutes=0),
    )
    script = json.loads(json.dumps(view.script))
    assert script["items"][0]["saved"] == {"sentence": {"id": 41, "value": 3}}
    assert (script["who"], script["idle"], script["breakAfter"], script["minutesToday"]) == ("1.2", 60, 0, 17.0)
    assert set(script["items"][0]) == {"saved", "earlier", "prefilled", "elapsed", "active", "training", "feedback"}


def test_roles_and_expected_answers_have_no_place() -> None:
    protocol = load("h_falcon")
    plain = Item("doc", "s0", SYSTEMS[:1])
    secret = replace(plain, role=Role.CONTROL, expected={"holistic": {"at_most": 2, "explanation": "gold"}})
    views = [
        task_page(protocol, Task(1, "J", "rating", (item,)), {"doc": DOCUMENT}, [StoredAnswers()], Messages(), who="x")
        for item in (plain, secret)
    ]
    assert views[0] == views[1]


def test_control_texts_replace_outputs_line_by_line() -> None:
    protocol = load("parity")
    shuffled = "\n".join(f"line {n}" for n in range(20))
    item = Item("doc", "", SYSTEMS, texts={SYSTEMS[1]: shuffled})
    view = task_page(
        protocol, Task(1, "J", "adequacy_document", (item,)), {"doc": DOCUMENT}, [StoredAnswers()], Messages(), who="x"
    )
    assert [line.cells[2].text for line in view.blocks[0].rows][:2] == ["line 0", "line 1"]
    assert view.blocks[0].rows[3].cells[1].text == "one text 3"


def test_a_protocol_of_ones_own_with_every_kind() -> None:
    protocol = parse_toml(OWN)
    task = Task(1, "J", "all", (Item("doc", "s0", (*SYSTEMS, "third")),))
    view = task_page(protocol, task, {"doc": DOCUMENT}, [StoredAnswers()], Messages(), who="x")
    assert {ask.id: (ask.kind, ask.display) for ask in view.asks} == {
        "stars": ("scale", "buttons"),
        "fine": ("scale", "slider"),
        "half": ("scale", "buttons"),
        "how_many": ("number", "number"),
        "tongue": ("choice", "select"),
        "order": ("rank", "order"),
        "why": ("text", "text"),
    }
    tree = rendered(view)
    assert tree.xpath("//*[@data-q='order']//*[@data-line]/@data-line") == ["0", "1", "2"]
    assert tree.xpath("//*[@data-q='order']/@data-most") == ["1"], "no two share a place"
    assert tree.xpath("//*[@data-q='how_many']//input/@inputmode") == ["decimal"]
    assert tree.xpath("//*[@data-q='half']//@data-k") == list("12345")
    assert tree.xpath("//*[@data-q='fine']//input[@inputmode]/@name") == ["fine"]
    assert not tree.xpath("//*[@data-q='fine']//input[@type='range']/@name"), "a slider nobody touched says nothing"


OWN = """
name = "own"
version = "1"
[[stage]]
id = "all"
unit = "sentence_in_context"
object = "outputs"
outputs = 3
show = ["source", "target", "reference"]
[[stage.question]]
id = "stars"
kind = "scale"
min = 0
max = 5
[[stage.question]]
id = "fine"
kind = "scale"
min = 0
max = 1
step = 0
[[stage.question]]
id = "half"
kind = "scale"
min = 1
max = 3
step = 0.5
[[stage.question]]
id = "how_many"
kind = "number"
min = 0
integer = false
[[stage.question]]
id = "tongue"
kind = "choice"
options = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"]
[[stage.question]]
id = "order"
kind = "rank"
ties = false
[[stage.question]]
id = "why"
kind = "text"
required = true
[text.en.questions.stars]
label = "Stars"
[text.en.questions.fine]
label = "Fine"
[text.en.questions.half]
label = "Half"
[text.en.questions.how_many]
label = "How many"
[text.en.questions.tongue]
label = "Tongue"
[text.en.questions.order]
label = "Order"
[text.en.questions.why]
label = "Why"
"""


def test_every_module_is_fetched_at_once() -> None:
    """The page names all modules its script will ask for, so that none waits for another."""
    tree = rendered(shown("h_falcon"))
    named = {href.split("/", 3)[3] for href in tree.xpath("//link[@rel='modulepreload']/@href")}
    kinds = {question.kind for stage in load("h_falcon").stages for question in stage.questions}
    needed = {f"widgets/{kind}.js" for kind in kinds}
    waiting = ["judging.js", *needed]
    while waiting:
        name = waiting.pop()
        folder = STATIC / name
        for path in re.findall(r"from '([^']+)'", folder.read_text(encoding="utf-8")):
            module = (folder.parent / path).resolve().relative_to(STATIC.resolve()).as_posix()
            if module not in needed:
                needed.add(module)
                waiting.append(module)
    assert named == needed


def test_what_is_kept_of_one_judges_page_is_never_on_anothers() -> None:
    """Questions are drawn once for the same words and the same answer, and anew for any other."""
    said = [{}, {"comment": "mine"}, {"comment": "yours"}, {"sentence": 3}, {"sentence": 4}, {}]
    trees = [rendered(shown("h_falcon", given=[StoredAnswers(each), *[StoredAnswers()] * 19], row=1)) for each in said]
    questions = [html.tostring(tree.get_element_by_id("questions")) for tree in trees]
    assert questions[0] == questions[-1] and len(set(questions)) == len(said) - 1
    assert [b"mine" in each for each in questions] == [False, True, False, False, False, False]
    for told in ("Read all.", "Only this.", "Read all."):
        tree = rendered(shown("h_falcon", settings=PageSettings(guidelines=told)))
        assert tree.xpath("//*[@class='guide']/p[1]")[0].text_content() == told
    spoken = [rendered(shown("h_falcon", language=code), code) for code in ("en", "de")]
    assert len({tree.get_element_by_id("drawer").text_content() for tree in spoken}) == 2


def test_what_the_script_reads_cannot_end_its_element() -> None:
    given = [StoredAnswers({"comment": "</script><script>alert('&')"}), *[StoredAnswers()] * 19]
    view = shown("h_falcon", given=given)
    assert not set("<>&'") & set(view.data)
    assert json.loads(view.data) == json.loads(json.dumps(view.script))


def test_a_desk_holds_one_judges_own_things(store: Store) -> None:
    open_campaign(store, settings={"guidelines": "Read first.", "idle_seconds": 60})
    mine, theirs = (campaign.tasks(store, "trial", judge)[0] for judge in ("J1", "J2"))
    campaign.submit(store, mine.id, 1, complete(), submission="one")
    laid = task_view(store, mine.id)
    assert laid
    assert laid.judge.id == "J1"
    assert set(laid.documents) == {mine.items[0].document}
    assert laid.given[1].answers["holistic"] == 8
    assert laid.given[1].ids["holistic"] > 0
    assert laid.given[0].answers == {}
    assert laid.settings.guidelines == "Read first."
    assert laid.settings.idle_seconds == 60
    assert (laid.progress.done, laid.progress.tasks) == (0, len(campaign.tasks(store, "trial", "J1")))
    other = task_view(store, theirs.id)
    assert other and other.given[1].answers == {}


def test_answers_of_an_earlier_page_come_along(store: Store) -> None:
    open_campaign(store, protocol="falcon")
    pages = {task.page: task for task in campaign.tasks(store, "trial", "J1")}
    label, rating = pages["label"], pages["rating"]
    for item in range(len(label.items)):
        campaign.submit(store, label.id, item, complete("falcon"), submission=f"s{item}")
    same = next(
        t
        for t in campaign.tasks(store, "trial", "J1")
        if t.page == "rating" and t.items[0].document == label.items[0].document
    )
    laid = task_view(store, same.id)
    assert laid
    assert laid.given[0].earlier["skills"] == complete("falcon")["skills"]
    assert "skills" not in laid.given[0].answers
    assert rating


def test_whose_task_it_is(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    participants = {participant.judge.id: participant.number for participant in campaign.participants(store, "trial")}
    found = Owners(store).find(task)
    assert found and found.judge == participants["J1"]
    assert Owners(store).find(999) is None
    assert task_view(store, 999) is None


def test_a_free_task_is_nobodys_until_it_is_taken(store: Store) -> None:
    open_campaign(store, design="pool")
    owners = Owners(store)
    with store.reading() as tx:
        free = [entry.task.id for entry in tx.tasks.of_campaign(1)]
    assert owners.find(free[0]) is None
    taken = campaign.next_task(store, "trial", "J1")
    assert taken
    found = owners.find(taken.id)
    assert found and found.task.judge == "J1"


def test_time_spent_comes_back_on_another_device(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 1, complete(), submission="one", elapsed=90.0, active=60.0)
    laid = task_view(store, task)
    assert laid
    assert [(given.elapsed, given.active) for given in laid.given] == [(0, 0), (90, 60), (0, 0)]
    assert laid.progress.minutes_today == 1.0


def questions(name: str, page: str) -> tuple[FormQuestion, ...]:
    protocol = load(name)
    return asks(protocol, protocol.pages[page], Wording(protocol), Messages())


def test_paragraphs() -> None:
    assert paragraphs("One\nline.\n\n\n  Another.  ") == ("One line.", "Another.")
    assert paragraphs("") == ()


def test_definitions_by_group_then_by_question() -> None:
    sections = definitions(questions("h_falcon", "rating"))
    assert [(section.title, section.tone, len(section.entries)) for section in sections] == [
        ("Field", 1, 3),
        ("Tenor", 2, 3),
        ("Mode", 3, 3),
        ("", 0, 2),
    ]
    assert sections[0].entries[0].id == "d-skills-information_density"


def test_definitions_of_levels_and_of_error_kinds() -> None:
    titles = [section.title for section in definitions(questions("falcon", "label"))]
    assert titles == ["Context level", "Field", "Tenor", "Mode"]
    marking = definitions(questions("mqm", "marking"))[0]
    assert marking.title == "Errors" and len(marking.entries) > 15


def test_keys_of_a_page_come_first() -> None:
    found = keys(questions("h_falcon", "rating"), Messages(), unit=Unit.IN_CONTEXT)
    assert (found[0].keys, found[0].through) == (("1",), "9")
    assert found[1].keys == ("0", "1", "2", "3")
    assert "Holistic score, then 1–9, 0" in [key.text for key in found]
    assert found[-1].keys == ("?",)


def test_keys_for_marking_and_for_questionnaires() -> None:
    marking = [key.keys for key in keys(questions("esa", "rating"), Messages(), unit=Unit.IN_CONTEXT)]
    assert ("Shift", "←", "→") in marking and ("o",) in marking and ("Tab",) in marking
    assert ("l", "x") not in marking
    assert ("l", "x") in [
        key.keys for key in keys(questions("mqm_linked", "marking"), Messages(), unit=Unit.IN_CONTEXT)
    ]
    compared = keys(questions("ranking_sc", load("ranking_sc").stages[0].id), Messages(), unit=Unit.IN_CONTEXT)
    assert compared[0].text == "Which is better, then 1–3", "no question mark before the comma"
    alone = [key.keys for key in keys(questions("consent", "consent"), Messages(), unit=Unit.JUDGE)]
    assert ("j", "k") not in alone and ("Page ↑", "Page ↓") not in alone and ("/",) not in alone


def test_a_letter_of_a_question_is_no_longer_one_of_the_page() -> None:
    found = [key.keys for key in keys(questions("adequacy_fluency_ds", "ds"), Messages(), unit=Unit.DOCUMENT)]
    assert found.count(("f",)) == 1, "fluency; Finish is reached with Tab"
