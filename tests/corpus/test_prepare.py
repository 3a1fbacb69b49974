from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from itertools import groupby

import pytest

from data_sets import data_dir
from lanner.corpus import recipe
from lanner.corpus.edits import Edit
from lanner.corpus.prepare import Manifest, Preparation, PreparationStep, describe_inputs, digest, prepare, versions
from lanner.errors import LannerError
from lanner.model import Document, Segment

HOW = recipe.parse(
    """
name = "test"
seed = 4
target_language = "es"
[[step]]
do = "normalise"
[[step]]
do = "filter"
rules = ["canary", "domain"]
domains = ["speech"]
action = "drop"
[[step]]
do = "split"
[[step]]
do = "filter"
rules = ["hyperlink", "timestamp"]
"""
)


def documents(number: int = 3) -> list[Document]:
    segments = (
        Segment("1", "It rained all day. We stayed at home.", {"a": "Llovió todo el día. Nos quedamos en casa."}),
        Segment("2", "More at https://a.example now.", {"a": "Más en https://a.example ahora."}),
    )
    return [
        Document("canary", (Segment("0", "CANARY GUID 1"),), "en", domain="canary"),
        Document("talk", segments[:1], "en", domain="speech"),
        *(Document(f"d{n}", segments, "en", domain="news") for n in range(number)),
    ]


def test_a_recipe_runs_and_is_recorded():
    made = prepare(documents(), HOW)
    assert [d.id for d in made.documents] == ["d0", "d1", "d2"]
    assert made.documents[0].target_language == "es"
    assert [(s.id, s.judged) for s in made.documents[0].segments] == [("1.1", True), ("1.2", True), ("2", False)]
    steps = made.manifest.steps
    assert [step.do for step in steps] == ["input", "normalise", "filter", "split", "filter"]
    assert steps[2].counts == {"canary": 1, "domain": 1, "documents_dropped": 2}
    assert (steps[3].documents, steps[3].segments) == (3, 9)
    assert steps[4].counts == {"hyperlink": 3, "timestamp": 0}
    assert made.manifest.before[-2]["documents"] == 5
    assert made.manifest.after[-1]["documents"] == 3
    json.loads(made.manifest.to_json())


def test_the_same_recipe_and_seed_give_the_same_bytes():
    sampled = HOW.model_copy(update={"steps": (*HOW.steps, recipe.Sample(do="sample", sentences=6))})
    one, two = (prepare(documents(9), sampled) for _ in range(2))
    assert one.manifest == two.manifest
    assert one.documents == two.documents
    assert one.manifest.sample[-1]["got"] == 6
    other = prepare(documents(9), sampled, seed=5)
    assert other.manifest.seed == 5
    assert other.manifest.output != one.manifest.output


SCRIPT = """
from lanner.corpus import recipe
from lanner.corpus.prepare import prepare
from lanner.model import Document, Segment
source = "In 2019 Wilson met Ana. They paid 1,200 in Rome! See it 😂 Then they left."
target = "En 2019 Wilson conoció a Ana. ¡Pagaron 1.200 en Roma! Míralo 😂 Luego se fueron."
rows = (Segment("1", source, {"a": target, "b": target}),)
texts = [Document(f"d{n}", rows, "en", "es", f"x{n % 2}") for n in range(8)]
steps = 'name = "x"\\n[[step]]\\ndo = "split"\\n[[step]]\\ndo = "sample"\\nsentences = 12\\nclip = 3'
print(prepare(texts, recipe.parse(steps), 3).manifest.to_json())
"""


def test_another_process_gives_the_same_bytes(capsys):
    """This one and one with another order of sets."""
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", SCRIPT]
    other = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    exec(SCRIPT, {})
    assert capsys.readouterr().out == other
    assert json.loads(other)["sample"][-1]["got"] == 12


def test_edits_by_hand_come_after_the_split_and_into_the_manifest():
    edit = Edit("merge", "d1", "1.1", by="ana", when="2026-11-15")
    made = prepare(documents(), HOW, hand=[edit])
    assert [s.id for s in made.documents[1].segments] == ["1.1", "2"]
    assert made.documents[1].segments[0].source == "It rained all day. We stayed at home."
    assert made.manifest.edits == (edit,)


def test_edits_by_hand_are_never_ignored():
    with pytest.raises(LannerError, match="the recipe does not split"):
        prepare(documents(), choosing(systems=["a"]), hand=[Edit("accept", "d0", "1.1")])


def choosing(**options) -> recipe.Recipe:
    return HOW.model_copy(update={"steps": (recipe.Choose(do="choose", **options),)})


def test_systems_are_chosen_by_name_or_score():
    texts = [Document("d", (Segment("1", "x", {"a": "1", "b": "2"}, meta={"bleu": {"a": 3, "b": 9}}),), "en", "es")]
    assert prepare(texts, choosing(systems=["a"])).documents[0].systems == ("a",)
    assert prepare(texts, choosing(best=1), scores={"a": 0.2, "b": 0.1}).documents[0].systems == ("a",)
    assert prepare(texts, choosing(best=1, column="bleu")).documents[0].systems == ("b",)
    with pytest.raises(LannerError, match="No document has an output of 'c'"):
        prepare(texts, choosing(systems=["c"]))


def test_systems_are_chosen_by_a_metric_and_its_scores_are_kept():
    pytest.importorskip("sacrebleu", reason="the extra 'metrics' is not installed")
    segment = Segment("1", "x", {"a": "a gull", "b": "the tide is out", "c": "the tide"}, {"A": "the tide is out"})
    texts = [Document(name, (segment,), "en", "es") for name in ("d", "e")]
    for metric in ("chrf", "ter"):
        made = prepare(texts, choosing(best=2, metric=metric))
        assert set(made.documents[0].systems) == {"b", "c"}
        assert [row["system"] for row in made.manifest.scores] == ["b", "c", "a"]
        assert "version" in str(made.manifest.scores[0]["signature"])


def test_progress_is_told_step_by_step():
    seen: list[tuple[str, int]] = []
    prepare(documents(2), HOW, progress=lambda step, done: seen.append((step, done)))
    assert seen[0] == ("input", 1)
    assert seen[-1] == ("filter", 2)
    assert ("split", 2) in seen


def test_documents_pass_one_by_one():
    taken = []

    def stream():
        for document in documents(50):
            taken.append(document.id)
            yield document

    run = Preparation(HOW)
    made = run.run(stream())
    for number in range(50):
        assert next(made).id == f"d{number}" == taken[-1]
    assert next(made, None) is None
    assert run.record().steps[-1].documents == 50


@pytest.mark.data
def test_wmt24_becomes_an_aligned_set_and_its_table_is_the_papers():
    root = data_dir("wmt24")

    def lines(name):
        return (root / name).read_text(encoding="utf-8").split("\n")[:-1]

    sources, outputs = lines("sources/en-es.txt"), lines("system-outputs/en-es/GPT-4.txt")
    segments = [Segment(str(n), source, {"GPT-4": outputs[n]}) for n, source in enumerate(sources)]
    numbered = enumerate(line.split("\t") for line in lines("documents/en-es.docs"))
    texts = [
        Document(name, tuple(segments[n] for n, _ in group), "en", "es", domain)
        for (domain, name), group in groupby(numbered, key=lambda entry: tuple(entry[1]))
    ]
    made = prepare(texts, recipe.load("wmt24"))
    before = {row["domain"]: (row["documents"], row["segments"]) for row in made.manifest.before}
    assert before.pop("Mean of domains") == (None, None)
    assert before == {
        "canary": (1, 1),
        "literary": (8, 206),
        "news": (17, 149),
        "social": (34, 531),
        "speech": (111, 111),
        "All": (171, 998),
    }
    # The paper's sentence counts, made with Punkt, within the difference between two segmenters.
    by_domain = {row["domain"]: row["sentences_per_segment"] for row in made.manifest.before}
    for domain, published in (("literary", 2.88), ("news", 2.23), ("social", 1.46), ("speech", 6.49)):
        assert by_domain[domain] == pytest.approx(published, rel=0.1)
    assert {d.domain for d in made.documents} == {"literary", "news", "social"}
    assert len(made.documents) == 59
    assert 1600 < sum(len(d.segments) for d in made.documents) < 1750
    for document, original in zip(
        made.documents, [d for d in texts if d.domain not in ("canary", "speech")], strict=True
    ):
        ours, theirs = ("".join(s.outputs["GPT-4"] for s in each) for each in (document, original))
        assert "".join(ours.split()) == "".join(theirs.split())
    assert made.manifest.doubtful < 300


def test_inputs_are_hashed_in_order_of_name(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_bytes(b"2")
    (tmp_path / "a.txt").write_bytes(b"one")
    found = describe_inputs(tmp_path)
    assert [entry["name"] for entry in found] == ["a.txt", "b/two.txt"]
    assert found[0] == {"name": "a.txt", "bytes": 3, "sha256": hashlib.sha256(b"one").hexdigest()}
    assert describe_inputs(tmp_path / "a.txt") == found[:1]


def test_a_digest_tells_documents_and_their_order_apart():
    one, two = Document("1", (Segment("1", "x", {"b": "1", "a": "2"}),)), Document("2", ())
    same = Document("1", (Segment("1", "x", {"a": "2", "b": "1"}),))
    assert digest([one, two]) == digest([same, two])
    assert digest([one, two]) != digest([two, one])
    assert digest([one]) != digest([Document("1", (Segment("1", "y"),))])


def test_a_manifest_is_json_with_everything_needed():
    manifest = Manifest({"name": "x"}, 3, (PreparationStep("split", {"rows": 2}, 1, 2),), "abc", versions=versions())
    found = json.loads(manifest.to_json())
    assert found["steps"] == [{"do": "split", "counts": {"rows": 2}, "documents": 1, "segments": 2}]
    assert {"python", "unicode", "lanner", "nupunkt", "numpy"} <= set(found["versions"])
