"""The code of documents: its commands have these options, its names are names of the code."""

import argparse
import re
import shlex
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from minikafka.cli.main import COMMANDS as PROGRAMS

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*(minikafka|bin/kafka-[\w-]+\.py) (.*)")
_COMMENT = re.compile(r"\s+#.*|\s{3,}.*")
_WALK_NAME = re.compile(r"\b([a-z_]+/[a-z_]+)\b|(?<![.\w])([A-Za-z_]+\.[a-z_]+)\b(?!\.)")


def code_lines(path):
    """The lines of code blocks without a language; continued lines are joined."""
    text = re.sub(r" \\\n\s*", " ", path.read_text("utf-8"))
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def commands():
    for path in DOCUMENTS:
        for line in code_lines(path):
            found = _COMMAND.match(line)
            if found:
                text = _COMMENT.sub("", re.sub(r"\$\(.*?\)", "ID", found[2])).rstrip(" …")
                name = found[1].removeprefix("bin/kafka-").removesuffix(".py")
                words = shlex.split(text)
                if name == "minikafka":
                    name = words.pop(0)
                yield path.name, name, words


COMMANDS = list(commands())


def test_documents_have_commands():
    assert len(COMMANDS) > 20


@pytest.mark.parametrize(("document", "name", "arguments"), COMMANDS)
def test_a_command_of_a_document_has_these_options(document, name, arguments):
    parser = argparse.ArgumentParser(prog=f"{document}: minikafka {name}", exit_on_error=False)
    import_module(PROGRAMS[name][0]).add_arguments(parser)
    parser.parse_args(arguments)


def test_a_target_of_a_document_is_in_the_makefile():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        found
        for path in DOCUMENTS
        for found in re.findall(r"(?:^|`)make ([\w-]+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert named
    assert named <= targets


def walk_names():
    """Modules and functions in the walks of ARCHITECTURE.md."""
    found = set()
    for line in code_lines(ROOT / "ARCHITECTURE.md"):
        for module, name in _WALK_NAME.findall(line):
            found.add(module or name)
    return sorted(found)


@pytest.mark.parametrize("name", walk_names())
def test_a_name_of_a_walk_is_in_the_code(name):
    if "/" in name:
        assert (ROOT / "minikafka" / f"{name}.py").exists(), name
        return
    owner, _, member = name.partition(".")
    pattern = rf"class {owner}\b" if owner[0].isupper() or owner[0] == "_" else owner
    listed = subprocess.run(
        ["git", "grep", "-lE", f"def {member}\\b|^    {member}[:=]", "--", "minikafka"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.split()  # fmt: skip
    owners = [
        each
        for each in listed
        if Path(each).stem == owner or re.search(pattern, (ROOT / each).read_text("utf-8"))
    ]
    assert owners, name
