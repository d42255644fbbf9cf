"""Writes `docs/spec-coverage.md`: the rules of `minikafka/rules.py` with the tests that cite them.

With `--check` nothing is written; it fails where the page is not what this program would write,
where a rule has no test and is not in PENDING, and where a rule in PENDING has one.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from minikafka.rules import RULES  # noqa: E402
from tools.rule_citations import citations  # noqa: E402
from tools.rule_places import Places, deciding  # noqa: E402

PAGE = ROOT / "docs" / "spec-coverage.md"

# Rules that no test shows yet. This list gets shorter, never longer.
PENDING: tuple[str, ...] = ("D3",)

Proofs = dict[str, dict[str, list[str]]]


def proofs(known: dict[str, str], folder: Path) -> Proofs:
    """Return for each rule the files that cite it, and the names of their tests."""
    found: Proofs = {rule: {} for rule in known}
    for path in sorted(folder.rglob("test_*.py")):
        name = path.relative_to(folder.parent).as_posix()
        for rule, test in citations(path.read_text(encoding="utf-8"), known):
            tests = found[rule].setdefault(name, [])
            if test not in tests:
                tests.append(test)
    return found


def page(known: dict[str, str], found: Proofs, decided: Places) -> str:
    """Return the text of `docs/spec-coverage.md`."""
    lines = [
        "<!-- Written by tools/spec_coverage.py. Do not edit. -->",
        "",
        "# Rules and their tests",
        "",
        "The tests that cite each rule of [rules.md](rules.md): first the unit tests of the",
        "modules that decide the rule, then other unit tests, then the rest.",
        "`python tools/spec_coverage.py RULE` prints the names of the tests.",
    ]
    for rule, short in known.items():
        # Files, not tests: the page would change with every added test.
        files = in_order(found[rule], decided[rule])
        lines += ["", f"**{rule}: {short}**", ""]
        lines += [f"- `{name}`" for name in files] or ["- no test"]
    return "\n".join(lines) + "\n"


def in_order(files: dict[str, list[str]], decided: list[str]) -> list[str]:
    """Sort files: unit tests of the deciding modules, other unit tests, then the rest."""
    twins = {unit_test_of(module): rank for rank, module in enumerate(decided)}
    last = len(twins)
    return sorted(
        files,
        key=lambda name: (twins.get(name, last), not name.startswith("tests/unit/"), name),
    )


def unit_test_of(module: str) -> str:
    """Return the path of the unit test of a module below `minikafka`, as `package/module`."""
    folder, _, name = module.rpartition("/")
    return f"tests/unit/{folder}/test_{name.lstrip('_')}.py"


def problems(known: dict[str, str], found: Proofs, pending: tuple[str, ...]) -> list[str]:
    """Rules that lack a test and are not listed as pending, and pending rules that have one."""
    strange = [f"minikafka/rules.py has no rule {rule}" for rule in pending if rule not in known]
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
    known = {rule: each.short for rule, each in RULES.items()}
    found = proofs(known, ROOT / "tests")
    decided = deciding(known, ROOT / "minikafka")
    if args.rule:
        files = found.get(args.rule, {})
        for name in in_order(files, decided.get(args.rule, [])):
            print(f"{name}: {', '.join(files[name])}")
        return int(not files)
    text = page(known, found, decided)
    outdated = problems(known, found, PENDING)
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        if args.check:
            outdated.append("docs/spec-coverage.md is not up to date: make generate")
        else:
            PAGE.write_text(text, encoding="utf-8")
            print("written: docs/spec-coverage.md")
    for line in outdated:
        print(line)
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
