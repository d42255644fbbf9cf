import pytest

from minikafka.metadata.topic_name import fault_in_topic_name, metric_name


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "...", "x" * 249, "__consumer_offsets"])
def test_a_name_is_good(name):
    assert fault_in_topic_name(name) is None


@pytest.mark.parametrize("name", ["", ".", "..", "x" * 250, "a b", "a/b", "ü", "a\n"])
def test_a_name_is_bad(name):
    assert fault_in_topic_name(name)


def test_names_collide_where_their_metrics_would():
    assert metric_name("a.b") == metric_name("a_b") != metric_name("a-b")
