"""Writes `docs/spec-coverage.md`: the rules of `docs/rules.md`, each with the tests that cite it.

A test cites a rule by its number in a docstring or a comment: `H3`, or `U1-U4` for several. With
`--check` nothing is written; it fails where the page is not what this program would write, where a
rule has no test and is not in PENDING, and where a rule in PENDING has one.
"""

import argparse
import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "docs" / "rules.md"
PAGE = ROOT / "docs" / "spec-coverage.md"

# Rules that no test shows yet. This list gets shorter, never longer.
PENDING: tuple[str, ...] = ("D3",)

_ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+) \|$", re.MULTILINE)
_CITATION = re.compile(r"\b([A-Z])(\d{1,2})(?:-(?:\1)?(\d{1,2}))?\b")
_WHOLE_FILE = "the whole file"

_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Proofs = dict[str, dict[str, list[str]]]


def rules(text: str) -> dict[str, str]:
    """Rule -> what it says, in the order of the page."""
    return dict(_ROW.findall(text))


def cited(text: str, known: dict[str, str]) -> list[str]:
    """The rules that a docstring or comment names; a range names all that are in it."""
    found: dict[str, None] = {}
    for letter, first, last in _CITATION.findall(text):
        for number in range(int(first), int(last or first) + 1):
            if f"{letter}{number}" in known:
                found[f"{letter}{number}"] = None
    return list(found)


def citations(source: str, known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Rule and name of the test that cites it, in a file of tests."""
    tree = ast.parse(source)
    places = [
        (node.lineno, node.end_lineno or node.lineno, node.name)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    texts = [(_line_of(node), ast.get_docstring(node) or "") for node in _documented(tree)]
    lines = iter(source.splitlines(keepends=True))
    texts += [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(lambda: next(lines, ""))
        if token.type == tokenize.COMMENT
    ]
    for line, text in texts:
        around = [place for place in places if place[0] <= line <= place[1]]
        name = max(around)[2] if around else _WHOLE_FILE
        for rule in cited(text, known):
            yield rule, name


def _documented(tree: ast.Module) -> list[_Documented]:
    return [node for node in ast.walk(tree) if isinstance(node, _Documented)]


def _line_of(node: _Documented) -> int:
    return 0 if isinstance(node, ast.Module) else node.lineno


def proofs(known: dict[str, str], folder: Path) -> Proofs:
    """Rule -> file -> the tests in it that cite the rule."""
    found: Proofs = {rule: {} for rule in known}
    for path in sorted(folder.rglob("test_*.py")):
        name = path.relative_to(folder.parent).as_posix()
        for rule, test in citations(path.read_text(encoding="utf-8"), known):
            tests = found[rule].setdefault(name, [])
            if test not in tests:
                tests.append(test)
    return found


def page(known: dict[str, str], found: Proofs) -> str:
    """The text of `docs/spec-coverage.md`."""
    lines = [
        "# Rules and their tests",
        "",
        "`make generate` writes this page from [rules.md](rules.md) and from the tests that cite a",
        "rule. `python tools/spec_coverage.py RULE` prints the names of the tests.",
        "",
        "| rule | in short | tests |",
        "| --- | --- | --- |",
    ]
    for rule, says in known.items():
        # Files, not tests: the page would change with every added test.
        files = [f"`{name}`" for name in found[rule]]
        lines.append(f"| {rule} | {says} | {'<br>'.join(files) or 'none yet'} |")
    return "\n".join(lines) + "\n"


def problems(known: dict[str, str], found: Proofs, pending: tuple[str, ...]) -> list[str]:
    """Rules that lack a test and are not listed as pending, and pending rules that have one."""
    strange = [f"docs/rules.md has no rule {rule}" for rule in pending if rule not in known]
    missing = [
        f"{rule} has no test: {says}"
        for rule, says in known.items()
        if not found[rule] and rule not in pending
    ]
    late = [
        f"{rule} has a test now: take it out of PENDING in tools/spec_coverage.py"
        for rule in pending
        if found.get(rule)
    ]
    return [*strange, *missing, *late]


def main() -> int:
    """Write, or check; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument(
        "rule", nargs="?", help="print the tests that cite this rule, write nothing"
    )
    args = parser.parse_args()
    known = rules(RULES.read_text(encoding="utf-8"))
    found = proofs(known, ROOT / "tests")
    if args.rule:
        for name, tests in found.get(args.rule, {}).items():
            print(f"{name}: {', '.join(tests)}")
        return int(not found.get(args.rule))
    text = page(known, found)
    told = problems(known, found, PENDING)
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        if args.check:
            told.append("docs/spec-coverage.md is not up to date: make generate")
        else:
            PAGE.write_text(text, encoding="utf-8")
            print("written: docs/spec-coverage.md")
    for line in told:
        print(line)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
