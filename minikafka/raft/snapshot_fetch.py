"""The download of a metadata snapshot from the leader, piece by piece. Source: KIP-630."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import Disk, File
from minikafka.messages import fetch_snapshot as messages
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.protocol.primitives import MalformedMessage
from minikafka.raft.settings import RaftSettings
from minikafka.raft.snapshots import PART_SUFFIX, Snapshot, SnapshotId, parse_snapshot
from minikafka.records.errors import CorruptRecordsError
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.raft")
_VERSION = 1


@dataclass(slots=True, eq=False, repr=False)
class SnapshotFetch:
    """One download. `on_done` gets the snapshot when its file is complete and durable, or None.

    After `cancel` it is not called.
    """

    env: Environment
    calls: Calls
    channel: Channel
    node_id: int
    directory_id: Uuid
    cluster_id: str
    epoch: int
    disk: Disk
    snapshot_id: SnapshotId
    settings: RaftSettings
    on_piece: Callable[[], None]
    on_done: Callable[[SnapshotId, Snapshot | None], None]
    _file: File | None = None
    _is_over: bool = False

    @property
    def _part(self) -> str:
        return f"{METADATA_FOLDER}/{self.snapshot_id.file_name}{PART_SUFFIX}"

    def start(self) -> None:
        """Request the first piece."""
        _log.info("[raft %d] fetches snapshot %s", self.node_id, self.snapshot_id.file_name)
        self._file = self.disk.open(self._part, create=True)
        self._file.truncate(0)
        self._ask()

    def cancel(self) -> None:
        """Remove what was downloaded, and ignore the answers that are still to come."""
        if not self._is_over:
            self._discard()

    def _discard(self) -> None:
        assert self._file is not None
        self._is_over = True
        self._file.close()
        self.disk.remove(self._part)

    def _ask(self) -> None:
        assert self._file is not None
        if self._is_over:
            return
        request = messages.FetchSnapshotRequest(
            cluster_id=self.cluster_id,
            replica_id=self.node_id,
            max_bytes=self.settings.snapshot_max_bytes,
            topics=[
                messages.FetchSnapshotRequestTopicSnapshot(
                    name=METADATA_TOPIC,
                    partitions=[
                        messages.FetchSnapshotRequestPartitionSnapshot(
                            partition=0,
                            current_leader_epoch=self.epoch,
                            snapshot_id=messages.FetchSnapshotRequestSnapshotId(
                                end_offset=self.snapshot_id.end_offset, epoch=self.snapshot_id.epoch
                            ),
                            position=self._file.size,
                            replica_directory_id=self.directory_id,
                        )
                    ],
                )
            ],
        )
        self.calls.send(
            self.channel,
            request,
            _VERSION,
            timeout_ms=self.settings.request_timeout_ms,
            on_done=self._answered,
            client_id=f"raft-client-{self.node_id}",
        )

    def _answered(self, response: Any | None, why: str) -> None:
        assert self._file is not None
        if self._is_over:
            return
        if (
            response is None
            or response.error_code
            or not response.topics
            or not response.topics[0].partitions
        ):
            self._fail(why or f"error {response.error_code if response else -1}")
            return
        answer = response.topics[0].partitions[0]
        if answer.error_code or answer.position != self._file.size:
            self._fail(f"error {answer.error_code} at position {answer.position}")
            return
        self.on_piece()
        piece = answer.unaligned_records or b""
        self._file.append(piece)
        if self._file.size < answer.size:
            if piece:
                self._ask()
            else:
                # A pause, so that a leader that sends nothing is not asked in a busy loop.
                self.env.after(self.settings.retry_backoff_ms, self._ask)
            return
        try:
            snapshot = parse_snapshot(bytes(self._file.read_at(0, self._file.size)))
        except (CorruptRecordsError, MalformedMessage) as error:
            self._fail(
                f"the snapshot from {self.channel.host}:{self.channel.port} is damaged: {error}"
            )
            return
        self._is_over = True
        self._file.sync()
        self._file.close()
        self.disk.rename(self._part, f"{METADATA_FOLDER}/{self.snapshot_id.file_name}")
        self.disk.sync_dir(METADATA_FOLDER)
        self.on_done(self.snapshot_id, snapshot)

    def _fail(self, why: str) -> None:
        _log.warning("[raft %d] snapshot not fetched: %s", self.node_id, why)
        self._discard()
        self.on_done(self.snapshot_id, None)
