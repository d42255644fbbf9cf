"""The harness's consumer group against a node: members come and go, and everything is polled."""

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.harness.clients.ledger import Entries, FrameWriter
from minikafka.harness.clients.poll_log import ASSIGNED, LEFT, PollLog, read_poll_log
from minikafka.harness.clients.reader import ReaderTask, read
from minikafka.harness.lines import EventLog, Tail


@pytest.mark.parametrize("protocol", ["cooperative", "eager"])
def test_a_group_is_given_everything_while_members_come_and_go(node, tmp_path, protocol):
    """S2: over two topics; a member leaves, another joins."""
    topics = [f"{protocol}-{number}" for number in range(2)]
    admin = AdminClient({"bootstrap.servers": node.bootstrap_servers})
    for future in admin.create_topics([NewTopic(name, 2, 1) for name in topics]).values():
        future.result()
    producer = Producer({"bootstrap.servers": node.bootstrap_servers})

    def produce(count):
        for number in range(count):
            producer.produce(topics[number % 2], b"x", partition=number // 2 % 2)
        assert producer.flush(30) == 0

    task = ReaderTask(
        run="r", bootstrap_servers=node.bootstrap_servers, topic=",".join(topics), width=2,
        protocol=protocol, seed=1, seconds=2, log=str(tmp_path / "log"),
        events=str(tmp_path / "events"),
    )  # fmt: skip
    with FrameWriter(tmp_path / "log") as frames:
        log = PollLog(frames)
        log.header(run="r", group=task.group, protocol=protocol)
        sent = 0

        def is_over(_wait_s):
            """Keep writing until the last member to join has a partition."""
            nonlocal sent
            produce(20)
            sent += 20
            entries = Entries(tmp_path / "log")
            return any(it[0] == ASSIGNED and it[2] == 3 and it[3] for it in entries)

        ends = read(task, log, EventLog(tmp_path / "events"), is_over)
        log.end(ends)
    assert sum(ends.values()) == sent
    table = read_poll_log(tmp_path / "log")
    given = {partition: set() for partition in range(4)}
    for row in table.rows.to_pylist():
        if row["kind"] == "polled":
            given[row["partition"]] |= set(range(row["first"], row["last"] + 1))
    assert given == {partition: set(range(end)) for partition, end in table.ends.items()}
    entries = list(Entries(tmp_path / "log"))
    assert {it[2] for it in entries if it[0] == LEFT} == {1, 2, 3}
    changes = [it["change"] for it in Tail(tmp_path / "events").read() if it["change"]]
    assert changes == ["leave", "join", "end"]
