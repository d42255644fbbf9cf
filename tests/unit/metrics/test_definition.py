"""Names of metrics, and what Prometheus calls them."""

import pytest

from minikafka.metrics.definition import Metric, prometheus_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (
            "kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount",
            "kafka_server_replicamanager_underminisrpartitioncount",
        ),
        (
            "kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec",
            "kafka_server_brokertopicmetrics_bytesin_total",
        ),
        (
            "kafka.server:type=raft-metrics,name=current-leader",
            "kafka_server_raft_metrics_current_leader",
        ),
        (
            "kafka.controller.unclean_recovery_finished_count",
            "kafka_controller_unclean_recovery_finished_count",
        ),
    ],
)
def test_names_follow_from_mbeans_and_from_dotted_names(name, shown):
    assert prometheus_name(name) == shown
    assert Metric(name=name, help="").prometheus_name == shown


def test_a_full_name_has_the_labels():
    metric = Metric(name="kafka.log:type=Log,name=Size", help="", labels=("topic", "partition"))
    assert metric.full_name == "kafka.log:type=Log,name=Size,topic=…,partition=…"
