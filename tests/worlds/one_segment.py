"""One segment on a simulated disk, and batches for it."""

from minikafka.common.clock import Now
from minikafka.log.config import LogConfig
from minikafka.log.segment.segment import Segment
from minikafka.records.batch import read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)
CONFIG = LogConfig(index_interval_bytes=150, segment_bytes=10_000, segment_ms=100)
BASE = 100


def batch(offset, timestamp=1_000, count=2):
    rows = [NewRecord(timestamp, None, b"v") for _ in range(count)]
    return bytes(build_batch(rows, BatchOptions(base_offset=offset)))


def new_segment(base_offset=BASE, config=CONFIG):
    disk = SimDisk()
    disk.make_dir("t-0")
    return Segment.open(disk, "t-0", base_offset, config, NOW, create=True)


def written_segment():
    """Twenty batches of two records, each a millisecond later than the one before."""
    made = new_segment()
    for i in range(20):
        data = batch(BASE + 2 * i, 1_000 + i)
        made.append(data, [read_header(data)])
    return made
