"""A file written for Apache Kafka describes a node; everything wrong with one is said at once."""

import pytest

from minikafka.config.node_config import ConfigErrors, Listener, Voter, node_config, parse_address

COMBINED = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "listeners": "PLAINTEXT://:9092,CONTROLLER://127.0.0.1:9093",
    "advertised.listeners": "PLAINTEXT://localhost:9092",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL",
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    "controller.quorum.bootstrap.servers": "localhost:9093",
    "log.dirs": "/data/a,/data/b",
    "num.network.threads": "3",
}


def errors_of(**changes):
    given = {**COMBINED, **{key.replace("_", "."): value for key, value in changes.items()}}
    with pytest.raises(ConfigErrors) as caught:
        node_config({key: value for key, value in given.items() if value is not None})
    return caught.value.errors


def test_a_combined_node_of_a_dynamic_quorum():
    config = node_config(COMBINED)
    assert (config.node_id, config.is_broker, config.is_controller) == (1, True, True)
    assert config.broker_listeners == (Listener("PLAINTEXT", "", 9092),)
    assert config.controller_listeners == (Listener("CONTROLLER", "127.0.0.1", 9093),)
    assert config.advertised["PLAINTEXT"].host == "localhost"
    assert config.log_dirs == ("/data/a", "/data/b")
    assert config.metadata_log_dir == "/data/a"
    assert config.bootstrap_servers == (("localhost", 9093),)
    assert config.ignored == ("num.network.threads",)


def test_request_memory_has_room_for_the_largest_request():
    """Source: `KafkaConfig.validateValues`."""
    (error,) = errors_of(queued_max_request_bytes="104857599")
    assert "must be at least socket.request.max.bytes, 104857600; is 104857599" in error
    for allowed in ("104857600", "0", "-1"):
        node_config({**COMBINED, "queued.max.request.bytes": allowed})


def test_a_listener_that_clients_and_brokers_share_is_a_warning():
    assert "clients and brokers share listener PLAINTEXT" in node_config(COMBINED).warnings[0]
    own = {
        **COMBINED,
        "listeners": COMBINED["listeners"] + ",INTERNAL://127.0.0.1:9094",
        "advertised.listeners": "PLAINTEXT://localhost:9092,INTERNAL://127.0.0.1:9094",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT",
        "inter.broker.listener.name": "INTERNAL",
    }
    assert node_config(own).warnings == ()


def test_a_broker_of_a_static_quorum():
    config = node_config(
        {
            **COMBINED,
            "process.roles": "broker",
            "listeners": "PLAINTEXT://127.0.0.1:9092",
            "controller.quorum.voters": "7@localhost:9093",
        }
    )
    assert not config.is_controller
    assert config.voters == (Voter(7, "localhost", 9093),)


def test_controller_listeners_are_plain_where_no_map_is_given():
    given = {key: text for key, text in COMBINED.items() if "protocol.map" not in key}
    config = node_config(given)
    assert [listener.name for listener in config.controller_listeners] == ["CONTROLLER"]
    only_brokers = "PLAINTEXT:PLAINTEXT"
    assert "CONTROLLER" in errors_of(listener_security_protocol_map=only_brokers)[0]


def test_all_errors_come_together():
    found = errors_of(node_id="-4", num_partitions="many", log_dir="", log_kyes="1")
    assert {error.split(":")[0] for error in found} >= {"node.id", "num.partitions", "log.kyes"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"process_roles": None}, "process.roles: is required"),
        ({"node_id": None}, "node.id: is required"),
        ({"process_roles": "broker,broker"}, "process.roles: must name"),
        ({"listeners": "PLAINTEXT://h:1,CONTROLLER://h:1"}, "a unique port"),
        ({"listeners": "PLAINTEXT://h:1,PLAINTEXT://h:2,CONTROLLER://h:3"}, "a unique name"),
        ({"listeners": "9092,CONTROLLER://h:1"}, "is not NAME://host:port"),
        ({"listeners": "PLAINTEXT://h:1"}, "a controller needs a listener named"),
        ({"listeners": "CONTROLLER://h:1", "advertised_listeners": None}, "a broker needs one"),
        ({"process_roles": "broker"}, "process.roles has no controller"),
        (
            {"listener_security_protocol_map": "PLAINTEXT:KERBEROS,CONTROLLER:PLAINTEXT"},
            "PLAINTEXT:KERBEROS is not a protocol",
        ),
        (
            {"listener_security_protocol_map": "PLAINTEXT:PLAINTEXT"},
            "no protocol for listener CONTROLLER",
        ),
        ({"controller_quorum_bootstrap_servers": None}, "one of the two is required"),
        ({"controller_quorum_voters": "2@a:1"}, "controller 1 is not among the voters"),
        ({"controller_quorum_voters": "a:1"}, "is not id@host:port"),
        ({"inter_broker_listener_name": "CONTROLLER"}, "is not one of this broker's listeners"),
        ({"advertised_listeners": "PLAINTEXT://0.0.0.0:9092"}, "clients cannot connect to"),
        ({"advertised_listeners": "OTHER://h:9092"}, "is not among listeners"),
        ({"log_dirs": "/a,/a"}, "has a directory twice"),
        ({"metrics_http_listen": "here"}, "metrics.http.listen: 'here' is not host:port"),
    ],
)
def test_refusals_say_what_is_wrong(changes, words):
    assert any(words in error for error in errors_of(**changes))


@pytest.mark.parametrize(
    ("text", "address"),
    [("h:1", ("h", 1)), ("[::1]:9092", ("::1", 9092)), (":0", ("", 0))],
)
def test_addresses(text, address):
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["h", "h:", "h:x", "h:65536", "h:-1"])
def test_broken_addresses(text):
    with pytest.raises(ValueError, match="port"):
        parse_address(text)


def test_the_replica_selector_is_one_that_exists():
    (error,) = errors_of(replica_selector_class="com.example.Selector")
    assert error.startswith("replica.selector.class: invalid value 'com.example.Selector'")
    assert "empty or org.apache.kafka.common.replica.RackAwareReplicaSelector" in error
    for allowed in ("", "org.apache.kafka.common.replica.RackAwareReplicaSelector"):
        node_config({**COMBINED, "replica.selector.class": allowed})
