"""A process beside the server that makes pictures, so that computing never stands in the way of saving.

They speak in pickled lines over pipes: the address of the store first, then questions and answers one by one. The
server starts it when someone looks at a live page, and starts it again if it dies.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.picture import Album

_SIZE = struct.Struct(">Q")


class Beside:
    """The server's end. One question at a time; a process that died is begun anew, once per question."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def ask(self, what: str, *given: Any) -> Any:
        """What a method of the album over there returns, or the error it met."""
        async with self._turn:
            try:
                found = await self._ask((what, *given))
            except (asyncio.IncompleteReadError, ConnectionError):
                await self.close()
                found = await self._ask((what, *given))
        if isinstance(found, Exception):
            raise found
        return found

    async def _ask(self, question: tuple[Any, ...]) -> Any:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await self._begun()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(_packed(question))
        await process.stdin.drain()
        (size,) = _SIZE.unpack(await process.stdout.readexactly(_SIZE.size))
        return pickle.loads(await process.stdout.readexactly(size))

    async def _begun(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "lanner.web.beside")
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=2**24)
        assert process.stdin is not None
        process.stdin.write(_packed(self._address))  # not on the command line, where others could read a password
        return process

    async def close(self) -> None:
        """End it. It holds nothing that could be lost."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()  # also closes the pipes


def _packed(value: object) -> bytes:
    content = pickle.dumps(value)
    return _SIZE.pack(len(content)) + content


def _read(stream: BinaryIO) -> Any:
    head = stream.read(_SIZE.size)
    return pickle.loads(stream.read(_SIZE.unpack(head)[0])) if len(head) == _SIZE.size else None


def answer(questions: BinaryIO, answers: BinaryIO, album_of: Callable[[Store], Album] = Album) -> None:
    """The other end: answer until nobody asks any more."""
    with Store.open(_read(questions), create=False) as store:
        album = album_of(store)
        while (asked := _read(questions)) is not None:
            what, *given = asked
            found: Any
            try:
                found = getattr(album, what)(*given)
            except LannerError as error:
                found = error
            except Exception as error:  # what we did not foresee must not end the process for all other campaigns
                found = RuntimeError(f"{type(error).__name__}: {error}")
            answers.write(_packed(found))
            answers.flush()


if __name__ == "__main__":
    os.nice(10)  # those who judge come first
    answer(sys.stdin.buffer, sys.stdout.buffer)
