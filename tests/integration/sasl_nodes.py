"""Nodes all of whose listeners have SASL, and the properties of their clients."""

from tests.integration.own_nodes import OwnNodes

_SECURITY = "org.apache.kafka.common.security"
VALIDATOR = (
    f"{_SECURITY}.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler"
)
PASSWORDS = {
    "node": "node-s3cret",
    "alice": "alice-s3cret",
    "sara": "sara-s3cret",
}
REAUTH_MS = 2_000


def plain(user, password, **users):
    listed = "".join(f' user_{name}="{each}"' for name, each in users.items())
    return (
        f'{_SECURITY}.plain.PlainLoginModule required username="{user}" '
        f'password="{password}"{listed};'
    )


def scram(user, password):
    return f'{_SECURITY}.scram.ScramLoginModule required username="{user}" password="{password}";'


def client_properties(folder, mechanism, module):
    """Write the properties of a tool's client; return the file."""
    path = folder / f"{mechanism.lower()}-{abs(hash(module))}.properties"
    path.write_text(
        f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism={mechanism}\nsasl.jaas.config={module}\n"
    )
    return path


class SaslNodes(OwnNodes):
    """Nodes with one listener for clients and brokers, and one for controllers."""

    def write(self, node, **changes):
        super().write(node, **changes)
        nodes = plain("node", PASSWORDS["node"], node=PASSWORDS["node"], alice=PASSWORDS["alice"])
        server = f"SASL_PLAINTEXT://{self.server(node)}"
        values = {
            "listeners": f"{server},CONTROLLER://{self.controller(node)}",
            "listener.security.protocol.map": "SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
            "security.inter.broker.protocol": "SASL_PLAINTEXT",
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
            "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
            "sasl.mechanism.inter.broker.protocol": "PLAIN",
            "sasl.mechanism.controller.protocol": "PLAIN",
            "connections.max.reauth.ms": REAUTH_MS,
            "listener.name.controller.plain.sasl.jaas.config": nodes,
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": nodes,
            "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": scram(
                "node", PASSWORDS["node"]
            ),
            "listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config": scram(
                "node", PASSWORDS["node"]
            ),
            "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config": (
                f"{_SECURITY}.oauthbearer.OAuthBearerLoginModule required;"
            ),
            "listener.name.sasl_plaintext.oauthbearer.sasl.server.callback.handler.class": VALIDATOR,
            "offsets.topic.replication.factor": len(self.directory_ids),
        }
        with self.file(node).open("a") as file:
            file.writelines(f"{name}={value}\n" for name, value in values.items())
