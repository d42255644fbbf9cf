"""An observer that follows a `QuorumWorld` over bytes: what a broker does with the metadata log."""

from random import Random

from minikafka.common.clock import Now
from minikafka.common.effects import CloseChannel, Send
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.file_slice import FileSlice
from minikafka.common.ids import METADATA_TOPIC_ID, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages import fetch as fetch_messages
from minikafka.messages import fetch_snapshot as snapshot_messages
from minikafka.metadata.loader import MetadataLoader
from minikafka.raft.metadata_reads import read_metadata
from minikafka.raft.metadata_storage import open_metadata_log
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshots import SnapshotId
from minikafka.raft.snapshotter import restore
from minikafka.raft.voter_history import VoterHistory
from minikafka.rpc.calls import Calls
from minikafka.rpc.envelope import decode_request, encode_response
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.quorum_world import CLUSTER_ID, CONTROLLER_ID, LISTENER, SETTINGS

ROUNDS = 40


class ObserverWorld:
    """One observer; `leader` answers what it asks, as long as it is `reachable`."""

    def __init__(self, leader, disk=None, *, snapshot_max_bytes=1 << 20):
        self.leader = leader
        self.disk = disk or SimDisk()
        self.reachable = True
        self.damages_records = False
        self.asked = []
        self.snapshots = []
        self.env = Environment(Random(2))
        self.env.clock.set(Now(0, 0))
        self.calls = Calls(self.env, "observer")
        self.loader = MetadataLoader()
        log = open_metadata_log(self.disk, LogConfig(), self.env.clock.now, self.env.rng)
        self.raft = RaftNode(
            env=self.env,
            calls=self.calls,
            cluster_id=CLUSTER_ID,
            quorum=QuorumState(
                node_id=1,
                directory_id=Uuid.of(6, 6),
                disk=self.disk,
                listener=LISTENER,
                is_controller=False,
                history=VoterHistory(None),
            ),
            log=RaftLog(log),
            disk=self.disk,
            bootstrap=(("127.0.0.1", 9093),),
            settings=SETTINGS._replace(snapshot_max_bytes=snapshot_max_bytes),
        )
        restore(self.raft, self.loader)
        self.raft.start(self)

    @property
    def image(self):
        return self.loader.image

    def on_commit(self):
        for batch in self.raft.log.batches(self.image.offset + 1, self.raft.high_watermark):
            self.loader.load_batch(batch.records, last_offset=batch.last_offset, epoch=batch.epoch)

    def on_snapshot(self, snapshot_id, snapshot):
        self.snapshots.append(snapshot_id)
        self.loader.load_snapshot(
            snapshot.records, last_offset=snapshot_id.end_offset - 1, epoch=snapshot_id.epoch
        )

    def on_leader_change(self):
        pass

    def on_resign(self):
        raise AssertionError("an observer leads nothing")

    def on_leader(self, epoch):
        raise AssertionError("an observer leads nothing")

    def run(self):
        """Carry requests and answers to and fro until surely nothing is new."""
        for _ in range(ROUNDS):
            effects, self.env.effects = self.env.effects, []
            for effect in effects:
                self._carry_out(effect)
            now_ms = self.env.clock.monotonic_ms + 25
            self.env.clock.set(Now(now_ms, now_ms))
            self.env.timers.fire_due(now_ms)

    def _carry_out(self, effect):
        if isinstance(effect, CloseChannel):
            return
        assert isinstance(effect, Send), effect
        request_frame = b"".join(bytes(part) for part in effect.parts)[4:]
        header, request = decode_request(memoryview(request_frame))
        self.asked.append(request)
        if not self.reachable:
            self.calls.channel_down(effect.channel, "refused")
            return
        if isinstance(request, fetch_messages.FetchRequest):
            response = self._fetch(request)
        else:
            response = self._fetch_snapshot(request)
        parts = encode_response(header.correlation_id, response, header.api_version)
        frame = b"".join(
            bytes(part.read() if isinstance(part, FileSlice) else part) for part in parts
        )[4:]
        self.calls.response(effect.channel, memoryview(bytearray(frame)))

    def _fetch(self, request):
        raft = self.leader.raft
        asked = request.topics[0].partitions[0]
        read = read_metadata(
            raft,
            current_leader_epoch=asked.current_leader_epoch,
            fetch_offset=asked.fetch_offset,
            last_fetched_epoch=asked.last_fetched_epoch,
        )
        answer = fetch_messages.PartitionData(
            partition_index=0,
            error_code=read.error,
            high_watermark=read.high_watermark,
            log_start_offset=read.log_start_offset,
            records=self._received(read.records),
        )
        answer.current_leader = fetch_messages.LeaderIdAndEpoch(CONTROLLER_ID, raft.epoch)
        if read.diverging is not None:
            answer.diverging_epoch = fetch_messages.EpochEndOffset(*read.diverging)
        if read.snapshot is not None:
            answer.snapshot_id = fetch_messages.SnapshotId(*read.snapshot)
        return fetch_messages.FetchResponse(
            responses=[
                fetch_messages.FetchableTopicResponse(
                    topic_id=METADATA_TOPIC_ID, partitions=[answer]
                )
            ],
            node_endpoints=[fetch_messages.NodeEndpoint(CONTROLLER_ID, "127.0.0.1", 9093)],
        )

    def _received(self, records):
        """What arrives of a slice of the leader's log."""
        if not self.damages_records or records is None:
            return records
        damaged = bytearray(records.read())
        damaged[-1] ^= 1
        return bytes(damaged)

    def _fetch_snapshot(self, request):
        asked = request.topics[0].partitions[0]
        snapshot_id = SnapshotId(asked.snapshot_id.end_offset, asked.snapshot_id.epoch)
        file = self.leader.disk.open(f"{METADATA_FOLDER}/{snapshot_id.file_name}")
        answer = snapshot_messages.FetchSnapshotResponsePartitionSnapshot(
            index=0,
            error_code=ErrorCode.NONE,
            snapshot_id=snapshot_messages.FetchSnapshotResponseSnapshotId(*snapshot_id),
            size=file.size,
            position=asked.position,
            unaligned_records=file.read_at(asked.position, request.max_bytes),
        )
        file.close()
        return snapshot_messages.FetchSnapshotResponse(
            topics=[
                snapshot_messages.FetchSnapshotResponseTopicSnapshot("__cluster_metadata", [answer])
            ]
        )
