"""How the clients of a run connect to a secured cluster: `--command-config`.

Each part of a run is a process of its own: all read the file that this variable names.
"""

import os
import ssl
from functools import cache
from typing import Any, Final

from minikafka.admin.client_login import ClientLogin
from minikafka.admin.security import UNSECURED, ClientSecurity, security_of

VARIABLE: Final = "MINIKAFKA_VERIFY_COMMAND_CONFIG"


@cache
def _login() -> ClientLogin | None:
    path = os.environ.get(VARIABLE, "")
    return ClientLogin.read(path) if path else None


def for_tools() -> ClientSecurity:
    """Return the security of an AdminClient of this project."""
    login = _login()
    return UNSECURED if login is None else security_of(login.properties())


def for_librdkafka() -> dict[str, str]:
    """Return the keys of a confluent-kafka client."""
    login = _login()
    return {} if login is None else login.librdkafka()


def for_kafka_python() -> dict[str, str]:
    """Return the arguments of a kafka-python client."""
    login = _login()
    return {} if login is None else login.kafka_python()


def for_aiokafka() -> dict[str, Any]:
    """Return the arguments of an aiokafka client."""
    login = _login()
    if login is None:
        return {}
    found: dict[str, Any] = {"security_protocol": login.protocol}
    if login.mechanism:
        found["sasl_mechanism"] = login.mechanism
        found["sasl_plain_username"] = login.user
        found["sasl_plain_password"] = login.password
    if login.truststore:
        context = ssl.create_default_context(cafile=login.truststore)
        if login.keystore:
            context.load_cert_chain(login.keystore, password=login.key_password)
        found["ssl_context"] = context
    return found


def for_java() -> dict[str, str]:
    """Return the properties of a Java client."""
    login = _login()
    return {} if login is None else dict(login.properties())


def for_spark() -> dict[str, str]:
    """Return the options of Spark's source: those of a Java client."""
    return {f"kafka.{key}": value for key, value in for_java().items()}
