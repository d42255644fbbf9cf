"""Spoiled files and settings: a node refuses to start, and says what is wrong and what to do.

No case may end in a fresh start or in an older epoch: the files stay as they were spoiled.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.common.ids import Uuid
from minikafka.config.properties import parse_properties
from minikafka.testing import Cluster
from minikafka.testing.nodes import CONTROLLER, Nodes

METADATA = "__cluster_metadata-0"
SNAPSHOT = "data/" + METADATA + "/*.checkpoint"
QUORUM_STATE = f"data/{METADATA}/quorum-state"
PROPERTIES = "data/meta.properties"
OTHER = "other/meta.properties"
CONFIG = {"metadata.log.max.record.bytes.between.snapshots": "500"}
IN_FIRST_BATCH = 30
BAD_INPUT, BAD_CONFIG = 1, 2
"""The exit status: the files of the node cannot be used; its configuration is invalid."""


class Stopped(NamedTuple):
    """A node that was stopped, in `home`: its directories `data` and, if combined, `other`."""

    home: Path
    properties: dict[str, str]

    def file(self, pattern: str) -> Path:
        """The file of this name or pattern; the last of several."""
        return max(self.home.glob(pattern))

    def start(self, **overrides: str) -> subprocess.CompletedProcess[str]:
        """Run the node until it ends by itself."""
        values = {**self.properties, **{key.replace("_", "."): it for key, it in overrides.items()}}
        path = self.home / "server.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in values.items()))
        return subprocess.run(
            [sys.executable, "-m", "minikafka", "server-start", str(path)],
            capture_output=True, text=True, check=False, timeout=30,
        )  # fmt: skip


def stopped(home: Path, given: str, names: tuple[str, ...]) -> Stopped:
    """The node of a properties file, with its directories in `home`."""
    values = parse_properties(given, "given")
    values["listeners"] = re.sub(r":\d+(?=,|$)", ":0", values["listeners"])
    values.pop("advertised.listeners", None)
    values["log.dirs"] = ",".join(str(home / name) for name in names)
    values["metadata.log.dir"] = str(home / "data")
    return Stopped(home, values)


def has_snapshot(home: Path) -> bool:
    return any(name.stem[:20].strip("0") for name in home.glob(f"{METADATA}/*.checkpoint"))


def create_topics(servers: str, home: Path) -> None:
    """Create topics until the metadata has a snapshot."""
    admin = AdminClient({"bootstrap.servers": servers})
    for number in range(200):
        created = admin.create_topics([NewTopic(f"t{number}", num_partitions=1)])
        created[f"t{number}"].result(20)
        if has_snapshot(home):
            return
    raise AssertionError("no snapshot was written")


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    """The files of a combined node with two directories, and of a controller."""
    root = tmp_path_factory.mktemp("templates")
    combined, controller = root / "combined", root / "controller"
    dirs = {
        "log.dirs": f"{combined / 'data'},{combined / 'other'}",
        "metadata.log.dir": str(combined / "data"),
    }
    with Cluster(nodes=1, config={**CONFIG, **dirs}) as cluster:
        create_topics(cluster.bootstrap_servers, combined / "data")
        cluster.stop(1)
        text = (cluster.directory / "node-1" / "server.properties").read_text()
    found = {"combined": (combined, text, ("data", "other"))}
    with Nodes(1, config=CONFIG) as nodes:
        home = nodes.log_dirs(CONTROLLER)[0]
        create_topics(nodes.bootstrap_servers, home)
        nodes.stop(1, CONTROLLER)
        shutil.copytree(home, controller / "data")
        text = (home.parent / "server.properties").read_text()
    found["controller"] = (controller, text, ("data",))
    return found


@pytest.fixture(params=["combined", "controller"])
def node(request, templates, tmp_path):
    source, text, names = templates[request.param]
    shutil.copytree(source, tmp_path / "node")
    return stopped(tmp_path / "node", text, names)


def files(node: Stopped) -> dict[str, bytes]:
    """The content of the files that hold the node's identity, votes and metadata."""
    return {
        str(path.relative_to(node.home)): path.read_bytes()
        for path in sorted(node.home.rglob("*"))
        if path.suffix in (".checkpoint", ".log")
        or path.name in ("meta.properties", "quorum-state")
    }


# How files are spoiled

Spoil = Callable[[Stopped], None]


def missing(name: str) -> Spoil:
    return lambda node: node.file(name).unlink()


def written(name: str, content: bytes) -> Spoil:
    return lambda node: node.file(name).write_bytes(content) and None


def cut(name: str, share: float) -> Spoil:
    def spoil(node: Stopped) -> None:
        content = node.file(name).read_bytes()
        node.file(name).write_bytes(content[: int(len(content) * share)])

    return spoil


def with_line(name: str, key: str, value: str | None) -> Spoil:
    """Give a line of a properties file another value, or remove it."""

    def spoil(node: Stopped) -> None:
        lines = node.file(name).read_text().splitlines()
        kept = [line for line in lines if not line.startswith(f"{key}=")]
        assert len(kept) < len(lines)
        added = [] if value is None else [f"{key}={value}"]
        node.file(name).write_text("\n".join(kept + added) + "\n")

    return spoil


def with_value(key: str, value: object) -> Spoil:
    """Give a key of quorum-state another value."""

    def spoil(node: Stopped) -> None:
        path = node.file(QUORUM_STATE)
        path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))

    return spoil


def flipped(share: float) -> Spoil:
    """Flip a bit of the only snapshot that holds the metadata.

    The first bytes have the base offset and the leader epoch of the first batch: no checksum covers
    them, and a snapshot does not use them.
    """

    def spoil(node: Stopped) -> None:
        only_the_snapshot(node)
        content = bytearray(node.file(SNAPSHOT).read_bytes())
        content[IN_FIRST_BATCH + int((len(content) - IN_FIRST_BATCH - 1) * share)] ^= 1
        node.file(SNAPSHOT).write_bytes(content)

    return spoil


def only_the_snapshot(node: Stopped) -> None:
    """Leave the newest snapshot and an empty log behind it, as a follower that fetched it has."""
    newest = node.file(SNAPSHOT)
    for path in newest.parent.iterdir():
        if path != newest and path.name not in ("quorum-state", "partition.metadata"):
            path.unlink()
    (newest.parent / f"{newest.name[:20]}.log").touch()


def cut_snapshot(node: Stopped) -> None:
    only_the_snapshot(node)
    cut(SNAPSHOT, 0.5)(node)


def empty_snapshot(node: Stopped) -> None:
    only_the_snapshot(node)
    written(SNAPSHOT, b"")(node)


def both(*spoils: Spoil) -> Spoil:
    def spoil(node: Stopped) -> None:
        for each in spoils:
            each(node)

    return spoil


CLUSTER = str(Uuid.of(5, 5))
CASES = {
    # case: (how it is spoiled, what the sentence contains)
    "no meta.properties": (missing(PROPERTIES), ["/data", "meta.properties", "kafka-storage"]),
    "meta.properties of another node": (
        with_line(PROPERTIES, "node.id", "77"), ["/data", "node 77", "node.id"],
    ),
    "meta.properties of another version": (
        with_line(PROPERTIES, "version", "2"), ["/data/meta.properties", "version 2"],
    ),
    "meta.properties without a version": (
        with_line(PROPERTIES, "version", None), ["/data/meta.properties", "no version", "Restore"],
    ),
    "meta.properties without a cluster id": (
        with_line(PROPERTIES, "cluster.id", None),
        ["/data/meta.properties", "no cluster.id", "Restore"],
    ),
    "meta.properties without a node id": (
        with_line(PROPERTIES, "node.id", None), ["/data/meta.properties", "no node.id", "Restore"],
    ),
    "meta.properties with a bad directory id": (
        with_line(PROPERTIES, "directory.id", "x"),
        ["/data/meta.properties", "damaged", "directory.id", "Restore"],
    ),
    "meta.properties with a reserved directory id": (
        with_line(PROPERTIES, "directory.id", str(Uuid.of(0, 1))),
        ["/data/meta.properties", "damaged", "directory.id", "Restore"],
    ),
    "meta.properties is garbage": (
        written(PROPERTIES, b"\xff\x00\x01garbage"), ["/data/meta.properties", "damaged"],
    ),
    "meta.properties is empty": (written(PROPERTIES, b""), ["/data/meta.properties", "Restore"]),
    "quorum-state is cut": (cut(QUORUM_STATE, 0.5), ["quorum-state", "damaged", "remove it"]),
    "quorum-state is garbage": (
        written(QUORUM_STATE, b"\xff\xfe\x00garbage"), ["quorum-state", "damaged", "remove it"],
    ),
    "quorum-state is empty": (written(QUORUM_STATE, b""), ["quorum-state", "damaged", "remove it"]),
    "quorum-state is no object": (
        written(QUORUM_STATE, b"[1]"), ["quorum-state", "damaged", "remove it"],
    ),
    "quorum-state of a newer version": (
        with_value("data_version", 2), ["quorum-state", "data_version 2", "0 or 1"],
    ),
    "quorum-state without a version": (
        with_value("data_version", None), ["quorum-state", "damaged", "remove it"],
    ),
    "quorum-state with a negative epoch": (
        with_value("leaderEpoch", -3), ["quorum-state", "leaderEpoch -3", "remove it"],
    ),
    "quorum-state with a bad vote": (
        with_value("votedId", "x"), ["quorum-state", "damaged", "remove it"],
    ),
    "snapshot with a flipped bit in the header": (
        flipped(0), [".checkpoint", "damaged", "restore"],
    ),
    "snapshot with a flipped bit in the body": (
        flipped(0.5), [".checkpoint", "damaged", "restore"],
    ),
    "snapshot with a flipped bit in the footer": (
        flipped(1), [".checkpoint", "damaged", "restore"],
    ),
    "snapshot is cut": (cut_snapshot, [".checkpoint", "damaged", "restore"]),
    "snapshot is empty": (empty_snapshot, [".checkpoint", "damaged", "restore"]),
}  # fmt: skip
SECOND_DIRECTORY = {
    "no meta.properties": (missing(OTHER), ["/other", "meta.properties", "kafka-storage"]),
    "no meta.properties in both": (
        both(missing(OTHER), missing(PROPERTIES)), ["meta.properties", "kafka-storage"],
    ),
    "another node": (with_line(OTHER, "node.id", "77"), ["/other", "node 77"]),
    "another cluster": (with_line(OTHER, "cluster.id", CLUSTER), ["/other", CLUSTER]),
    "another version": (with_line(OTHER, "version", "2"), ["/other/meta.properties", "version 2"]),
    "garbage": (written(OTHER, b"\xff\x00"), ["/other/meta.properties", "damaged"]),
}  # fmt: skip


def check_refusal(done: subprocess.CompletedProcess[str], status: int, words: list[str]) -> None:
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == status, done.stderr
    lines = done.stderr.splitlines()
    if status == BAD_INPUT:
        lines = [line for line in lines if " CRITICAL " in line]
        assert len(lines) == 1
    # A configuration has one line for each problem; the first is the cause.
    for word in words:
        assert word in lines[0]


@pytest.mark.parametrize("case", CASES)
def test_a_spoiled_file_is_refused(node, case):
    spoil, words = CASES[case]
    spoil(node)
    before = files(node)
    check_refusal(node.start(), BAD_INPUT, words)
    assert files(node) == before


@pytest.mark.parametrize("node", ["combined"], indirect=True)
@pytest.mark.parametrize("case", SECOND_DIRECTORY)
def test_a_spoiled_second_directory_is_refused(node, case):
    spoil, words = SECOND_DIRECTORY[case]
    spoil(node)
    before = files(node)
    check_refusal(node.start(), BAD_INPUT, words)
    assert files(node) == before


@pytest.mark.parametrize(
    ("voters", "words"),
    [
        ("{id}@localhost:1,{id}@localhost:2", ["controller.quorum.voters", "twice"]),
        ("55@localhost:1,55@localhost:2,{id}@localhost:3", ["controller.quorum.voters", "twice"]),
        ("55@localhost:1", ["controller.quorum.voters", "not among the voters"]),
        ("{id}@localhost", ["controller.quorum.voters", "id@host:port"]),
        ("-1@localhost:1,{id}@localhost:2", ["controller.quorum.voters", "-1@localhost:1"]),
    ],
)
def test_bad_voters_are_refused(node, voters, words):
    given = voters.replace("{id}", node.properties["node.id"])
    done = node.start(controller_quorum_voters=given)
    check_refusal(done, BAD_CONFIG, words)
