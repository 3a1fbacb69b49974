from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lanner.campaign.submission import ReusedError, Saved, digest
from property_examples import examples

SCRIPT = Path(__file__).parents[2] / "src/lanner/web/static/digest.js"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)  # fmt: skip


def test_saved_is_done_when_nothing_is_open() -> None:
    assert Saved({"q": 1}).done and not Saved({"q": 1}, open=("r",)).done


def test_saved_names_each_answer_by_the_digest_of_what_was_sent() -> None:
    saved = Saved({"q": 1}, answers={"q": 3, "note": None})
    assert saved.digests == {"q": digest(3), "note": digest(None)}
    # echo -n 3 | sha256sum
    assert saved.digests["q"] == "4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce"


def test_the_error_for_a_reused_id_says_what_to_do_and_what_is_stored() -> None:
    error = ReusedError("s1", stored={"q": (7, 3)}, answers={"q": 3})
    assert "s1" in error.what and error.code == "reused" and "UUID" in error.next_step
    assert error.stored == {"q": (7, 3)} and error.digests == {"q": digest(3)}


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(VALUES, min_size=30, max_size=30))
@example([1e-7, 1.5e-5, 1e21, 1e20, 0.1, -0.0, 5e-324, 2**60, "\u2028\x1f\x7f", {"\U0001f600": 1, "\uff61": 2}])
def test_the_page_computes_the_same_digest(values: list[object]) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("NO NODE: install node to compare the digests of page and server")
    code = (
        f"const {{ digest }} = await import({json.dumps(SCRIPT.as_uri())});"
        "const text = await new Response(process.stdin).text();"
        "console.log(JSON.stringify(JSON.parse(text).map(digest)))"
    )
    ran = subprocess.run(
        [node, "--input-type=module", "-e", code], input=json.dumps(values), capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout) == [digest(json.loads(json.dumps(value))) for value in values]
