"""Which unit tests a change affects."""

import subprocess
from pathlib import Path

import pytest

from tools.affected_tests import affected_tests, changed_files, default_base


def write(root, *paths, text=""):
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def root(tmp_path):
    write(tmp_path, "minikafka/log/segment.py", "minikafka/log/index.py", "minikafka/__main__.py")
    write(
        tmp_path, "minikafka/replica/partition.py",
        text="def late():\n    from minikafka.log import segment\n",
    )  # fmt: skip
    write(tmp_path, "minikafka/apis/_reading.py", text="import minikafka.log.segment as it\n")
    write(
        tmp_path, "minikafka/replica/fetcher.py", text="from minikafka.replica.partition import x"
    )
    write(
        tmp_path, "tests/unit/log/test_segment.py", "tests/unit/replica/test_partition.py",
        "tests/unit/replica/test_fetcher.py", "tests/unit/apis/test_reading.py",
        "tests/unit/tools/test_documents.py",
    )  # fmt: skip
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            ["minikafka/log/segment.py"],
            ["apis/test_reading.py", "log", "replica/test_partition.py"],
        ),
        (["minikafka/log/index.py"], ["log"]),
        (["minikafka/replica/partition.py", "tests/unit/replica/test_fetcher.py"], ["replica"]),
        (["tests/unit/log/test_segment.py"], ["log/test_segment.py"]),
        (["docs/log.md"], ["tools"]),
        (["tools/tidy.py"], ["tools"]),
        (["minikafka/gone/old.py", "tests/unit/gone/test_old.py"], []),
        (["tests/worlds/disk.py"], []),
    ],
)
def test_the_tests_of_a_package_and_of_its_neighbours_are_affected(root, changed, expected):
    found = affected_tests([Path(each) for each in changed], root)
    assert found == [Path("tests/unit", each) for each in expected]


def test_a_module_of_no_package_affects_all(root):
    assert affected_tests([Path("minikafka/__main__.py")], root) == [Path("tests/unit")]


def test_a_change_is_what_differs_from_the_beginning_of_a_branch(root):
    def git(*words):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ["git", *who, *words], cwd=root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "one")
    first = git("rev-parse", "HEAD")
    write(root, "minikafka/log/segment.py", text="1")
    assert changed_files(default_base(root), root) == [Path("minikafka/log/segment.py")]
    git("commit", "-qam", "two")
    assert default_base(root) == "HEAD~1"
    assert changed_files("HEAD~1", root) == [Path("minikafka/log/segment.py")]
    git("checkout", "-qb", "work", first)
    write(root, "minikafka/log/index.py", text="2")
    git("commit", "-qam", "three")
    write(root, "minikafka/log/new.py")
    assert default_base(root) == first
    assert changed_files(first, root) == [
        Path("minikafka/log/index.py"), Path("minikafka/log/new.py")
    ]  # fmt: skip
