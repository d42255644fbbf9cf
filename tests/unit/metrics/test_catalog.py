"""The catalog has every metric that M2 and Kafka's users need, once, with a help text."""

import re

from minikafka.metrics import catalog
from minikafka.metrics.definition import Metric, MetricKind, prometheus_name

WANTED = [
    "kafka.replication.electable_replicas_count",
    "kafka.controller.global_under_min_isr_partition_count",
    "kafka.controller.unclean_recovery_partitions_count",
    "kafka.controller.manual_leader_election_required_partition_count",
    "kafka.controller.unclean_recovery_finished_count",
    "kafka.replication.unclean_recovery_partitions_count",
    "kafka.replication.paused_partitions_count",
    "kafka.cluster:type=Partition,name=AtMinIsr",
    "kafka.server:type=ReplicaManager,name=AtMinIsrPartitionCount",
    "kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount",
    "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions",
    "kafka.controller:type=KafkaController,name=OfflinePartitionsCount",
    "kafka.controller:type=ControllerStats,name=UncleanLeaderElectionsPerSec",
    "kafka.server:type=ReplicaManager,name=UncleanLeaderCount",
    "kafka.server:type=DelayedOperationPurgatory,name=NumDelayedOperations",
    "kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize",
]


def test_every_required_metric_is_in_the_catalog():
    """M2."""
    names = [name for metric in catalog.CATALOG for name in (metric.name, *metric.aliases)]
    assert [name for name in WANTED if name not in names] == []


def test_no_two_metrics_have_one_name_and_prometheus_can_take_them():
    shown = [
        prometheus_name(name)
        for metric in catalog.CATALOG
        for name in (metric.name, *metric.aliases)
    ]
    assert len(dict.fromkeys(shown)) == len(shown)
    assert [name for name in shown if not re.fullmatch(r"[a-z_][a-z0-9_]*", name)] == []


def test_rates_are_counters_and_every_metric_has_a_help_text():
    for metric in catalog.CATALOG:
        assert metric.help.endswith("."), metric.name
        if metric.name.endswith("PerSec"):
            assert metric.kind is MetricKind.COUNTER, metric.name


def test_every_metric_of_the_module_is_in_the_catalog():
    defined = [each for each in vars(catalog).values() if isinstance(each, Metric)]
    assert [each.name for each in defined] == [each.name for each in catalog.CATALOG]
