"""A simulated cluster whose clients log in, and may make and use delegation tokens.

Clients use a listener with SASL; nodes talk to one another without it. So that forwarded requests
about tokens are allowed, the listener of controllers counts as one with SASL.
"""

from base64 import b64encode

from minikafka.config.authorizer_keys import STANDARD_AUTHORIZER
from minikafka.config.jaas import LoginModule
from minikafka.config.listener_security import SecurityProtocol
from minikafka.config.sasl import OwnLogin
from minikafka.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from minikafka.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from minikafka.security.sasl import SaslError
from minikafka.security.sasl_client import client_of
from minikafka.sim.world.sim_client import NoResponseError
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import World

_MODULES = "org.apache.kafka.common.security"
USERS = ("admin", "alice", "bob", "carol", "mallory")
SECRET = "tokens-s3cret"
_PLAIN = " ".join(f'user_{name}="{name}"' for name in USERS)
_PREFIX = "listener.name.plaintext."
GIVEN = {
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
    f"{_PREFIX}plain.sasl.jaas.config": f"{_MODULES}.plain.PlainLoginModule required {_PLAIN};",
    f"{_PREFIX}scram-sha-256.sasl.jaas.config": f"{_MODULES}.scram.ScramLoginModule required;",
    "authorizer.class.name": STANDARD_AUTHORIZER,
    "super.users": "User:ANONYMOUS;User:admin",
    "delegation.token.secret.key": SECRET,
}


class RefusedError(Exception):
    """A login that the node has refused."""


class TokenCluster:
    """Brokers and, on machines of their own, controllers."""

    def __init__(self, brokers=1, seed=1, voters=1, **given):
        values = {**GIVEN, **{name.replace("_", "."): str(text) for name, text in given.items()}}
        self.cluster = SimCluster(
            world=World(seed),
            brokers=brokers,
            voters=voters,
            separate_controller=True,
            given=values,
        )
        for node in self.cluster.nodes.values():
            protocols = {
                **node.config.security_protocols,
                "CONTROLLER": SecurityProtocol.SASL_PLAINTEXT,
            }
            node.config = node.config._replace(security_protocols=protocols)
        self.cluster.start()

    def client(self, who, node_id=1):
        """Return a client that has logged in by its password.

        Raises:
            RefusedError: the node has refused it.
        """
        return self._logged_in("PLAIN", {"username": who, "password": who}, node_id)

    def token_client(self, token_id, hmac, node_id=1):
        """Return a client that has logged in with a token.

        Raises:
            RefusedError: the node has refused it.
        """
        password = b64encode(hmac).decode()
        options = {"username": token_id, "password": password, "tokenauth": "true"}
        return self._logged_in("SCRAM-SHA-256", options, node_id)

    def _logged_in(self, mechanism, options, node_id):
        client = self.cluster.client(options["username"], node_id)
        answer = client.ask(SaslHandshakeRequest(mechanism), SaslHandshakeResponse, version=1)
        assert answer.error_code == 0
        login = OwnLogin(mechanism, LoginModule("m", options))
        exchange = client_of(login, bytes, self.cluster.world.now_ms, {})
        token = exchange.first()
        while not exchange.is_complete:
            request = SaslAuthenticateRequest(token)
            answer = client.ask(request, SaslAuthenticateResponse, version=2)
            if answer.error_code:
                raise RefusedError(answer.error_message)
            try:
                token = exchange.respond(answer.auth_bytes)
            except SaslError as error:
                raise RefusedError(str(error)) from None
        return client

    def accepts(self, token_id, hmac, node_id=1):
        """True if a client can log in with a token at a node."""
        try:
            self.token_client(token_id, hmac, node_id).close()
        except (RefusedError, NoResponseError):
            return False
        return True
