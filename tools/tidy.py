"""The shape of the repository as a test: what linters cannot say.

Every module has a docstring; every module of the core has a test of its own name, or stands in
`TESTED_ELSEWHERE` with the tests that run it; the core calls neither `open` nor `hash` nor `id` nor
`print` and iterates no set; API files carry their header, with versions that their schemas have and
error codes that exist; no message that nothing imports, no class name that exists twice, no private
name that its module does not use, no class that only works on its owner, no use of a log's parts
outside of its package, no word that readers stumble over, no "Unlike Kafka" without its row of
docs/compatibility.md, no unfinished marks, no machine paths, no function over 80 lines.

A class over 400 lines or a file over 500 is a warning, which does not fail: it is printed with the
reason that a comment `# Long because: …` in it gives.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

CORE = (
    "common", "config", "metrics", "protocol", "rpc", "records", "log", "metadata", "raft",
    "controller", "replica", "group", "transaction", "coordinator", "serving", "apis", "node",
    "faults",
)  # fmt: skip
GENERATED = ("minikafka/messages/", "minikafka/common/errors.py", "minikafka/serving/index.py")
MAX_FUNCTION_LINES = 80
MAX_CLASS_LINES = 400
MAX_FILE_LINES = 500
LONG_BECAUSE = re.compile(r"# Long because: (.+)")
OWNED = {"ClassicMembers": "part of ConsumerGroups"}
"""Classes of before this check whose only field is their owner; they may become part of it."""

LOG_PARTS = ("local", "epochs", "flushes")
"""Fields of `UnifiedLog` for its own package. Others have its methods and properties."""

# Package or module -> the tests that run it.
TESTED_ELSEWHERE = {
    "minikafka/apis/": "tests/integration",
    "minikafka/serving/": "tests/unit/node, tests/integration",
    "minikafka/common/": "tests/unit",
    "minikafka/config/": "tests/unit/config",
    "minikafka/controller/ports.py": "tests/unit/controller",
    "minikafka/coordinator/ports.py": "tests/unit/group",
    "minikafka/group/consumer/": "tests/unit/group/consumer",
    "minikafka/raft/settings.py": "tests/unit/raft",
    "minikafka/replica/settings.py": "tests/unit/replica",
}

FORBIDDEN_CALLS = ("open", "hash", "id", "print", "input", "eval", "exec")
MARKS = re.compile(r"\b(?:FIX" + r"ME|TO" + r"DO|XX" + r"X)\b")
MACHINE_PATHS = re.compile(r"(?<![A-Za-z0-9_.])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me)/[a-z]")


WORDS = re.compile(
    r"\b(?:SPEC|Who|(?i:anew|obeys?|obeyed|tells? of|told of|for ever|strikes?|struck"
    r"|wish(?:es|ed)?|whoever|somebody|nobody|mend(?:s|ed)?|as it were))\b"
)
QUOTED_IN = "CONTRIBUTING.md"
"""Rows of its tables quote the words."""
UNLIKE_KAFKA = re.compile(
    r"(?i:unlike)\s+(?:# )?Kafka\b(?:\s+(?:# )?\(rows? ([A-Z]\d+)(?:, ([A-Z]\d+))?\))?"
)
"""A comment on a difference, and the rows of docs/compatibility.md that it names."""
RECORDED_NAMES = ("nobody alive",)
"""Names that recorded data of `tests/conformance/data` have."""


def main() -> int:
    """Print what is untidy, a line each; the exit status."""
    problems = sorted(problem for check in CHECKS for problem in check())
    for line in [*long_pieces(), *problems]:
        print(line)
    return 1 if problems else 0


def tracked(*patterns: str) -> list[str]:
    """Files that git tracks, or would."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def python_files() -> list[str]:
    """Hand-written Python files."""
    return [name for name in tracked("*.py") if not name.startswith(GENERATED)]


def tree_of(name: str) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse((ROOT / name).read_text(encoding="utf-8"), name)


def docstrings() -> Iterator[str]:
    """Every module opens with a docstring."""
    for name in python_files():
        if not name.startswith("tests/") and ast.get_docstring(tree_of(name)) is None:
            yield f"{name}: has no docstring"


def twins() -> Iterator[str]:
    """Every module of the core has a test of its own, or is named in TESTED_ELSEWHERE."""
    for name in python_files():
        path = Path(name)
        if len(path.parts) < 3 or path.parts[0] != "minikafka" or path.parts[1] not in CORE:
            continue
        inner = path.parent.relative_to("minikafka")
        twin = ROOT / "tests" / "unit" / inner / f"test_{path.stem.lstrip('_')}.py"
        if (
            path.stem != "__init__"
            and not twin.exists()
            and not name.startswith(tuple(TESTED_ELSEWHERE))
        ):
            yield f"{name}: has no test {twin.relative_to(ROOT)}"
    for where in TESTED_ELSEWHERE.values():
        for folder in where.split(", "):
            if not any((ROOT / folder).rglob("test_*.py")):
                yield f"tools/tidy.py: TESTED_ELSEWHERE names {folder}, which has no tests"


def core_calls() -> Iterator[str]:
    """The core opens nothing, hashes nothing, prints nothing, and iterates no set."""
    for name in python_files():
        parts = Path(name).parts
        if parts[0] != "minikafka" or len(parts) < 3 or parts[1] not in CORE:
            continue
        for node in ast.walk(tree_of(name)):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and called.id in FORBIDDEN_CALLS:
                yield f"{name}:{called.lineno}: the core does not call {called.id}()"
            for iterated in _iterated(node):
                if _is_set(iterated):
                    yield f"{name}:{iterated.lineno}: iterates a set; its order is not repeatable"


def _iterated(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.For):
        return [node.iter]
    return [node.iter] if isinstance(node, ast.comprehension) else []


def _is_set(node: ast.expr) -> bool:
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("set", "frozenset")
    )


def api_headers() -> Iterator[str]:
    """API files say what they do; versions lie within the schema's, error codes exist."""
    registry = import_module("minikafka.serving.registry")
    keys = import_module("minikafka.messages.api_keys")
    codes = import_module("minikafka.common.errors").ErrorCode.__members__
    for name in tracked("minikafka/apis/*.py"):
        path = Path(name)
        if path.stem.startswith("_"):
            continue
        import_module(f"minikafka.apis.{path.stem}")
        doc = ast.get_docstring(tree_of(name)) or ""
        if not re.match(r"\w+ \(key \d+\), v\d+(-\d+)?\.", doc):
            yield f"{name}: the docstring does not begin with 'Name (key N), vA-B.'"
        if "\nErrors:" not in doc:
            yield f"{name}: the docstring has no Errors:"
        for word in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", doc.partition("\nErrors:")[2]):
            if word not in codes:
                yield f"{name}: {word} is no error code"
    for (_, key), api in registry.registered().items():
        info = keys.APIS[key]
        if not info.min_version <= api.low <= api.high <= info.max_version:
            yield f"{info.name}: versions {api.low}-{api.high} are not all in its schema"


def messages() -> Iterator[str]:
    """The package has the messages that its code imports, and every record of the metadata log."""
    in_package = {
        Path(name).relative_to("minikafka/messages").with_suffix("").as_posix()
        for name in tracked("minikafka/messages/*.py")
    }
    imported = {"headers"}
    for name in python_files():
        if name.startswith("minikafka/"):
            imported.update(_messages_of(tree_of(name)))
    for name in sorted(in_package - imported):
        if Path(name).name not in ("__init__", "api_keys", "record_types") and not (
            name.startswith("metadata_records/")
        ):
            yield f"schemas/SERVED.toml: nothing in minikafka imports {name}"


def _messages_of(tree: ast.Module) -> Iterator[str]:
    prefix = "minikafka.messages"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(prefix):
            module = (node.module or "")[len(prefix) + 1 :].replace(".", "/")
            yield module
            for each in node.names:
                yield f"{module}/{each.name}".lstrip("/")


def marks() -> Iterator[str]:
    """No unfinished marks and no machine paths, anywhere."""
    for name in tracked():
        if name.endswith((".lock", ".bin", ".log", ".index", ".timeindex", ".snapshot")):
            continue
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if MARKS.search(line):
                yield f"{name}:{number}: an unfinished mark"
            if MACHINE_PATHS.search(line):
                yield f"{name}:{number}: a machine path"


def sizes() -> Iterator[str]:
    """Functions stay small enough to read."""
    for name in python_files():
        for node in ast.walk(tree_of(name)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    yield f"{name}:{node.lineno}: {node.name} has {lines} lines"


def long_pieces() -> Iterator[str]:
    """Yield a warning for each long file and class, with its reason."""
    for name in python_files():
        text = (ROOT / name).read_text(encoding="utf-8").splitlines()
        pieces = [(name, 0, len(text), MAX_FILE_LINES)]
        pieces += [
            (f"{name}: class {node.name}", node.lineno - 1, node.end_lineno or 0, MAX_CLASS_LINES)
            for node in tree_of(name).body
            if isinstance(node, ast.ClassDef)
        ]
        for what, start, end, limit in pieces:
            if end - start > limit:
                found = LONG_BECAUSE.search("\n".join(text[start:end]))
                reason = (
                    found[1] if found else f"over {limit}, add '# Long because: …' or divide it"
                )
                yield f"warning: {what} has {end - start} lines: {reason}"


def class_names() -> Iterator[str]:
    """A public class name stands for one thing in the whole package."""
    known: dict[str, str] = {}
    for name in python_files():
        if not name.startswith("minikafka/"):
            continue
        for node in tree_of(name).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                first = known.setdefault(node.name, name)
                if first != name:
                    yield f"{name}:{node.lineno}: {first} has a class {node.name} already"


def dead_names() -> Iterator[str]:
    """Each private name of a module is used in it."""
    for name in python_files():
        if name.startswith(GENERATED):
            continue
        tree = tree_of(name)
        used = {each.id for each in ast.walk(tree) if _is_read(each)} | {
            each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)
        }
        for line, private in _private_names(tree):
            if private not in used:
                yield f"{name}:{line}: {private} is not used"


def _is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _private_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the private names that a module defines at its top, with their lines."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found = [
                each.id for target in targets for each in ast.walk(target)
                if isinstance(each, ast.Name)
            ]  # fmt: skip
        else:
            continue
        yield from ((node.lineno, each) for each in found if re.match(r"_[^_]", each))


def owned_classes() -> Iterator[str]:
    """No class is a piece of another one: made by it with `self`, and holding nothing else."""
    classes = {
        node.name: (name, node)
        for name in python_files()
        if name.startswith("minikafka/")
        for node in tree_of(name).body
        if isinstance(node, ast.ClassDef)
    }
    for piece, (name, node) in classes.items():
        fields = _fields(node)
        owner = fields[0] if len(fields) == 1 and not node.bases and piece not in OWNED else ""
        if owner in classes and piece in _made_with_self(classes[owner][1]):
            yield f"{name}:{node.lineno}: {piece} has no field but its owner {owner}; move it there"


def _fields(node: ast.ClassDef) -> list[str]:
    """Return the types of the fields of an object; empty for one that is not a parameter's."""
    found = {
        ast.unparse(each.target): _type_of(each.annotation)
        for each in node.body
        if isinstance(each, ast.AnnAssign)
    }
    for each in ast.walk(node):
        if (
            isinstance(each, ast.Attribute)
            and isinstance(each.ctx, ast.Store)
            and _is_self(each.value)
        ):
            found.setdefault(each.attr, "")
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            found |= _set_by(each)
    return list(found.values())


def _set_by(start: ast.FunctionDef) -> dict[str, str]:
    """Return the fields that `__init__` sets to a parameter, with its type."""
    types = {
        each.arg: _type_of(each.annotation) for each in (*start.args.args, *start.args.kwonlyargs)
    }
    return {
        target.attr: types.get(each.value.id, "")
        for each in start.body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Name)
        for target in each.targets
        if isinstance(target, ast.Attribute)
    }


def _type_of(annotation: ast.expr | None) -> str:
    return "" if annotation is None else ast.unparse(annotation).strip("'\"")


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _made_with_self(owner: ast.ClassDef) -> set[str]:
    return {
        each.func.id
        for each in ast.walk(owner)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Name)
        and any(map(_is_self, each.args))
    }


def log_parts() -> Iterator[str]:
    """Only `minikafka.log` and its unit tests use the parts of a log."""
    for name in python_files():
        if name.startswith(("minikafka/log/", "tests/unit/log/")):
            continue
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.Attribute) and node.attr in LOG_PARTS and _is_log(node.value):
                yield f"{name}:{node.lineno}: .{node.attr} is a part of a log; use UnifiedLog's own"


def _is_log(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "log" or name.endswith("_log")


def words() -> Iterator[str]:
    """Code, tests, scenarios, tables and documents do without certain words, also in names."""
    for name in tracked("*.py", "*.md", "*.toml", "minikafka/sim/scenario/files/*.txt"):
        if name.startswith((*GENERATED, "tools/tidy.py")):
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            checked = line.replace("_", " ")
            for recorded in RECORDED_NAMES:
                checked = checked.replace(recorded, "")
            found = WORDS.search(checked)
            if found is not None and not (name == QUOTED_IN and line.startswith("| ")):
                yield f"{name}:{number}: say {found[0]!r} in plainer words"


def differences() -> Iterator[str]:
    """Each "Unlike Kafka" in the package names its row of docs/compatibility.md."""
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| ([A-Z]\d+) \|", page, re.MULTILINE))
    for name in python_files():
        if not name.startswith("minikafka/"):
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        for found in UNLIKE_KAFKA.finditer(text):
            number = text.count("\n", 0, found.start()) + 1
            cited = [row for row in found.groups() if row is not None]
            if not cited:
                yield f"{name}:{number}: Unlike Kafka: name the row of docs/compatibility.md"
            for row in cited:
                if row not in rows:
                    yield f"{name}:{number}: docs/compatibility.md has no row {row}"


CHECKS = (
    docstrings, twins, core_calls, api_headers, messages, marks, class_names, dead_names,
    owned_classes, log_parts, words, differences, sizes,
)  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
