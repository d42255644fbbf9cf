import logging

import pytest

from minikafka.common.errors import (
    BrokerIdNotRegisteredError,
    DuplicateBrokerRegistrationError,
    InconsistentClusterIdError,
    InvalidRegistrationError,
    NotControllerError,
    StaleBrokerEpochError,
    UnsupportedVersionError,
)
from minikafka.common.ids import Uuid
from minikafka.controller import cluster_control
from minikafka.messages import broker_registration as messages
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest
from minikafka.messages.controller_registration import ControllerRegistrationRequest
from minikafka.messages.metadata_records.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.messages.metadata_records.register_broker_record import RegisterBrokerRecord
from minikafka.messages.metadata_records.unregister_broker_record import UnregisterBrokerRecord
from minikafka.messages.unregister_broker import UnregisterBrokerRequest
from minikafka.metadata.features import SUPPORTED_FEATURES
from tests.worlds.quorum_world import QuorumWorld, default_levels, formatted_disk

SESSION_MS = 9000


def features_but(**changes):
    """The features that this software has, some with other ranges; None leaves one out."""
    ranges = {name: (x.minimum, x.maximum) for name, x in SUPPORTED_FEATURES.items()}
    ranges.update({name.replace("_", "."): value for name, value in changes.items()})
    return [
        messages.Feature(name=name, min_supported_version=x[0], max_supported_version=x[1])
        for name, x in ranges.items()
        if x is not None
    ]


# Registration


def test_a_first_registration_is_fenced_and_its_epoch_is_its_offset(world):
    offset = world.raft.end_offset
    (record,), response = world.register(1)
    assert isinstance(record, RegisterBrokerRecord)
    assert record.fenced
    assert not record.in_controlled_shutdown
    assert record.broker_epoch == response.broker_epoch == offset
    assert world.image.brokers[1].registered_at == offset


def test_a_registration_keeps_listeners_rack_and_sorted_directories(world):
    directories = [Uuid.of(9, 2), Uuid.of(9, 1)]
    world.register(1, rack="r1", log_dirs=directories)
    broker = world.image.brokers[1]
    assert broker.endpoint("PLAINTEXT").port == 9092
    assert broker.rack == "r1"
    assert broker.log_dirs == (Uuid.of(9, 1), Uuid.of(9, 2))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"cluster_id": "another"}, InconsistentClusterIdError),
        ({"features": []}, InvalidRegistrationError),
        ({"features": features_but(metadata_version=None)}, InvalidRegistrationError),
        ({"features": features_but(metadata_version=(7, 29))}, UnsupportedVersionError),
        (
            {"features": features_but(eligible_leader_replicas_version=None)},
            UnsupportedVersionError,
        ),
        ({"features": features_but(kraft_version=None)}, UnsupportedVersionError),
        ({"log_dirs": []}, InvalidRegistrationError),
        ({"log_dirs": [Uuid.of(3, 3), Uuid.of(3, 3)]}, InvalidRegistrationError),
        ({"log_dirs": [Uuid.of(0, 1)]}, InvalidRegistrationError),
        ({"log_dirs": [Uuid.of(50, 3)]}, InvalidRegistrationError),
        ({"is_migrating_zk_broker": True}, BrokerIdNotRegisteredError),
    ],
)
def test_a_registration_is_refused(world, changes, error):
    world.register(2)
    with pytest.raises(error):
        world.register(1, **changes)
    assert 1 not in world.image.brokers


@pytest.mark.parametrize(
    "changes",
    [
        {"features": features_but(some_feature=(0, 7))},
        {"features": features_but(metadata_version=(30, 99))},
        {"listeners": []},
    ],
)
def test_a_registration_is_taken_in_spite_of(world, changes):
    assert world.register(1, **changes)[1].error_code == 0


def test_a_feature_that_is_not_finalized_may_not_have_a_higher_minimum(world):
    with pytest.raises(UnsupportedVersionError):
        world.register(1, features=features_but(some_feature=(1, 2)))


def test_the_same_incarnation_keeps_its_epoch_and_its_standing(world):
    incarnation = Uuid.of(4, 4)
    world.join(1, incarnation=incarnation)
    before = world.image.brokers[1]
    _, response = world.register(1, incarnation=incarnation, listeners=[])
    after = world.image.brokers[1]
    assert response.broker_epoch == before.epoch == after.epoch
    assert not after.fenced
    assert after.endpoints == ()


def test_another_incarnation_is_refused_while_the_session_of_an_unfenced_one_lives(world):
    world.join(1)
    world.advance(SESSION_MS - 100)
    with pytest.raises(DuplicateBrokerRegistrationError):
        world.register(1)


def test_another_incarnation_is_taken_when_the_session_is_over(world):
    world.join(1)
    first = world.image.brokers[1].epoch
    world.advance(SESSION_MS + 2000)
    _, response = world.register(1)
    assert response.broker_epoch > first


def test_another_incarnation_of_a_fenced_broker_is_taken_at_once(world):
    world.register(1)
    first = world.image.brokers[1].epoch
    _, response = world.register(1)
    assert response.broker_epoch > first


# How a former incarnation ended


def restarted(cluster, broker_id, **named):
    """The records of a registration after the session of the broker is over."""
    return cluster.register(broker_id, **named)[0]


def test_after_a_clean_shutdown_a_broker_stays_in_the_elr(elr_topic):
    elr_topic.fence(3)
    elr_topic.fence(2)
    epoch = elr_topic.image.brokers[2].epoch
    (record,) = restarted(elr_topic, 2, epoch=epoch)
    assert isinstance(record, RegisterBrokerRecord)
    assert elr_topic.partition().elr == (2,)


@pytest.mark.parametrize(("version", "names_epoch"), [(4, False), (2, True)])
def test_after_an_unclean_shutdown_a_broker_leaves_the_elr_before_it_is_registered(
    managed_topic, version, names_epoch
):
    """E7."""
    managed_topic.fence(3)
    managed_topic.fence(2)
    epoch = managed_topic.image.brokers[2].epoch if names_epoch else -1
    change, record = restarted(managed_topic, 2, epoch=epoch, version=version)
    assert isinstance(change, PartitionChangeRecord)
    assert change.eligible_leader_replicas == []
    assert change.last_known_elr == [2]
    assert change.leader == -2
    assert isinstance(record, RegisterBrokerRecord)
    assert record.broker_epoch == managed_topic.image.brokers[2].registered_at - 1


def test_a_leader_that_ended_uncleanly_leads_in_no_epoch_that_it_knows_e7(elr_topic):
    """KAFKA-18106: its removal is another leader epoch, also where no replica can lead."""
    elr_topic.propose(1, [1])
    elr_topic.fence(2)
    elr_topic.fence(3)
    before = elr_topic.partition()
    elr_topic.advance(SESSION_MS + 2000)
    restarted(elr_topic, 1)
    now = elr_topic.partition()
    assert (now.leader, now.isr, now.elr, now.last_known_elr) == (-1, (), (2, 3), (1,))
    assert now.leader_epoch == before.leader_epoch + 1


def test_another_incarnation_inherits_neither_a_shutdown_nor_progress(elr_topic):
    """KAFKA-18635."""
    elr_topic.heartbeat(1, want_shut_down=True)
    former = elr_topic.image.brokers[1]
    assert former.in_controlled_shutdown
    elr_topic.advance(SESSION_MS + 2000)
    restarted(elr_topic, 1, epoch=former.epoch)
    now = elr_topic.image.brokers[1]
    assert (now.fenced, now.in_controlled_shutdown) == (True, False)
    _, response = elr_topic.heartbeat(1, offset=now.registered_at - 1)
    assert response.is_fenced
    _, response = elr_topic.heartbeat(1)
    assert not response.is_fenced
    # The offset at which the former incarnation could end counts no more.
    elr_topic.create("u", assignment=((1, 2),))
    elr_topic.heartbeat(2)
    _, response = elr_topic.heartbeat(1, want_shut_down=True)
    assert not response.should_shut_down


def test_only_a_registered_broker_is_logged_to_have_had_an_unclean_shutdown(world, caplog):
    """E7: a broker that registers for the first time had no shutdown."""
    caplog.set_level(logging.INFO, "minikafka.controller")
    world.join(1)
    world.create(assignment=((1,),))
    assert "unclean shutdown" not in caplog.text
    world.fence(1)
    world.register(1)
    assert (
        "broker 1 had an unclean shutdown (the registration names previous epoch -1): 1 partition "
        "changes"
    ) in caplog.text


def test_a_file_of_another_broker_or_of_an_earlier_life_is_no_clean_shutdown(managed_topic):
    """C3: only the epoch of this very registration counts."""
    managed_topic.fence(3)
    managed_topic.fence(2)
    copied = managed_topic.image.brokers[1].epoch
    restarted(managed_topic, 2, epoch=copied)
    assert (managed_topic.partition().elr, managed_topic.partition().last_known_elr) == ((), (2,))


def test_where_elr_is_off_every_registration_counts_as_unclean_c5():
    """C5: the epoch that is named saves nothing: the broker leaves the ISR as if fenced."""
    world = QuorumWorld.started(formatted_disk(default_levels()))
    world.join(1, 2)
    world.create(assignment=((1, 2),))
    epoch = world.image.brokers[2].epoch
    world.advance(8000)
    world.heartbeat(1)
    world.advance(1001)
    world.register(2, epoch=epoch)
    assert (world.partition().isr, world.partition().elr) == ((1,), ())


def test_a_last_leader_that_ended_uncleanly_is_elected_uncleanly_when_it_returns(elr_topic):
    """E9, L6, L8."""
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    assert elr_topic.partition().last_known_leader == 1
    restarted(elr_topic, 2)
    restarted(elr_topic, 1)
    assert elr_topic.partition().elr == ()
    elr_topic.heartbeat(1)
    now = elr_topic.partition()
    assert (now.leader, now.isr) == (1, (1,))
    assert now.leader_recovery_state == 1


def test_a_last_known_leader_that_waits_leads_as_soon_as_the_elr_is_empty(elr_topic):
    """Apache Kafka does the same: its transcript c."""
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    restarted(elr_topic, 1)
    elr_topic.heartbeat(1)
    assert elr_topic.partition().leader == -1
    change, _ = restarted(elr_topic, 2)
    assert change.leader == 1
    assert change.leader_recovery_state == 1


def test_without_elr_a_restarted_leader_leaves_the_isr_like_a_fenced_one():
    world = QuorumWorld.started(formatted_disk(default_levels()))
    world.join(1, 2)
    world.create(assignment=((1, 2),))
    world.advance(9000 - 1)
    world.heartbeat(2)
    world.env.clock.set(world.env.clock.now._replace(monotonic_ms=world.env.clock.monotonic_ms + 2))
    change, _ = world.register(1)[0]
    assert (change.isr, change.leader) == ([2], 2)


# Heartbeats


def test_a_heartbeat_of_an_unknown_broker_or_another_epoch_is_stale(world):
    world.register(1)
    with pytest.raises(StaleBrokerEpochError):
        world.heartbeat(1, broker_epoch=12345)
    with pytest.raises(StaleBrokerEpochError):
        world.controller.decide(cluster_control.heartbeat, BrokerHeartbeatRequest(broker_id=7), 1)


def test_a_broker_that_has_not_read_its_registration_stays_fenced(world):
    world.register(1)
    epoch = world.image.brokers[1].epoch
    records, response = world.heartbeat(1, offset=epoch - 1)
    assert records == []
    assert (response.is_caught_up, response.is_fenced) == (False, True)


def test_a_broker_that_has_caught_up_is_unfenced_in_the_same_answer(world):
    world.register(1)
    (record,), response = world.heartbeat(1)
    assert record.fenced == -1
    assert (response.is_caught_up, response.is_fenced) == (True, False)


def test_a_broker_that_wants_to_be_fenced_stays_so(world):
    world.register(1)
    records, response = world.heartbeat(1, want_fence=True)
    assert records == []
    assert (response.is_caught_up, response.is_fenced) == (True, True)


def test_unfencing_an_elr_member_elects_it_in_the_same_batch(elr_topic):
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    unfenced, change = elr_topic.heartbeat(2)[0]
    assert unfenced.fenced == -1
    assert (change.leader, change.isr, change.eligible_leader_replicas) == (2, [2], [1])
    assert change.leader_recovery_state == -1


def test_unfencing_never_grows_an_isr(elr_topic):
    elr_topic.fence(3)
    (record,) = elr_topic.heartbeat(3)[0]
    assert isinstance(record, BrokerRegistrationChangeRecord)
    assert elr_topic.partition().isr == (1, 2)


def test_fencing_changes_partitions_first(elr_topic):
    change, fenced = elr_topic.fence(1)
    assert (change.isr, change.leader) == ([2, 3], 2)
    assert fenced.fenced == 1


def test_a_broker_is_fenced_when_its_session_is_over(elr_topic):
    for _ in range(6):
        elr_topic.advance(2000)
        elr_topic.heartbeat(1)
        elr_topic.heartbeat(2)
    assert elr_topic.image.brokers[3].fenced
    assert not elr_topic.image.brokers[1].fenced
    assert elr_topic.partition().isr == (1, 2)


# Controlled shutdown


def test_a_follower_may_go_at_once(elr_topic):
    change, fenced = elr_topic.heartbeat(3, want_shut_down=True)[0]
    assert change.isr == [1, 2]
    assert fenced.fenced == 1


def test_the_answer_lets_a_broker_go_that_leads_nothing(cluster):
    _, response = cluster.heartbeat(3, want_shut_down=True)
    assert (response.should_shut_down, response.is_fenced) == (True, True)


def test_a_leader_goes_when_every_active_broker_has_read_who_leads_now(elr_topic):
    (marked, change), response = elr_topic.heartbeat(1, want_shut_down=True)
    assert marked.in_controlled_shutdown == 1
    assert (change.isr, change.leader) == ([2, 3], 2)
    assert not response.should_shut_down
    assert not response.is_fenced

    elr_topic.heartbeat(2)
    assert not elr_topic.heartbeat(1, want_shut_down=True)[1].should_shut_down

    elr_topic.heartbeat(3)
    records, response = elr_topic.heartbeat(1, want_shut_down=True)
    assert response.should_shut_down
    assert [x.fenced for x in records] == [1]


def test_a_last_leader_goes_without_waiting_for_others(elr_topic):
    elr_topic.fence(3)
    elr_topic.fence(2)
    marked, change = elr_topic.heartbeat(1, want_shut_down=True)[0]
    assert marked.in_controlled_shutdown == 1
    assert (change.leader, change.isr, change.eligible_leader_replicas) == (-1, [], [1, 2])
    assert elr_topic.heartbeat(1, want_shut_down=True)[1].should_shut_down


def test_a_fenced_broker_may_go(world):
    world.register(1)
    records, response = world.heartbeat(1, want_shut_down=True)
    assert records == []
    assert response.should_shut_down


# Directories


def test_the_replicas_of_a_directory_that_went_offline_leave_their_isrs(world):
    home, other = Uuid.of(60, 1), Uuid.of(60, 2)
    world.register(1, log_dirs=[home, other])
    world.heartbeat(1)
    world.join(2)
    world.create(assignment=((1, 2),))
    world.create("u", assignment=((2, 1),))
    # Which directory holds a replica is not known yet: both partitions stay.
    records, _ = world.heartbeat(1, offline_log_dirs=[other])
    (change,) = records
    assert change.log_dirs == [home]
    assert world.partition().isr == (1, 2)


def test_a_single_directory_that_goes_offline_takes_leadership_along(cluster):
    cluster.create(assignment=((1, 2, 3),))
    (change,) = cluster.heartbeat(1, offline_log_dirs=[Uuid.of(50, 2)])[0]
    assert (change.leader, change.isr) == (2, [2, 3])


def test_cordoned_directories_are_written_once(cluster):
    (change,) = cluster.heartbeat(1, cordoned_log_dirs=[])[0]
    assert change.cordoned_log_dirs == []
    assert cluster.heartbeat(1, cordoned_log_dirs=[])[0] == []


# The rest


def unregister(world, broker_id):
    request = UnregisterBrokerRequest(broker_id=broker_id)
    return world.apply(world.controller.decide(cluster_control.unregister_broker, request))


def test_an_unregistered_broker_leaves_every_isr_first(elr_topic):
    (change, record), _ = unregister(elr_topic, 1)
    assert change.leader == 2
    assert isinstance(record, UnregisterBrokerRecord)
    assert 1 not in elr_topic.image.brokers


def test_a_broker_that_was_unregistered_comes_back_without_its_place_in_an_elr(elr_topic):
    elr_topic.fence(3)
    elr_topic.fence(2)
    unregister(elr_topic, 2)
    assert elr_topic.partition().elr == (2,)
    change, _ = elr_topic.register(2)[0]
    assert change.eligible_leader_replicas == []


def test_an_unknown_broker_cannot_be_unregistered(world):
    with pytest.raises(BrokerIdNotRegisteredError):
        unregister(world, 5)


def test_a_controller_is_registered(world):
    request = ControllerRegistrationRequest(controller_id=101, incarnation_id=Uuid.of(8, 8))
    world.apply(world.controller.decide(cluster_control.register_controller, request))
    assert world.image.controllers[101].incarnation_id == Uuid.of(8, 8)


def test_controllers_do_not_register_below_their_level():
    world = QuorumWorld.started(formatted_disk({"metadata.version": 14}))
    with pytest.raises(UnsupportedVersionError):
        world.controller.decide(
            cluster_control.register_controller, ControllerRegistrationRequest(controller_id=1)
        )


def test_nothing_is_decided_without_leadership(world):
    world.controller.renounce()
    with pytest.raises(NotControllerError):
        world.register(1)
