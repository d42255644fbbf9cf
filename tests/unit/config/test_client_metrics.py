import pytest

from minikafka.config.client_metrics import bad_match


def test_first_bad_item_is_named():
    assert bad_match("client_id=a, client_id=[ ,x=1") == "client_id=["
    assert bad_match("client_id=a,client_source_port=9.*") is None
    assert bad_match("") is None


@pytest.mark.parametrize("part", [r"\p{", "{1", r"\Q", "[", "(", "a{2}"])
def test_a_long_pattern_takes_linear_time(part):
    bad_match("client_id=" + part * 200_000)
