"""E10: what a changed min.insync.replicas does to the ELR."""

from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.image import RESOURCE_BROKER
from tests.worlds.quorum_world import QuorumWorld, default_levels, formatted_disk

MIN_ISR = "min.insync.replicas"


def test_an_elr_is_cleared_when_the_isr_fulfils_the_new_value(elr_topic):
    elr_topic.propose(1, [1])
    assert elr_topic.partition().elr == (2, 3)
    config, clear = elr_topic.set_config("t", MIN_ISR, "1")[0]
    assert isinstance(config, ConfigRecord)
    assert clear == ClearElrRecord(topic_name="t")
    assert elr_topic.partition().elr == ()


def test_an_elr_stays_when_the_isr_is_too_small_for_the_new_value(elr_topic):
    elr_topic.propose(1, [1])
    (config,) = elr_topic.set_config("t", MIN_ISR, "3")[0]
    assert isinstance(config, ConfigRecord)
    assert elr_topic.partition().elr == (2, 3)


def test_only_the_partitions_whose_isr_is_large_enough_are_cleared(cluster):
    cluster.create(assignment=((1, 2, 3), (1, 2, 3)), configs={MIN_ISR: "3"})
    cluster.propose(1, [1, 2], index=0)
    cluster.propose(1, [1], index=1)
    _, change = cluster.set_config("t", MIN_ISR, "2")[0]
    assert isinstance(change, PartitionChangeRecord)
    assert (change.partition_id, change.eligible_leader_replicas) == (0, [])
    assert cluster.partition(index=0).elr == ()
    assert cluster.partition(index=1).elr == (2, 3)


def test_removing_a_topics_value_counts_as_setting_the_clusters(elr_topic):
    elr_topic.propose(1, [1])
    _, clear = elr_topic.set_config("t", MIN_ISR, None, operation=1)[0]
    assert clear == ClearElrRecord(topic_name="t")


def test_the_clusters_value_clears_topics_without_one_of_their_own(cluster):
    cluster.set_config("", MIN_ISR, "2", RESOURCE_BROKER)
    cluster.create("own", configs={MIN_ISR: "2"})
    cluster.create("none")
    cluster.propose(1, [1], "own")
    cluster.propose(1, [1], "none")
    records, _ = cluster.set_config("", MIN_ISR, "1", RESOURCE_BROKER)
    assert records[1:] == [ClearElrRecord(topic_name="none")]
    assert cluster.partition("own").elr == (2, 3)
    assert cluster.partition("none").elr == ()


def test_the_clusters_value_clears_all_at_once_where_all_fulfil_it(cluster):
    cluster.set_config("", MIN_ISR, "2", RESOURCE_BROKER)
    cluster.create("a")
    cluster.create("b")
    cluster.propose(1, [1], "a")
    records, _ = cluster.set_config("", MIN_ISR, "1", RESOURCE_BROKER)
    assert records[1:] == [ClearElrRecord(topic_name="")]
    assert cluster.partition("a").elr == ()


def test_other_keys_and_clusters_without_elr_need_no_clearing(elr_topic):
    assert len(elr_topic.set_config("t", "retention.ms", "1")[0]) == 1
    world = QuorumWorld.started(formatted_disk(default_levels()))
    world.join(1)
    world.create(assignment=((1,),))
    assert len(world.set_config("t", MIN_ISR, "2")[0]) == 1


def test_a_value_that_is_set_again_clears_nothing(elr_topic):
    """apache/kafka#20237."""
    elr_topic.propose(1, [1])
    assert elr_topic.set_config("t", MIN_ISR, "2")[0] == []
    elr_topic.set_config("", MIN_ISR, "1", RESOURCE_BROKER)
    assert elr_topic.set_config("", MIN_ISR, "1", RESOURCE_BROKER)[0] == []
    assert elr_topic.partition().elr == (2, 3)


def test_the_same_value_from_another_level_clears_nothing(elr_topic):
    elr_topic.propose(1, [1])
    elr_topic.set_config("", MIN_ISR, "2", RESOURCE_BROKER)
    records, _ = elr_topic.set_config("t", MIN_ISR, None, operation=1)
    assert not [record for record in records if isinstance(record, ClearElrRecord)]
    assert elr_topic.partition().elr == (2, 3)
