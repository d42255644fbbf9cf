"""Listeners with TLS for tests of a shell."""

import ssl

from minikafka.config.node_config import node_config
from minikafka.server.node_tls import NodeTls


def tls_of(certificate, authority, **changes):
    """The TLS of a node whose listeners are all SSL, with this certificate and authority."""
    given = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "listeners": "SSL://127.0.0.1:1,CONTROLLER://127.0.0.1:2",
        "security.inter.broker.protocol": "SSL",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "SSL:SSL,CONTROLLER:SSL",
        "controller.quorum.voters": "1@127.0.0.1:2",
        "log.dirs": "/x",
        **certificate.client(),
        **authority.trusted(),
        **{name.replace("_", "."): text for name, text in changes.items()},
    }
    return NodeTls(node_config({name: str(text) for name, text in given.items()}))


def client_of(authority, certificate=None):
    """The context of a client of Python's own."""
    context = ssl.create_default_context(cafile=str(authority.path))
    if certificate is not None:
        context.load_cert_chain(certificate.path)
    return context
