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
from contextlib import suppress
from typing import Any

from lanner.web.page.speech import language

SIZE = struct.Struct(">Q")
"""Of what follows, in front of it."""


class Beside:
    """The server's end. One question at a time, in the asker's language; a process that died is begun anew, once per
    question."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    @property
    def begun(self) -> bool:
        """Whether the process is there; beginning takes it a second or two."""
        return self._process is not None

    async def ask(self, what: str, *given: Any) -> Any:
        """What a method of the album over there returns, or the error it met."""
        async with self._turn:
            try:
                found = await self._ask((language(), what, *given))
            except (asyncio.IncompleteReadError, ConnectionError):
                await self.close()
                found = await self._ask((language(), what, *given))
        if isinstance(found, Exception):
            raise found
        return found

    async def _ask(self, question: tuple[Any, ...]) -> Any:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await self._begun()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(packed(question))
        await process.stdin.drain()
        (size,) = SIZE.unpack(await process.stdout.readexactly(SIZE.size))
        return pickle.loads(await process.stdout.readexactly(size))

    async def _begun(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "lanner.web.making.process")
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, limit=2**24, preexec_fn=_modestly
        )
        assert process.stdin is not None
        process.stdin.write(packed(self._address))  # not on the command line, where others could read a password
        return process

    async def close(self) -> None:
        """End it. It holds nothing that could be lost."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()  # also closes the pipes


def _modestly() -> None:
    os.nice(10)  # those who judge come first, and whoever waits for a page: also while this one loads what it needs


def packed(value: object) -> bytes:
    """A value as it goes over a pipe: its length, then itself."""
    content = pickle.dumps(value)
    return SIZE.pack(len(content)) + content
