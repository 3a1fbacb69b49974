"""The set-ups of the five papers at their published sizes, and the counts they state.

Where a paper contradicts itself, docs/designs.md says so; the tests use what adds up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from lanner import campaign, designs, protocols
from lanner.designs.expected import misses, outcomes
from lanner.designs.plan import plan
from lanner.designs.prepare import promote, promoted, standings
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, Judgement, Role, Segment, Task
from lanner.store import Store

WORDS = tuple("abcdefghijklmnop")


def text(seed: int) -> str:
    return " ".join(Random(seed).sample(WORDS, 12))


def document(name: str, sentences: int, systems: Iterable[str], domain: str = "", seed: int = 0) -> Document:
    segments = (
        Segment(f"{n}", text(seed + n), {system: text(seed + n + 7 * at) for at, system in enumerate(systems, 1)})
        for n in range(sentences)
    )
    return Document(name, tuple(segments), "en", "und", domain)


def sizes(documents: int, sentences: int) -> list[int]:
    """So many sentences over so many documents, uneven but fixed."""
    weights = [Random(n).uniform(0.5, 1.5) for n in range(documents)]
    cuts = [round(sentences * sum(weights[:n]) / sum(weights)) for n in range(documents + 1)]
    return [end - start for start, end in pairwise(cuts)]


def judges(count: int, **attributes: str) -> list[Judge]:
    return [Judge(f"T{n + 1}", attributes=attributes) for n in range(count)]


def filled(store: Store, name: str, people: list[Judge], qualities: dict[str, float]) -> list[Judgement]:
    campaign.open(store, name)
    fill(store, name, {judge.id: Temper() for judge in people}, qualities, seed=3)
    return campaign.judgements(store, name)


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    opened = Store.open(tmp_path / "replay.db")
    yield opened
    opened.close()


# Kim 2025: 809 sentences of 38 documents in three domains, three judges; then 298 with H-FALCON, two judges


def kim() -> list[Document]:
    shapes = [("literary", 3, 76), ("news", 12, 233), ("social", 23, 500)]
    return [
        document(f"{domain}{n}", size, ["mt"], domain, 100 * n)
        for domain, count, sentences in shapes
        for n, size in enumerate(sizes(count, sentences))
    ]


def test_kim_labels_every_sentence_three_times() -> None:
    texts, people = kim(), judges(3)
    protocol = protocols.parse_toml('name = "labels"\nversion = "1"\nextends = "falcon"\nwithout = ["rating"]\n')
    tasks = designs.assign("full", texts, people, protocol, rng=np.random.default_rng(0), systems=["mt"])
    found = plan(tasks, texts, people, protocol, hourly_rate=30)
    assert (len(texts), found.pages[0].items, found.pages[0].judged) == (38, 809, 2427)
    domains = {d.id: d.domain for d in texts}
    per_domain = Counter(domains[item.document] for task in tasks[:38] for item in task.items)
    assert per_domain == {"literary": 76, "news": 233, "social": 500}
    rating = protocols.load("h_falcon")
    hours = plan(
        designs.assign("full", texts, people[:1], rating, rng=np.random.default_rng(0), systems=["mt"]),
        texts,
        people[:1],
        rating,
    ).hours
    assert hours == pytest.approx(13.5, abs=0.1), "the paper: 13.3 hours at 60 sentences an hour"


def test_kim_h_falcon_subset_through_a_campaign(store: Store) -> None:
    texts = [document(f"d{n}", size, ["mt"], "news", n * 50) for n, size in enumerate(sizes(14, 298))]
    people = judges(2)
    campaign.create(store, "subset", texts, "h_falcon", people, seed=1)
    answers = filled(store, "subset", people, {"mt": 0.8})
    counts = Counter(answer.question for answer in answers)
    assert (counts["skills"], counts["sentence"], counts["holistic"]) == (596, 596, 596)


# Castilho 2021: 14 documents, 513 sentences, 8 translators, two scenarios, two orders


def castilho() -> tuple[list[Document], list[Task], list[Judge]]:
    texts = [document(f"d{n}", size, ["google", "deepl"], "", n * 60) for n, size in enumerate(sizes(14, 513))]
    people = judges(8)
    protocol = protocols.compose(protocols.load("scenarios"), after=[protocols.load("post_task_scenarios")])
    options = {"rated": ["google"]}
    rng = np.random.default_rng(2021)
    tasks = designs.assign("latin_square", texts, people, protocol, rng=rng, systems=["google", "deepl"], **options)
    return texts, tasks, people


def test_castilho_every_translator_judges_513_sentences_each_in_one_scenario() -> None:
    texts, tasks, people = castilho()
    assert (len(texts), sum(len(d.segments) for d in texts)) == (14, 513)
    for judge in people:
        pages = defaultdict(list)
        for task in tasks:
            if task.judge == judge.id:
                pages[task.page] += [(item.document, item.segment) for item in task.items]
        assert len(pages["rs"]) + len(pages["sc"]) == len(set(pages["rs"]) | set(pages["sc"])) == 513
        assert sorted(pages["rs"]) == sorted(pages["rs_ranking"])
        assert abs(len(pages["rs"]) - len(pages["sc"])) <= 5, "the paper: 258 and 254"
        assert len(pages["ds"]) == len(pages["ds_ranking"]) == 7
        assert len(pages["about_rs"]) == len(pages["about_sc"]) == len(pages["about_ds"]) == 1


def test_castilho_two_groups_two_sets_two_orders() -> None:
    _, tasks, people = castilho()
    cells: Counter[tuple[frozenset[str], str]] = Counter()
    sets = set()
    for judge in people:
        mine = [task for task in tasks if task.judge == judge.id]
        alone = frozenset(item.document for task in mine if task.page == "rs" for item in task.items)
        first = "S1" if mine[0].page == "rs" else "D1"
        cells[alone, first] += 1
        sets.add(alone)
    assert len(sets) == 2 and not frozenset.intersection(*sets)
    assert sorted(cells.values()) == [2, 2, 2, 2], "T1/T5, T2/T6, T3/T7, T4/T8"
    judged = Counter(
        (item.document, item.segment, task.page) for task in tasks if task.page in ("rs", "sc") for item in task.items
    )
    assert set(judged.values()) == {4}


# Läubli 2018: 55 documents and 2 × 120 sentences, 5 and 16 of them nonsense, 4 + 4 raters


def test_laubli_through_a_campaign_with_its_control_answers(store: Store) -> None:
    texts = [document(f"a{n}", size, ["human", "mt"], "news", n * 20) for n, size in enumerate(sizes(123, 1000))]
    people = [*judges(4, arm="adequacy"), *(Judge(f"F{n}", attributes={"arm": "fluency"}) for n in range(4))]
    campaign.create(
        store, "parity", texts, "parity", people, design="parity", seed=2018,
        options={"whole": 55, "sentences_each": 120, "sets": 2},
        settings={"controls": {"shuffled": {"document": 5, "sentence": 16}}},
    )  # fmt: skip
    answers = filled(store, "parity", people, {"human": 0.7, "mt": 0.6})
    main = Counter((a.question, a.role) for a in answers if a.question.split("_of_")[0] in ("adequacy", "fluency"))
    assert main["adequacy_of_document", Role.MAIN] == main["fluency_of_document", Role.MAIN] == 4 * 50
    assert main["adequacy_of_sentence", Role.MAIN] == main["fluency_of_sentence", Role.MAIN] == 4 * 104
    documents = sum(n for (q, role), n in main.items() if role is Role.CONTROL and q.endswith("document"))
    sentences = sum(n for (q, role), n in main.items() if role is Role.CONTROL and q.endswith("sentence"))
    assert (documents, sentences) == (40, 128)
    stored = [task for judge in people for task in campaign.tasks(store, "parity", judge.id)]
    rows = misses(outcomes(stored, answers))
    assert sum(row.answered for row in rows if row.page.endswith("document")) == 40
    assert sum(row.answered for row in rows if row.page.endswith("sentence")) == 128
    assert {row.items for row in rows} == {5, 16}
    by_set = {
        frozenset((i.document, i.segment) for t in stored if t.judge == j.id and "sentence" in t.page for i in t.items)
        for j in people
    }
    assert len(by_set) == 2 and all(len(chosen) == 120 for chosen in by_set)


# Castilho, Popović and Way 2020: 300 sentences in three domains, 107 promoted, 95 kept, 22 still open


def survey(people: list[Judge], no: dict[tuple[str, str], int], question: str, tasks: list[Task]) -> list[Judgement]:
    """Answers in which so many of the judges say no to each sentence."""
    place = {judge.id: n for n, judge in enumerate(people)}
    found = []
    for task in tasks:
        for item in task.items:
            said = "no" if place[task.judge] < no[item.document, item.segment] else "yes"
            found.append(Judgement(task.judge, task.page, question, item.document, item.segment, (), said))
    return found


def test_the_survey_promotes_107_of_300_and_the_organiser_drops_12() -> None:
    protocol = protocols.load("context_survey")
    texts = [document(domain, 100, [], domain) for domain in ("reviews", "subtitles", "literature")]
    people = judges(5)
    rng = np.random.default_rng(0)
    tasks = designs.assign("full", texts, people, protocol, rng=rng, systems=[])
    assert Counter(task.judge for task in tasks for _ in task.items) == {judge.id: 300 for judge in people}
    units = [(d.id, s.id) for d in texts for s in d]
    hard = set(Random(1).sample(units, 107))
    answers = survey(people, {unit: 3 if unit in hard else 2 for unit in units}, "translatable", tasks)
    stage = next(stage for stage in protocol.stages if stage.id == "phase_two")
    assert stage.promotion is not None and stage.promotion.confirmed_by_organiser
    found = standings(stage.promotion, answers)
    assert sum(standing.promoted for standing in found) == 107
    kept = sorted(hard)[12:]
    second = promote("phase_two", {"": kept}, texts, people, protocol, rng=rng)
    assert Counter(task.judge for task in second for _ in task.items) == {judge.id: 95 for judge in people}
    open_still = set(Random(2).sample(kept, 22))
    answers += survey(people, {unit: 3 if unit in open_still else 1 for unit in kept}, "translatable_two", second)
    after = stage.promotion.model_copy(update={"question": "translatable_two"})
    assert sum(standing.promoted for standing in standings(after, answers)) == 22
    analysts = [Judge("pt", attributes={"analyst": True, "judge": False, "target_language": "pt"})]
    languages = [Judge(j.id, attributes={"target_language": "pt" if n < 4 else "sr"}) for n, j in enumerate(people)]
    span = next(stage for stage in protocol.stages if stage.id == "span")
    assert span.promotion is not None
    per_language = promoted(standings(span.promotion, answers, languages))
    assert len(per_language["pt"]) == 300 and "sr" not in per_language, "2 of 4 say no everywhere, the fifth never"
    assert sum(len(t.items) for t in promote("span", per_language, texts, analysts, protocol, rng=rng)) == 300


def test_the_survey_through_a_campaign_in_two_phases(store: Store) -> None:
    texts = [document(domain, 10, [], domain) for domain in ("reviews", "subtitles", "literature")]
    people = judges(4, target_language="pt")
    campaign.create(store, "survey", texts, "context_survey", people, seed=4)
    answers = filled(store, "survey", people, {})
    assert Counter(a.question for a in answers)["translatable"] == 4 * 30
    protocol = campaign.protocol(store, "survey")
    stage = next(stage for stage in protocol.stages if stage.id == "phase_two")
    assert stage.promotion is not None
    units = promoted(standings(stage.promotion, answers, people))
    tasks = promote("phase_two", units, texts, people, protocol, rng=np.random.default_rng(0))
    campaign.assign(store, "survey", tasks)
    fill(store, "survey", {judge.id: Temper() for judge in people}, {}, seed=5)
    counts = Counter(a.question for a in campaign.judgements(store, "survey"))
    assert counts["translatable_two"] == 4 * len(units[""]) > 0
    given = [a for a in campaign.judgements(store, "survey") if a.question == "reasons"]
    no = [a for a in campaign.judgements(store, "survey") if a.question == "translatable" and a.value == "no"]
    assert len(given) == len(no), "reasons are asked exactly where the answer was no"


def test_kim_labels_809_sentences_through_a_campaign(store: Store) -> None:
    protocol = protocols.parse_toml('name = "labels"\nversion = "1"\nextends = "falcon"\nwithout = ["rating"]\n')
    people = judges(1)
    campaign.create(store, "labels", kim(), protocol, people, seed=1)
    counts = Counter(answer.question for answer in filled(store, "labels", people, {}))
    assert (counts["context"], counts["skills"]) == (809, 809)


@pytest.mark.soak
def test_castilho_through_a_campaign(store: Store) -> None:
    texts, _, people = castilho()
    campaign.create(
        store, "scenarios", texts, "scenarios", people, design="latin_square", seed=2021,
        systems=["google", "deepl"], options={"rated": ["google"]}, settings={"after": ["post_task_scenarios"]},
    )  # fmt: skip
    answers = filled(store, "scenarios", people, {"google": 0.6, "deepl": 0.7})
    asked = Counter(answer.question for answer in answers)
    alone, in_context = asked["adequacy_rs"], asked["adequacy_sc"]
    assert alone + in_context == 8 * 513, "each translator judges every sentence once, alone or in context"
    assert asked["ranking_rs"] + asked["ranking_sc"] == 8 * 513
    assert asked["adequacy_ds"] == 8 * 7
    whole = campaign.progress(store, "scenarios").whole
    assert whole.done == whole.items
