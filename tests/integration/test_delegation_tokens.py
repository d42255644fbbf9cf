"""Delegation tokens in a cluster of two nodes: made, used on the other node, renewed, removed."""

import time
from base64 import b64encode

import pytest

from minikafka.admin.client import BrokerConnection
from minikafka.admin.login import LoginFailedError
from minikafka.admin.security import ClientSecurity
from minikafka.common.errors import ErrorCode
from minikafka.config.jaas import parse_jaas
from minikafka.config.sasl import OwnLogin
from minikafka.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from minikafka.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from minikafka.messages.expire_delegation_token import ExpireDelegationTokenRequest
from minikafka.messages.metadata import MetadataRequest
from minikafka.messages.renew_delegation_token import RenewDelegationTokenRequest
from tests.integration.own_nodes import tool
from tests.integration.sasl_nodes import PASSWORDS, SaslNodes, client_properties, plain

_LIMIT_S = 30
_SECRET = "tokens-s3cret"


class _TokenNodes(SaslNodes):
    def write(self, node, **changes):
        super().write(node, **changes)
        with self.file(node).open("a") as file:
            file.write(f"delegation.token.secret.key={_SECRET}\n")
            file.write("delegation.token.expiry.check.interval.ms=500\n")


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    with _TokenNodes(tmp_path_factory.mktemp("tokens"), 2) as nodes:
        for node in (1, 2):
            nodes.format(node, "--initial-controllers", nodes.voters(1, 2))
        nodes.start(1, 2)
        yield nodes


@pytest.fixture
def ask(nodes):
    """A function that sends a request to a node as a user, or with a token."""
    opened = {}

    def send(request, who="alice", node=1, token=None):
        key = (who, node, token and token.token_id)
        if key not in opened:
            host, port = nodes.server(node).split(":")
            opened[key] = BrokerConnection(
                host, int(port), "test", 30.0, ClientSecurity(login=_login(who, token))
            )
        return opened[key].ask(request)

    yield send
    for each in opened.values():
        each.close()


def _login(who, token):
    if token is None:
        return OwnLogin("PLAIN", parse_jaas(plain(who, PASSWORDS[who])))
    module = (
        "org.apache.kafka.common.security.scram.ScramLoginModule required "
        f'username="{token.token_id}" password="{b64encode(token.hmac).decode()}" tokenauth="true";'
    )
    return OwnLogin("SCRAM-SHA-512", parse_jaas(module))


def _create(ask, **more):
    request = CreateDelegationTokenRequest(
        renewers=[CreatableRenewers("User", "node")], max_lifetime_ms=-1
    )
    token = ask(request, **more)
    assert token.error_code == 0
    return token


def _described(ask, owners=None, **more):
    response = ask(DescribeDelegationTokenRequest(owners), **more)
    assert response.error_code == 0
    return {each.token_id: each for each in response.tokens}


def _await(condition):
    end_s = time.monotonic() + _LIMIT_S
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.05)


def test_a_token_is_used_on_the_other_node(nodes, ask):
    token = _create(ask)
    _await(lambda: token.token_id in _described(ask, node=2))
    assert ask(MetadataRequest(topics=[]), node=2, token=token).brokers
    # A client with a token may do nothing about tokens.
    not_allowed = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    for request in (
        CreateDelegationTokenRequest(renewers=[], max_lifetime_ms=-1),
        RenewDelegationTokenRequest(token.hmac, -1),
        ExpireDelegationTokenRequest(token.hmac, -1),
        DescribeDelegationTokenRequest(None),
    ):
        assert ask(request, node=2, token=token).error_code == not_allowed
    for node in (1, 2):
        assert _SECRET not in nodes.log_text(node)
        assert b64encode(token.hmac).decode() not in nodes.log_text(node)


def test_tokens_are_described_renewed_and_removed(nodes, ask):
    token = _create(ask)
    owner, renewer, other = (
        [DescribeDelegationTokenOwner("User", name)] for name in ("alice", "node", "else")
    )
    _await(lambda: token.token_id in _described(ask, owner))
    found = _described(ask, renewer, who="node")[token.token_id]
    assert (found.hmac, found.principal_name) == (token.hmac, "alice")
    assert _described(ask, other) == _described(ask, []) == {}
    renewed = ask(RenewDelegationTokenRequest(token.hmac, 1_000), who="node")
    assert renewed.error_code == 0
    assert renewed.expiry_timestamp_ms < token.expiry_timestamp_ms
    # The active controller removes it when it has expired.
    _await(lambda: token.token_id not in _described(ask))
    gone = ask(ExpireDelegationTokenRequest(token.hmac, -1))
    assert gone.error_code == ErrorCode.DELEGATION_TOKEN_NOT_FOUND
    with pytest.raises(LoginFailedError, match="invalid credentials"):
        ask(MetadataRequest(topics=[]), token=token)


def test_the_tool(nodes):
    admin = client_properties(nodes.folder, "PLAIN", plain("alice", PASSWORDS["alice"]))

    def tokens(*words, check=True):
        return tool(
            "kafka-delegation-tokens", "--bootstrap-server", nodes.servers, "--command-config",
            admin, *words, check=check,
        )  # fmt: skip

    made = tokens("--create", "--max-life-time-period", "-1", "--renewer-principal", "User:node")
    lines = made.stdout.splitlines()
    assert lines[0] == (
        "Calling create token operation with renewers :[User:node] , max-life-time-period :-1"
    )
    token_id, hmac, owner, requester, renewers, *dates = lines[-1].split()
    assert lines[1] == f"Created delegation token with tokenId : {token_id}"
    assert (owner, requester, renewers, len(dates)) == (
        "User:alice",
        "User:alice",
        "[User:node]",
        3,
    )
    described = ("--describe", "--owner-principal", "User:alice")
    _await(lambda: token_id in tokens(*described).stdout)
    assert "Calling describe token operation for owners: [User:alice]" in tokens(*described).stdout
    done = tokens("--renew", "--hmac", hmac, "--renew-time-period", "60000").stdout
    assert "Completed renew operation. New expiry date : 2" in done
    done = tokens("--expire", "--hmac", hmac, "--expiry-time-period", "-1").stdout
    assert "Completed expire operation. New expiry date : 2" in done
    failed = tokens("--renew", "--hmac", hmac, "--renew-time-period", "1", check=False)
    assert failed.returncode == 1
    assert failed.stderr == (
        "org.apache.kafka.common.errors.DelegationTokenNotFoundException: Delegation Token is not "
        "found on server.\n"
    )
    for words, reason in (
        (("--create", "--renew"), "Command must include exactly one action"),
        (("--create",), 'Missing required argument "[max-life-time-period]"'),
        (("--describe", "--hmac", "x"), "can't be used with option"),
        (("--renew", "--hmac", "?", "--renew-time-period", "1"), "hmac: is not base64"),
        (("--renew", "--hmac", "x", "--renew-time-period", "soon"), "Cannot parse argument"),
    ):
        failed = tokens(*words, check=False)
        assert failed.returncode == 1
        assert reason in failed.stderr
        assert "Traceback" not in failed.stderr
