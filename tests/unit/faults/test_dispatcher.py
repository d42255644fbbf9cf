"""Each kind of fault at a simulated node: what the client sees, what the node did, and the hits."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.faults.dispatcher import install
from minikafka.faults.vocabulary import AnswerFault
from minikafka.messages import alter_configs
from minikafka.messages.alter_replica_log_dirs import AlterReplicaLogDir, AlterReplicaLogDirTopic
from minikafka.messages.alter_user_scram_credentials import ScramCredentialDeletion
from minikafka.messages.api_keys import APIS, request_class
from minikafka.messages.create_acls import AclCreation
from minikafka.messages.create_topics import CreatableTopic, CreateTopicsRequest
from minikafka.messages.delete_acls import DeleteAclsFilter
from minikafka.messages.describe_configs import DescribeConfigsResource
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.incremental_alter_configs import AlterConfigsResource
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from minikafka.records.crc import crc32c
from minikafka.serving.index import MODULES
from minikafka.serving.registry import BROKER
from tests.unit.faults.conftest import PatientClient
from tests.unit.faults.test_partition_lists import SERVED, request_about
from tests.worlds.sim_world import (
    BY_NAME,
    batch,
    create_topic,
    fetch_request,
    started_cluster,
    values_of,
)

BROKER_APIS = sorted(MODULES[BROKER])
BY_ID = 13
UNCHANGED = [2, 2]


def produce_to(*partitions, topic="t", acks=-1, topic_id=None):
    data = [PartitionProduceData(index, batch(b"x")) for index in partitions]
    named = TopicProduceData(topic, partition_data=data)
    if topic_id is not None:
        named = TopicProduceData("", topic_id, data)
    return ProduceRequest(acks=acks, timeout_ms=5_000, topic_data=[named])


def fetch_all(offset=0, session_id=0, epoch=-1, partitions=(0, 1), wait_ms=0):
    wanted = [
        FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=1 << 20)
        for index in partitions
    ]
    return FetchRequest(
        max_wait_ms=wait_ms, min_bytes=1, max_bytes=1 << 20, session_id=session_id,
        session_epoch=epoch, topics=[FetchTopic("t", partitions=wanted)] if wanted else [],
    )  # fmt: skip


def codes(answer):
    """Error codes by partition of a Produce or Fetch response."""
    found = {}
    for topic in answer.responses:
        for each in getattr(topic, "partition_responses", None) or topic.partitions:
            found[getattr(each, "index", getattr(each, "partition_index", None))] = each.error_code
    return found


FILLED = {
    "FindCoordinator": {"coordinator_keys": ["g"]},
    "DescribeGroups": {"groups": ["g"]},
    "ConsumerGroupDescribe": {"group_ids": ["g"]},
    "DeleteGroups": {"groups_names": ["g"]},
    "DescribeTransactions": {"transactional_ids": ["x"]},
    "CreateAcls": {"creations": [AclCreation(2, "t", 3, "User:a", "*", 3, 3)]},
    "DeleteAcls": {"filters": [DeleteAclsFilter(2, "t", 3, None, None, 1, 1)]},
    "DescribeAcls": {
        "resource_type_filter": 2,
        "pattern_type_filter": 3,
        "operation": 1,
        "permission_type": 1,
    },
    "AlterUserScramCredentials": {"deletions": [ScramCredentialDeletion("a", 1)]},
    "DescribeConfigs": {"resources": [DescribeConfigsResource(2, "t")]},
    "AlterConfigs": {"resources": [alter_configs.AlterConfigsResource(2, "t")]},
    "IncrementalAlterConfigs": {"resources": [AlterConfigsResource(2, "t")]},
    "AlterReplicaLogDirs": {
        "dirs": [AlterReplicaLogDir("/d", [AlterReplicaLogDirTopic("t", [0])])]
    },
}


def simple(key):
    """A request of each API of a client that names something, and a version for it."""
    if key == 0:
        return produce_to(0, 1), BY_NAME
    if key == 1:
        return fetch_all(), BY_NAME
    _, _, high = MODULES[BROKER][key]
    version = min(high, APIS[key].latest_stable_version)
    version = min(version, {3: 9, 8: 9, 9: 9, 28: 4}.get(key, version))
    has_topics = any(each.values[0] == key for each in SERVED)
    request = request_about(key, version, "t") if has_topics else request_class(key)()
    for name, value in FILLED.get(APIS[key].name, {}).items():
        setattr(request, name, value)
    for name in ("replica_id", "broker_id"):
        if hasattr(request, name):
            setattr(request, name, -1)
    return request, version


@pytest.mark.parametrize("key", BROKER_APIS, ids=lambda key: APIS[key].name)
def test_every_api_can_fail_be_closed_and_be_delayed(faulty, key):
    api = APIS[key].name
    request, version = simple(key)
    faulty.answer(HeartbeatRequest("g"))
    faulty.fault(api, "UNKNOWN_SERVER_ERROR")
    assert "error_code=-1" in repr(faulty.answer(request, version))
    assert faulty.hits == 1
    for kind in ("close", "reset", "half"):
        faulty.fault(api, kind)
        if key == 18:
            # The first request of the client on each connection.
            continue
        assert faulty.answer(request, version) is None
        assert faulty.hits == 1
    faulty.set()
    faulty.answer(HeartbeatRequest("g"))
    faulty.fault(api, "delay", ms=700)
    answers = faulty.send(request, version)
    faulty.run(500)
    assert (answers, faulty.hits) == ([], 1)
    faulty.run(60_000)
    assert answers[0] is not None


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kind", ["NOT_LEADER_OR_FOLLOWER", "close", "reset", "half", "drop"])
def test_work_is_done_only_with_after(faulty, kind, after):
    faulty.fault("Produce", kind, after=after, times=1)
    answers = faulty.send(produce_to(0), BY_NAME)
    faulty.run(1_000)
    if kind == "drop":
        assert answers == []
    elif kind == "NOT_LEADER_OR_FOLLOWER":
        assert codes(answers[0]) == {0: 6}
    else:
        assert answers == [None]
    assert faulty.hits == 1
    assert faulty.end_offsets == ([3, 2] if after else UNCHANGED)
    faulty.set()
    faulty.run(1_000)
    if kind == "drop":
        # A connection that lost an answer is of no more use.
        assert answers == [None]
    assert codes(faulty.answer(produce_to(1), BY_NAME)) == {1: 0}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("by_id", [False, True])
def test_one_partition_of_many_fails_and_the_others_are_served(faulty, by_id, after):
    topic = str(faulty.topic_id) if by_id else "t"
    for version in (BY_NAME, BY_ID):
        before = faulty.end_offsets
        fault = {"topic": topic, "partition": 1, "times": 1, "seed": version}
        faulty.fault("Produce", "NOT_ENOUGH_REPLICAS", after=after, **fault)
        topic_id = faulty.topic_id if version == BY_ID else None
        answer = faulty.answer(produce_to(0, 1, topic_id=topic_id), version)
        assert codes(answer) == {0: 0, 1: int(ErrorCode.NOT_ENOUGH_REPLICAS)}
        assert len(answer.responses) == 1
        assert faulty.end_offsets == [before[0] + 1, before[1] + (1 if after else 0)]
        assert faulty.hits == 1
        # Used up, and the other partition is not the fault's.
        assert codes(faulty.answer(produce_to(0, 1, topic_id=topic_id), version)) == {0: 0, 1: 0}
        assert faulty.hits == 1


def test_a_request_that_names_another_topic_is_not_hit(faulty):
    faulty.fault("Produce", "NOT_LEADER_OR_FOLLOWER", topic="t", partition=1)
    assert codes(faulty.answer(produce_to(0), BY_NAME)) == {0: 0}
    assert codes(faulty.answer(produce_to(0, topic="u"), BY_NAME)) == {0: 0}
    assert faulty.hits == 0


def test_two_faults_take_two_partitions_of_one_request(faulty):
    faulty.set(
        AnswerFault(api="Produce", error="NOT_LEADER_OR_FOLLOWER", topic="t", partition=0, id="a"),
        AnswerFault(api="Produce", error="KAFKA_STORAGE_ERROR", topic="t", partition=1, id="b"),
    )
    assert codes(faulty.answer(produce_to(0, 1), BY_NAME)) == {0: 6, 1: 56}
    assert faulty.dispatcher.faults.hits() == {"a": 1, "b": 1}
    assert faulty.end_offsets == UNCHANGED


def test_a_producer_without_acks_learns_of_an_error_by_a_closed_connection(faulty):
    faulty.fault("Produce", "NOT_LEADER_OR_FOLLOWER", topic="t", partition=0)
    answers = faulty.send(HeartbeatRequest("g"))
    faulty.client.send(produce_to(0, acks=0), answers.append, version=BY_NAME,
                       expects_response=False)  # fmt: skip
    later = faulty.send(HeartbeatRequest("g"))
    faulty.run(500)
    assert later == [None]
    assert faulty.hits == 1


def test_a_lane_does_not_pass_a_fault(faulty):
    for _ in range(20):
        faulty.answer(produce_to(0), BY_NAME)
    faulty.fault("Produce", "NOT_LEADER_OR_FOLLOWER", times=1)
    assert codes(faulty.answer(produce_to(0), BY_NAME)) == {0: 6}
    assert codes(faulty.answer(produce_to(0), BY_NAME)) == {0: 0}
    assert faulty.hits == 1


def test_a_delay_before_the_work_keeps_the_order_of_the_connection(faulty):
    faulty.fault("Produce", "delay", ms=300, times=1)
    first = faulty.send(produce_to(0), BY_NAME)
    second = faulty.send(produce_to(0), BY_NAME)
    faulty.run(200)
    assert (first, second, faulty.end_offsets) == ([], [], UNCHANGED)
    faulty.run(300)
    assert [x[0].responses[0].partition_responses[0].base_offset for x in (first, second)] == [2, 3]


def test_a_delay_after_the_work_holds_the_answers_behind_it(faulty):
    faulty.fault("Produce", "delay", ms=300, times=1, after=True)
    first = faulty.send(produce_to(0), BY_NAME)
    second = faulty.send(produce_to(0), BY_NAME)
    faulty.run(200)
    assert (first, second, faulty.end_offsets) == ([], [], [4, 2])
    faulty.run(300)
    assert [x[0].responses[0].partition_responses[0].base_offset for x in (first, second)] == [2, 3]


def test_a_removed_delay_ends_at_once(faulty):
    for after in (False, True):
        faulty.fault("Produce", "delay", ms=60_000, after=after)
        answers = faulty.send(produce_to(0), BY_NAME)
        faulty.run(200)
        assert answers == []
        faulty.set()
        faulty.run(100)
        assert codes(answers[0]) == {0: 0}
    assert faulty.end_offsets == [4, 2]


def test_a_half_comes_after_the_answers_before_it_and_nothing_after_it(faulty):
    faulty.fault("Produce", "half", topic="t", partition=1)
    first = faulty.send(produce_to(0), BY_NAME)
    second = faulty.send(produce_to(1), BY_NAME)
    third = faulty.send(HeartbeatRequest("g"))
    faulty.run(500)
    assert codes(first[0]) == {0: 0}
    assert (second, third) == ([None], [None])


def test_answers_that_are_ready_behind_a_half_are_not_sent(faulty):
    faulty.set(
        AnswerFault(api="Produce", kind="half", topic="t", partition=1, after=True, id="half"),
        AnswerFault(api="Produce", kind="delay", ms=300, times=1, after=True, id="delay"),
    )
    delayed, half, behind = (faulty.send(produce_to(partition), BY_NAME) for partition in (0, 1, 0))
    faulty.run(200)
    assert (delayed, half, behind, faulty.end_offsets) == ([], [], [], [4, 3])
    faulty.run(300)
    assert codes(delayed[0]) == {0: 0}
    assert (half, behind, faulty.client.halves) == ([None], [None], 1)


def test_behind_a_request_that_is_dropped_no_other_one_is_handled(faulty):
    faulty.fault("Produce", "drop", times=1)
    answers = [faulty.send(produce_to(0), BY_NAME) for _ in range(3)]
    faulty.run(1_000)
    assert answers == [[], [], []]
    assert faulty.end_offsets == UNCHANGED
    assert codes(faulty.answer(produce_to(0), BY_NAME, client=faulty.new_client("b"))) == {0: 0}


def test_a_late_answer_does_not_use_the_memory_of_its_request(faulty):
    find = FindCoordinatorRequest(key="g")
    faulty.answer(find, 3)
    faulty.cluster.world.run_until(
        lambda: faulty.answer(find, 3).error_code == 0, 20_000, "a coordinator"
    )
    faulty.run(1_000)
    join = JoinGroupRequest(
        "g", 10_000, 10_000, protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol("range", b"metadata")],
    )  # fmt: skip
    member = faulty.answer(join, 3)
    assert member.error_code == 0
    faulty.fault("SyncGroup", "delay", ms=300, after=True)
    assignment = [SyncGroupRequestAssignment(member.member_id, b"a" * 500)]
    sync = SyncGroupRequest("g", member.generation_id, member.member_id, assignments=assignment)
    answers = faulty.send(sync, 3)
    faulty.run(100)
    assert (answers, faulty.hits) == ([], 1)
    faulty.run(1_000)
    assert bytes(answers[0].assignment) == b"a" * 500


def test_a_throttled_client_is_answered_at_once_and_then_not_read(faulty):
    faulty.fault("Produce", "throttle", ms=400, times=1)
    first = faulty.send(produce_to(0), BY_NAME)
    faulty.run(100)
    assert first[0].throttle_time_ms == 400
    assert codes(first[0]) == {0: 0}
    second = faulty.send(produce_to(0), BY_NAME)
    faulty.run(200)
    assert (second, faulty.end_offsets) == ([], [3, 2])
    faulty.run(300)
    assert second[0].throttle_time_ms == 0
    assert faulty.hits == 1


@pytest.mark.parametrize("version", [4, BY_NAME])
def test_a_corrupt_record_is_corrupt_only_on_the_wire(faulty, version):
    faulty.fault("Fetch", "corrupt", topic="t", partition=1, times=1)
    # An answer without records is no hit.
    faulty.answer(fetch_all(offset=2), version)
    assert faulty.hits == 0
    answer = faulty.answer(fetch_all(), version)
    good, bad = answer.responses[0].partitions
    assert values_of(good) == [b"0a", b"0b"]
    assert (is_sound(good.records), is_sound(bad.records)) == (True, False)
    assert faulty.hits == 1
    again = faulty.answer(fetch_all(), version).responses[0].partitions[1]
    assert values_of(again) == [b"1a", b"1b"]


def is_sound(records):
    """True if the checksum of the first batch is right."""
    data = bytes(records)
    end = 12 + int.from_bytes(data[8:12], "big")
    return crc32c(data[21:end]) == int.from_bytes(data[17:21], "big")


def test_a_client_is_hit_by_its_id_only(faulty):
    faulty.fault("Heartbeat", "COORDINATOR_LOAD_IN_PROGRESS", client_id="other")
    other = faulty.new_client("other")
    assert faulty.answer(HeartbeatRequest("g")).error_code != 14
    assert faulty.answer(HeartbeatRequest("g"), client=other).error_code == 14
    assert faulty.hits == 1


def test_a_version_range_is_kept(faulty):
    faulty.fault("FindCoordinator", "COORDINATOR_NOT_AVAILABLE", versions=(0, 3))
    assert faulty.answer(FindCoordinatorRequest(key="g"), 3).error_code == 15
    new = faulty.answer(FindCoordinatorRequest(coordinator_keys=["g"]), 4)
    assert new.coordinators[0].error_code != 15 or faulty.hits == 1
    assert faulty.hits == 1


def test_a_request_that_is_forwarded_can_fail_in_part(faulty):
    request = CreateTopicsRequest(
        topics=[CreatableTopic(name, 1, 1) for name in ("new", "bad")], timeout_ms=5_000
    )
    faulty.fault("CreateTopics", "POLICY_VIOLATION", topic="bad")
    answer = faulty.answer(request, within_ms=10_000)
    assert {each.name: each.error_code for each in answer.topics} == {"new": 0, "bad": 44}
    faulty.run(500)
    assert "bad" not in faulty.node.loader.image.topic_ids
    assert "new" in faulty.node.loader.image.topic_ids
    faulty.fault("CreateTopics", "NOT_CONTROLLER", topic="late", after=True)
    request = CreateTopicsRequest(topics=[CreatableTopic("late", 1, 1)], timeout_ms=5_000)
    assert faulty.answer(request, within_ms=10_000).topics[0].error_code == 41
    faulty.run(500)
    assert "late" in faulty.node.loader.image.topic_ids


@pytest.mark.parametrize("version", [0, 1, 9, 12, 13])
def test_metadata_of_a_topic_or_partition_fails(faulty, version):
    def topics(request):
        answer = faulty.answer(request, version)
        return {
            each.name: (each.error_code, [x.error_code for x in each.partitions])
            for each in answer.topics
        }

    both = [MetadataRequestTopic(name=name) for name in ("t", "u")]
    alone = [MetadataRequestTopic(name="t")]
    faulty.fault("Metadata", "UNKNOWN_TOPIC_OR_PARTITION", topic="t")
    assert topics(MetadataRequest(topics=both)) == {"t": (3, []), "u": (0, [0])}
    assert topics(MetadataRequest(topics=alone)) == {"t": (3, [])}
    assert faulty.hits == 2
    everything = MetadataRequest(topics=None if version else [])
    assert topics(everything)["t"] == (3, [])
    faulty.fault("Metadata", "LEADER_NOT_AVAILABLE", topic="t", partition=1)
    assert topics(MetadataRequest(topics=both)) == {"t": (0, [0, 5]), "u": (0, [0])}
    assert topics(MetadataRequest(topics=[both[1]])) == {"u": (0, [0])}
    assert faulty.hits == 1


def test_a_missing_topic_is_not_created_by_a_request_that_fails(faulty):
    faulty.fault("Metadata", "LEADER_NOT_AVAILABLE", topic="made")
    request = MetadataRequest(topics=[MetadataRequestTopic(name="made")])
    request.allow_auto_topic_creation = True
    assert faulty.answer(request, 9).topics[0].error_code == 5
    faulty.run(500)
    assert "made" not in faulty.node.loader.image.topic_ids


def test_a_topic_that_does_not_exist_is_no_match_by_id(faulty):
    faulty.fault("Metadata", "LEADER_NOT_AVAILABLE", topic=str(Uuid.of(7, 7)))
    assert faulty.answer(MetadataRequest(topics=None), 9).topics[0].error_code == 0
    assert faulty.hits == 0


def test_a_fetch_fails_for_each_partition_unless_the_error_is_of_the_session(faulty):
    faulty.fault("Fetch", "NOT_LEADER_OR_FOLLOWER")
    answer = faulty.answer(fetch_all(), BY_NAME)
    assert (answer.error_code, codes(answer)) == (0, {0: 6, 1: 6})
    faulty.fault("Fetch", "FETCH_SESSION_ID_NOT_FOUND")
    answer = faulty.answer(fetch_all(), BY_NAME)
    assert (answer.error_code, codes(answer)) == (70, {})


def test_requests_before_after_and_of_other_topics_are_as_ever(faulty):
    create_topic(faulty.cluster, "v")
    faulty.fault("Fetch", "OFFSET_OUT_OF_RANGE", topic="v")
    (partition,) = faulty.answer(fetch_request("t"), BY_NAME).responses[0].partitions
    assert values_of(partition) == [b"0a", b"0b"]
    assert faulty.hits == 0


def test_a_node_that_runs_gets_faults_behind_the_calls_that_wait():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]], config={"min.insync.replicas": "2"})
    create_topic(cluster, "u", replicas=[[1], [1]])
    usual = cluster.client()
    cluster.world.run(1_000)
    client = PatientClient(usual.world, usual.network, usual.name, usual.address, client_id="sim")
    replicated, half, behind = [], [], []
    for host in ("n1", "n2"):
        cluster.network.cut(host, "n2" if host == "n1" else "n1")
    client.send(produce_to(0), replicated.append, version=BY_NAME)
    cluster.world.run(100)
    dispatcher = install(cluster.nodes[1].node)
    dispatcher.set_faults([AnswerFault(api="Produce", kind="half", topic="u", id="half")])
    client.send(produce_to(0, topic="u"), half.append, version=BY_NAME)
    client.send(produce_to(1, topic="u"), behind.append, version=BY_NAME)
    cluster.world.run(200)
    assert (replicated, half, behind) == ([], [], [])
    cluster.network.heal_all()
    cluster.world.run(2_000)
    assert codes(replicated[0]) == {0: 0}
    assert (half, behind, client.halves) == ([None], [None], 1)
