"""Requests about ACLs have the answers of Apache Kafka 4.3.1, text for text.

The cases are those of `acl_cases`.
"""

import json

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import response_class
from tests.conformance.acl_cases import CASES, comparable
from tests.conformance.authorization_play import ACLS
from tests.worlds.authorized_cluster import AuthorizedCluster

KAFKA = json.loads(ACLS.read_text())


@pytest.fixture(scope="module")
def answers():
    secured = AuthorizedCluster()
    admin = secured.admin()
    found = {}
    for name, request, version in CASES:
        answer = admin.ask(request, response_class(request.API_KEY), version=version)
        found[name] = comparable(answer)
        secured.settle()
    return found


@pytest.mark.parametrize("name", KAFKA)
def test_the_answer_is_that_of_kafka(answers, name):
    expected = KAFKA[name]
    codes = {row["error_code"] for row in expected.get("results", ())}
    if codes != {ErrorCode.UNKNOWN_SERVER_ERROR}:
        assert answers[name] == expected
        return
    # Unlike Kafka (row W2): the entry that is wrong has an error that names the fault.
    found = answers[name]["results"]
    texts = [row["error_message"] for row in found if row["error_code"]]
    assert [text[: len("Invalid")] for text in texts] == ["Invalid"]
    assert {row["error_code"] for row in found} <= {ErrorCode.NONE, ErrorCode.INVALID_REQUEST}


def test_every_case_is_recorded():
    assert list(KAFKA) == [name for name, _, _ in CASES]
