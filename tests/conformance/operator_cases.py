"""Operators' commands for a cluster that lost brokers: steps, command lines, compared output.

Node 1 always runs. `record_operator_cases` plays this with Apache Kafka's own tools on its
own brokers; `test_operator_cases` with ours on a simulated cluster.
"""

import json
import re
from typing import NamedTuple

CONFIG = {"broker.session.timeout.ms": "3000", "auto.leader.rebalance.enable": "false"}

# name -> (replicas of each partition, configuration)
TOPICS = {
    "moved": ([[2, 1], [2, 1]], {}),
    "steady": ([[1, 2]], {}),
    "half": ([[3, 1]], {}),
    "lost": ([[3, 2]], {}),
    "gone": ([[3]], {}),
    "eligible": ([[1, 2, 3]], {"min.insync.replicas": "3"}),
    "tight": ([[1, 2]], {"min.insync.replicas": "2"}),
}


class Step(NamedTuple):
    """An action on a node, if any, and the state to wait for before the commands run."""

    action: str
    node: int
    isr: dict[tuple[str, int], list[int]]
    leader: dict[tuple[str, int], int]


class Case(NamedTuple):
    """One command line; `file` is the content of the JSON file that takes the place of FILE."""

    name: str
    tool: str
    words: str
    file: object = None


WITHOUT_2 = Step(
    "kill", 2,
    {("moved", 0): [1], ("moved", 1): [1], ("steady", 0): [1], ("lost", 0): [3],
     ("eligible", 0): [1, 3], ("tight", 0): [1]},
    {("moved", 0): 1, ("lost", 0): 3},
)  # fmt: skip
WITHOUT_2_AND_3 = Step(
    "kill", 3,
    {("half", 0): [1], ("eligible", 0): [1], ("gone", 0): [], ("lost", 0): []},
    {("half", 0): 1, ("gone", 0): -1, ("lost", 0): -1},
)  # fmt: skip
WITH_2_AGAIN = Step(
    "start", 2,
    {("moved", 0): [1, 2], ("moved", 1): [1, 2], ("steady", 0): [1, 2], ("eligible", 0): [1, 2],
     ("tight", 0): [1, 2]},
    {("moved", 0): 1, ("moved", 1): 1, ("lost", 0): -1},
)  # fmt: skip

ELECTED = Step(
    "", 0, {("lost", 0): [2]}, {("moved", 0): 2, ("moved", 1): 2, ("lost", 0): 2}
)  # fmt: skip


def described(where):
    """Every view on partitions that `--describe` has."""
    reports = ("under-replicated", "under-min-isr", "at-min-isr", "unavailable")
    yield Case(f"all {where}", "topics", "--describe")
    yield Case(f"pages {where}", "topics", "--describe --partition-size-limit-per-response 1")
    for report in reports:
        yield Case(f"{report} {where}", "topics", f"--describe --{report}-partitions")


def rows(*partitions):
    return {"partitions": [{"topic": topic, "partition": index} for topic, index in partitions]}


def elect(name, words, file=None):
    return Case(name, "leader-election", words, file)


def of_file(name, file, kind="PREFERRED"):
    return elect(name, f"--election-type {kind} --path-to-json-file FILE", file)


PLAY = [
    *described("at the beginning"),
    elect("nothing to do anywhere", "--election-type PREFERRED --all-topic-partitions"),
    WITHOUT_2,
    *described("without 2"),
    WITHOUT_2_AND_3,
    *described("without 2 and 3"),
    elect("nobody alive", "--election-type UNCLEAN --topic lost --partition 0"),
    WITH_2_AGAIN,
    *described("with 2 again"),
    elect("not needed", "--election-type preferred --topic steady --partition 0"),
    elect("preferred not in sync", "--election-type Preferred --topic half --partition 0"),
    elect("preferred without any leader", "--election-type PREFERRED --topic gone --partition 0"),
    elect("no eligible leader", "--election-type UNCLEAN --topic gone --partition 0"),
    elect("unclean with leader", "--election-type unclean --topic half --partition 0"),
    elect("no such topic", "--election-type PREFERRED --topic none --partition 0"),
    elect("no such partition", "--election-type UNCLEAN --topic steady --partition 7"),
    of_file("a file of all kinds", rows(("moved", 0), ("steady", 0), ("half", 0), ("none", 3))),
    of_file("two that are led well", rows(("moved", 0), ("steady", 0))),
    elect("preferred everywhere", "--election-type PREFERRED --all-topic-partitions"),
    elect("unclean everywhere", "--election-type UNCLEAN --all-topic-partitions"),
    elect("unclean everywhere again", "--election-type UNCLEAN --all-topic-partitions"),
    ELECTED,
    *described("after the elections"),
    of_file("no partitions", rows()),
    of_file("a partition twice", rows(("moved", 0), ("half", 0), ("moved", 0))),
    of_file("no field partitions", {}),
    of_file("a list", []),
    of_file("no list of partitions", {"partitions": {}}),
    of_file("no object", {"partitions": [4]}),
    of_file("no topic", {"partitions": [{"partition": 0}]}),
    of_file("no partition", {"partitions": [{"topic": "moved"}]}),
    of_file("a topic that is no text", {"partitions": [{"topic": 3, "partition": 0}]}),
    of_file("a partition that is text", {"partitions": [{"topic": "moved", "partition": "0"}]}),
    of_file("half a partition", {"partitions": [{"topic": "moved", "partition": 1.5}]}),
    elect("no file", "--election-type PREFERRED --path-to-json-file missing.json"),
    elect("no type", "--all-topic-partitions"),
    elect("no such type", "--election-type NONE --all-topic-partitions"),
    elect("two types", "--election-type UNCLEAN --election-type PREFERRED --all-topic-partitions"),
    elect("no selection", "--election-type UNCLEAN"),
    elect("no partition of the topic", "--election-type UNCLEAN --topic moved"),
    elect("a partition of no topic", "--election-type UNCLEAN --partition 0"),
    elect("a partition of everything", "--election-type UNCLEAN --partition 0"
          " --all-topic-partitions"),
    elect("a partition that is no number", "--election-type UNCLEAN --topic moved --partition x"),
    elect("one topic and all", "--election-type UNCLEAN --topic moved --partition 0"
          " --all-topic-partitions"),
    elect("one topic and a file", "--election-type UNCLEAN --topic moved --partition 0"
          " --path-to-json-file FILE", rows()),
    elect("all and a file", "--election-type UNCLEAN --all-topic-partitions"
          " --path-to-json-file FILE", rows()),
    elect("no such option", "--election-type UNCLEAN --all-topic-partitions --some-option"),
    elect("the old name of an option", "--election-type PREFERRED --topic steady --partition 0"
          " --admin.config FILE", ""),
]  # fmt: skip

_TOPIC_ID = re.compile(r"TopicId: \S+")
_REASON = re.compile(r"(Error completing .*?Exception): .*")
_JAVA = re.compile(r"^[a-z]+(?:\.[a-z]+)+\.[A-Z]\w+: ")


class Output(NamedTuple):
    """A tool's output and exit status; of standard error only the first line."""

    status: int
    out: list[str]
    err: str

    @classmethod
    def of(cls, status, out, err):
        """Remove the parts that differ between clusters, and a server's own wording."""
        lines = []
        for line in out.splitlines():
            cut = _REASON.sub(r"\1", _TOPIC_ID.sub("TopicId: ID", line))
            # Released Kafka does not report a leader that recovers (L8).
            cut = cut.removesuffix("\tLeaderRecoveryState: RECOVERING")
            # LastKnownElr has another meaning in released Kafka.
            lines.append(re.sub(r"LastKnownElr: [\d,]*", "LastKnownElr: ", cut))
        found = [line for line in err.splitlines() if not line.startswith("[")]
        return cls(status, lines, _JAVA.sub("", found[0]) if found else "")


def text_of(case):
    """The content of a case's file."""
    return case.file if isinstance(case.file, str) else json.dumps(case.file)
