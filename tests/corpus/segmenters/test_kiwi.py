from __future__ import annotations

import importlib.util
import sys

import pytest

from lanner.corpus.segmenters import kiwi
from lanner.errors import MissingExtraError


@pytest.mark.skipif(importlib.util.find_spec("kiwipiepy") is None, reason="the extra 'ko' is not installed")
def test_korean_without_punctuation_is_cut_by_its_grammar():
    text = "어제는 비가 많이 왔어요 그래서 집에만 있었어요 오늘은 날씨가 좋네요"
    assert [text[cut:].split(maxsplit=1)[0] for cut in kiwi.cuts(text, "ko")] == ["그래서", "오늘은"]


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    kiwi._kiwi.cache_clear()
    with pytest.raises(MissingExtraError, match=r"lanner\[ko\]"):
        kiwi.cuts("안녕하세요.", "ko")
