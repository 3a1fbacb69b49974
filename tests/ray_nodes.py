"""A real Ray cluster on this machine: each node is a `ray start` of its own, which can be killed like a machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ports import free_port

_ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}


@dataclass
class Nodes:
    """The cluster. `roots` are the processes that its nodes began with; the first is the head."""

    address: str
    folder: Path
    roots: list[int] = field(default_factory=list)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *options: str) -> None:
        """Add a node. Ray gives up on one that takes half a minute, as on a busy machine it may; then another is
        started in its place."""
        for _ in range(3):
            log = self.folder / f"node{len(self.processes)}.log"
            process = self._begun(log, options)
            while process.poll() is None:
                if "Ray runtime started" in log.read_text():
                    self.roots.append(process.pid)
                    return
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.1)
        raise AssertionError(log.read_text())

    def _begun(self, log: Path, options: Sequence[str]) -> subprocess.Popen[bytes]:
        command = [str(Path(sys.executable).parent / "ray"), "start", "--num-cpus=1", "--object-store-memory=80000000"]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*command, "--disable-usage-stats", "--block", *options],
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True, env=os.environ | _ENVIRONMENT,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def kill(self, node: int) -> None:
        """As if the machine had lost its power: all its processes at once."""
        _kill(self.roots[node])

    def end(self) -> None:
        for process in reversed(self.processes):
            _kill(process.pid)
            process.wait()

    def sender(self, port: int) -> tuple[int, int] | None:
        """Node and process that talk from this port."""
        wanted = f"socket:[{_inode(port)}]"
        above = _parents()
        for pid in above:
            with suppress(OSError):
                if any(str(entry.readlink()) == wanted for entry in Path(f"/proc/{pid}/fd").iterdir()):
                    found = pid
                    while found in above and found not in self.roots:
                        found = above[found]
                    return (self.roots.index(found), pid) if found in self.roots else None
        return None


def _parents() -> dict[int, int]:
    """Every process with the one that started it."""
    above: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                above[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    return above


def _kill(top: int) -> None:
    """A process and all that it started; Ray puts some of these into roots of their own."""
    above = _parents()
    doomed, found = {top}, {top}
    while found:
        found = {pid for pid, parent in above.items() if parent in found} - doomed
        doomed |= found
    for pid in doomed:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _inode(port: int) -> str:
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) == port and fields[9] != "0":
            return fields[9]
    return ""


@contextmanager
def ray_nodes(number: int) -> Iterator[Nodes]:
    """So many nodes with a processor each, gone afterwards."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        nodes = Nodes(f"127.0.0.1:{port}", Path(folder))
        try:
            nodes.start("--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={folder}")
            for _ in range(number - 1):
                nodes.start(f"--address={nodes.address}")
            yield nodes
        finally:
            nodes.end()
