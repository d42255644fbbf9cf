"""Finds the modules that decide a rule, and those that check it, from what their source cites.

A module decides a rule if a docstring or a comment of it cites the rule. The simulator checks a
rule if a check counts it in `coverage.rules` or reports it as `Violation("RULE: …")`; the judgement
of a client's operations checks a rule if a docstring of its module cites it.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path

from tools.rule_citations import citations, cited

# Packages that decide rules; those of brokers and controllers first.
DECIDING = (
    "controller", "replica", "log", "raft", "metadata", "node", "apis", "group", "transaction",
    "coordinator", "serving",
    "protocol", "config", "metrics", "admin", "commands", "cli", "harness",
)  # fmt: skip
SIMULATOR_CHECKS = "sim/checks"
OPERATION_CHECKS = ("history", "harness/verdict", "harness/watch")

_REPORTED = re.compile(r"([A-Z]\d+): ")

Places = dict[str, list[str]]
"""Rule -> modules below `minikafka`, as `package/module`, the most telling first."""


def deciding(known: Iterable[str], package: Path) -> Places:
    """Return the modules that decide each rule: by rank of their package, then by citations."""
    counts: dict[str, Counter[str]] = {rule: Counter() for rule in known}
    for module, source in _modules(package, DECIDING):
        if not module.startswith(OPERATION_CHECKS):
            for rule, _ in citations(source, counts):
                counts[rule][module] += 1
    return {
        rule: sorted(modules, key=lambda module: (_rank(module), -modules[module], module))
        for rule, modules in counts.items()
    }


def checking(known: Iterable[str], package: Path) -> Places:
    """Return the modules that check each rule, those of the simulator first."""
    found: Places = {rule: [] for rule in known}
    for folder, rules_of in (
        (SIMULATOR_CHECKS, _checked),
        *((folder, _cited_anywhere) for folder in OPERATION_CHECKS),
    ):
        _add(found, _modules(package, (folder,)), rules_of)
    return found


def reporting(names: Iterable[str], package: Path) -> Places:
    """Return the modules that report each check of the simulator or anomaly of clients.

    A function reports nothing if no module names it: the simulator never calls it.
    """
    found: Places = {name: [] for name in names}
    trees = [
        (module, ast.parse(source)) for module, source in _modules(package, ("sim", "history"))
    ]
    used = {name for _, tree in trees for name in _names_used(tree)}
    for module, tree in trees:
        texts = set(_texts_reported(_running(tree, used)))
        for name, modules in found.items():
            if name in texts:
                modules.append(module)
    return found


def _names_used(tree: ast.AST) -> Iterator[str]:
    """The names that are read: of functions, and of attributes and methods."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def _running(node: ast.AST, used: Container[str]) -> Iterator[ast.AST]:
    """The nodes of a tree without those of functions that are never used."""
    for child in ast.iter_child_nodes(node):
        if (
            isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            and child.name not in used
            and not child.name.startswith("__")
        ):
            continue
        yield child
        yield from _running(child, used)


def _texts_reported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names in front of the colon of a violation, and the kinds of anomalies."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name, colon, _ = node.value.partition(": ")
            if colon:
                yield name
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Anomaly":
            yield from (str(arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant))


def _add(
    found: Places,
    modules: Iterator[tuple[str, str]],
    rules_of: Callable[[str, Container[str]], Iterable[str]],
) -> None:
    for module, source in modules:
        for rule in dict.fromkeys(rules_of(source, found)):
            found[rule].append(module)


def _cited_anywhere(source: str, known: Container[str]) -> Iterable[str]:
    return (rule for rule, _ in citations(source, known))


def _checked(source: str, known: Container[str]) -> Iterator[str]:
    """The rules that a module of the simulator counts or reports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("coverage.rules"):
            yield from cited(ast.unparse(node.slice), known)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            reported = _REPORTED.match(node.value)
            if reported is not None:
                yield from cited(reported[1], known)


def _modules(package: Path, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted((package / folder).rglob("*.py")):
            name = path.relative_to(package).with_suffix("").as_posix()
            yield name, path.read_text(encoding="utf-8")


def _rank(module: str) -> int:
    package = module.partition("/")[0]
    # The core decides; tools and the verification run come behind it.
    return 0 if DECIDING.index(package) < DECIDING.index("config") else DECIDING.index(package)
