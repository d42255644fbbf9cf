"""Samples as Prometheus reads them."""

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from minikafka.metrics import catalog
from minikafka.metrics.definition import Sample
from minikafka.server.prometheus_text import exposition

SAMPLES = [
    Sample(catalog.AT_MIN_ISR_COUNT, 2),
    Sample(catalog.BYTES_IN, 12),
    Sample(catalog.BYTES_IN, 7, ("t",)),
    Sample(catalog.AT_MIN_ISR, True, ("t", "0")),
    Sample(catalog.RECOVERIES_FINISHED, 3),
    Sample(catalog.RECOVERY_COUNT, 1),
    Sample(catalog.LOG_DIRECTORY_OFFLINE, False, ('/a "b"\\c\n',)),
]
WANTED = {
    ("kafka_server_replicamanager_atminisrpartitioncount", ()): 2,
    ("kafka_server_brokertopicmetrics_bytesin_total", ()): 12,
    ("kafka_server_brokertopicmetrics_bytesin_total", (("topic", "t"),)): 7,
    ("kafka_cluster_partition_atminisr", (("partition", "0"), ("topic", "t"))): 1,
    ("kafka_controller_unclean_recovery_finished_count", ()): 3,
    ("kafka_controller_unclean_recovery_partitions_count", ()): 1,
    ("kafka_replication_unclean_recovery_partitions_count", ()): 1,
    ("kafka_log_logmanager_logdirectoryoffline", (("logDirectory", '/a "b"\\c\n'),)): 0,
}


def parsed(parse, text):
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in parse(text)
        for sample in family.samples
    }


@pytest.mark.parametrize("accept", ["", "*/*", "text/plain;version=0.0.4", "nonsense", "text/plain; version=x"])  # fmt: skip
def test_the_older_text_is_what_most_get(accept):
    shown = exposition(SAMPLES, accept)
    assert shown.content_type.startswith("text/plain; version=0.0.4")
    assert parsed(parse_text, shown.body.decode()) == WANTED


def test_who_prefers_openmetrics_gets_it():
    shown = exposition(SAMPLES, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
    assert shown.content_type.startswith("application/openmetrics-text")
    text = shown.body.decode()
    assert text.endswith("# EOF\n")
    assert parsed(parse_openmetrics, text) == WANTED


def test_help_and_kind_stand_before_the_samples():
    lines = exposition(SAMPLES, "").body.decode().splitlines()
    at = lines.index("kafka_server_replicamanager_atminisrpartitioncount 2.0")
    assert lines[at - 2] == (
        "# HELP kafka_server_replicamanager_atminisrpartitioncount "
        f"{catalog.AT_MIN_ISR_COUNT.help} (kafka.server:type=ReplicaManager,"
        "name=AtMinIsrPartitionCount)"
    )
    assert lines[at - 1] == "# TYPE kafka_server_replicamanager_atminisrpartitioncount gauge"
    assert "# TYPE kafka_server_brokertopicmetrics_bytesin_total counter" in lines


def test_every_metric_can_be_written():
    samples = [Sample(metric, 1, metric.labels) for metric in catalog.CATALOG]
    names = dict.fromkeys(name for name, _ in parsed(parse_text, exposition(samples, "").body.decode()))  # fmt: skip
    assert [m.name for m in catalog.CATALOG if m.prometheus_name not in names] == []


def test_nothing_is_an_empty_page():
    assert exposition([], "").body == b""
