"""The keys of the authorizer."""

import pytest

from minikafka.config.authorizer_keys import AUTHORIZER_CLASS_NAME, STANDARD_AUTHORIZER
from minikafka.config.definition import ConfigError
from minikafka.config.node_config import ConfigErrors, node_config
from minikafka.config.values import check_broker_values

_NODE = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "1@localhost:9093",
}


def test_the_authorizer_of_kafka_is_the_only_one():
    assert AUTHORIZER_CLASS_NAME.parse(STANDARD_AUTHORIZER) == STANDARD_AUTHORIZER
    with pytest.raises(ConfigError, match="authorizer.class.name"):
        AUTHORIZER_CLASS_NAME.parse("com.example.Authorizer")
    assert check_broker_values({"authorizer.class.name": STANDARD_AUTHORIZER}).errors == []


def test_a_super_user_that_is_no_principal_is_an_error():
    node_config({**_NODE, "super.users": " User:a;User:CN=b,O=c ;"})
    with pytest.raises(ConfigErrors, match="super.users: 'alice' is not a principal"):
        node_config({**_NODE, "super.users": "User:a;alice"})


def test_rules_without_an_authorizer_limit_no_client():
    rules = {"super.users": "User:a", "allow.everyone.if.no.acl.found": "false"}
    found = [each for each in node_config({**_NODE, **rules}).warnings if "authorizer" in each]
    assert [each.partition(":")[0] for each in found] == list(rules)
    authorizer = {"authorizer.class.name": STANDARD_AUTHORIZER}
    found = node_config({**_NODE, **rules, **authorizer}).warnings
    assert not any("authorizer" in each for each in found)
