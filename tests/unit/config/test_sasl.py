"""The SASL configuration of a node, and what a start is refused for."""

import re
from pathlib import Path

import pytest

from minikafka.config.jaas import parse_jaas
from minikafka.config.node_config import ConfigErrors, node_config
from minikafka.config.properties import parse_properties
from minikafka.config.sasl import login_problem
from minikafka.config.sasl_keys import (
    CONNECTIONS_MAX_REAUTH_MS,
    SIGNED_VALIDATORS,
    TOKEN_LOGINS,
    UNSECURED_LOGIN,
    UNSECURED_VALIDATOR,
)

_MODULE = "org.apache.kafka.common.security"
_PLAIN = (
    f'{_MODULE}.plain.PlainLoginModule required username="a" password="s3cret" user_a="s3cret";'
)
_BASE = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "listeners": "SASL_PLAINTEXT://:9092,CONTROLLER://:9093",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
    "controller.quorum.voters": "1@h:9093",
    "security.inter.broker.protocol": "SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "sasl.mechanism.controller.protocol": "PLAIN",
    "listener.name.sasl_plaintext.plain.sasl.jaas.config": _PLAIN,
    "listener.name.controller.plain.sasl.jaas.config": _PLAIN,
}
_JAAS = "listener.name.sasl_plaintext.plain.sasl.jaas.config"


def _errors(**changes):
    given = {**_BASE, **{name.replace("__", "."): text for name, text in changes.items()}}
    with pytest.raises(ConfigErrors) as caught:
        node_config({name: text for name, text in given.items() if text is not None})
    assert "s3cret" not in str(caught.value)
    return caught.value.errors


def test_clients_that_log_in_need_no_certificate_unless_their_listener_asks_for_it():
    tls = {
        "listeners": "SASL_SSL://:9092,SSL://:9094,CONTROLLER://:9093",
        "listener.security.protocol.map": "SASL_SSL:SASL_SSL,SSL:SSL,CONTROLLER:SASL_SSL",
        "security.inter.broker.protocol": "SASL_SSL",
        "listener.name.sasl_ssl.plain.sasl.jaas.config": _PLAIN,
        "listener.name.controller.ssl.client.auth": "requested",
        "ssl.client.auth": "required",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": "/k",
    }
    config = node_config({**_BASE, **tls})
    found = {name: settings.client_auth for name, settings in config.ssl.items()}
    assert found == {"SASL_SSL": "none", "SSL": "required", "CONTROLLER": "requested"}
    (warning,) = [each for each in config.warnings if "ssl.client.auth" in each]
    assert "set listener.name.sasl_ssl.ssl.client.auth" in warning


@pytest.mark.parametrize("name", ["SASL_PLAINTEXT", "sasl_plain", "outside"])
def test_keys_of_a_listener_that_does_not_exist(name):
    given = {**_BASE, f"listener.name.{name}.sasl.enabled.mechanisms": "SCRAM-SHA-512"}
    (warning,) = [each for each in node_config(given).warnings if "no such listener" in each]
    assert warning.startswith(f"listener.name.{name}.*: ")
    assert warning.endswith(": sasl_plaintext, controller")
    given["listener.security.protocol.map"] += f",{name.upper()}:SASL_SSL"
    others = [each for each in node_config(given).warnings if "no such listener" in each]
    assert others == ([warning] if name.isupper() else [])


def test_passwords_are_not_checked_by_a_class_that_is_absent():
    name = "listener.name.sasl_plaintext.plain.sasl.server.callback.handler.class"
    (error,) = _errors(**{name: "com.example.Directory"})
    assert error.startswith(f"{name}: plug-ins are not available")


def test_mechanisms_and_own_logins():
    config = node_config(
        {
            **_BASE,
            "listener.name.sasl_plaintext.plain.connections.max.reauth.ms": "3",
            "listener.name.sasl_plaintext.connections.max.reauth.ms": "2",
            "connections.max.reauth.ms": "1",
        }
    )
    sasl = config.sasl
    assert list(sasl.listeners) == ["SASL_PLAINTEXT", "CONTROLLER"]
    plain = sasl.listeners["SASL_PLAINTEXT"].mechanisms["PLAIN"]
    assert plain.module.options["user_a"] == "s3cret"
    assert plain.values[CONNECTIONS_MAX_REAUTH_MS] == 3
    assert sasl.listeners["SASL_PLAINTEXT"].values[CONNECTIONS_MAX_REAUTH_MS] == 2
    assert sasl.listeners["CONTROLLER"].values[CONNECTIONS_MAX_REAUTH_MS] == 1
    assert sasl.to_brokers is not None and sasl.to_brokers.mechanism == "PLAIN"
    assert sasl.to_controllers is not None
    assert "s3cret" not in repr(sasl.to_brokers)
    assert not any("SASL is" in each or "SCRAM" in each for each in config.warnings)


def test_a_controller_that_is_no_broker_may_know_how_to_log_in_to_brokers():
    given = {
        **_BASE,
        "process.roles": "controller",
        "listeners": "CONTROLLER://:9093",
        "inter.broker.listener.name": "SASL_PLAINTEXT",
    }
    del given["security.inter.broker.protocol"]
    sasl = node_config(given).sasl
    assert list(sasl.listeners) == ["CONTROLLER"]
    assert sasl.to_brokers is not None
    assert sasl.to_controllers is not None
    del given[_JAAS], given["sasl.mechanism.inter.broker.protocol"]
    assert node_config(given).sasl.to_brokers is None


def test_without_mechanisms_kafkas_default_is_named():
    errors = _errors(sasl__enabled__mechanisms=None)
    assert any("Kafka's default, GSSAPI, is not available" in each for each in errors)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("sasl.enabled.mechanisms", "GSSAPI", "GSSAPI is not available"),
        ("sasl.enabled.mechanisms", "", "names no mechanism"),
        ("sasl.mechanism.inter.broker.protocol", None, "GSSAPI is not available"),
        ("sasl.mechanism.controller.protocol", None, "GSSAPI is not available"),
        (_JAAS, None, "is required for mechanism PLAIN of listener SASL_PLAINTEXT"),
        (_JAAS, f"{_MODULE}.plain.PlainLoginModule required a=s3cret", "semicolon"),
        (_JAAS, f"{_MODULE}.scram.ScramLoginModule required;", "is not available"),
        (
            _JAAS,
            f'{_MODULE}.plain.PlainLoginModule required username="s3cret";',
            "has no option password",
        ),
        (
            "listener.name.sasl_plaintext.connections.max.reauth.ms",
            "soon",
            "listener.name.sasl_plaintext.connections.max.reauth.ms: invalid value 'soon'",
        ),
    ],
)
def test_errors_at_start(name, text, reason):
    errors = _errors(**{name: text})
    assert any(reason in each for each in errors), errors


def test_the_mechanism_between_brokers_must_be_enabled():
    errors = _errors(
        **{
            "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-256",
            "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": (
                f'{_MODULE}.scram.ScramLoginModule required username="a" password="s3cret";'
            ),
        }
    )
    (error,) = errors
    assert "SCRAM-SHA-256 is not in sasl.enabled.mechanisms of listener SASL_PLAINTEXT" in error


_BEARER = {
    "sasl.enabled.mechanisms": "PLAIN,OAUTHBEARER",
    "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
    "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config": (
        f"{_MODULE}.oauthbearer.OAuthBearerLoginModule required;"
    ),
}
_OWN = "listener.name.sasl_plaintext.oauthbearer."
_HANDLER = f"{_OWN}sasl.server.callback.handler.class"
_URL = "sasl.oauthbearer.jwks.endpoint.url"


def test_tokens_need_a_validator():
    (error,) = _errors(**_BEARER)
    assert error.startswith(f"{_HANDLER}: is required for OAUTHBEARER; allowed: org.apache.kafka.")
    (error,) = _errors(**_BEARER, **{_HANDLER: "com.example.Own"})
    assert error.startswith(f"{_HANDLER}: com.example.Own is not available; allowed: ")
    config = node_config({**_BASE, **_BEARER, _HANDLER: UNSECURED_VALIDATOR})
    assert config.sasl.listeners["SASL_PLAINTEXT"].mechanisms["OAUTHBEARER"].signed_tokens is None
    assert config.sasl.key_files == frozenset()


@pytest.mark.parametrize("handler", SIGNED_VALIDATORS)
def test_signed_tokens(handler):
    given = {
        **_BASE,
        **_BEARER,
        _HANDLER: handler,
        _URL: "file:///else",
        f"{_OWN}{_URL}": "file:///etc/kafka/jwks.json",
        "sasl.oauthbearer.expected.audience": "kafka, other",
        "listener.name.sasl_plaintext.sasl.oauthbearer.expected.issuer": "https://idp",
        "sasl.oauthbearer.scope.claim.name": " scp ",
        "sasl.oauthbearer.sub.claim.name": "email",
        "sasl.oauthbearer.clock.skew.seconds": "5",
    }
    config = node_config(given)
    bearer = config.sasl.listeners["SASL_PLAINTEXT"].mechanisms["OAUTHBEARER"]
    assert bearer.signed_tokens == (
        "/etc/kafka/jwks.json", {"kafka", "other"}, "https://idp", "scp", "email", 5,
    )  # fmt: skip
    assert config.sasl.key_files == {"/etc/kafka/jwks.json"}
    assert not any("oauthbearer" in each for each in (*config.ignored, *config.warnings))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({_URL: None}, "is required for signed tokens, as file:///"),
        ({_URL: "https://idp/keys"}, "https://idp/keys: keys are only read from files"),
        ({_URL: "HTTP://idp/keys"}, "keys are only read from files"),
        ({_URL: "/etc/jwks.json"}, "expected a file, as file:///"),
        ({_URL: "file://host/jwks.json"}, "expected a file, as file:///"),
        ({_URL: "file:///"}, "expected a file, as file:///"),
        ({_URL: "file://[/x"}, "expected a file, as file:///"),
        ({"sasl.oauthbearer.sub.claim.name": " "}, "is empty; expected the name of a claim"),
    ],
)
def test_signed_tokens_that_cannot_be_checked(changes, reason):
    given = {_URL: "file:///jwks.json", **changes}
    (error,) = _errors(**_BEARER, **{_HANDLER: SIGNED_VALIDATORS[0]}, **given)
    assert reason in error
    assert next(iter(changes)) in error


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ('unsecuredLoginStringClaim_sub="a"', ""),
        ("", "has no option unsecuredLoginStringClaim_sub"),
        (
            'unsecuredLoginStringClaim_sub="a" unsecuredLoginLifetimeSeconds="soon"',
            "option unsecuredLoginLifetimeSeconds is no number",
        ),
    ],
)
def test_logins_with_tokens(options, problem):
    module = parse_jaas(f"{_MODULE}.oauthbearer.OAuthBearerLoginModule required {options};")
    assert login_problem("OAUTHBEARER", module) == problem


_LOGIN = f"{_OWN}sasl.login.callback.handler.class"
_TOKEN = "sasl.oauthbearer.token.endpoint.url"
_BETWEEN_NODES = {
    **_BEARER,
    "sasl.mechanism.inter.broker.protocol": "OAUTHBEARER",
    _HANDLER: SIGNED_VALIDATORS[0],
    _URL: "file:///jwks.json",
}


@pytest.mark.parametrize("handler", TOKEN_LOGINS)
@pytest.mark.parametrize("prefix", ["", "listener.name.sasl_plaintext.", _OWN])
def test_nodes_log_in_to_one_another_with_a_token_from_a_file(handler, prefix):
    url = {_TOKEN: "file:///else", f"{prefix}{_TOKEN}": "file:///etc/token"}
    config = node_config({**_BASE, **_BETWEEN_NODES, _LOGIN: handler, **url})
    assert config.sasl.to_brokers.token_file == "/etc/token"
    assert config.sasl.to_controllers.token_file == ""
    assert config.sasl.token_files == {"/etc/token"}
    assert not any("oauthbearer" in each for each in (*config.ignored, *config.warnings))


@pytest.mark.parametrize("handler", [None, UNSECURED_LOGIN])
def test_nodes_that_refuse_the_tokens_of_one_another_do_not_start(handler):
    jaas = f"{_OWN}sasl.jaas.config"
    sub = _BEARER[jaas].replace("required", 'required unsecuredLoginStringClaim_sub="node"')
    (error,) = _errors(**{**_BETWEEN_NODES, _LOGIN: handler, jaas: sub})
    assert error.startswith(f"{_LOGIN}: this node logs in with unsigned tokens")
    assert TOKEN_LOGINS[0] in error
    assert _TOKEN in error
    # As Kafka: a class that is not set for the mechanism does not count.
    more = {"sasl.login.callback.handler.class": TOKEN_LOGINS[0], _TOKEN: "file:///etc/token"}
    assert _errors(**{**_BETWEEN_NODES, _LOGIN: handler, jaas: sub, **more}) == [error]
    unsigned = {**_BETWEEN_NODES, _LOGIN: handler, jaas: sub, _HANDLER: UNSECURED_VALIDATOR}
    given = {name: text for name, text in {**_BASE, **unsigned}.items() if text is not None}
    assert node_config(given).sasl.to_brokers.token_file == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({_LOGIN: "com.example.Own"}, f"{_LOGIN}: com.example.Own is not available; allowed: "),
        ({_LOGIN: TOKEN_LOGINS[0]}, f"{_OWN}{_TOKEN}: is required for signed tokens, as file:///"),
        (
            {_LOGIN: TOKEN_LOGINS[0], _TOKEN: "https://idp/token"},
            f"{_OWN}{_TOKEN}: https://idp/token: tokens are only read from files",
        ),
        ({_LOGIN: TOKEN_LOGINS[0], _TOKEN: "/t"}, f"{_OWN}{_TOKEN}: /t: expected a file, as file:"),
    ],
)
def test_a_token_that_cannot_be_got(changes, reason):
    (error,) = _errors(**{**_BETWEEN_NODES, **changes})
    assert error.startswith(reason)


def test_a_module_is_for_one_mechanism():
    module = parse_jaas(_PLAIN)
    assert login_problem("PLAIN", module) == ""
    assert "is not for SCRAM-SHA-256" in login_problem("SCRAM-SHA-256", module)


def test_the_example_in_the_documents_can_be_used():
    page = (Path(__file__).parents[3] / "docs" / "logins.md").read_text(encoding="utf-8")
    server, client = re.findall(r"```properties\n(.*?)```", page, re.DOTALL)
    given = parse_properties(server, "logins.md")
    more = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": "1@h:9093",
    }
    config = node_config({**more, **given})
    assert [list(it.mechanisms) for it in config.sasl.listeners.values()] == [
        ["PLAIN", "SCRAM-SHA-512"],
        ["PLAIN"],
    ]
    given = parse_properties(client, "logins.md")
    assert login_problem("SCRAM-SHA-512", parse_jaas(given["sasl.jaas.config"])) == ""


@pytest.mark.parametrize("prefix", ["", "listener.name.controller."])
def test_a_module_of_no_mechanism_is_warned_of(prefix):
    warnings = node_config({**_BASE, f"{prefix}sasl.jaas.config": _PLAIN}).warnings
    expected = "has no effect; set listener.name.controller.<mechanism>.sasl.jaas.config"
    assert f"{prefix}sasl.jaas.config: {expected}" in warnings
    assert "s3cret" not in "".join(warnings)


def test_keys_without_a_listener_are_named():
    given = {**_BASE, "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093"}
    del given["listener.security.protocol.map"]
    given["security.inter.broker.protocol"] = "PLAINTEXT"
    (warning,) = [each for each in node_config(given).warnings if "SASL" in each]
    assert "no listener uses SASL" in warning
    assert "s3cret" not in warning


def test_a_configuration_does_not_show_passwords():
    config = node_config(_BASE)
    assert "s3cret" in config.values.given[_JAAS]
    assert "s3cret" not in repr(config)
    assert "s3cret" not in str(config.sasl)
