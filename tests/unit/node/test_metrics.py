"""Every value of a node, by role; requests, connections, what waits."""

from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.metrics import catalog
from tests.worlds.metric_world import all_values, value
from tests.worlds.sim_world import BY_NAME, batch, create_topic, fetch_request, produce_request
from tests.worlds.sim_world import started_cluster as started

ROLES = {
    "broker": (*catalog.NODE_METRICS, *catalog.BROKER_METRICS),
    "controller": (*catalog.NODE_METRICS, *catalog.CONTROLLER_METRICS),
}


def names(metrics):
    return dict.fromkeys(metric.name for metric in metrics)


def shown(cluster, node_id):
    return dict.fromkeys(name for name, _ in all_values(cluster, node_id))


def test_a_node_shows_what_its_roles_have_and_nothing_else():
    """A combined node has all; each of two separate ones its own."""
    cluster = started(1, separate_controller=True)
    create_topic(cluster, "t")
    assert shown(cluster, 1).keys() == names(ROLES["broker"]).keys()
    assert shown(cluster, 100).keys() == names(ROLES["controller"]).keys()
    both = started(1)
    create_topic(both, "t")
    assert shown(both, 1).keys() == names(catalog.CATALOG).keys()


def test_values_have_the_labels_of_their_metric():
    cluster = started(1)
    create_topic(cluster, "t")
    by_name = {metric.name: metric for metric in catalog.CATALOG}
    for name, labels in all_values(cluster, 1):
        assert len(labels) in (0, len(by_name[name].labels)), name


def test_requests_are_counted_by_api():
    cluster = started(1)
    client = cluster.client()
    for _ in range(3):
        client.ask(ApiVersionsRequest(), ApiVersionsResponse, version=0)
    # The connection asked for the versions itself, before.
    assert value(cluster, 1, catalog.REQUESTS, "ApiVersions") == 4


def test_connections_are_counted_by_listener():
    cluster = started(1, separate_controller=True)
    before = value(cluster, 1, catalog.CONNECTION_COUNT, "PLAINTEXT")
    client = cluster.client()
    client.ask(ApiVersionsRequest(), ApiVersionsResponse, version=0)
    assert value(cluster, 1, catalog.CONNECTION_COUNT, "PLAINTEXT") == before + 1
    assert value(cluster, 100, catalog.CONNECTION_COUNT, "CONTROLLER") > 0
    client.close()
    cluster.world.run(1_000)
    assert value(cluster, 1, catalog.CONNECTION_COUNT, "PLAINTEXT") == before


def test_what_waits_is_counted_by_what_it_is():
    """Produce for replicas, Fetch for records; a fetch of the metadata log is neither."""
    cluster = started(2)
    create_topic(cluster, "t", replicas=[[1, 2]], config={"min.insync.replicas": "2"})
    create_topic(cluster, "u", replicas=[[1]])

    def waiting(name):
        values = all_values(cluster, 1)
        return tuple(
            values[metric.name, (name,)]
            for metric in (catalog.DELAYED_OPERATIONS, catalog.PURGATORY_SIZE)
        )

    cluster.world.run(2_000)
    cluster.nodes[2].pause()
    cluster.world.run(2_000)
    assert (waiting("Produce"), waiting("Fetch")) == ((0, 0), (0, 0))
    producer, consumer = cluster.client("producer"), cluster.client("consumer")
    producer.send(produce_request("t", batch(b"x")), lambda _: None, version=BY_NAME)
    wanted = fetch_request("t", offset=5, max_wait_ms=3_000)
    wanted.topics[0].partitions[0].fetch_offset = 0
    wanted.topics += fetch_request("u").topics
    consumer.send(wanted, lambda _: None, version=BY_NAME)
    cluster.world.run(1_000)
    assert (waiting("Produce"), waiting("Fetch")) == ((1, 1), (1, 2))
    cluster.nodes[2].resume()
    cluster.world.run(5_000)
    assert waiting("Produce") == (0, 0)


def test_the_state_of_a_broker_is_told():
    cluster = started(1, separate_controller=True)
    assert value(cluster, 1, catalog.BROKER_STATE) == 3
    assert value(cluster, 1, catalog.QUORUM_LEADER) == 100
    assert value(cluster, 1, catalog.APPLIED_OFFSET) > 0
    assert value(cluster, 1, catalog.QUORUM_HIGH_WATERMARK) > 0
