"""Released data sets, read once for all tests of a process: what is computed from them is kept with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from data_sets import data_dir
from lanner.studies.reproduce import read
from lanner.studies.study import Data, load


@pytest.fixture(scope="session")
def released() -> Callable[[str, str], Data]:
    """The data of a study, from the folder of this name."""
    return cache(lambda name, folder: read(load(name), data_dir(folder)))
