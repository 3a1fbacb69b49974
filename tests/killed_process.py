"""Work that is killed in the middle: a copy of this process does it, so that nothing has to be loaded again."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from random import Random
from typing import Any

Work = Callable[[str, Callable[[Any], None]], None]
"""Gets the place of a store, and a function that says how far it is."""


class KilledProcess:
    """Runs until it is killed. The store must not be open here when it begins: connections are nobody else's."""

    def __init__(self, work: Work, place: str) -> None:
        fork = get_context("fork")
        self._said, say = fork.Pipe(duplex=False)
        self._process = fork.Process(target=work, args=(place, say.send), daemon=True)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # threads here hold nothing of it
            self._process.start()
        say.close()

    def said(self, count: int) -> list[Any]:
        """Wait until it has said so much."""
        return [self._said.recv() for _ in range(count)]

    def kill(self) -> list[Any]:
        """Kill it, at another moment of its work each time. What it had still said before."""
        for _ in range(Random().randrange(3000)):
            os.sched_yield()
        self._process.kill()
        self._process.join()
        rest: list[Any] = []
        with suppress(EOFError, OSError):  # the end, perhaps in the middle of a word
            while True:
                rest.append(self._said.recv())
        return rest
