"""Damage to the log of a live leader, and its effect on clients, a follower and a restart.

`run_damaged(seed)` is deterministic. Nothing may end in a traceback, in an answer that names no
reason, or in no answer; other partitions go on.
"""

from collections import Counter
from functools import partial
from random import Random

from minikafka.common.errors import ErrorCode
from minikafka.messages import delete_records as dr
from minikafka.messages import list_offsets as lo
from minikafka.messages import offset_for_leader_epoch as ofe
from minikafka.messages.fetch import FetchResponse
from minikafka.records.batch import HEADER_SIZE, LOG_OVERHEAD
from minikafka.sim.world.machine_clock import EPOCH_MS
from tests.fuzz.answers import FaultFoundError
from tests.fuzz.log_lines import is_empty, tracebacks
from tests.fuzz.odd_batches import with_section
from tests.worlds.sim_world import BY_NAME, create_topic, fetch_request, produce, started_cluster

LEADER, FOLLOWER = 1, 2
BATCHES = 6
PER_BATCH = 2
END = BATCHES * PER_BATCH
_LOG = "t-0/00000000000000000000.log"
_INDEXES = ("t-0/00000000000000000000.index", "t-0/00000000000000000000.timeindex")
_LENGTHS = (-(2**31), -1, 0, 4, 5, 48, 49, 100_000, 2**31 - 1)
_KNOWN = (ErrorCode.NONE, ErrorCode.CORRUPT_MESSAGE, ErrorCode.OFFSET_OUT_OF_RANGE)
"""Error codes that a damaged partition may return."""
_GIVEN_UP = (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_LEADER_OR_FOLLOWER)
"""Further error codes once another replica takes over the leadership."""


def damaged_cluster(seed=1, replicas=(LEADER, FOLLOWER)):
    """Two brokers with topics t and u; the log of t-0 has six batches of two records."""
    cluster = started_cluster(2, seed=seed, separate_controller=True)
    for name in ("t", "u"):
        create_topic(cluster, name, replicas=[list(replicas)])
    client = cluster.client(node_id=LEADER)
    for number in range(BATCHES):
        answer = produce(client, "t", b"v%d" % number, b"w" * 20)
        assert answer.error_code == ErrorCode.NONE
    return cluster, client


def content_of(cluster, path=_LOG, node_id=LEADER):
    """The bytes of a file of the leader, or of the follower, which may be changed."""
    (disk,) = cluster.nodes[node_id].disks.values()
    return disk.content(path)


def place_of(content, number):
    """Where a batch begins, and where it ends."""
    start = 0
    for _ in range(number):
        start = _end(content, start)
    return start, _end(content, start)


def _end(content, start):
    return start + LOG_OVERHEAD + int.from_bytes(content[start + 8 : start + 12], "big")


def flip(content, rng):
    """Change one bit."""
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def cut(content, rng):
    """Lose the tail."""
    del content[rng.randrange(len(content)) :]


def change_length(content, rng):
    """State another length of one batch."""
    start, _ = place_of(content, rng.randrange(BATCHES))
    content[start + 8 : start + 12] = rng.choice(_LENGTHS).to_bytes(4, "big", signed=True)


def change_magic(content, rng):
    """State another format of one batch."""
    start, _ = place_of(content, rng.randrange(BATCHES))
    content[start + 16] = rng.choice((0, 1, 3, 127, 255))


def put_garbage(content, rng):
    """Replace the records of one batch, under a right checksum."""
    number = rng.randrange(BATCHES)
    start, end = place_of(content, number)
    section = rng.randbytes(end - start - HEADER_SIZE)
    content[start:end] = with_section(
        section, PER_BATCH, attributes=rng.randrange(8), base_offset=number * PER_BATCH,
        leader_epoch=0,
    )  # fmt: skip


def put_zeros(content, rng):
    """Lose a few bytes."""
    start = rng.randrange(len(content))
    end = min(start + rng.randrange(1, 200), len(content))
    content[start:end] = bytes(end - start)


DAMAGES = (flip, cut, change_length, change_magic, put_garbage, put_zeros)


def ask_all(cluster, client):
    """Send each request that reads the log; count the error codes of the damaged partition."""
    codes = Counter()
    replicas = cluster.nodes[LEADER].node.broker.replicas

    def note(what, answer):
        known = (*_KNOWN, *_GIVEN_UP) if replicas.damaged_count else _KNOWN
        if answer.error_code not in known:
            raise FaultFoundError(f"{what}: {ErrorCode(answer.error_code).name}")
        codes[what, ErrorCode(answer.error_code).name] += 1

    for offset in range(END + 1):
        for wait_ms in (0, 100):
            request = fetch_request("t", offset, max_wait_ms=wait_ms, min_bytes=1 << 20)
            response = client.ask(request, FetchResponse, version=BY_NAME)
            note("Fetch", response.responses[0].partitions[0])
    for timestamp in (EPOCH_MS, EPOCH_MS + 1, 0, -1, -2, -3):
        wanted = [lo.ListOffsetsPartition(0, timestamp=timestamp)]
        offsets = lo.ListOffsetsRequest(
            replica_id=-1, topics=[lo.ListOffsetsTopic("t", wanted)], timeout_ms=1_000
        )
        found = client.ask(offsets, lo.ListOffsetsResponse, version=7)
        note("ListOffsets", found.topics[0].partitions[0])
    epochs = ofe.OffsetForLeaderEpochRequest(
        replica_id=-1,
        topics=[ofe.OffsetForLeaderTopic("t", [ofe.OffsetForLeaderPartition(0, -1, 0)])],
    )
    found = client.ask(epochs, ofe.OffsetForLeaderEpochResponse, version=4)
    note("OffsetForLeaderEpoch", found.topics[0].partitions[0])
    return codes


def delete_records(client, offset):
    """Delete what is before an offset; the answer of the partition."""
    request = dr.DeleteRecordsRequest(
        topics=[dr.DeleteRecordsTopic("t", [dr.DeleteRecordsPartition(0, offset)])],
        timeout_ms=3_000,
    )
    return client.ask(request, dr.DeleteRecordsResponse).topics[0].partitions[0]


def run_damaged(seed):
    """Damage a log and its indexes, ask, replicate, restart; returns the codes of the answers.

    Raises:
        FaultFoundError: a property does not hold.
    """
    rng = Random(f"damage/{seed}")
    with tracebacks() as logged:
        cluster, client = damaged_cluster(seed)
        leader = cluster.nodes[LEADER]
        rng.choice(DAMAGES)(content_of(cluster), rng)
        for path in _INDEXES:
            content = content_of(cluster, path)
            if content and not rng.randrange(2):
                flip(content, rng)
        codes = ask_all(cluster, client)
        if not rng.randrange(3):
            _copy_again(cluster)
        for topic in ("t", "u"):
            answer = produce(client, topic, b"more", timeout_ms=3_000)
            codes[f"Produce {topic}", ErrorCode(answer.error_code).name] += 1
            if topic == "u" and answer.error_code != ErrorCode.NONE:
                raise FaultFoundError(f"another partition: {ErrorCode(answer.error_code).name}")
        delete_records(client, rng.randrange(END))
        client.close()
        _restart(cluster, leader, rng)
        if leader.alive:
            client = cluster.client(node_id=LEADER)
            client.ask(fetch_request("t", 0), FetchResponse, version=BY_NAME)
        # The damaged file is named, and a directory that goes offline for it. Nothing else.
        is_empty([line for line in logged if "goes offline" not in line and _LOG not in line])
    return codes


def _copy_again(cluster):
    """Have the follower read the damaged log from its start."""
    follower = cluster.nodes[FOLLOWER]
    follower.kill()
    (disk,) = follower.disks.values()
    disk.remove("t-0")
    follower.start()
    cluster.world.run(10_000)
    if not follower.alive:
        raise FaultFoundError("the follower ended")


def _restart(cluster, node, rng):
    """End and start a node; one whose only log directory is damaged may refuse to start."""
    end = rng.choice(
        (node.kill, node.lose_power, node.shut_down, partial(node.lose_power, flips=True))
    )
    end()
    cluster.world.run_until(lambda: not node.alive, 60_000, "the node ends")
    node.start()
    cluster.world.run(15_000)
