from __future__ import annotations

from types import SimpleNamespace

import pytest

from lanner.store import Store
from store_rows import fill


@pytest.fixture
def filled(store: Store) -> SimpleNamespace:
    """The row numbers of a small campaign in the store."""
    return fill(store)
