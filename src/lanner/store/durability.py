"""Whether what is committed outlives a crash of the machine. Lanner asks for that at every commit; a database that was
set up otherwise, or a file system that says yes too early, breaks the promise without anybody noticing. So it is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Connection

NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afs", "ncpfs", "9p", "ceph", "glusterfs", "lustre", "gpfs"}
    | {"beegfs", "davfs", "webdav", "fuse.sshfs", "fuse.s3fs", "fuse.glusterfs", "fuse.rclone", "fuse.gcsfuse"}
)
_MOUNTS = Path("/proc/self/mounts")
_NEEDED = {
    "fsync": "a crash of its machine loses answers that were acknowledged, or damages the database",
    "full_page_writes": "a crash of its machine may damage the database",
    "synchronous_commit": "answers that were acknowledged are lost when it is killed",
}


def postgresql_warnings(connection: Connection) -> list[str]:
    """What the server was set up to do that breaks the promise, as its own settings say."""
    warnings = []
    for name, harm in _NEEDED.items():
        if str(connection.exec_driver_sql(f"SHOW {name}").scalar_one()) == "off":
            warnings.append(f"PostgreSQL runs with {name} = off: {harm}. Set {name} = on in postgresql.conf.")
    return warnings


def sqlite_warnings(connection: Connection, path: Path, mounts: Iterable[tuple[str, str]] | None = None) -> list[str]:
    """Where the file lies, and how it is written."""
    warnings = []
    kind = file_system_of(path, read_mounts() if mounts is None else mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        warnings.append(
            f"{path.name} lies on a network file system ({kind}), where SQLite's locks and writes cannot be relied on. "
            "Keep the store on a local disk, or use PostgreSQL."
        )
    if (level := int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())) < 2:
        warnings.append(f"SQLite writes with synchronous = {level}: acknowledged answers are lost in a power cut.")
    return warnings


def read_mounts() -> list[tuple[str, str]]:
    """Every mounted folder with the kind of its file system; nothing where the system does not say (not Linux)."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    fields = [line.split() for line in lines]
    # blanks in names are written as octal numbers
    return [(parts[1].replace("\\040", " "), parts[2]) for parts in fields if len(parts) > 2]


def file_system_of(path: Path, mounts: Iterable[tuple[str, str]]) -> str:
    """The kind of file system a file lies on: of the deepest mounted folder above it, the one mounted last."""
    place = path.resolve()
    kind, depth = "", -1
    for folder, name in mounts:
        parts = len(Path(folder).parts)
        if place.is_relative_to(folder) and parts >= depth:
            kind, depth = name, parts
    return kind
