"""The changes of voters that an operator asks for.

An operator adds a controller that is none, or removes one, by what the active
controller says of the voters. An operator who sees a voter with a lost directory removes it first.
"""

from random import Random

from minikafka.common.ids import ZERO_UUID
from minikafka.messages.add_raft_voter import AddRaftVoterRequest, Listener
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest
from minikafka.sim.world.sim_cluster import CONTROLLER_PORT, SimCluster, host

_TIMEOUT_MS = 5_000
_LEFT = (3, 3, 3, 2, 1)
"""Numbers of voters that an operator leaves."""


def change_voters(
    cluster: SimCluster, rng: Random
) -> AddRaftVoterRequest | RemoveRaftVoterRequest | None:
    """Return a request for the next change; None if no controller is active."""
    controller = cluster.nodes[cluster.controller_id].node
    voters = None if controller is None else controller.raft.voters
    if voters is None:
        return None
    stale = [
        each
        for each in voters.voters.values()
        if each.directory_id != cluster.directory_ids[each.node_id]
    ]
    if stale:
        return RemoveRaftVoterRequest(None, stale[0].node_id, stale[0].directory_id or ZERO_UUID)
    others = [each for each in cluster.controller_ids if each not in voters.voters]
    if len(voters) > rng.choice(_LEFT) and (not others or rng.random() < 0.5):
        voter_id = rng.choice(voters.ids)
        return RemoveRaftVoterRequest(None, voter_id, cluster.directory_ids[voter_id])
    if not others:
        return None
    voter_id = rng.choice(others)
    return AddRaftVoterRequest(
        cluster_id=cluster.cluster_id,
        timeout_ms=_TIMEOUT_MS,
        voter_id=voter_id,
        voter_directory_id=cluster.directory_ids[voter_id],
        listeners=[Listener("CONTROLLER", host(voter_id), CONTROLLER_PORT)],
    )
