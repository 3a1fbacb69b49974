from __future__ import annotations

import hashlib
import json

from lanner.corpus.manifest import Manifest, Step, digest, inputs, versions
from lanner.model import Document, Segment


def test_inputs_are_hashed_in_order_of_name(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_bytes(b"2")
    (tmp_path / "a.txt").write_bytes(b"one")
    found = inputs(tmp_path)
    assert [entry["name"] for entry in found] == ["a.txt", "b/two.txt"]
    assert found[0] == {"name": "a.txt", "bytes": 3, "sha256": hashlib.sha256(b"one").hexdigest()}
    assert inputs(tmp_path / "a.txt") == found[:1]


def test_a_digest_tells_documents_and_their_order_apart():
    one, two = Document("1", (Segment("1", "x", {"b": "1", "a": "2"}),)), Document("2", ())
    same = Document("1", (Segment("1", "x", {"a": "2", "b": "1"}),))
    assert digest([one, two]) == digest([same, two])
    assert digest([one, two]) != digest([two, one])
    assert digest([one]) != digest([Document("1", (Segment("1", "y"),))])


def test_a_manifest_is_json_with_everything_needed():
    manifest = Manifest({"name": "x"}, 3, (Step("split", {"rows": 2}, 1, 2),), "abc", versions=versions())
    found = json.loads(manifest.to_json())
    assert found["steps"] == [{"do": "split", "counts": {"rows": 2}, "documents": 1, "segments": 2}]
    assert {"python", "unicode", "lanner", "nupunkt", "numpy"} <= set(found["versions"])
