"""Descriptions of client quotas are those of Apache Kafka 4.3.1, text for text.

The cases are those of `quota_cases`.
"""

import json

import pytest

from minikafka.controller.result import ControllerResult
from minikafka.messages.api_keys import response_class
from minikafka.messages.metadata_records.client_quota_record import ClientQuotaRecord, EntityData
from tests.conformance.acl_cases import comparable
from tests.conformance.authorization_play import QUOTAS
from tests.conformance.quota_cases import CASES
from tests.conformance.quota_cases import QUOTAS as SET
from tests.worlds.authorized_cluster import AuthorizedCluster

KAFKA = json.loads(QUOTAS.read_text())


@pytest.fixture(scope="module")
def client():
    secured = AuthorizedCluster()
    cluster = secured.cluster
    node = cluster.nodes[cluster.controller_id].node
    records = [
        ClientQuotaRecord([EntityData(*part) for part in entity.items()], key, rate)
        for entity, quotas in SET
        for key, rate in quotas.items()
    ]
    node.controller.append(ControllerResult(records, None))
    cluster.world.run(1_000)
    secured.settle()
    return secured.admin()


@pytest.mark.parametrize(("name", "request_", "version"), CASES, ids=[each[0] for each in CASES])
def test_the_answer_is_that_of_kafka(client, name, request_, version):
    answer = client.ask(request_, response_class(request_.API_KEY), version=version)
    assert comparable(answer) == KAFKA[name]


def test_every_case_is_recorded():
    assert list(KAFKA) == [name for name, _, _ in CASES]
