from minikafka.config.group import CONSUMER_SESSION_TIMEOUT_MS, GROUP_KEYS


def test_groups_have_keys_of_their_own():
    assert GROUP_KEYS.get("consumer.session.timeout.ms") is CONSUMER_SESSION_TIMEOUT_MS
    assert GROUP_KEYS.get("session.timeout.ms") is None
    assert CONSUMER_SESSION_TIMEOUT_MS.parse("1000") == 1000
