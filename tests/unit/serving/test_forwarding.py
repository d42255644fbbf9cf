"""Requests that only the controller can serve, and a controller that does not answer."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from tests.worlds.sim_world import create_topic, started_cluster


@pytest.mark.parametrize("named", [["t"], ["t", "t"]])
def test_a_controller_that_is_silent_is_a_request_that_timed_out(named):
    cluster = started_cluster(1, separate_controller=True, given={"request.timeout.ms": "1000"})
    create_topic(cluster, "t")
    cluster.nodes[100].pause()
    request = DeleteTopicsRequest(topic_names=named, timeout_ms=500)
    answer = cluster.client().ask(request, DeleteTopicsResponse, version=5)
    assert {x.error_code for x in answer.responses} == {ErrorCode.REQUEST_TIMED_OUT}
