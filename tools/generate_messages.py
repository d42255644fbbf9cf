"""Writes `minikafka/messages/` and `minikafka/common/errors.py` from `schemas/`.

Only the messages that `schemas/SERVED.toml` names are in the package.

python tools/generate_messages.py            write what changed, remove what has no schema
python tools/generate_messages.py --check    write nothing; exit 1 and name what differs
python tools/generate_messages.py --against REF
also refuse what changes the wire format of a
version that is in the git revision REF
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.message_generator.emit_module import emit_module  # noqa: E402
from tools.message_generator.emit_tables import (  # noqa: E402
    emit_api_keys,
    emit_coordinator_types,
    emit_errors,
    emit_metadata_types,
)
from tools.message_generator.evolution import violations  # noqa: E402
from tools.message_generator.parse import parse_folder, parse_message  # noqa: E402
from tools.message_generator.spec import MessageSpec  # noqa: E402

MESSAGES = "minikafka/messages"
_PACKAGE_DOCSTRINGS = {
    "": "The protocol as classes, generated from `schemas/` by tools/generate_messages.py.",
    "metadata_records/": "Records of the metadata log, generated from `schemas/metadata`.",
    "coordinator/": "Records of the coordinators' topics, generated from `schemas/coordinator`.",
    "data/": "Control records and other data, generated from `schemas/data`.",
}


def served(schemas: Path) -> set[str]:
    """The modules of the package, as `MessageSpec.module` names them.

    Raises:
        ValueError: a folder of `SERVED.toml` is not one of the package.
    """
    named = tomllib.loads((schemas / "SERVED.toml").read_text(encoding="utf-8"))
    folders = {"rpc": "", **{name[:-1]: name for name in _PACKAGE_DOCSTRINGS if name}}
    unknown = sorted(named.keys() - folders.keys())
    if unknown:
        raise ValueError(f"schemas/SERVED.toml: unknown folder {', '.join(unknown)}")
    return {folders[folder] + name for folder, names in named.items() for name in names}


def modules_by_name(messages: Sequence[MessageSpec]) -> dict[str, list[MessageSpec]]:
    """Messages by the module that they are generated into."""
    modules: dict[str, list[MessageSpec]] = {}
    for message in messages:
        modules.setdefault(message.module, []).append(message)
    return modules


def not_served(schemas: Path) -> dict[str, str]:
    """The modules of all other messages: path below `minikafka/messages/` -> text."""
    in_package = served(schemas)
    return {
        f"{name}.py": emit_module(group)
        for name, group in modules_by_name(parse_folder(schemas)).items()
        if name not in in_package
    }


def generated(schemas: Path) -> dict[str, str]:
    """Every generated file: path in the repository -> text.

    Raises:
        ValueError: `SERVED.toml` names a message that has no schema.
    """
    messages = parse_folder(schemas)
    modules, in_package = modules_by_name(messages), served(schemas)
    unknown = sorted(in_package - modules.keys())
    if unknown:
        raise ValueError(f"schemas/SERVED.toml: no schema for {', '.join(unknown)}")
    files = {f"{MESSAGES}/{name}.py": emit_module(modules[name]) for name in sorted(in_package)}
    for folder, docstring in _PACKAGE_DOCSTRINGS.items():
        files[f"{MESSAGES}/{folder}__init__.py"] = f'"""{docstring}"""\n'
    files[f"{MESSAGES}/api_keys.py"] = emit_api_keys(messages)
    files[f"{MESSAGES}/metadata_records/record_types.py"] = emit_metadata_types(messages)
    files[f"{MESSAGES}/coordinator/record_types.py"] = emit_coordinator_types(messages)
    files["minikafka/common/errors.py"] = emit_errors((schemas / "errors.toml").read_text())
    return files


def differences(root: Path, files: dict[str, str]) -> tuple[list[str], list[str]]:
    """The files that must be written, and the ones that must go."""
    stale = [
        path for path, text in files.items()
        if not (root / path).exists() or (root / path).read_text() != text
    ]  # fmt: skip
    present = (path.relative_to(root).as_posix() for path in (root / MESSAGES).rglob("*.py"))
    return sorted(stale), sorted(path for path in present if path not in files)


def evolution_errors(root: Path, revision: str) -> list[str]:
    """Return how the working tree's schemas break those of a git revision."""
    found: list[str] = []
    listing = _git(root, "ls-tree", "-r", "--name-only", revision, "schemas")
    now = {message.file: message for message in parse_folder(root / "schemas")}
    for path in listing.splitlines():
        if path.endswith(".json"):
            source = json.loads(_git(root, "show", f"{revision}:{path}"))
            before = parse_message(source, Path(path).parent.name)
            found += violations(before, now.get(path))
    return found


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True
    ).stdout


def main(arguments: Sequence[str]) -> int:
    """Run the command line; the exit status."""
    parser = argparse.ArgumentParser(description="Generate minikafka/messages from schemas.")
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("--against", metavar="REF", help="refuse what breaks versions in REF")
    options = parser.parse_args(arguments)
    if options.against:
        broken = evolution_errors(ROOT, options.against)
        if broken:
            print("\n".join(broken))
            return 1
    files = generated(ROOT / "schemas")
    stale, orphans = differences(ROOT, files)
    if options.check:
        for path in [*stale, *orphans]:
            print(f"{path} differs from what schemas/ says; run tools/generate_messages.py")
        return 1 if stale or orphans else 0
    for path in orphans:
        (ROOT / path).unlink()
    for path in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path])
    print(f"{len(stale)} of {len(files)} files written, {len(orphans)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
