"""Other annotation servers, set up as their own documentation says, for `bench_load.py` to ask beside ours.

Each is installed from the package index into an environment of its own, so nothing of theirs is in ours. Payloads are
what their own pages send when an annotator saves: Pearmut a document of ten segments, Label Studio one task with a
choice and a rating. Pearmut does not wait for the disk. Both listen on this machine alone, and whatever they would send
to their makers is switched off. Where one cannot be installed or started, that is said, with what to do.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

USERS, PAGES, SEGMENTS = 16, 20, 10
_RESULT = """
function done(summary, latency)
  io.write(string.format("RESULT %d %d %.3f %.3f %d\\n", summary.requests, summary.duration,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.errors.status))
end
"""
PEARMUT_LUA = (
    """
local number = 0
function request()
  number = number + 1
  local body = string.format([[{"campaign_id": "bench", "user_id": "u%d", "item_i": %d, "payload": PAYLOAD}]],
    number % USERS, math.random(0, PAGES - 1))
  return wrk.format("POST", "/log-response", {["content-type"] = "application/json"}, body)
end
"""
    + _RESULT
)
LABEL_STUDIO_LUA = (
    """
local tasks = {TASKS}
local number = 0
function request()
  number = number + 1
  return wrk.format("POST", "/api/tasks/" .. tasks[(number % #tasks) + 1] .. "/annotations/",
    {["content-type"] = "application/json", authorization = "Token TOKEN"}, [[PAYLOAD]])
end
"""
    + _RESULT
)
PEARMUT_HERE = """
import sys, uvicorn
from pearmut.cli import main
asked = uvicorn.run
uvicorn.run = lambda app, **options: asked(app, **(options | dict(host="127.0.0.1")))
sys.argv[0] = "pearmut"
sys.exit(main())
"""  # its own command listens on every address of the machine
_CONFIG = """<View><Text name="text" value="$text"/>
<Choices name="quality" toName="text"><Choice value="good"/><Choice value="bad"/></Choices>
<Rating name="score" toName="text"/></View>"""


class UnavailableError(Exception):
    """Why a peer cannot be asked here, and what to do."""


def interpreter(least: tuple[int, int]) -> str:
    """A Python of at least this version."""
    ours = Path(sys.base_prefix).parent  # where a version manager keeps others beside ours
    beside = sorted(ours.glob("3.*/bin/python3"), key=lambda path: [int(n) for n in path.parts[-3].split(".")])
    for found in (sys.executable, *(shutil.which(f"python3.{minor}") for minor in (12, 13, 14)), *map(str, beside)):
        if not found:
            continue
        asked = [found, "-c", "import sys; print(sys.version_info[0], sys.version_info[1])"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
        if len(said) == 2 and (int(said[0]), int(said[1])) >= least:
            return found
    wanted = ".".join(map(str, least))
    raise UnavailableError(f"needs Python {wanted} or later, and none was found. Put a python{wanted} on the path.")


def installed(package: str, given: str, folder: Path, least: tuple[int, int]) -> Path:
    """The folder with the programs of an environment that has the package: the one given, or a new one."""
    home = Path(given) if given else folder / f"{package}-env"
    if not home.exists():
        subprocess.run([interpreter(least), "-m", "venv", str(home)], check=True)
        command = [home / "bin" / "python", "-m", "pip", "install", "-q", package]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise UnavailableError(
                f"could not be installed ({last}). Install it elsewhere and give the environment: --{package} FOLDER"
            )
    if not (home / "bin" / package).exists():
        raise UnavailableError(f"{home} has no program {package}. Install it there: {home}/bin/pip install {package}")
    return home / "bin"


@contextmanager
def pearmut(given: str, folder: Path, running: Callable[..., Any], users: int = USERS, pages: int = PAGES) -> Iterator:
    """The server with a task-based campaign, and the script that saves to it."""
    programs = installed("pearmut", given, folder, (3, 12))
    root = folder / f"pearmut-{users}"
    root.mkdir()
    segment = {"src": "A sentence as it stands.", "tgt": {"alder": "Ein Satz, wie er steht."}}
    tasks = [[[segment] * SEGMENTS for _ in range(pages)] for _ in range(users)]
    names = [f"u{n}" for n in range(users)]
    info = {"assignment": "task-based", "users": names, "protocol": "ESA"}
    file = root / "campaign.json"
    file.write_text(json.dumps({"campaign_id": "bench", "info": info, "data": tasks}))
    environment = {**os.environ, "PEARMUT_ROOT": str(root)}
    subprocess.run([programs / "pearmut", "add", str(file)], cwd=root, env=environment, capture_output=True, check=True)
    span = {"start_i": 2, "end_i": 5, "severity": "minor", "category": None}
    payload = {
        "annotation": [{"alder": {"score": 70 + n, "error_spans": [span]}} for n in range(SEGMENTS)],
        "actions": [{"time": 1_772_000_000 + n, "action": "score"} for n in range(20)],
        "item": [segment] * SEGMENTS,
    }
    script = PEARMUT_LUA.replace("PAYLOAD", json.dumps(payload).replace("%", "%%"))
    script = script.replace("USERS", str(users)).replace("PAGES", str(pages))
    command = [programs / "python", "-c", PEARMUT_HERE, "run", "--port", "{port}"]
    with running(command, "/", env=environment, cwd=root) as server:
        yield server, script


@contextmanager
def label_studio(given: str, folder: Path, running: Callable[..., Any]) -> Iterator:
    """The server on its own SQLite with a project of small tasks, and the script that saves to it."""
    programs = installed("label-studio", given, folder, (3, 10))
    root, token = folder / "label-studio", "b" * 40
    root.mkdir()
    environment = {
        **os.environ,
        "LABEL_STUDIO_BASE_DATA_DIR": str(root),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
        "LATEST_VERSION_CHECK": "false",
        "FEATURE_FLAGS_OFFLINE": "true",
    }
    account = ["--username", "bench@example.org", "--password", "not-a-secret-1", "--user-token", token]
    here = ["--no-browser", "--internal-host", "127.0.0.1", "--port", "{port}"]
    with running(
        [programs / "label-studio", "start", *here, *account], "/health/", env=environment, cwd=root
    ) as server:

        def ask(path: str, content: object) -> Any:
            headers = {"authorization": f"Token {token}", "content-type": "application/json"}
            asked = urllib.request.Request(server.url + path, json.dumps(content).encode(), headers)
            try:
                with urllib.request.urlopen(asked, timeout=120) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as problem:
                raise UnavailableError(f"answered {problem.code} to {path}: {problem.read()[:200]!r}") from None

        project = ask("/api/projects/", {"title": "bench", "label_config": _CONFIG})["id"]
        texts = [{"data": {"text": f"Sentence {n}"}} for n in range(USERS * PAGES)]
        ask(f"/api/projects/{project}/import", texts)
        headers = {"authorization": f"Token {token}"}
        listed = urllib.request.Request(f"{server.url}/api/tasks?project={project}&page_size=400", headers=headers)
        with urllib.request.urlopen(listed, timeout=120) as answer:
            tasks = [task["id"] for task in json.load(answer)["tasks"]]
        result = [
            {"from_name": "quality", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}},
            {"from_name": "score", "to_name": "text", "type": "rating", "value": {"rating": 4}},
        ]
        script = LABEL_STUDIO_LUA.replace("TASKS", ", ".join(map(str, tasks))).replace("TOKEN", token)
        yield server, script.replace("PAYLOAD", json.dumps({"result": result, "lead_time": 12.0}))
