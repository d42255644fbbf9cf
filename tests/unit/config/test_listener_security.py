"""Keys of one listener, and what its protocol means."""

from minikafka.config.listener_security import SecurityProtocol, listener_values


def test_the_values_of_a_listener_replace_the_general_ones():
    given = {
        "ssl.key.password": "general",
        "ssl.cipher.suites": "a",
        "listener.name.outside.ssl.key.password": "own",
        "listener.name.inside.ssl.cipher.suites": "b",
    }
    values = listener_values(given, "OUTSIDE")
    assert values["ssl.key.password"] == "own"
    assert values["ssl.cipher.suites"] == "a"


def test_a_protocol_tells_whether_it_encrypts_and_authenticates():
    assert {each.value: (each.has_tls, each.has_sasl) for each in SecurityProtocol} == {
        "PLAINTEXT": (False, False),
        "SSL": (True, False),
        "SASL_PLAINTEXT": (False, True),
        "SASL_SSL": (True, True),
    }


def test_protocols_have_kafkas_numbers():
    assert {each.value: each.number for each in SecurityProtocol} == {
        "PLAINTEXT": 0,
        "SSL": 1,
        "SASL_PLAINTEXT": 2,
        "SASL_SSL": 3,
    }
