"""A cluster that answers ElectLeaders from plain values, at most 1000 partitions a request (A5)."""

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from tests.worlds.fake_cluster import FakeCluster

LIMIT = 1000


class ElectingCluster(FakeCluster):
    """`answers` are (code, message) by (topic, partition); other partitions succeed.

    A null list means `eligible`. `serves` says how many partitions of each request are decided.
    """

    def __init__(self, version=3):
        super().__init__()
        self.version = version
        self.answers = {}
        self.eligible = []
        self.serves = [LIMIT]
        self.failure = 0

    def ask(self, request):
        if isinstance(request, ApiVersionsRequest):
            served = ApiVersion(ElectLeadersRequest.API_KEY, 0, self.version)
            return ApiVersionsResponse(api_keys=[served])
        if isinstance(request, ElectLeadersRequest):
            self.asked.append(request)
            return self._elect(request)
        return super().ask(request)

    def elections(self):
        """The partitions of each request, or None for all."""
        return [
            None if it.topic_partitions is None else partitions_of(it)
            for it in self.asked
            if isinstance(it, ElectLeadersRequest)
        ]

    def _elect(self, request):
        if self.failure:
            return ElectLeadersResponse(error_code=self.failure)
        wanted = self.eligible if request.topic_partitions is None else partitions_of(request)
        serves = self.serves.pop(0) if len(self.serves) > 1 else self.serves[0]
        rows = {}
        for place, (topic, index) in enumerate(wanted):
            code, message = self.answers.get((topic, index), (0, None))
            if place >= serves:
                code, message = ErrorCode.REQUEST_LIMIT_REACHED, None
            rows.setdefault(topic, []).append(PartitionResult(index, code, message))
        return ElectLeadersResponse(
            replica_election_results=[ReplicaElectionResult(*item) for item in rows.items()]
        )


def partitions_of(request):
    return [(row.topic, index) for row in request.topic_partitions for index in row.partitions]
