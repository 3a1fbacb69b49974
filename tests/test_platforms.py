"""Windows and macOS by construction: every module loads without what only some systems have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "lanner"
UNIX_ONLY = ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty", "posix_ipc")
FUNCTIONS = ("nice", "fork", "getuid", "geteuid", "sched_getaffinity", "getloadavg")
OPTIONAL = {"aiohttp", "ray", "torch", "transformers", "sacrebleu", "psycopg", "keyring", "kiwipiepy", "pyarrow"}
SCRIPT = """
import importlib, os, sys

for name in {unix!r}:
    sys.modules[name] = None
for name in {functions!r}:
    if hasattr(os, name):
        delattr(os, name)
failed = []
for name in {modules!r}:
    try:
        importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").split(".")[0] not in {optional!r}:
            failed.append(f"{{name}}: {{error}}")
    except AttributeError as error:
        failed.append(f"{{name}}: {{error}}")
print("\\n".join(failed))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="takes away what Windows does not have")
def test_every_module_loads_without_what_only_unix_has() -> None:
    modules = [
        ".".join(("lanner", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "__main__.py"
    ]
    script = SCRIPT.format(unix=UNIX_ONLY, functions=FUNCTIONS, modules=modules, optional=sorted(OPTIONAL))
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.strip() == ""
