"""Record what Apache Kafka answers to requests about delegation tokens.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m tests.conformance.record_tokens,
where DIR has kafka-run-class. Replaces tests/conformance/data/tokens.json, for test_tokens.py; with
--check it compares with it.
"""

import argparse
import json
import sys
from base64 import b64encode

from minikafka.admin.client import BrokerConnection
from minikafka.admin.security import ClientSecurity
from minikafka.config.jaas import LoginModule
from minikafka.config.sasl import OwnLogin
from tests.conformance.authorization_play import TOKENS
from tests.conformance.secured_kafka import HOST, SecuredKafka
from tests.conformance.token_cases import ANONYMOUS, play
from tests.worlds.token_cluster import SECRET, USERS

_MODULES = "org.apache.kafka.common.security"
_PLAIN = f"{_MODULES}.plain.PlainLoginModule"
_NODE = f'{_PLAIN} required username="node" password="node" user_node="node";'
_VALUES = {
    "listener.security.protocol.map": (
        "BROKER:PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,CLIENTS:SASL_PLAINTEXT,GUARDED:SASL_PLAINTEXT,"
        "NODES:SASL_PLAINTEXT"
    ),
    "listener.name.clients.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
    "listener.name.clients.plain.sasl.jaas.config": (
        f"{_PLAIN} required {' '.join(f'user_{each}={chr(34)}{each}{chr(34)}' for each in USERS)};"
    ),
    "listener.name.clients.scram-sha-256.sasl.jaas.config": (
        f"{_MODULES}.scram.ScramLoginModule required;"
    ),
    "listener.name.controller.plain.sasl.jaas.config": _NODE,
    "sasl.mechanism.controller.protocol": "PLAIN",
    "super.users": "User:ANONYMOUS;User:node;User:admin",
    "delegation.token.secret.key": SECRET,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-port", type=int, default=21660)
    parser.add_argument("--check", action="store_true", help="compare with the file instead")
    args = parser.parse_args()
    with SecuredKafka(args.base_port, _VALUES) as kafka:

        def connect(who, token):
            if token is not None:
                return _client(kafka, "SCRAM-SHA-256", token.token_id,
                               b64encode(token.hmac).decode(), tokenauth="true")  # fmt: skip
            return kafka.admin() if who == ANONYMOUS else _client(kafka, "PLAIN", who, who)

        found = play(connect)
    if not args.check:
        TOKENS.write_text(json.dumps(found, indent=1) + "\n")
        return
    known = json.loads(TOKENS.read_text())
    names = [name for name in {**known, **found} if known.get(name) != found.get(name)]
    print(f"{TOKENS.name}: {len(found)} steps, {len(names)} differ", *names, sep="\n  ")
    sys.exit(len(names))


def _client(kafka, mechanism, user, password, **options):
    module = LoginModule("m", {"username": user, "password": password, **options})
    security = ClientSecurity(login=OwnLogin(mechanism, module))
    return BrokerConnection(HOST, kafka.login_port, "record", 30.0, security)


if __name__ == "__main__":
    main()
