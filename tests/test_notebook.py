"""Pages of Lanner for a notebook, asked for as the frame below a cell asks. The frame itself: tests/browser."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import polars as pl
import pytest

from lanner import campaign, library, notebook
from lanner.errors import CampaignError, InputError, LannerError
from lanner.store import Store

SENTENCES = pl.DataFrame(
    {"source": ["The ferry is late.", "We waited."], "target": ["Die Fähre ist spät.", "Wir warteten."]}
)
RATINGS = pl.DataFrame(
    {
        "judge": ["ann", "ben"] * 4,
        "document": ["d1"] * 4 + ["d2"] * 4,
        "segment": ["1", "1", "2", "2"] * 2,
        "system": ["oak"] * 8,
        "source": ["One ferry."] * 8,
        "target": ["Eine Fähre."] * 8,
        "score": [90, 10, 80, 75, 60, 55, 70, 71],
    }
)


@pytest.fixture(scope="module")
def widgets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """anywidget, and a folder for the store that these tests share; its pages are closed at the end."""
    pytest.importorskip("anywidget", reason="NO ANYWIDGET: install the extra notebook to test its widget")
    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder
        notebook.close()


def browser() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))


def test_a_judge_s_page_opens_and_the_campaign_is_kept(widgets: Path) -> None:
    page = notebook.judge(SENTENCES, "esa", languages="en-de")
    with browser().open(page.address) as answer:
        assert answer.url.endswith("/work")
        assert "frame-ancestors http://localhost:* http://127.0.0.1:*" in answer.headers["content-security-policy"]
    assert (page.widget.address, page.widget.height) == (page.address, notebook.HEIGHT)
    assert page.answers().is_empty()
    with Store.open(widgets / "lanner.sqlite") as store:
        task = campaign.next_task(store, "notebook", "me")
        assert task is not None
        campaign.submit(store, task.id, 0, {"errors": [], "score": 70}, submission="by a test", judge="me")
    assert page.answers().filter(pl.col("question") == "score")["score"].to_list() == [70.0]
    again = notebook.judge(SENTENCES, "esa", languages="en-de", store=widgets / "lanner.sqlite")
    assert again.address == page.address, "running the cell again goes on"
    other = notebook.judge(SENTENCES, "esa", languages="en-de", judge="ben")
    assert other.address != page.address
    with pytest.raises(CampaignError, match="other texts or another protocol"):
        notebook.judge(SENTENCES, "da", languages="en-de", store=widgets / "lanner.sqlite")
    with pytest.raises(CampaignError, match="other texts or another protocol"):
        notebook.judge(SENTENCES.head(1), "esa", languages="en-de", store=widgets / "lanner.sqlite")


def test_disagreements_of_a_frame_are_shown_with_their_sentences(widgets: Path) -> None:
    there = set(widgets.iterdir())
    page = notebook.disagreements(RATINGS)
    with browser().open(page.address) as answer:
        text = answer.read().decode()
        assert answer.url.endswith("/campaigns/judgements/disagreements")
    assert "One ferry." in text
    assert page.answers().height
    assert set(widgets.iterdir()) == there, "what is only looked at leaves nothing behind"
    with pytest.raises(InputError, match="several parts"):
        notebook.disagreements([*library.load(RATINGS), *library.load(RATINGS)])


def test_a_live_campaign_is_looked_at_and_not_changed(widgets: Path) -> None:
    notebook.judge(SENTENCES, "da", languages="en-de", name="pilot")
    page = notebook.live("pilot")
    visitor = browser()
    with visitor.open(page.address) as answer:
        assert answer.url.endswith("/campaigns/pilot")
        assert "pilot" in answer.read().decode()
    with pytest.raises(urllib.error.HTTPError) as caught:
        visitor.open(answer.url + "/settings")
    assert caught.value.code == 403
    caught.value.close()
    with Store.open(widgets / "lanner.sqlite") as store, store.reading() as tx:
        assert tx.accounts.count_owners() == 0, "whoever serves this store later can still set it up"
    with pytest.raises(InputError, match="no campaign called 'pilto'") as wrong:
        notebook.live("pilto")
    assert "pilot" in wrong.value.next_step
    with pytest.raises(InputError, match="no database"):
        notebook.live("pilot", store="elsewhere.sqlite")


def test_without_anywidget_the_extra_is_named_and_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    notebook.widget_class.cache_clear()
    with pytest.raises(LannerError, match="anywidget") as caught:
        notebook.judge(SENTENCES, "esa")
    assert "lanner[notebook]" in caught.value.next_step
    assert not list(tmp_path.iterdir())
