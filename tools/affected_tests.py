"""Print the unit tests that a change affects: those of changed packages and of their neighbours.

    python -m tools.affected_tests [--since REVISION]

A change is what differs from REVISION, files that git does not know yet included; by default from
the branch `main`, and on `main` without a change from the commit before. Neighbours are the modules
that import a changed module. A change outside of Python code affects the tests of `tools`, which
read documents and tables.
"""

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_UNIT = Path("tests/unit")
_OF_TOOLS = _UNIT / "tools"


def affected_tests(changed: Iterable[Path], root: Path) -> list[Path]:
    """Return the folders and files of unit tests that a change of these files affects, sorted."""
    found: set[Path] = set()
    modules: set[str] = set()
    for path in changed:
        if path.suffix != ".py" or path.parts[0] == "tools":
            found.add(_OF_TOOLS)
        elif path.parts[0] == "minikafka":
            modules.add(_name_of(path))
            found.add(_UNIT / path.parts[1] if len(path.parts) > 2 else _UNIT)
        elif path.is_relative_to(_UNIT) and path.name.startswith("test_"):
            found.add(path)
    found |= {_test_of(path) for path in _importers(modules, root)}
    present = sorted(each for each in found if (root / each).exists())
    # A file whose folder is there is there already.
    return [each for each in present if not set(each.parents) & found]


def _test_of(path: Path) -> Path:
    """Return the file of tests that belongs to a module."""
    inner = path.relative_to("minikafka")
    return _UNIT / inner.parent / f"test_{inner.name.lstrip('_')}"


def _name_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _importers(modules: set[str], root: Path) -> Iterator[Path]:
    """Yield the modules that import one of `modules`."""
    for file in sorted((root / "minikafka").rglob("*.py")):
        path = file.relative_to(root)
        # Generated messages import none of ours but the protocol.
        if "messages" not in path.parts and modules & _imported(file.read_text("utf-8")):
            yield path


def _imported(source: str) -> set[str]:
    """Return the names that a module imports, and the modules that have them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return found


def changed_files(since: str, root: Path) -> list[Path]:
    """Return the files that differ from a revision, or are not in git yet."""
    return [Path(line) for line in (*_git(root, "diff", "--name-only", since), *_unknown(root))]


def default_base(root: Path) -> str:
    """Return what a branch began with; on `main` without a change the commit before."""
    [base] = _git(root, "merge-base", "HEAD", "main")
    [head] = _git(root, "rev-parse", "HEAD")
    is_unchanged = base == head and not changed_files(head, root)
    return "HEAD~1" if is_unchanged else base


def _unknown(root: Path) -> list[str]:
    return _git(root, "ls-files", "--others", "--exclude-standard")


def _git(root: Path, *words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main() -> int:
    """Print a line for each folder or file; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--since", metavar="REVISION", help="what the files are compared with")
    since = parser.parse_args().since or default_base(ROOT)
    for path in affected_tests(changed_files(since, ROOT), ROOT):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
