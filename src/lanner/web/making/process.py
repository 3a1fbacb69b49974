"""The other end of `lanner.web.picture.beside`: a process that answers until nobody asks any more."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.making.album import Album
from lanner.web.page.speech import speaking
from lanner.web.picture.beside import SIZE, packed


def read(stream: BinaryIO) -> Any:
    """What the server sent next; None when it has gone."""
    head = stream.read(SIZE.size)
    return pickle.loads(stream.read(SIZE.unpack(head)[0])) if len(head) == SIZE.size else None


def answer(questions: BinaryIO, answers: BinaryIO, album_of: Callable[[Store], Album] = Album) -> None:
    """The other end: answer until nobody asks any more."""
    with Store.open(read(questions), create=False) as store:
        album = album_of(store)
        while (asked := read(questions)) is not None:
            spoken, what, *given = asked
            found: Any
            try:
                with speaking(spoken):
                    found = getattr(album, what)(*given)
            except LannerError as error:
                found = error
            except Exception as error:  # what we did not foresee must not end the process for all other campaigns
                found = RuntimeError(f"{type(error).__name__}: {error}")
            answers.write(packed(found))
            answers.flush()


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the server was killed: nobody waits for the rest
        answer(sys.stdin.buffer, sys.stdout.buffer)
