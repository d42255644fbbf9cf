"""What the requests that change the voters refuse before the quorum sees them."""

from types import SimpleNamespace

import pytest

from minikafka.apis import _voters
from minikafka.common.errors import InconsistentClusterIdError, InvalidRequestError
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.add_raft_voter import AddRaftVoterRequest, Listener

CTX = SimpleNamespace(services=SimpleNamespace(cluster_id="c"))


def request(**changes):
    fields = {"cluster_id": "c", "voter_id": 1, "voter_directory_id": Uuid.of(1, 1), **changes}
    return AddRaftVoterRequest(**fields)


def test_a_request_names_this_cluster_and_a_voter():
    _voters.check(CTX, request())
    _voters.check(CTX, request(cluster_id=None))
    with pytest.raises(InconsistentClusterIdError):
        _voters.check(CTX, request(cluster_id="other"))
    for wrong in ({"voter_id": -1}, {"voter_directory_id": ZERO_UUID}):
        with pytest.raises(InvalidRequestError, match="names no voter"):
            _voters.check(CTX, request(**wrong))


@pytest.mark.parametrize(
    "listeners",
    [
        [Listener("CONTROLLER", "h", 1)] * 33,
        [Listener("C" * 256, "h", 1)],
        [Listener("CONTROLLER", "h" * 256, 1)],
        [Listener("CONTROLLER", "h", 0)],
    ],
)
def test_what_the_log_would_keep_is_bounded(listeners):
    with pytest.raises(InvalidRequestError, match="listener"):
        _voters.endpoints_of(listeners)


def test_the_endpoints_of_a_voter():
    (found,) = _voters.endpoints_of([Listener("CONTROLLER", "h", 9093)])
    assert (found.name, found.host, found.port) == ("CONTROLLER", "h", 9093)
