from minikafka.metadata.features import DEFAULT_LEVELS, SUPPORTED_FEATURES


def test_a_new_cluster_starts_with_levels_that_are_supported():
    for name, level in DEFAULT_LEVELS.items():
        assert SUPPORTED_FEATURES[name].includes(level)
    assert next(iter(DEFAULT_LEVELS)) == "metadata.version"


def test_unsupported_features_are_not_advertised():
    assert sorted(SUPPORTED_FEATURES) == [
        "eligible.leader.replicas.version",
        "group.version",
        "kraft.version",
        "metadata.version",
        "transaction.version",
    ]


def test_levels_have_the_order_of_kafka_s_bootstrap_records():
    assert list(DEFAULT_LEVELS.items()) == [
        ("metadata.version", 30),
        ("eligible.leader.replicas.version", 1),
        ("group.version", 1),
        ("transaction.version", 2),
    ]
