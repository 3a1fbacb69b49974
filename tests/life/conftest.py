from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli.command import Command
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import ServerSettings
from life.campaign_life import CampaignLife


@pytest.fixture
def live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[[str], CampaignLife]]:
    """Begin the life of a campaign of this name on a server of its own."""
    path = tmp_path / "lanner.sqlite"
    with Store.open(path) as store:
        app = create_app(store, settings=ServerSettings(processes=False, backups=tmp_path))
        with TestClient(app, follow_redirects=False) as client:
            yield lambda name: CampaignLife(name, client, store, path, Command(monkeypatch, capsys))
