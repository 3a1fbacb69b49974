"""Small faults put into the source one at a time, to see whether the tests of that module notice.

    python tests/soak/mutate.py                              # a sample of each package of PACKAGES
    python tests/soak/mutate.py --only stats/ranking --sample 40
    python tests/soak/mutate.py --only web/access --sample 0 # every fault there is

A fault turns a comparison, swaps `and` and `or`, drops a `not`, moves a number by one, swaps plus and minus, or puts
another member of the same enumeration in its place. It is put into a copy of the source; the tests run are those of the
same name. The faults that no test noticed are listed, to be read: each is a missing test, or code that does not matter.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("web/app", "campaign", "stats", "store", "protocols/kinds")
SECONDS = 240
MORE_TESTS = {
    "protocols/kinds": ("protocols/kinds/test_base.py", "protocols/test_answers.py"),
    "web/app": ("web/test_routes.py",),
}

TURNED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Fault:
    """One changed place: the module's source with the fault in it."""

    module: Path
    line: int
    before: str
    after: str
    source: str


def faults(module: Path) -> Iterator[Fault]:
    """Every fault that can be put into a module."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    members = enumeration_members(tree)
    for number, node in enumerate(ast.walk(tree)):
        for choice in range(len(list(variants(node, members)))):
            changed = copy.deepcopy(tree)
            place = list(ast.walk(changed))[number]
            replacement = list(variants(place, members))[choice]
            before = ast.unparse(node)
            _Replace(place, replacement).visit(changed)
            after = ast.unparse(replacement)
            if before != after:
                yield Fault(module, node.lineno, before, after, ast.unparse(ast.fix_missing_locations(changed)))


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def enumeration_members(tree: ast.AST) -> dict[str, list[str]]:
    """`Role.OWNER` and its like: the members that a module names, by the name of their class."""
    members: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.isupper():
            members[node.value.id].add(node.attr)
    return {name: sorted(found) for name, found in members.items()}


def variants(node: ast.AST, members: dict[str, list[str]]) -> Iterator[ast.AST]:
    """What a node can be changed into."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=comparators) if type(operator) in TURNED:
            yield ast.Compare(left, [TURNED[type(operator)]()], comparators)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in TURNED:
            yield ast.BinOp(left, TURNED[type(operator)](), right)
        case ast.BoolOp(op=operator, values=values):
            yield ast.BoolOp(TURNED[type(operator)](), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.Attribute(value=ast.Name(id=name), attr=member) if member in members.get(name, ()):
            for other in members[name]:
                if other != member:
                    yield ast.Attribute(ast.Name(name, ast.Load()), other, ast.Load())


def modules(packages: list[str]) -> Iterator[Path]:
    for package in packages:
        path = ROOT / "src" / "lanner" / package
        yield from [path.with_suffix(".py")] if path.with_suffix(".py").is_file() else sorted(path.glob("*.py"))


def tests_of(module: Path) -> list[str]:
    relative = module.relative_to(ROOT / "src" / "lanner")
    own = Path("tests") / relative.parent / f"test_{relative.stem.strip('_')}.py"
    more = [
        f"tests/{name}" for package, names in MORE_TESTS.items() if str(relative).startswith(package) for name in names
    ]
    return [str(path) for path in (own, *map(Path, more)) if (ROOT / path).is_file()]


def is_noticed(fault: Fault, tree: Path, tests: list[str]) -> bool:
    """Whether a test fails with the fault in place; running out of time counts as noticing."""
    target = tree / fault.module.relative_to(ROOT)
    original = target.read_text(encoding="utf-8")
    target.write_text(fault.source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return True
    finally:
        target.write_text(original, encoding="utf-8")
    return run.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="PACKAGE", help="a package or module, e.g. stats/ranking")
    parser.add_argument("--sample", type=int, default=20, help="faults for each package; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    choice = parser.parse_args()
    rng, survivors, total = random.Random(choice.seed), [], 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tree)
        for package in choice.only or PACKAGES:
            every = [fault for module in modules([package]) if tests_of(module) for fault in faults(module)]
            chosen = rng.sample(every, min(choice.sample or len(every), len(every)))
            for fault in chosen:
                total += 1
                if not is_noticed(fault, tree, tests_of(fault.module)):
                    survivors.append(fault)
                    where = f"{fault.module.relative_to(ROOT)}:{fault.line}"
                    print(f"not noticed  {where}\n    {fault.before}\n    {fault.after}", flush=True)
            print(f"{package}: {len(chosen)} of {len(every)} faults tried", flush=True)
    print(f"{total - len(survivors)} of {total} faults were noticed.")


if __name__ == "__main__":
    main()
