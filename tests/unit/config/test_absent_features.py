"""Keys that ask for protection or features that this node does not have."""

import pytest

from minikafka.config.absent_features import refusals, warnings


@pytest.mark.parametrize(
    "given",
    [
        {"remote.log.storage.system.enable": "true"},
        {"principal.builder.class": "com.example.Builder"},
        {"listener.name.clients.principal.builder.class": "com.example.Builder"},
    ],
)
def test_what_would_be_believed_is_refused(given):
    (sentence,) = refusals(given)
    (key,) = given
    assert sentence.startswith(f"{key}: ")
    assert "not available" in sentence


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"authorizer.class.name": ""},
        {"remote.log.storage.system.enable": "false"},
        {"num.partitions": "${file:/f:n}"},
    ],
)
def test_what_asks_for_nothing_is_neither(given):
    assert refusals(given) == []
    assert warnings(given) == []


def test_all_security_keys_share_one_warning():
    (sentence,) = warnings(
        {
            "ssl.keystore.location": "/k",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.internal.ssl.keystore.type": "PEM",
            "num.partitions": "3",
        }
    )
    assert "nothing is encrypted" in sentence
    for name in ("ssl.keystore.location", "listener.name.internal"):
        assert name in sentence
    for name in ("num.partitions", "sasl.enabled.mechanisms"):
        assert name not in sentence


def test_the_default_principal_builder_is_allowed():
    name = "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"
    for text in (name, f"class {name}", ""):
        assert refusals({"principal.builder.class": text}) == []


def test_the_reference_to_a_password_is_no_password():
    name = "listener.name.clients.plain.sasl.jaas.config"
    given = {"config.providers": "file", name: 'M required user_a="${file:/secrets:alice}";'}
    (sentence,) = refusals(given)
    assert sentence.startswith(f"{name}: ")
    assert "alice" not in sentence
    assert refusals({**given, name: 'M required user_a="$1{";'}) == []


def test_values_of_config_providers_stay_as_they_are():
    (sentence,) = warnings({"config.providers": "file"})
    assert "is not resolved" in sentence
