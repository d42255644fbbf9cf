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
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
OWN_FOLDERS = ("minikafka", "tests", "tools")
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*(minikafka|bin/kafka-[\w-]+\.py) (.*)")
_COMMENT = re.compile(r"\s+#.*|\s{3,}.*")
_MODULE = re.compile(r"(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?python (-m [\w.]+|\w+/[\w/]+\.py)(.*)")
_WALK_NAME = re.compile(r"\b([a-z_]+/[a-z_]+)\b|(?<![.\w])([A-Za-z_]+\.[a-z_]+)\b(?!\.)")


def code_lines(path):
    """The lines of code blocks without a language, or indented; continued lines are joined."""
    text = re.sub(r" \\\n\s*", " ", path.read_text("utf-8"))
    fenced = r"^```(\w*)\n(.*?)^```$"
    blocks = re.findall(fenced, text, re.DOTALL | re.MULTILINE)
    lines = [line for language, block in blocks if not language for line in block.splitlines()]
    prose = re.sub(fenced, "", text, flags=re.DOTALL | re.MULTILINE)
    return lines + re.findall(r"^ {4}(\S.*)$", prose, re.MULTILINE)


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


def module_commands():
    """The commands of documents that run a module or file of the tree, with their options."""
    for path in DOCUMENTS:
        for line in code_lines(path):
            found = _MODULE.match(line)
            if found and re.split(r"[./]", found[1].removeprefix("-m "))[0] in OWN_FOLDERS:
                yield path.name, found[1], re.findall(r"(?<!\S)--[a-z-]+", found[2])


@pytest.mark.parametrize(("document", "module", "options"), list(module_commands()))
def test_a_module_of_a_document_has_these_options(document, module, options):
    path = ROOT / module.removeprefix("-m ").removesuffix(".py").replace(".", "/")
    sources = sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    text = "".join(source.read_text("utf-8") for source in sources)
    assert [option for option in options if f'"{option}"' not in text] == [], document


@pytest.mark.parametrize("path", DOCUMENTS, ids=[path.name for path in DOCUMENTS])
def test_a_line_of_code_has_one_command(path):
    command = r"#.*\b(?:python -m|minikafka \w+ --|make \w+$)"
    assert [line for line in code_lines(path) if re.search(command, line)] == []


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
