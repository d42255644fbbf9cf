from dataclasses import replace

import pytest

from minikafka.common.ids import DIRECTORY_LOST, DIRECTORY_MIGRATING, DIRECTORY_UNASSIGNED, Uuid
from minikafka.controller.election import Election
from minikafka.controller.view import is_online
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC
from tests.worlds.quorum_world import CONTROLLER_ID, QuorumWorld, default_levels, formatted_disk

HOME, OTHER = Uuid.of(50, 2), Uuid.of(50, 9)


def view_of(world):
    return world.controller.current_view()


def min_isr(world, topic, index=0):
    return view_of(world).min_isr(topic, world.partition(topic, index))


def test_min_isr_is_no_larger_than_the_number_of_replicas(cluster):
    """H6: of each partition by itself, whatever partition 0 has."""
    cluster.create(assignment=((1, 2), (1, 2)), configs={"min.insync.replicas": "5"})
    assert min_isr(cluster, "t", 1) == 2
    moved = replace(cluster.partition("t", 1), replicas=(1, 2, 3))
    assert view_of(cluster).min_isr("t", moved) == 3


def test_min_isr_is_looked_up_in_the_topic_then_the_cluster(cluster):
    cluster.create("own", configs={"min.insync.replicas": "3"})
    cluster.create("none")
    cluster.set_config("", "min.insync.replicas", "2", RESOURCE_BROKER)
    assert min_isr(cluster, "own") == 3
    assert min_isr(cluster, "none") == 2


def test_the_controllers_own_dynamic_value_comes_before_the_clusters(cluster):
    cluster.create()
    assert view_of(cluster).election("t") is Election.ONLINE
    cluster.set_config("", "unclean.leader.election.enable", "true", RESOURCE_BROKER)
    assert view_of(cluster).election("t") is Election.UNCLEAN
    node = str(CONTROLLER_ID)
    cluster.set_config(node, "unclean.leader.election.enable", "false", RESOURCE_BROKER)
    assert view_of(cluster).election("t") is Election.ONLINE


def test_elr_needs_its_feature_and_its_configuration():
    assert view_of(QuorumWorld.started()).elr_enabled
    assert not view_of(QuorumWorld.started(formatted_disk(default_levels()))).elr_enabled
    off = QuorumWorld.started(config={"eligible.leader.replicas.enabled": "false"})
    assert not view_of(off).elr_enabled


@pytest.mark.parametrize(
    ("directory", "log_dirs", "expected"),
    [
        (HOME, (HOME, OTHER), True),
        (OTHER, (HOME,), False),
        (OTHER, (), True),
        (DIRECTORY_UNASSIGNED, (HOME,), True),
        (DIRECTORY_MIGRATING, (HOME,), True),
        (DIRECTORY_LOST, (), False),
    ],
)
def test_a_replica_is_online_with_its_directory(directory, log_dirs, expected):
    assert is_online(directory, log_dirs) is expected


def test_who_is_being_fenced_or_unfenced_is_taken_for_that(elr_topic):
    elr_topic.fence(3)
    view, registration = view_of(elr_topic), elr_topic.partition()
    acceptable = view.acceptable(registration)
    assert [acceptable(x) for x in (1, 2, 3)] == [True, True, False]
    assert not view.acceptable(registration, without=1)(1)
    assert view.acceptable(registration, including=3)(3)


def test_a_replica_in_a_lost_directory_cannot_lead(elr_topic):
    registration = elr_topic.partition()
    lost = replace(registration, directories=(OTHER, *registration.directories[1:]))
    assert not view_of(elr_topic).acceptable(lost)(1)


def test_the_directory_of_a_new_replica_is_named_where_there_is_one(world):
    world.register(1)
    world.register(2, log_dirs=[Uuid.of(60, 1), Uuid.of(60, 2)])
    view = view_of(world)
    assert view.default_directory(1) == HOME
    assert view.default_directory(2) == DIRECTORY_UNASSIGNED
    assert view.default_directory(3) == DIRECTORY_MIGRATING


def test_partitions_are_found_by_index(elr_topic):
    view = view_of(elr_topic)
    topic = view.image.topic("t")
    assert view.find(topic, 0).registration is topic.partitions[0]
    assert view.find(topic, 1) is None


STRATEGY, DEPRECATED = "unclean.recovery.strategy", "unclean.leader.election.enable"


@pytest.mark.parametrize(
    ("topic", "broker", "default", "static", "expected"),
    [
        ({}, {}, {}, {}, "Balanced"),
        ({}, {}, {}, {DEPRECATED: "true"}, "Aggressive"),
        ({}, {}, {}, {DEPRECATED: "true", STRATEGY: "none"}, "None"),
        ({}, {}, {DEPRECATED: "true"}, {STRATEGY: "None"}, "Aggressive"),
        ({}, {DEPRECATED: "false"}, {STRATEGY: "None"}, {}, "Balanced"),
        ({}, {STRATEGY: "PROACTIVE"}, {STRATEGY: "None"}, {}, "Aggressive"),
        ({DEPRECATED: "true"}, {STRATEGY: "None"}, {}, {}, "Aggressive"),
        ({DEPRECATED: "true", STRATEGY: "manual"}, {}, {}, {}, "None"),
        ({STRATEGY: "balanced"}, {STRATEGY: "None"}, {}, {}, "Balanced"),
    ],
)
def test_the_strategy_is_looked_up_layer_by_layer(topic, broker, default, static, expected):
    """L7: in each layer the strategy, then the deprecated key."""
    world = QuorumWorld.started(config=static)
    world.join(1, 2, 3)
    world.create(configs=topic)
    for name, values in ((str(CONTROLLER_ID), broker), ("", default)):
        for key, value in values.items():
            assert world.set_config(name, key, value, RESOURCE_BROKER)[1].error_code == 0
    assert view_of(world).strategy("t").value == expected


def test_the_recovery_manager_is_switched_for_the_whole_cluster(cluster):
    cluster.create(configs={"unclean.leader.election.enable": "true"})
    assert not view_of(cluster).recovery_enabled
    assert view_of(cluster).recovery_timeout_ms == 300_000
    assert view_of(cluster).election("t") is Election.UNCLEAN
    name = "unclean.recovery.manager.enabled"
    refused = cluster.set_config(str(CONTROLLER_ID), name, "true", RESOURCE_BROKER)[1]
    assert "for the cluster" in refused.error_message
    assert not view_of(cluster).recovery_enabled
    cluster.set_config("", name, "true", RESOURCE_BROKER)
    cluster.set_config("", "unclean.recovery.timeout.ms", "5", RESOURCE_BROKER)
    assert view_of(cluster).recovery_enabled
    assert view_of(cluster).recovery_timeout_ms == 5
    assert view_of(cluster).election("t") is Election.ONLINE


def test_a_view_with_more_records_does_not_keep_the_values_of_before(cluster):
    cluster.create("t", configs={"min.insync.replicas": "3"})
    before = view_of(cluster)
    assert before.min_insync_replicas("t") == 3
    record = ConfigRecord(RESOURCE_TOPIC, "t", "min.insync.replicas", "2")
    assert before.after([record]).min_insync_replicas("t") == 2
    assert before.min_insync_replicas("t") == 3


@pytest.mark.parametrize(
    ("topic", "default", "expected"),
    [
        ({STRATEGY: "Fastest"}, {}, "Balanced"),
        ({STRATEGY: ""}, {STRATEGY: "None"}, "None"),
        ({STRATEGY: "Fastest", DEPRECATED: "true"}, {}, "Aggressive"),
        ({DEPRECATED: "yes"}, {STRATEGY: "?", DEPRECATED: "true"}, "Aggressive"),
    ],
)
def test_a_stored_strategy_that_cannot_be_parsed_has_no_effect(world, topic, default, expected):
    world.join(1, 2, 3)
    world.create()
    rows = [(RESOURCE_TOPIC, "t", *pair) for pair in topic.items()]
    rows += [(RESOURCE_BROKER, "", *pair) for pair in default.items()]
    view = view_of(world).after([ConfigRecord(*row) for row in rows])
    assert view.strategy("t").value == expected


def test_other_stored_values_that_cannot_be_parsed_have_no_effect(cluster):
    cluster.create()
    rows = [
        ("unclean.recovery.manager.enabled", "yes"),
        ("unclean.recovery.timeout.ms", "-"),
        ("min.insync.replicas", "two"),
        (DEPRECATED, "?"),
    ]
    records = [ConfigRecord(RESOURCE_BROKER, "", *row) for row in rows]
    view = view_of(cluster).after(records)
    assert not view.recovery_enabled
    assert view.recovery_timeout_ms == 300_000
    assert view.min_insync_replicas("t") == 1
    assert not view.unclean_allowed("t")
