"""Delegation tokens while nodes are killed: none is lost, none outlives its removal or its end."""

from dataclasses import dataclass
from random import Random

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from minikafka.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from minikafka.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from minikafka.metadata.delegation_tokens import delegation_tokens
from minikafka.sim.world.sim_client import NoResponseError
from minikafka.sim.world.world import ConditionTimeoutError
from tests.worlds.token_cluster import RefusedError, TokenCluster

STEPS = 40
_CHECK_MS = 2_000
_LONG_MS = 3_600_000
_LOST = (NoResponseError, ConditionTimeoutError, RefusedError)


@dataclass
class _Token:
    """What clients know: None for an end that is not certain after a lost response."""

    token_id: str
    hmac: bytes
    expiry_ms: int | None
    is_removed: bool = False
    is_certain: bool = True


class Run:
    """A cluster with the tokens that its clients know."""

    def __init__(self, seed):
        self.rng = Random(seed)
        self.tokens = TokenCluster(
            3, seed, voters=3, **{"delegation.token.expiry.check.interval.ms": _CHECK_MS}
        )
        self.cluster = self.tokens.cluster
        self.known = []
        self.logins = 0
        self.refusals = 0

    # What clients do

    def ask(self, request, kind, within_ms=5_000):
        """Return a successful response; None if it was lost, or refused by a cluster in trouble."""
        alive = [each for each in self.cluster.broker_ids if self.cluster.nodes[each].started]
        try:
            client = self.tokens.client("alice", self.rng.choice(alive))
            answer = client.ask(request, kind, within_ms=within_ms)
        except _LOST:
            return None
        client.close()
        return answer if answer.error_code == ErrorCode.NONE else None

    def create(self, lifetime_ms=None, within_ms=5_000):
        lifetime_ms = lifetime_ms or self.rng.choice((_LONG_MS, 2_500, 10_000))
        request = CreateDelegationTokenRequest(max_lifetime_ms=lifetime_ms)
        answer = self.ask(request, CreateDelegationTokenResponse, within_ms)
        if answer is not None:
            hmac = bytes(answer.hmac)
            self.known.append(_Token(answer.token_id, hmac, answer.expiry_timestamp_ms))

    def change(self):
        token = self.rng.choice(self.known or [None])
        if token is None or token.is_removed:
            return
        if self.rng.randrange(2):
            request = RenewDelegationTokenRequest(token.hmac, self.rng.choice((2_000, _LONG_MS)))
            kind = RenewDelegationTokenResponse
        else:
            period_ms = self.rng.choice((-1, -1, 0, 3_000, _LONG_MS))
            request = ExpireDelegationTokenRequest(token.hmac, period_ms)
            kind = ExpireDelegationTokenResponse
        answer = self.ask(request, kind)
        if answer is None:
            # It may have expired or not, and may be removed.
            token.is_certain = False
        elif kind is ExpireDelegationTokenResponse and request.expiry_time_period_ms < 0:
            token.is_removed = True
        else:
            token.expiry_ms = answer.expiry_timestamp_ms

    # What happens to nodes

    def restart(self, node_id):
        self.cluster.nodes[node_id].kill()
        self.cluster.world.run(self.rng.randrange(2_000))
        self.cluster.nodes[node_id].start()

    def create_at_a_lone_controller(self):
        """Ask a leader whose followers are dead, and let the others go on without it."""
        leader = self.cluster.controller_id
        others = [each for each in self.cluster.controller_ids if each != leader]
        for each in others:
            self.cluster.nodes[each].kill()
        self.create(_LONG_MS, within_ms=300)
        self.cluster.nodes[leader].kill()
        for each in others:
            self.cluster.nodes[each].start()
        self.cluster.world.run(5_000)
        self.cluster.nodes[leader].start()

    # What is checked

    def check(self):
        """Log in with tokens at each broker: its metadata decides."""
        for node_id in self.cluster.broker_ids:
            for token in self.rng.sample(self.known, min(3, len(self.known))):
                if self.cluster.nodes[node_id].started:
                    self._check_login(node_id, token)

    def _check_login(self, node_id, token):
        node = self.cluster.nodes[node_id]
        before = self._end_at(node, token)
        is_accepted = self.tokens.accepts(token.token_id, token.hmac, node_id)
        after = None if node.node is None else self._end_at(node, token)
        now_ms = node.now.wall_ms
        self.logins += 1
        if before is None or before < now_ms - 1_000:
            self.refusals += 1
            assert not is_accepted, f"node {node_id}: {token} is removed or has expired"
        elif after is not None and after > now_ms and min(before, after) > now_ms:
            assert is_accepted, f"node {node_id}: {token} is in the metadata"

    @staticmethod
    def _end_at(node, token):
        """The end of a token in the metadata of a node; None if it is not there."""
        found = {it.token_id: it.expiry_ms for it in delegation_tokens(node.node.loader.image)}
        return found.get(token.token_id)

    def check_at_the_end(self):
        world = self.cluster.world
        nodes = self.cluster.nodes.values()
        world.run_until(self.cluster.all_started, 60_000, "every node serves")
        world.run(2 * _CHECK_MS)
        world.run_until(
            lambda: len({each.node.loader.image.offset for each in nodes}) == 1,
            60_000, "metadata",
        )  # fmt: skip
        now_ms = max(node.now.wall_ms for node in nodes)
        for token in self.known:
            ends = {self._end_at(node, token) for node in nodes}
            assert len(ends) == 1, f"{token}: {ends}"
            (end_ms,) = ends
            if token.is_removed:
                assert end_ms is None, f"{token} was removed, and is back"
            elif token.is_certain and token.expiry_ms > now_ms:
                assert end_ms == token.expiry_ms, f"{token} was acknowledged, and is {end_ms}"
            assert end_ms is None or end_ms > now_ms - 2 * _CHECK_MS, f"{token} is not removed"
        self.check()


@pytest.mark.parametrize("seed", range(4))
def test_tokens_count_as_long_as_they_are_in_the_metadata(seed):
    run = Run(seed)
    for number in range(STEPS):
        (run.create, run.change, run.change)[run.rng.randrange(3)]()
        match number % 8:
            case 3:
                run.restart(run.rng.choice(run.cluster.broker_ids))
            case 5:
                run.restart(run.cluster.controller_id)
            case 7:
                run.create_at_a_lone_controller()
        run.cluster.world.run(run.rng.randrange(1_500))
        run.check()
    run.check_at_the_end()
    assert len(run.known) > STEPS // 8
    assert run.logins > STEPS
    assert run.refusals > STEPS // 4
