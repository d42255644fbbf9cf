"""Groups and command lines for `kafka-consumer-groups` and `kafka-groups`, and compared output.

`record_group_tool_cases` plays this with Apache Kafka's own tools on its own broker;
`test_group_tool_cases` with ours on a simulated one. Both set the groups up by the same requests.
"""

import re
from typing import NamedTuple

from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from minikafka.messages.data.consumer_protocol_assignment import (
    ConsumerProtocolAssignment,
    TopicPartition,
)
from minikafka.messages.data.consumer_protocol_subscription import ConsumerProtocolSubscription
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from minikafka.protocol.primitives import Writer
from minikafka.records.builder import NewRecord, build_batch

CONFIG = {
    "auto.create.topics.enable": "false",
    "group.consumer.assignment.interval.ms": "0",
    "group.consumer.max.session.timeout.ms": "1200000",
    "group.consumer.session.timeout.ms": "1200000",
    "group.initial.rebalance.delay.ms": "0",
    # The records are old.
    "log.retention.ms": "-1",
    # A group whose offsets were all deleted must not expire during a slow recording.
    "offsets.retention.check.interval.ms": "86400000",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
}
LONG = "payments-of-the-second-quarter"
TOPICS = {"orders": 3, LONG: 1, "other": 1}
FIRST_MS = 1_700_000_000_000
"""The timestamp of the first record of each partition: 2023-11-14T22:13:20Z. One each second."""
RECORDS = {("orders", 0): 5, ("orders", 1): 3, (LONG, 0): 4, ("other", 0): 2}
_SESSION_MS = 1_200_000


class Case(NamedTuple):
    """One command line; `file` is the content of file.csv."""

    tool: str
    words: str
    file: str = ""

    @property
    def is_unordered(self):
        """True if Kafka's order depends on hashes that each process draws."""
        several = {"--to-datetime", "--by-duration", "--list", "--members", "--all-groups",
                   "--all-topics"}  # fmt: skip
        words = ["--list", *self.words.split()] if self.tool == "groups" else self.words.split()
        return words.count("--group") > 1 or bool(several.intersection(words))


def set_up(ask, topic_ids):
    """Write records and make groups; `ask(request, version)` asks the broker."""
    for (topic, index), count in RECORDS.items():
        rows = [NewRecord(FIRST_MS + 1000 * n, None, b"v") for n in range(count)]
        data = [PartitionProduceData(index, bytes(build_batch(rows)))]
        ask(
            ProduceRequest(
                acks=-1, timeout_ms=5000, topic_data=[TopicProduceData(topic, partition_data=data)]
            ),
            12,
        )
    commit(ask, "old", {("orders", 0): 2, ("orders", 1): 3, (LONG, 0): 1})
    commit(ask, "older-group-with-a-long-name", {("other", 0): 0})
    for group, kind in (("classic", "consumer"), ("workers", "connect")):
        member = join(ask, group, kind)
        if kind == "consumer":
            commit(ask, group, {("orders", 0): 1, ("other", 0): 2}, member, 1)
    heartbeat(ask, "steady", "s1", topic_ids, [0, 1, 2])
    epoch = heartbeat(ask, "modern", "m1", topic_ids, [0, 1, 2])
    heartbeat(ask, "modern", "m2", topic_ids, [], instance_id="i-1")
    commit(ask, "modern", {("orders", 0): 4, ("orders", 2): 0}, "m1", epoch)
    epoch = heartbeat(ask, "done", "d1", topic_ids, [0, 1, 2])
    commit(ask, "done", {("orders", 0): 1, ("orders", 1): 1}, "d1", epoch)
    ask(ConsumerGroupHeartbeatRequest("done", "d1", -1), 1)


def commit(ask, group, offsets, member="", epoch=-1):
    topics = [
        OffsetCommitRequestTopic(
            topic, partitions=[OffsetCommitRequestPartition(index, offset, 0)]
        )
        for (topic, index), offset in offsets.items()
    ]  # fmt: skip
    answer = ask(OffsetCommitRequest(group, epoch, member, topics=topics), 9)
    assert not any(it.error_code for topic in answer.topics for it in topic.partitions), answer


def join(ask, group, kind):
    metadata = b"\0\1" + _bytes(ConsumerProtocolSubscription(["orders"]), 1)
    protocols = [JoinGroupRequestProtocol("range", metadata if kind == "consumer" else b"x")]
    request = JoinGroupRequest(group, _SESSION_MS, _SESSION_MS, "", None, kind, protocols)
    request.member_id = ask(request, 9).member_id
    answer = ask(request, 9)
    assert answer.leader == answer.member_id, answer
    owned = [TopicPartition("orders", [0, 1, 2])]
    data = b"\0\1" + _bytes(ConsumerProtocolAssignment(owned), 1) if kind == "consumer" else b"y"
    mine = SyncGroupRequestAssignment(answer.member_id, data)
    ask(SyncGroupRequest(group, 1, answer.member_id, None, kind, "range", [mine]), 5)
    return answer.member_id


def _bytes(message, version):
    writer = Writer()
    message.encode(writer, version)
    return bytes(writer.buf)


def heartbeat(ask, group, member, topic_ids, owned, instance_id=None):
    """Join, and report to own what a member gets that is alone."""
    request = ConsumerGroupHeartbeatRequest(
        group, member, 0, instance_id, None, _SESSION_MS, ["orders"], topic_partitions=[]
    )
    answer = ask(request, 1)
    assert answer.error_code == 0, answer
    if owned:
        rows = [ConsumerGroupHeartbeatRequestTopicPartitions(topic_ids["orders"], owned)]
        again = ConsumerGroupHeartbeatRequest(group, member, answer.member_epoch)
        again.topic_partitions = rows
        assert ask(again, 1).error_code == 0
    return answer.member_epoch


def groups(words, file=""):
    return Case("consumer-groups", words, file)


def reset(words, file="", group="old"):
    return groups(f"--reset-offsets --group {group} {words}", file)


DRY = "--dry-run"
EXECUTE = "--execute"
ALL = "--all-topics"

PLAY = [
    groups("--list"),
    groups("--list --state"),
    groups("--list --state stable,Empty"),
    groups("--list --state Dead"),
    groups("--list --type"),
    groups("--list --type consumer"),
    groups("--list --type Classic,consumer --state"),
    groups("--list --state stable,"),
    groups("--list --state ,"),
    groups("--list --type share"),
    groups("--list --type foo"),
    groups("--list --state foo"),
    *(
        groups(f"--describe --group {group} {words}".strip())
        for group in ("old", "classic", "modern", "steady", "done", "none", "workers",
                      "older-group-with-a-long-name")
        for words in ("", "--offsets --verbose", "--members", "--members --verbose", "--state",
                      "--state --verbose")
    ),
    groups("--describe --group old --group done"),
    groups("--describe --group old --group none"),
    groups("--describe --group x3 --group x1 --group old --group x2"),
    groups("--describe --group old --timeout x"),
    groups("--describe --all-groups"),
    groups("--describe --all-groups --state"),
    groups("--describe"),
    groups("--describe --group old --all-groups"),
    groups("--describe --group old --members --state"),
    groups("--describe --group old --state empty"),
    groups("--describe --group old --type"),
    groups("--describe --group"),
    groups("--describe --group old --topic orders"),
    groups("--list --group old"),
    groups("--list --topic old"),
    groups("--list --members"),
    groups("--list --verbose --offsets"),
    groups("--list --all-groups"),
    groups("--list --describe"),
    groups("--list --delete"),
    groups("--list --bogus"),
    groups(""),
    groups("--list --list"),
    groups("--validate-regex a.*"),
    groups("--validate-regex (a"),
    groups("--validate-regex a**"),
    groups("--validate-regex [a"),
    groups("--validate-regex a(?=b)"),
    # What to reset to.
    reset(f"--to-earliest {ALL} {DRY}"),
    reset(f"--to-latest {ALL} {DRY}"),
    reset(f"--to-current {ALL} {DRY}"),
    reset(f"--to-offset 2 {ALL} {DRY}"),
    reset(f"--to-offset 100 {ALL} {DRY}"),
    reset(f"--to-offset -5 {ALL} {DRY}"),
    reset(f"--shift-by 1 {ALL} {DRY}"),
    reset(f"--shift-by -1 {ALL} {DRY}"),
    reset(f"--shift-by -100 {ALL} {DRY}"),
    reset(f"--shift-by 1 --topic orders {DRY}"),
    reset(f"--to-datetime 2023-11-14T22:13:22.000 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T22:13:22.500Z {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T23:13:21.000+01:00 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T21:13:21.000-0100 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T21:13:21.000-01 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T23:13:21.000+01:75 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T22:13:22.5 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-02-30T22:13:22.500 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T22:13:22 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14 {ALL} {DRY}"),
    reset(f"--to-datetime 2023-11-14T22:13 {ALL} {DRY}"),
    reset(f"--to-datetime yesterday {ALL} {DRY}"),
    reset(f"--to-datetime 2040-01-01T00:00:00.000 {ALL} {DRY}"),
    reset(f"--by-duration PT0S {ALL} {DRY}"),
    reset(f"--by-duration P10000D {ALL} {DRY}"),
    reset(f"--by-duration P1DT2H3M4.5S {ALL} {DRY}"),
    reset(f"--by-duration P99999999999999D {ALL} {DRY}"),
    reset(f"--by-duration 1h {ALL} {DRY}"),
    reset(f"--by-duration P1W {ALL} {DRY}"),
    reset(f"--to-current --topic orders {DRY}"),
    reset(f"--from-file file.csv {DRY}", "orders,0,4\norders,1,0\n"),
    reset(f"--from-file file.csv {DRY}", "old,orders,0,4\nold,orders,1,99\n"),
    reset(f"--from-file file.csv {DRY}", "other-group,orders,0,4\n"),
    reset(f"--from-file file.csv {DRY}", "orders,0,4\norders,1,0\n\n"),
    reset(f"--from-file file.csv {DRY}", "orders,0,4\r\norders,1,0\r\n"),
    reset(f"--from-file file.csv {DRY}", "orders, 0 , 4 \n"),
    reset(f"--from-file file.csv {DRY}", "orders,0,4\norders,0,2\n"),
    reset(f"--from-file file.csv {DRY}", "orders\n"),
    reset(f"--from-file file.csv {DRY}", "orders,0\n"),
    reset(f"--from-file file.csv {DRY}", "orders,x,4\n"),
    reset(f"--from-file file.csv {DRY}", '"orders",0,3\n'),
    reset(f"--from-file missing.csv {DRY}"),
    # Where.
    reset(f"--to-earliest --topic orders {DRY}"),
    reset(f"--to-earliest --topic orders:0,2 {DRY}"),
    reset(f"--to-latest --topic orders:1 --topic other --topic {LONG}:0 {DRY}"),
    reset(f"--to-earliest --topic orders:x {DRY}"),
    reset(f"--to-earliest --topic orders:0:1 {DRY}"),
    reset(f"--to-earliest --topic orders: {DRY}"),
    reset(f"--to-earliest --topic :0 {DRY}"),
    reset(f"--to-earliest --topic bad/name {DRY}"),
    reset(f"--to-earliest --topic none {DRY}"),
    reset(f"--to-earliest --topic none:0 {DRY}"),
    reset(f"--to-earliest --topic orders:7,8 {DRY}"),
    reset(f"--to-earliest {DRY}"),
    reset(f"{ALL} {DRY}"),
    reset(f"--to-earliest --to-latest {ALL} {DRY}"),
    reset(f"--to-offset 1 --shift-by 2 {ALL} {DRY}"),
    reset(f"--to-offset x {ALL} {DRY}"),
    reset(f"--to-offset 1 --to-offset 2 {ALL} {DRY}"),
    reset(f"--to-earliest {ALL} {DRY} {EXECUTE}"),
    reset(f"--to-earliest {ALL}"),
    groups(f"--reset-offsets --to-earliest {ALL} {DRY}"),
    # Which group.
    reset(f"--to-earliest {ALL} {DRY}", group="classic"),
    reset(f"--to-earliest {ALL} {EXECUTE}", group="modern"),
    reset(f"--to-latest {ALL} {DRY}", group="done"),
    reset(f"--to-earliest --topic orders {DRY}", group="new"),
    reset(f"--to-earliest {ALL} {DRY}", group="new"),
    groups(f"--reset-offsets --group old --group done --to-latest {ALL} {DRY}"),
    groups(f"--reset-offsets --all-groups --to-latest {ALL} {DRY}"),
    # Exports.
    reset(f"--to-latest {ALL} {DRY} --export"),
    groups(f"--reset-offsets --group old --group done --to-latest {ALL} {DRY} --export"),
    groups(f"--reset-offsets --group old --group done --from-file file.csv {DRY}",
           "old,orders,0,4\ndone,orders,1,2\n"),
    groups(f"--reset-offsets --group old --group done --from-file file.csv {DRY}", "orders,0,4\n"),
    reset(f"--to-latest {ALL} --dry-run --execute --export"),
    # With effect.
    reset(f"--to-earliest --topic orders {EXECUTE}"),
    groups("--describe --group old"),
    reset(f"--shift-by 1 {ALL} {EXECUTE}", group="done"),
    groups("--describe --group done --verbose"),
    reset(f"--to-latest --topic other {EXECUTE} --export", group="new"),
    groups("--describe --group new"),
    reset(f"--from-file file.csv {EXECUTE}", "orders,0,4\norders,2,0\n", group="new"),
    groups("--describe --group new --offsets"),
    # Deletion.
    groups("--delete-offsets --group old --topic orders:0"),
    groups("--delete-offsets --group old --topic orders:0 --topic none --topic orders:9"),
    groups(f"--delete-offsets --group old --topic orders --topic {LONG}:0"),
    groups("--delete-offsets --group classic --topic orders"),
    groups("--delete-offsets --group classic --topic other --topic orders:1"),
    groups("--delete-offsets --group modern --topic orders"),
    groups("--delete-offsets --group none --topic orders"),
    groups("--delete-offsets --group workers --topic orders"),
    groups("--delete-offsets --group old --topic orders:x"),
    groups("--delete-offsets --group old --topic none"),
    groups("--delete-offsets --group old"),
    groups("--delete-offsets --topic orders"),
    groups("--delete-offsets --group old --group done --topic orders"),
    groups("--describe --group classic"),
    groups("--delete --group classic"),
    groups("--delete --group none"),
    groups("--delete --group modern --group done"),
    groups("--delete --group old --topic orders"),
    groups("--delete"),
    groups("--delete --group older-group-with-a-long-name --group new"),
    groups("--list --type --state"),
    Case("groups", "--list"),
    Case("groups", "--list --consumer"),
    Case("groups", "--list --share"),
    Case("groups", "--list --streams"),
    Case("groups", "--list --group-type classic"),
    Case("groups", "--list --group-type Consumer"),
    Case("groups", "--list --group-type classic --protocol consumer"),
    Case("groups", "--list --group-type share"),
    Case("groups", "--list --group-type foo"),
    Case("groups", "--list --protocol consumer"),
    Case("groups", "--list --protocol connect"),
    Case("groups", "--list --protocol none"),
    Case("groups", "--list --consumer --share"),
    Case("groups", "--list --consumer --protocol consumer"),
    Case("groups", "--list --share --streams"),
    Case("groups", "--list --consumer --group-type classic"),
    Case("groups", ""),
    Case("groups", "--consumer"),
    Case("groups", "--list --bogus"),
    Case("groups", "--list --protocol"),
    Case("groups", "--list --protocol a --protocol b"),
    groups("--delete --all-groups"),
    groups("--list"),
    groups("--describe --all-groups"),
]  # fmt: skip

_DRAWN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_CLIENT = re.compile(r"\bsim\b")
_HOST = re.compile(r"/(?:\d+\.\d+\.\d+\.\d+|[a-z]\w*) *")
_COORDINATOR = re.compile(r"[\w.]+:\d+  \(1\) +")
_JAVA = re.compile(r"^(?:Exception in thread \"main\" )?[a-z]+(?:\.[a-z]+)*\.[A-Z]\w+: ")
_LIST = re.compile(r"(options: |are: |scenarios: |Option\(s\) )(.*?)( are unavailable .*|$)")
_WORD = re.compile(r"[\w-]+")
_FAILED = "Error: Executing consumer group command failed due to "
_TRACES = ("Cannot deserialize", "\tat ")
"""What Kafka's tool prints of exceptions that it handles."""


class Output(NamedTuple):
    """A tool's output and exit status; of standard error only the first line."""

    status: int
    out: list[str]
    err: str

    @classmethod
    def of(cls, case, status, out, err):
        """Remove what differs between clusters or runs, and traces of exceptions."""
        lines = []
        for line in out.splitlines():
            cut = _HOST.sub("HOST ", _COORDINATOR.sub("COORDINATOR ", line))
            lines.append(_CLIENT.sub("app", _DRAWN.sub("DRAWN", cut)))
        first = _first_error(err)
        if any(_FAILED in line for line in lines):
            first = ""
        return cls(status, sorted(lines) if case.is_unordered else lines, first)


def _first_error(err):
    """The first line, without an exception's class; lists in it are sorted, as Kafka's vary."""
    found = [it for it in err.splitlines() if it and not it.startswith("[")]
    first = _JAVA.sub("", found[0]) if found else ""
    if first.startswith(_TRACES):
        return ""
    return _LIST.sub(lambda it: f"{it[1]}{' '.join(sorted(_WORD.findall(it[2])))}{it[3]}", first)
