import pytest

from minikafka.common.clock import Now
from minikafka.common.effects import Channel, Send
from minikafka.common.environment import Environment
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file
from minikafka.messages import fetch_snapshot as messages
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.raft.snapshot_fetch import SnapshotFetch
from minikafka.raft.snapshots import SnapshotId, encode_snapshot
from minikafka.rpc.calls import Calls
from minikafka.rpc.envelope import decode_request, encode_response
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.quorum_world import CLUSTER_ID, SETTINGS

CHANNEL = Channel("h", 9093, "raft")
WANTED = SnapshotId(12, 3)


def content():
    topics = [TopicRecord(name=f"t{number}", topic_id=Uuid.of(0, number)) for number in range(3)]
    pieces = encode_snapshot(
        topics, epoch=3, kraft_version=0, voters=None, metadata_version=30, last_contained_ms=0,
        now_ms=0,
    )  # fmt: skip
    return b"".join(pieces)


CONTENT = content()


class Download:
    """One download, answered by hand."""

    def __init__(self):
        from random import Random

        self.env = Environment(Random(1))
        self.calls = Calls(self.env, "test")
        self.disk = SimDisk()
        self.disk.make_dir(METADATA_FOLDER)
        self.outcome = []
        self.fetch = SnapshotFetch(
            self.env,
            self.calls,
            CHANNEL,
            1,
            Uuid.of(6, 6),
            CLUSTER_ID,
            3,
            self.disk,
            WANTED,
            SETTINGS._replace(snapshot_max_bytes=100),
            lambda: None,
            self.done,
        )
        self.fetch.start()

    def advance_to(self, now_ms):
        self.env.clock.set(Now(now_ms, now_ms))
        self.env.timers.fire_due(now_ms)

    def done(self, snapshot_id, snapshot):
        assert snapshot_id == WANTED
        self.outcome.append(snapshot)

    def asked(self):
        (effect,) = self.env.effects
        assert isinstance(effect, Send)
        self.env.effects = []
        return decode_request(memoryview(b"".join(bytes(x) for x in effect.parts)[4:]))

    def answer(self, header, **changes):
        part = messages.FetchSnapshotResponsePartitionSnapshot(
            index=0,
            snapshot_id=messages.FetchSnapshotResponseSnapshotId(*WANTED),
            size=len(CONTENT),
        )
        for name, value in changes.items():
            setattr(part, name, value)
        topic = messages.FetchSnapshotResponseTopicSnapshot("__cluster_metadata", [part])
        parts = encode_response(
            header.correlation_id, messages.FetchSnapshotResponse(topics=[topic]), 1
        )
        self.calls.response(CHANNEL, memoryview(b"".join(bytes(x) for x in parts)[4:]))

    def files(self):
        return self.disk.list(METADATA_FOLDER)


@pytest.fixture
def download():
    return Download()


def test_pieces_are_put_together_under_a_name_that_is_no_snapshots(download):
    positions = []
    while not download.outcome:
        header, request = download.asked()
        asked = request.topics[0].partitions[0]
        positions.append(asked.position)
        assert download.files() == [f"{WANTED.file_name}.part"]
        piece = CONTENT[asked.position : asked.position + request.max_bytes]
        download.answer(header, position=asked.position, unaligned_records=piece)
    assert positions == list(range(0, len(CONTENT), 100))
    assert [len(snapshot.records) for snapshot in download.outcome] == [3]
    assert download.files() == [WANTED.file_name]
    assert bytes(read_file(download.disk, f"{METADATA_FOLDER}/{WANTED.file_name}")) == CONTENT


def test_a_damaged_snapshot_is_not_kept(download, caplog):
    damaged = bytearray(CONTENT)
    damaged[len(damaged) // 2] ^= 1
    header, _ = download.asked()
    download.answer(header, position=0, unaligned_records=bytes(damaged))
    assert download.outcome == [None]
    assert download.files() == []
    assert "the snapshot from h:9093 is damaged: checksum" in caplog.text


def test_an_answer_without_bytes_is_asked_again_after_a_pause(download):
    for round_number in range(1, 4):
        header, request = download.asked()
        assert request.topics[0].partitions[0].position == 0
        download.answer(header, position=0, unaligned_records=b"")
        due_ms = round_number * SETTINGS.retry_backoff_ms
        assert download.env.effects == []
        assert download.env.next_deadline_ms() <= due_ms
        download.advance_to(due_ms - 1)
        assert download.env.effects == []
        download.advance_to(due_ms)
    assert download.outcome == []


@pytest.mark.parametrize("changes", [{"error_code": 98}, {"position": 5}])
def test_an_answer_that_does_not_fit_ends_it(download, changes):
    header, _ = download.asked()
    download.answer(header, unaligned_records=b"x", **changes)
    assert download.outcome == [None]
    assert download.files() == []


def test_a_connection_that_breaks_ends_it(download):
    download.asked()
    download.calls.channel_down(CHANNEL, "reset")
    assert download.outcome == [None]
    assert download.files() == []
