"""How large and how tangled the source is: a table, optionally beside an earlier commit.

    python benchmarks/measure_structure.py                      # this checkout
    python benchmarks/measure_structure.py --against 64f30d5    # the same table for a commit, side by side
    python benchmarks/measure_structure.py --package web        # one package; add --no-traces for a quick look

Lines and files are those of `src/lanner`; tests and docs are not counted. A trace runs one operation twice in a process
of its own and lists the modules of Lanner whose functions were entered the second time: what a reader has to open to
follow it. Loading modules is not counted. `--names`, `--duplicates` and `--trace save` list what the table counts.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("py", "js", "css", "html", "toml")
GOALS = {"save": 12, "judging page": 20, "kappa": 7, "CSV import": 15, "report": 40}
SHARED_LINES, TOO_COMMON = 6, 8

IRREGULAR = """
    asked begun born brought built bought caught chosen done drawn fallen felt found given gone gotten grown heard held
    hidden kept known laid led lent lost made meant met paid said seen sent shown sold sought spent spoken stood stuck
    taken taught thought thrown told torn understood won woven worn written
"""
NOT_PARTICIPLES = """
    bed bleed breed deed embed exceed feed fed greed hundred indeed naked need proceed red sacred seed shed shred sled
    speed sped succeed weed
"""


# Lines and files


def source_files(tree: Path, package: str = "") -> list[Path]:
    top = tree / "src" / "lanner" / package.replace(".", "/")
    if not top.exists():
        top = top.with_suffix(".py")
    files = [top] if top.is_file() else sorted(top.rglob("*"))
    return [path for path in files if path.suffix.lstrip(".") in LANGUAGES]


def is_prose(line: str) -> bool:
    """A line of TOML that is a sentence for people: a value in quotes, or a line of a text over several lines."""
    return not re.match(r"\s*([\w.-]+\s*=|\[)", line) or bool(re.match(r'\s*[\w.-]+\s*=\s*["\']', line))


def longest_line(path: Path) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".toml":
        lines = [line for line in lines if not is_prose(line)]
    return max(map(len, lines), default=0)


# Names


def is_participle(name: str) -> bool:
    """Whether a variable's name is one word that says how a thing came to be, not what it is."""
    word = name.strip("_").rstrip("0123456789")
    if word in IRREGULAR.split():
        return True
    return "_" not in word and len(word) > 3 and word.endswith("ed") and word not in NOT_PARTICIPLES.split()


def is_flag(value: ast.AST | None, annotation: ast.AST | None) -> bool:
    """`closed = False` and `required: bool` are adjectives of a state, which is what a flag should be called."""
    if annotation is not None and "bool" in ast.unparse(annotation):
        return True
    if isinstance(value, ast.Constant):
        return isinstance(value.value, bool)
    return isinstance(value, ast.Compare | ast.BoolOp) or (
        isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    )


def variables(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Arguments, local and module variables and attributes, each once in its scope, with the line; flags left out."""

    def names(scope: ast.AST) -> Iterator[tuple[str, int, bool]]:
        for node in ast.iter_child_nodes(scope):
            match node:
                case ast.arg():
                    yield node.arg, node.lineno, is_flag(None, node.annotation)
                case ast.Name(ctx=ast.Store()):
                    yield node.id, node.lineno, False
                case ast.Attribute(ctx=ast.Store()):
                    yield node.attr, node.lineno, False
                case ast.AnnAssign(target=ast.Name() | ast.Attribute() as target):
                    name = target.id if isinstance(target, ast.Name) else target.attr
                    yield name, node.lineno, is_flag(node.value, node.annotation)
                    continue
                case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
                    name = target.id if isinstance(target, ast.Name) else target.attr
                    yield name, node.lineno, is_flag(node.value, None)
                    yield from names(node.value)
                    continue
                case _:
                    pass
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
                yield from names(node)

    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Module)
    for scope in ast.walk(tree):
        if isinstance(scope, scopes):
            first: dict[str, int] = {}
            for name, line, flag in names(scope):
                if not flag and name not in ("_", "self", "cls"):
                    first.setdefault(name, line)
            yield from first.items()


# Imports


def imported_modules(tree: ast.AST, known: set[str]) -> set[str]:
    names: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {full if (full := f"{node.module}.{alias.name}") in known else node.module for alias in node.names}
        else:
            names |= imported_modules(node, known)
    return names & known


def modules_in_cycles(graph: dict[str, set[str]]) -> set[str]:
    """Modules that reach themselves by way of their imports."""

    def reachable(start: str) -> set[str]:
        reached: set[str] = set()
        pending = list(graph[start])
        while pending:
            if (name := pending.pop()) not in reached:
                reached.add(name)
                pending += graph[name]
        return reached

    return {name for name in graph if name in reachable(name)}


# Repetition


def significant_lines(path: Path) -> list[tuple[int, str]]:
    """Lines with something to say: no blank lines, comments, imports, or lone punctuation."""
    text = path.read_text(encoding="utf-8")
    skipped = re.compile(r"^(#|//|/\*|\*|<!--|from |import |[^\w]*$)")
    imports = {  # those of Python may run over several lines
        number
        for node in (ast.walk(ast.parse(text)) if path.suffix == ".py" else ())
        if isinstance(node, ast.Import | ast.ImportFrom)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return [
        (number, " ".join(line.split()))
        for number, line in enumerate(text.splitlines(), 1)
        if number not in imports and not skipped.match(line.strip())
    ]


def duplicate_pairs(files: Sequence[Path]) -> list[tuple[str, int, str, int, int]]:
    """Pairs of places that share six or more significant lines to the letter: both places, and how many lines."""
    lines = {path: significant_lines(path) for path in files if path.suffix != ".toml"}
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    for path, rows in lines.items():
        for index in range(len(rows) - SHARED_LINES + 1):
            places[tuple(text for _, text in rows[index : index + SHARED_LINES])].append((path, index))
    windows = {
        pair
        for same in places.values()
        if 1 < len(same) <= TOO_COMMON
        for pair in combinations(same, 2)
        if pair[0][0] != pair[1][0] or abs(pair[0][1] - pair[1][1]) >= SHARED_LINES
    }
    pairs = []
    for (one, first), (other, second) in sorted(windows):
        if ((one, first - 1), (other, second - 1)) in windows:
            continue
        length = 0
        while ((one, first + length), (other, second + length)) in windows:
            length += 1
        where = lines[one][first][0], lines[other][second][0]
        pairs.append((str(one), where[0], str(other), where[1], length + SHARED_LINES - 1))
    return pairs


# Traces

_RECORDER = """
import contextlib, io, json, os, re, sys, tempfile, threading
from pathlib import Path
SOURCE = os.path.join(sys.argv[1], "src", "lanner") + os.sep
entered, recording = set(), False

def note(frame, event, _argument):
    if recording and event == "call" and frame.f_code.co_name != "<module>":
        entered.add(frame.f_code.co_filename)

threading.setprofile(note)
sys.setprofile(note)

@contextlib.contextmanager
def recorded():
    global recording
    entered.clear()
    recording = True
    yield
    recording = False

def lanner(*arguments):
    from lanner.cli import lanner as group
    with contextlib.redirect_stdout(io.StringIO()) as output:
        group.main(list(arguments), standalone_mode=False)
    return output.getvalue()

def texts():
    rows = ["document,segment,system,source,target,domain"]
    rows += [f"d{n // 3},{n},{name},Sentence {n}.,Satz {n}.,news" for n in range(9) for name in ("alder", "birch")]
    Path("texts.csv").write_text("\\n".join(rows), encoding="utf-8")

os.chdir(tempfile.mkdtemp())
"""

_SITE = """
from starlette.testclient import TestClient
from lanner.store import Store
from lanner.web.app import create_app
texts()
made = json.loads(lanner("new", "trial", "--texts", "texts.csv", "--protocol", "h_falcon", "--judges", "Ana", "--json"))
link = re.search(r"/j/[\\w-]+", json.dumps(made)).group()
client = TestClient(create_app(Store.open("lanner.sqlite")), base_url="http://127.0.0.1:8000")
client.__enter__()
tasks = re.findall(r"/task/\\d+", client.get(link).text)
"""

_TRACES = {
    "save": _SITE
    + """
for item in range(3):
    body = {"submission": f"submission-{item}", "item": item, "answers": {"sentence": 3, "holistic": 7}, "active": 4.5}
    headers = {"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8000"}
    with recorded():
        answer = client.post(f"{tasks[0]}/answers", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
""",
    "judging page": _SITE
    + """
for _ in range(2):
    with recorded():
        page = client.get(tasks[0])
    assert page.status_code == 200, page.text
""",
    "kappa": """
import polars
from lanner.stats.agreement import kappa
rows = [(f"d{n // 4}", str(n), judge, "label", "yes" if (n * 7 + place * (n % 3)) % 2 else "no")
    for n in range(40) for place, judge in enumerate(("ana", "ben"))]
table = polars.DataFrame(rows, schema=["document", "segment", "judge", "question", "label"], orient="row")
for _ in range(2):
    with recorded():
        result = kappa(table, "label")
    assert result.value is not None and result.interval is not None
""",
    "CSV import": """
texts()
for number in range(2):
    with recorded():
        lanner("import", "texts.csv", "--name", f"texts{number}", "--yes")
    assert Path(f"texts{number}.jsonl").is_file()
""",
    "report": """
with contextlib.suppress(SystemExit):
    lanner("demo", "--no-serve", "--no-open")
for number in range(2):
    with recorded():
        lanner("report", "demo-h-falcon", "--store", "lanner-demo/lanner.sqlite", "--out", f"report{number}")
""",
}


def trace(tree: Path, name: str) -> list[str]:
    """The modules of Lanner in which one operation runs."""
    code = _RECORDER + _TRACES[name] + "\nsys.setprofile(None)\n"
    code += (
        'sys.__stdout__.write("\\nTRACE " + json.dumps(sorted(f for f in entered if f.startswith(SOURCE))) + "\\n")\n'
    )
    code += "sys.__stdout__.flush()\nos._exit(0)\n"
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "NO_COLOR": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code, str(tree)],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    answer = re.search(r"^TRACE (.*)$", run.stdout, re.M)
    if not answer:
        sys.stderr.write(f"The trace of {name!r} did not run:\n{run.stderr[-2000:]}\n")
        return []
    source = tree / "src" / "lanner"
    return [str(Path(path).relative_to(source)) for path in json.loads(answer.group(1))]


# Options of commands

_OPTIONS = """
import click, json
from lanner.cli import lanner

def count(command, name):
    if isinstance(command, click.Group):
        context = click.Context(command)
        for sub in command.list_commands(context):
            yield from count(command.get_command(context, sub), f"{name} {sub}".strip())
    yield name, sum(isinstance(p, click.Option) and not p.hidden for p in command.params)

print(json.dumps(dict(count(lanner, ""))))
"""


def options_per_command(tree: Path) -> dict[str, int]:
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    run = subprocess.run([sys.executable, "-c", _OPTIONS], env=environment, capture_output=True, text=True, check=True)
    counts: dict[str, int] = json.loads(run.stdout)
    return counts


# The table


def measure(tree: Path, package: str = "", *, traces: bool = True) -> dict[str, str]:
    files = source_files(tree, package)
    python = [path for path in files if path.suffix == ".py"]
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    sizes = [lines[path] for path in python]
    parsed = {path: ast.parse(path.read_text(encoding="utf-8")) for path in python}
    names = [name for module in parsed.values() for name, _ in variables(module)]
    participles = [name for name in names if is_participle(name)]
    table = {
        "lines of Python": f"{sum(sizes):,}",
        "files of Python": f"{len(python)}",
        "median lines of a file": f"{statistics.median(sizes or [0]):g}",
        "files of 60 lines or fewer": f"{sum(size <= 60 for size in sizes)}",
    }
    for language in LANGUAGES:
        of_kind = [path for path in files if path.suffix == f".{language}"]
        if language != "py":
            table[f"lines of {language} (files)"] = f"{sum(lines[path] for path in of_kind):,} ({len(of_kind)})"
        table[f"longest line of {language}"] = f"{max(map(longest_line, of_kind), default=0)}"
    table["fmt: skip"] = str(sum(path.read_text(encoding="utf-8").count("# fmt: skip") for path in python))
    table["participle names"] = f"{100 * len(participles) / max(1, len(names)):.1f} % of {len(names):,}"
    table["duplicate pairs (6+ equal lines)"] = str(len(duplicate_pairs(files)))
    dotted = {dotted_name(tree, path): module for path, module in all_modules(tree).items()}
    graph = {name: imported_modules(module, set(dotted)) - {name} for name, module in dotted.items()}
    table["modules in import cycles"] = str(len(modules_in_cycles(graph)))
    if not package:
        counts = sorted(options_per_command(tree).items(), key=lambda entry: -entry[1])
        table["most options of a command"] = ", ".join(f"{count} ({name})" for name, count in counts[:3])
        table["commands of more than 20 options"] = str(sum(count > 20 for _, count in counts))
        for name, goal in GOALS.items() if traces else ():
            table[f"files of one {name} (goal {goal})"] = str(len(trace(tree, name)) or "-")
    return table


def all_modules(tree: Path) -> dict[Path, ast.Module]:
    return {p: ast.parse(p.read_text(encoding="utf-8")) for p in source_files(tree) if p.suffix == ".py"}


def dotted_name(tree: Path, path: Path) -> str:
    parts = path.relative_to(tree / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def at_commit(revision: str, folder: Path) -> Path:
    """The source of a commit, unpacked."""
    archive = subprocess.run(["git", "archive", revision, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
    return folder


def list_names(tree: Path, package: str) -> None:
    counts: Counter[str] = Counter()
    where: dict[str, Counter[str]] = defaultdict(Counter)
    for path in source_files(tree, package):
        if path.suffix == ".py":
            for name, line in variables(ast.parse(path.read_text(encoding="utf-8"))):
                if is_participle(name):
                    counts[name] += 1
                    where[str(path.relative_to(tree))][f"{name}:{line}"] += 1
    for file, names in sorted(where.items(), key=lambda entry: -len(entry[1])):
        print(f"{file}: {' '.join(names)}")
    print("\nmost used:", ", ".join(f"{name} {count}" for name, count in counts.most_common(40)))


def list_duplicates(tree: Path, package: str) -> None:
    for one, first, other, second, count in sorted(duplicate_pairs(source_files(tree, package)), key=lambda p: -p[4]):
        print(f"{count:4} {Path(one).relative_to(tree)}:{first} {Path(other).relative_to(tree)}:{second}")


def list_trace(tree: Path, name: str) -> None:
    for file in trace(tree, name):
        print(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default="", help="only this package of src/lanner, e.g. web or web/judging")
    parser.add_argument("--against", metavar="REV", help="the same for an earlier commit, beside")
    parser.add_argument("--no-traces", action="store_true", help="leave out what has to be run")
    parser.add_argument("--names", action="store_true", help="list the participle names instead")
    parser.add_argument("--duplicates", action="store_true", help="list the duplicate pairs instead")
    parser.add_argument("--trace", choices=sorted(_TRACES), help="list the files of one operation instead")
    choice = parser.parse_args()
    lists: dict[bool, Callable[[], None]] = {
        choice.names: lambda: list_names(ROOT, choice.package),
        choice.duplicates: lambda: list_duplicates(ROOT, choice.package),
        bool(choice.trace): lambda: list_trace(ROOT, choice.trace),
    }
    if True in lists:
        lists[True]()
        return
    columns = {"now": measure(ROOT, choice.package, traces=not choice.no_traces)}
    if choice.against:
        with tempfile.TemporaryDirectory() as folder:
            tree = at_commit(choice.against, Path(folder))
            columns = {choice.against: measure(tree, choice.package, traces=not choice.no_traces), **columns}
    print(f"| |{'|'.join(f' {name} ' for name in columns)}|")
    print(f"|---|{'---|' * len(columns)}")
    for row in columns["now"]:
        print(f"| {row} |{'|'.join(' ' + values.get(row, '-') + ' ' for values in columns.values())}|")


if __name__ == "__main__":
    main()
