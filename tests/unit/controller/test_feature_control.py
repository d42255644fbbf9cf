import pytest

from minikafka.common.errors import InvalidUpdateVersionError
from minikafka.common.ids import Uuid
from minikafka.controller import cluster_control, feature_control
from minikafka.messages import update_features as messages
from minikafka.messages.controller_registration import ControllerRegistrationRequest
from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.metadata.image import RESOURCE_BROKER
from minikafka.metadata.partition_registration import NO_LEADER
from tests.worlds.quorum_world import QuorumWorld, default_levels, formatted_disk

ELR = "eligible.leader.replicas.version"
UPGRADE, SAFE, UNSAFE = 1, 2, 3


def update(world, *changes, validate_only=False):
    request = messages.UpdateFeaturesRequest(
        feature_updates=[
            messages.FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind)
            for name, level, kind in changes
        ],
        validate_only=validate_only,
    )
    return world.apply(world.controller.decide(feature_control.update_features, request))


@pytest.fixture
def without_elr():
    world = QuorumWorld.started(formatted_disk(default_levels()))
    world.join(1)
    return world


def test_a_level_is_raised(without_elr):
    _, response = update(without_elr, (ELR, 1, UPGRADE))
    assert [row.feature for row in response.results] == [ELR]
    assert without_elr.image.feature(ELR) == 1


def test_elr_brings_one_min_isr_for_the_cluster(without_elr):
    """E12."""
    without_elr.set_config("1", "min.insync.replicas", "2", RESOURCE_BROKER)
    update(without_elr, (ELR, 1, UPGRADE))
    assert without_elr.image.config(RESOURCE_BROKER, "") == {"min.insync.replicas": "1"}
    assert without_elr.image.config(RESOURCE_BROKER, "1") == {}


def test_elr_keeps_the_min_isr_that_the_cluster_has(without_elr):
    without_elr.set_config("", "min.insync.replicas", "2", RESOURCE_BROKER)
    records, _ = update(without_elr, (ELR, 1, UPGRADE))
    assert records == [FeatureLevelRecord(name=ELR, feature_level=1)]


def test_elr_is_switched_off_and_its_fields_go_with_the_next_change(elr_topic):
    """E12."""
    elr_topic.propose(1, [1])
    update(elr_topic, (ELR, 0, SAFE))
    assert elr_topic.image.feature(ELR) == 0
    assert elr_topic.partition().elr == (2, 3)
    elr_topic.propose(1, [1, 2])
    assert elr_topic.partition().elr == ()


def test_elr_that_is_left_from_before_does_not_count_again(elr_topic):
    """E12: its members may lack records that were committed while ELR was off."""
    elr_topic.propose(1, [1])
    update(elr_topic, (ELR, 0, SAFE))
    records, _ = update(elr_topic, (ELR, 1, UPGRADE))
    assert records[-2:] == [
        ClearElrRecord(topic_name=""),
        FeatureLevelRecord(name=ELR, feature_level=1),
    ]
    assert elr_topic.partition().elr == ()


@pytest.mark.parametrize("is_clean", [False, True])
def test_a_registration_while_elr_is_off_removes_the_broker_from_a_stale_elr(elr_topic, is_clean):
    """C5, E7, E12."""
    elr_topic.propose(1, [1])
    update(elr_topic, (ELR, 0, SAFE))
    elr_topic.fence(3)
    assert elr_topic.partition().elr == (2, 3)
    elr_topic.register(3, epoch=elr_topic.image.brokers[3].epoch if is_clean else -1)
    assert elr_topic.partition().elr == ()


def test_validate_only_finalizes_nothing(without_elr):
    update(without_elr, (ELR, 1, UPGRADE), validate_only=True)
    assert without_elr.image.feature(ELR) == 0


def test_a_level_that_holds_already_needs_no_record(cluster):
    assert update(cluster, (ELR, 1, UPGRADE), ("kraft.version", 1, UPGRADE))[0] == []


@pytest.mark.parametrize(
    "change",
    [
        ("no.such.version", 1, UPGRADE),
        (ELR, 2, UPGRADE),
        (ELR, 0, UPGRADE),
        (ELR, 1, 7),
        ("metadata.version", 31, UPGRADE),
        ("metadata.version", 6, UNSAFE),
        ("metadata.version", 29, SAFE),
        ("metadata.version", 16, UNSAFE),
        ("kraft.version", 0, SAFE),
    ],
)
def test_a_level_is_refused(cluster, change):
    with pytest.raises(InvalidUpdateVersionError):
        update(cluster, change)


def test_a_downgrade_must_go_down(without_elr):
    with pytest.raises(InvalidUpdateVersionError):
        update(without_elr, (ELR, 1, SAFE))


def test_a_level_that_changed_no_metadata_can_be_lowered():
    world = QuorumWorld.started(formatted_disk({"metadata.version": 29}))
    world.join(1)
    update(world, ("metadata.version", 28, SAFE))
    assert world.image.feature("metadata.version") == 28


def test_elr_needs_its_metadata_version():
    world = QuorumWorld.started(formatted_disk({"metadata.version": 22}))
    with pytest.raises(InvalidUpdateVersionError):
        update(world, (ELR, 1, UPGRADE))
    update(world, ("metadata.version", 23, UPGRADE), (ELR, 1, UPGRADE))
    assert world.image.feature(ELR) == 1


def test_all_updates_take_place_or_none(without_elr):
    with pytest.raises(InvalidUpdateVersionError):
        update(without_elr, (ELR, 1, UPGRADE), ("no.such.version", 1, UPGRADE))
    assert without_elr.image.feature(ELR) == 0


def test_the_last_update_of_a_feature_counts(without_elr):
    """As Kafka."""
    update(without_elr, (ELR, 0, SAFE), (ELR, 1, UPGRADE))
    assert without_elr.image.feature(ELR) == 1


def test_every_registered_node_must_support_a_level(without_elr):
    request = ControllerRegistrationRequest(controller_id=101, incarnation_id=Uuid.of(1, 1))
    without_elr.apply(without_elr.controller.decide(cluster_control.register_controller, request))
    with pytest.raises(InvalidUpdateVersionError, match="Controller 101 does not support"):
        update(without_elr, (ELR, 1, UPGRADE))


def test_elr_lets_the_last_known_leader_lead_at_once(elr_topic):
    """L6: with ELR off it may not be elected, and no other event brings an election."""
    for broker_id in (2, 3, 1):
        elr_topic.fence(broker_id)
        elr_topic.register(broker_id)
    assert elr_topic.partition().last_known_leader == 1
    update(elr_topic, (ELR, 0, SAFE))
    elr_topic.heartbeat(1)
    assert elr_topic.partition().leader == NO_LEADER
    update(elr_topic, (ELR, 1, UPGRADE))
    elr_topic.advance(0)
    assert elr_topic.partition().leader == 1


def test_one_batch_has_the_feature_and_the_min_isr_of_the_cluster(without_elr):
    """KAFKA-16540: a controller that ends between them would leave one without the other."""
    without_elr.join(2)
    for broker in ("1", "2"):
        without_elr.set_config(broker, "min.insync.replicas", broker, RESOURCE_BROKER)
    before = len(without_elr.batches)
    update(without_elr, (ELR, 1, UPGRADE))
    (batch,) = without_elr.batches[before:]
    assert [type(record).__name__ for _, record in batch.records].count("ConfigRecord") == 3
    assert FeatureLevelRecord(name=ELR, feature_level=1) in [each for _, each in batch.records]
