"""What handlers ask the authorizer."""

import logging
from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    TransactionalIdAuthorizationFailedError,
)
from minikafka.common.principal import KafkaPrincipal
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import Acl, AclOperation, AclResourceType
from minikafka.security.authorizer import Authorizer
from minikafka.security.not_ready import AuthorizerNotReadyError
from minikafka.serving import authorization as asked
from minikafka.serving.context import BrokerContext

OP, KIND = AclOperation, AclResourceType
EVERY_TOPIC_OPERATION, EVERY_GROUP_OPERATION, EVERY_CLUSTER_OPERATION = 3576, 3400, 8096
"""As a client of Kafka without an authorizer gets them."""


def context(*acls, authorizer=True, listener="CLIENTS", super_users=(), has_caught_up=True):
    found = None
    if authorizer:
        found = Authorizer(frozenset(super_users), allows_without_acls=False)
        found.replace(acls)
    env = Environment(Random(1))
    broker = SimpleNamespace(
        authorizer=found,
        config=SimpleNamespace(inter_broker_listener_name="BROKERS"),
        lifecycle=SimpleNamespace(has_caught_up=has_caught_up),
    )
    return BrokerContext(
        env, ApiKey.FETCH, 12, 1, "c", listener, "10.0.0.1", KafkaPrincipal("User", "a"), broker,
        None,
    )  # fmt: skip


def allow(kind, name, operation):
    return Acl(kind, name, 3, "User:a", "*", operation, 3)


def test_without_an_authorizer_everything_is_allowed():
    ctx = context(authorizer=False)
    assert asked.allows(ctx, OP.READ, KIND.TOPIC, "t")
    assert asked.allows_any(ctx, OP.WRITE, KIND.TOPIC)
    assert "t" in asked.AllowedTopics(ctx, OP.READ)
    asked.require_cluster(ctx, OP.ALTER)
    asked.require_group(ctx, OP.READ, "g")
    asked.require_transactional_id(ctx, OP.WRITE, "x")
    assert asked.topic_operations(ctx, "t") == EVERY_TOPIC_OPERATION
    assert asked.group_operations(ctx, "g") == EVERY_GROUP_OPERATION
    assert asked.cluster_operations(ctx) == EVERY_CLUSTER_OPERATION


def test_what_is_not_allowed_has_the_error_of_its_resource():
    ctx = context()
    with pytest.raises(ClusterAuthorizationFailedError, match="User:a may not do ALTER"):
        asked.require_cluster(ctx, OP.ALTER)
    with pytest.raises(GroupAuthorizationFailedError):
        asked.require_group(ctx, OP.READ, "g")
    with pytest.raises(TransactionalIdAuthorizationFailedError):
        asked.require_transactional_id(ctx, OP.WRITE, "x")
    assert not asked.allows_any(ctx, OP.WRITE, KIND.TOPIC)
    assert asked.cluster_operations(ctx) == 0


def test_the_allowed_topics():
    topics = asked.AllowedTopics(context(allow(KIND.TOPIC, "t", OP.READ)), OP.READ)
    assert [name for name in ("t", "u", "t") if name in topics] == ["t", "t"]


def test_the_operations_of_a_client():
    ctx = context(
        allow(KIND.TOPIC, "t", OP.READ), allow(KIND.GROUP, "g", OP.ALL),
        allow(KIND.CLUSTER, "kafka-cluster", OP.DESCRIBE),
    )  # fmt: skip
    assert asked.topic_operations(ctx, "t") == 1 << OP.READ | 1 << OP.DESCRIBE
    assert asked.topic_operations(ctx, "u") == 0
    assert asked.group_operations(ctx, "g") == EVERY_GROUP_OPERATION
    assert asked.cluster_operations(ctx) == 1 << OP.DESCRIBE


def test_who_may_act_as_a_broker():
    assert asked.may_act_as_broker(context(authorizer=False, listener="BROKERS"))
    assert not asked.may_act_as_broker(context(authorizer=False))
    # With an authorizer only the right counts.
    assert not asked.may_act_as_broker(context(listener="BROKERS"))
    allowed = allow(KIND.CLUSTER, "kafka-cluster", OP.CLUSTER_ACTION)
    assert asked.may_act_as_broker(context(allowed))


def test_only_what_was_asked_for_is_written_to_the_log(caplog):
    caplog.set_level(logging.INFO, "minikafka.authorizer")
    ctx = context()
    assert not asked.allows(ctx, OP.DESCRIBE, KIND.GROUP, "g", is_asked=False)
    assert "t" not in asked.AllowedTopics(ctx, OP.DESCRIBE, is_asked=False)
    asked.topic_operations(ctx, "t")
    assert not caplog.records
    assert "t" not in asked.AllowedTopics(ctx, OP.DESCRIBE)
    (record,) = caplog.records
    assert "User:a is Denied operation = DESCRIBE from host = 10.0.0.1" in record.getMessage()
    assert "Topic:LITERAL:t for request = Fetch" in record.getMessage()


def test_a_broker_that_has_not_caught_up_serves_super_users_only():
    """Its metadata may lack a denial that was committed long ago."""
    ctx = context(allow(KIND.TOPIC, "t", OP.READ), has_caught_up=False)
    with pytest.raises(AuthorizerNotReadyError):
        asked.allows(ctx, OP.READ, KIND.TOPIC, "t")
    with pytest.raises(AuthorizerNotReadyError):
        asked.allows_any(ctx, OP.READ, KIND.TOPIC)
    assert asked.allows(
        context(super_users=["User:a"], has_caught_up=False), OP.READ, KIND.TOPIC, "t"
    )


def test_the_host_of_an_entry_is_written_as_in_kafka():
    entry = allow(KIND.TOPIC, "t", OP.READ)._replace(host="0:0:0:0:0:0:0:1")
    ctx = context(entry)
    assert not asked.allows(ctx, OP.READ, KIND.TOPIC, "t")
    ctx.peer_host = "::1"
    assert asked.allows(ctx, OP.READ, KIND.TOPIC, "t")
