"""The logs of a cluster, as its honest clients find them beside the odd ones."""

from minikafka.common.errors import ErrorCode
from minikafka.messages.fetch import FetchResponse
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from tests.fuzz.accepted import Accepted
from tests.fuzz.answers import FaultFoundError
from tests.fuzz.decoder import UndecodableError, decode
from tests.worlds.sim_world import BY_NAME, fetch_request, leader_client, produce, registration

_EARLIEST = -2
_MOVING = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.OFFSET_OUT_OF_RANGE, ErrorCode.FENCED_LEADER_EPOCH,
)  # fmt: skip
"""What a partition may answer while frames change its leader, its log start, or delete it."""
_ATTEMPTS = 20
_PAUSE_MS = 2_000


class Logs:
    """Writes to partitions and reads them, and compares with what was accepted."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.accepted = Accepted()

    def image(self):
        """The committed metadata."""
        return self.cluster.nodes[self.cluster.controller_id].node.loader.image

    def ids_by_name(self):
        """The topics that exist."""
        return self.image().topic_ids

    def check_before_deletion(self, topics):
        """Check what the end of the run might not find: it takes new writes and can be read."""
        for topic, partition in self._partitions(topics):
            self._write(topic, partition)
        self.read_meanwhile(topics)

    def check_at_end(self, topics):
        """Every partition commits a new write and can be read to its end."""
        for topic, partition in self._partitions(topics):
            if not self._write(topic, partition):
                raise FaultFoundError(f"{topic}-{partition} commits no new write")
            self._read(topic, partition)

    def read_meanwhile(self, topics):
        """Read what frames may delete before the end."""
        for topic, partition in self._partitions(topics):
            found = registration(self.cluster, topic, partition)
            if found is not None and found.leader > 0:
                self._read(topic, partition, is_end=False)

    def _partitions(self, topics):
        """Of each topic the first partitions: frames create more, which no client writes to."""
        for topic in topics:
            found = self.image().topic(topic)
            for partition in list(found.partitions)[:2] if found is not None else ():
                yield topic, partition

    def _write(self, topic, partition):
        """Write one record; False if the partition is on its way elsewhere."""
        for _ in range(_ATTEMPTS):
            found = registration(self.cluster, topic, partition)
            if found is None:
                return False
            if found.leader > 0:
                client = leader_client(self.cluster, topic, partition)
                answer = produce(client, topic, b"after", partition=partition, timeout_ms=30_000)
                client.close()
                if answer.error_code == ErrorCode.NONE:
                    return True
                if answer.error_code not in _MOVING:
                    name = ErrorCode(answer.error_code).name
                    raise FaultFoundError(f"{topic}-{partition} commits no new write: {name}")
            self.cluster.world.run(_PAUSE_MS)
        return False

    def _read(self, topic, partition, *, is_end=True):
        client = leader_client(self.cluster, topic, partition)
        topic_id = self.ids_by_name().get(topic)
        # What is accepted while this reads may come after the last fetch.
        accepted = dict(self.accepted.batches)
        offset = None
        found = []
        while True:
            request = fetch_request(topic, offset or 0, partition)
            response = client.ask(request, FetchResponse, version=BY_NAME)
            (answer,) = response.responses[0].partitions
            if answer.error_code == ErrorCode.OFFSET_OUT_OF_RANGE and offset is None:
                offset = self._log_start(topic, partition)
                continue
            if answer.error_code != ErrorCode.NONE:
                if not is_end and answer.error_code in _MOVING:
                    break
                name = ErrorCode(answer.error_code).name
                raise FaultFoundError(f"{topic}-{partition} at {offset}: {name}")
            try:
                records = decode(bytes(answer.records or b""))
            except UndecodableError as error:
                raise FaultFoundError(f"{topic}-{partition} at {offset}: {error}") from None
            if not records:
                if answer.high_watermark > (offset or 0):
                    raise FaultFoundError(
                        f"{topic}-{partition}: nothing at {offset}, "
                        f"although the high watermark is {answer.high_watermark}"
                    )
                break
            found += records
            offset = records[-1].offset + 1
        client.close()
        self.accepted.check(accepted, topic_id, partition, found)

    def _log_start(self, topic, partition):
        client = leader_client(self.cluster, topic, partition)
        wanted = ListOffsetsTopic(topic, [ListOffsetsPartition(partition, timestamp=_EARLIEST)])
        request = ListOffsetsRequest(replica_id=-1, topics=[wanted])
        answer = client.ask(request, ListOffsetsResponse, version=7)
        client.close()
        return answer.topics[0].partitions[0].offset
