"""Play the cases of authorization against a server, real or simulated."""

import copy
import json
from pathlib import Path

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.create_acls import AclCreation, CreateAclsRequest
from minikafka.messages.create_topics import CreatableTopic, CreateTopicsRequest
from minikafka.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from minikafka.messages.describe_acls import DescribeAclsRequest
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.security.acl import CLUSTER_NAME, AclOperation, AclResourceType
from minikafka.serving.index import MODULES
from tests.conformance.authorization_cases import comparable, prepared, states
from tests.worlds.sim_world import batch, produce_request

DATA = Path(__file__).parent / "data" / "authorization.json"
ACLS = DATA.with_name("acls.json")
QUOTAS = DATA.with_name("client_quotas.json")
TOKENS = DATA.with_name("tokens.json")
CLIENTS, NODES, CONTROLLERS = "clients", "nodes", "controllers"
"""The listeners: of clients, between brokers, of controllers."""
# Kafka's controllers list this one, and never answer (row Y1).
_UNANSWERED = (ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS,)
EVERYTHING = ((2, "*"), (3, "*"), (4, CLUSTER_NAME), (5, "*"))
ALLOW, DENY = 3, 2
_ANY = (1, None, 1, None, None, 1, 1)
PRINCIPAL = "User:mallory"


def recorded():
    """The answers of Apache Kafka: case, state, rows."""
    return json.loads(DATA.read_text())


def listeners_of(case):
    """The listeners on which a request is served, beginning with the one where it is usual."""
    if case.to_controller:
        return (CONTROLLERS,)
    key = case.request.API_KEY
    is_on_both = key in MODULES["controller"] and key not in _UNANSWERED
    return (CLIENTS, NODES, CONTROLLERS) if is_on_both else (CLIENTS, NODES)


class Play:
    """A server: `ask(request, version)` as administrator, `client(listener)` for mallory.

    `wait` runs or waits until a condition holds.
    """

    def __init__(self, ask, client, wait):
        self._ask = ask
        self._client = client
        self._wait = wait

    def prepare(self):
        """Create a topic, a group and a transactional id; return the topic's id."""
        topics = [CreatableTopic("t", 2, 1)]
        (created,) = self._ask(CreateTopicsRequest(topics, 9_000), 7).topics
        assert created.error_code == 0, created
        self._until(lambda: self._ask(produce_request("t", batch(b"v")), 9).responses[0]
                    .partition_responses[0].error_code)  # fmt: skip
        for kind, key in ((0, "g"), (1, "x")):
            request = FindCoordinatorRequest("", kind, [key])
            self._until(lambda asked=request: self._ask(asked, 4).coordinators[0].error_code)
        self._until(lambda: self._ask(InitProducerIdRequest("x", 9_000, -1, -1), 4).error_code)
        rows = [OffsetCommitRequestPartition(index, 0, -1, "") for index in (0, 1)]
        commit = OffsetCommitRequest(
            "g", -1, "", topics=[OffsetCommitRequestTopic("t", None, rows)]
        )
        commit.topics[0].topic_id = created.topic_id
        self._until(lambda: self._ask(commit, 9).topics[0].partitions[0].error_code)
        return created.topic_id

    def _until(self, code_of):
        self._wait(lambda: code_of() == ErrorCode.NONE)

    def case(self, case, topic_id):
        """Return the answers in each state, by listener; only those that differ from the first."""
        found = {}
        for listener in listeners_of(case):
            answers = self._case(case, topic_id, listener)
            if not found or answers != next(iter(found.values())):
                found[listener] = answers
        return found

    def _case(self, case, topic_id, listener):
        found = {}
        for name, rows in states(case):
            self._give(rows)
            request = prepared(copy.deepcopy(case.request), topic_id)
            client = self._client(listener)
            try:
                found[name] = comparable(client.ask(request, case.version))
            except (OSError, AssertionError) as error:
                found[name] = [f"no answer: {type(error).__name__}"]
            finally:
                client.close()
        return found

    def _give(self, rows):
        self._ask(DeleteAclsRequest([DeleteAclsFilter(*_ANY)]), 3)
        acls = []
        for row in rows:
            if row is None:
                acls += [(kind, name, AclOperation.ALL, ALLOW) for kind, name in EVERYTHING]
            else:
                right, is_allowed = row
                acls.append((*right, ALLOW if is_allowed else DENY))
        creations = [
            AclCreation(kind, name, 3, PRINCIPAL, "*", operation, permission)
            for kind, name, operation, permission in acls
        ]
        if creations:
            answer = self._ask(CreateAclsRequest(creations), 3)
            assert {row.error_code for row in answer.results} == {0}
        self._wait(lambda: self._count() == len(acls))

    def _count(self):
        answer = self._ask(DescribeAclsRequest(*_ANY), 3)
        return sum(len(row.acls) for row in answer.resources)


assert EVERYTHING[-1][0] == AclResourceType.TRANSACTIONAL_ID
