"""The relations that the rules of the verdict are about: the names and types of their columns."""

from collections.abc import Mapping

from minikafka.harness.verdict.engine import columns

OBSERVED_SCHEMA = (
    "partition int, offset bigint, timestamp_ms bigint, pid bigint, seq bigint, crc bigint,"
    " size int, read_ms bigint"
)
"""The columns of a record that was read."""

LEDGER_SCHEMA = (
    "pid bigint, seq bigint, partition int, crc bigint, size int, send_us bigint, status string,"
    " ack_offset bigint, ack_us bigint, timestamp_ms bigint, acks string, idempotent boolean,"
    " sent_ms bigint"
)

ENDS_SCHEMA = "partition int, end_offset bigint"
"""The end of the stream's last batch: a record with an unknown outcome may be appended later."""

FINDING_SCHEMA = (
    "kind string, pid bigint, seq bigint, partition int, offset bigint, severity bigint,"
    " detail string, at_us bigint"
)

LOOK_SCHEMA = (
    "partition int, at_ms bigint, position bigint, leader int, isr array<int>, elr array<int>,"
    " isr_size int"
)
"""The watcher's polls of the partitions; `isr_size` is the length of `isr`."""

WATERMARK_SCHEMA = (
    "witness string, topic string, number int, end_offset bigint, at_ms bigint, position bigint"
)
"""The high watermarks that were seen: `number` counts within `topic`, or through all topics of the
run if `topic` is null."""

SAMPLE_SCHEMA = "witness string, partition int, end_offset bigint, at_ms bigint, position bigint"
ELECTION_SCHEMA = "partition int, at_ms bigint, leader int, before int, unclean boolean"


def finding(kind: str, values: Mapping[str, str]) -> str:
    """Return the select list of a finding; columns that are left out are null."""
    values = {"kind": kind, **values}
    return ", ".join(
        f"cast({values.get(name, 'null')} as {type_}) as {name}"
        for name, type_ in columns(FINDING_SCHEMA).items()
    )


def read_columns(relation: str) -> str:
    """Return the columns of a read in their order, with `relation` before each."""
    return ", ".join(f"{relation}.{name}" for name in columns(OBSERVED_SCHEMA))
