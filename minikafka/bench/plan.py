"""The loads of `minikafka bench`, and the order of measurements, drawn from a seed."""

from collections.abc import Sequence
from random import Random
from typing import Any, Literal, NamedTuple

Kind = Literal["produce", "consume", "latency", "transactions", "raw-produce", "raw-fetch"]
Figure = Literal["MB/s", "records/s", "requests/s", "transactions/s", "p50 µs"]
KILOBYTE = 1024
_RAW_BATCH_BYTES = 1_000_000


class Load(NamedTuple):
    """One kind of load.

    Raw loads replay one encoded request; the others use librdkafka, by its C functions or, with
    `in_python`, record by record like an application in Python.
    """

    name: str
    kind: Kind
    figure: Figure
    summary: str
    record_bytes: int
    records_per_request: int = 0
    in_flight: int = 5
    in_python: bool = False
    produce_batch: bool = False
    partitions: int = 1
    """Partitions of the topic. Only `consume-100b-100p` uses more than the first one."""

    @property
    def is_raw(self) -> bool:
        """True if the load does not use librdkafka."""
        return self.kind.startswith("raw")

    @property
    def reads(self) -> bool:
        """True if the topic must have records before the load."""
        return self.kind in ("consume", "raw-fetch")

    @property
    def filled_by(self) -> str:
        """The load that writes the records to be read, of about the same size."""
        return "raw-produce-1m" if self.record_bytes == KILOBYTE else "produce-100b"


LOADS = {
    load.name: load
    for load in (
        Load("produce-1k", "produce", "MB/s", "1 KB, linger 5 ms", KILOBYTE),
        Load("produce-100b", "produce", "records/s", "100 B, linger 5 ms", 100),
        Load("consume-1k", "consume", "MB/s", "1 KB", KILOBYTE),
        Load("consume-100b", "consume", "records/s", "100 B", 100),
        Load("consume-100b-100p", "consume", "records/s", "100 B, 100 partitions", 100,
             partitions=100),
        Load("latency", "latency", "p50 µs", "1 KB, 1000 records/s", KILOBYTE,
             records_per_request=1, in_python=True),
        Load("in-flight-1", "produce", "records/s", "100 B a request, one in flight", 100,
             records_per_request=1, in_flight=1, in_python=True),
        Load("transactions", "transactions", "transactions/s", "100 records of 1 KB each", KILOBYTE,
             records_per_request=100, in_python=True),
        Load("python-1k", "produce", "MB/s", "produce(), 1 KB", KILOBYTE, in_python=True),
        Load("python-100b", "produce", "records/s", "produce(), 100 B", 100, in_python=True),
        Load("python-batch-100b", "produce", "records/s", "produce_batch(), 100 B", 100,
             in_python=True, produce_batch=True),
        Load("python-consume-1k", "consume", "MB/s", "consume(), 1 KB", KILOBYTE, in_python=True),
        Load("raw-produce-1m", "raw-produce", "MB/s", "1 MB requests, 5 in flight", KILOBYTE,
             records_per_request=_RAW_BATCH_BYTES // KILOBYTE),
        Load("raw-produce-100b", "raw-produce", "requests/s", "100 B, one in flight", 100,
             records_per_request=1, in_flight=1),
        Load("raw-fetch-1m", "raw-fetch", "MB/s", "1 MB, one in flight", KILOBYTE, in_flight=1),
    )
}  # fmt: skip


class Step(NamedTuple):
    """One measurement: a round, a load, and the name of the target."""

    round: int
    load: Load
    target: str


class Measurement(NamedTuple):
    """The result of one measurement; CPU time and latency are None if unknown.

    The requests of a load of transactions are its transactions, its latencies those of the commits.
    """

    records: int
    bytes: int
    requests: int | None
    seconds: float
    client_cpu_s: float
    p50_us: float | None = None
    p99_us: float | None = None
    broker_cpu_s: float | None = None

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Measurement":
        """Return the measurement that a worker reported."""
        return cls(**fields)

    def value(self, figure: Figure) -> float:
        """Return the value of a figure."""
        if figure == "MB/s":
            return self.bytes / 1e6 / self.seconds
        if figure == "records/s":
            return self.records / self.seconds
        if figure in ("requests/s", "transactions/s"):
            return (self.requests or 0) / self.seconds
        assert self.p50_us is not None, "a latency load measures latencies"
        return self.p50_us

    @property
    def broker_ms_per_mb(self) -> float | None:
        """Processor time of all brokers per megabyte of records."""
        return None if self.broker_cpu_s is None else self.broker_cpu_s * 1e9 / self.bytes

    @property
    def broker_us_per_request(self) -> float | None:
        """Processor time of all brokers per request; None if requests were not counted."""
        if self.broker_cpu_s is None or not self.requests:
            return None
        return self.broker_cpu_s * 1e6 / self.requests


def plan(loads: Sequence[Load], targets: Sequence[str], rounds: int, seed: int) -> list[Step]:
    """Plan every load against every target once per round, in an order drawn from the seed.

    The targets of a load are measured one after the other, so that slow changes of the machine
    affect both; their order is drawn each time.
    """
    rng = Random(seed)
    steps: list[Step] = []
    for number in range(1, rounds + 1):
        for load in rng.sample(list(loads), len(loads)):
            steps += [
                Step(number, load, target) for target in rng.sample(list(targets), len(targets))
            ]
    return steps
