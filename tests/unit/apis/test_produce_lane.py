"""Produce requests that repeat: their lane answers as the handler does (`serving/lanes`)."""

from types import GeneratorType

import pytest

from minikafka.apis._produce_lane import ProduceLane
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.messages.produce import ProduceResponse
from minikafka.rpc.envelope import encode_request
from minikafka.sim.world.disk_errors import IO_ERROR, OneError
from tests.worlds.sim_world import (
    batch,
    create_topic,
    fetch,
    produce,
    produce_request,
    replica,
    started_cluster,
    values_of,
)

LATE_US = (400_000, 400_000)


@pytest.fixture
def cluster():
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=2)
    return cluster


@pytest.fixture
def taken(note_answers):
    return note_answers(ProduceLane)


@pytest.fixture
def client(cluster):
    """A client whose requests to t-0 have a lane, with acks=1 and with acks=all."""
    client = cluster.client()
    for acks in (1, 1, 1, -1, -1):
        assert produce(client, "t", b"v", acks=acks).error_code == ErrorCode.NONE
    return client


@pytest.mark.parametrize("acks", [1, -1])
def test_requests_that_repeat_are_answered_encoded(cluster, client, taken, acks):
    for offset in range(5, 8):
        answer = produce(client, "t", b"%d" % offset, acks=acks)
        assert (answer.index, answer.error_code, answer.base_offset) == (0, 0, offset)
        assert (answer.log_append_time_ms, answer.log_start_offset) == (-1, 0)
    assert [type(each) for each in taken] == [tuple] * 3
    assert values_of(fetch(client, "t", 5)) == [b"5", b"6", b"7"]


def test_another_partition_or_acks_takes_the_general_way(cluster, client, taken):
    assert produce(client, "t", b"v", partition=1).base_offset == 0
    assert produce(client, "t", b"v", acks=1, timeout_ms=7).base_offset == 5
    assert taken == []


def test_a_refused_batch_gets_the_error_of_the_handler(cluster, client, taken):
    spoiled = bytearray(batch(b"v"))
    spoiled[-1] ^= 1
    answer = client.ask(produce_request("t", bytes(spoiled)), ProduceResponse, version=12)
    (partition,) = answer.responses[0].partition_responses
    assert partition.error_code == ErrorCode.CORRUPT_MESSAGE
    assert taken == [None]
    assert replica(cluster, 1, "t").log.log_end_offset == 5


def test_a_batch_waits_for_the_one_that_is_validated_elsewhere(cluster, client, taken):
    node = cluster.nodes[1]
    node.node.env.units_per_step = 3
    node.work_us = LATE_US
    answers = []
    for values in ((b"large",) * 10, (b"small",)):
        client.send(produce_request("t", batch(*values)), answers.append, version=12)
    cluster.world.run_until(lambda: len(answers) == 2, 5_000, "both are appended")
    offsets = [each.responses[0].partition_responses[0].base_offset for each in answers]
    assert offsets == [5, 15]
    assert taken == [None, None]


def test_a_refused_batch_is_answered_in_the_same_step(cluster, taken):
    """The validation by the lane must not use up what the general way may spend."""
    client = cluster.client()

    def send(sequence):
        records = batch(*[b"v"] * 3, producer_id=5, producer_epoch=0, base_sequence=sequence)
        answer = client.ask(produce_request("t", records), ProduceResponse, version=12)
        return answer.responses[0].partition_responses[0].error_code

    assert [send(3 * number) for number in range(3)] == [ErrorCode.NONE] * 3
    node = cluster.nodes[1]
    node.node.env.units_per_step = 3
    node.work_us = LATE_US
    before_us = cluster.world.now_us
    assert send(100) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert cluster.world.now_us - before_us < LATE_US[0]
    assert taken[-1] is None


def test_a_failed_write_is_answered_and_not_repeated(taken):
    cluster = started_cluster(1, log_dirs=2)
    create_topic(cluster, "t", partitions=2)
    client = cluster.client()
    for index in (0, 1, 0, 1, 0, 1, 0, 1):
        assert produce(client, "t", b"v", partition=index, acks=1).error_code == ErrorCode.NONE
    metadata = cluster.nodes[1].node.raft.disk
    logs = [replica(cluster, 1, "t", index).log for index in (0, 1)]
    (failed,) = [index for index, log in enumerate(logs) if log.disk is not metadata]
    logs[failed].disk.error = OneError(IO_ERROR, 0, ("append",))
    taken.clear()
    answer = produce(client, "t", b"v", partition=failed, acks=1)
    assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert [type(each) for each in taken] == [ProduceResponse]
    assert logs[failed].log_end_offset == 4
    again = produce(client, "t", b"v", partition=failed, acks=1)
    assert again.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert produce(client, "t", b"v", partition=1 - failed, acks=1).base_offset == 4


def test_a_wait_for_followers_has_a_lane(taken):
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]], config={"min.insync.replicas": "2"})
    client = cluster.client(node_id=1)
    offsets = [produce(client, "t", b"v").base_offset for _ in range(5)]
    assert offsets == list(range(5))
    assert len(taken) == 3
    assert all(isinstance(each, GeneratorType) for each in taken)
    cluster.nodes[2].kill()
    late = produce(client, "t", b"v", timeout_ms=5_000)
    assert late.error_code in (
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
    )


def test_a_fault_of_the_lane_is_answered_as_one_of_the_handler(cluster, client, monkeypatch):
    def fail(*_, **__):
        raise ValueError

    monkeypatch.setattr(ProduceLane, "answer", fail)
    contained = []
    monkeypatch.setattr(Environment, "contain", lambda _, what, error: contained.append(what))
    answer = produce(client, "t", b"v")
    assert (answer.error_code, answer.base_offset) == (ErrorCode.UNKNOWN_SERVER_ERROR, -1)
    assert contained == ["request PRODUCE"]


def lanes_of(cluster):
    """The lanes of all connections to the only node, by the length of what their requests share."""
    connections = cluster.nodes[1].node.dispatcher.connections.values()
    return {
        len(lane.prefix): lane for each in connections for lane in each.lanes._by_prefix.values()
    }


@pytest.mark.parametrize("version", [7, 8])
def test_records_that_end_behind_the_frame_have_no_lane(cluster, version):
    """In these versions nothing follows the records, so that their end is the end of the frame."""
    client = cluster.client()
    for _ in range(2):
        produce(client, "t", b"v", acks=1, version=version)
    (lane,) = lanes_of(cluster).values()
    request = produce_request("t", batch(b"v"), acks=1)
    (encoded,) = encode_request(1, lane.header.client_id, request, version)
    frame = bytearray(encoded[4:])
    assert lane.fits(memoryview(frame))
    at = len(lane.prefix)
    frame[at : at + 4] = (len(frame) - at - 3).to_bytes(4, "big")
    assert lane.answer(memoryview(frame), 1) is None
    assert replica(cluster, 1, "t").log.log_end_offset == 2


def test_a_long_name_is_not_kept(cluster):
    """A connection would keep several copies of it for each lane."""
    client = cluster.client()
    for length in (900, 900, 1100, 1100):
        request = produce_request("t" * length, batch(b"v"), acks=1)
        client.ask(request, ProduceResponse, version=12)
    (size,) = lanes_of(cluster)
    assert 900 < size < 1000
