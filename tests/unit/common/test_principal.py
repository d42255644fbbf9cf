"""The text of a principal."""

import pytest

from minikafka.common.principal import ANONYMOUS, KafkaPrincipal, parse_principal


def test_a_principal_has_a_type_and_a_name_that_may_have_colons():
    assert parse_principal("User:CN=a:b,O=c") == KafkaPrincipal("User", "CN=a:b,O=c")
    assert str(parse_principal("Group:x")) == "Group:x"
    assert str(ANONYMOUS) == "User:ANONYMOUS"


@pytest.mark.parametrize("text", ["alice", ":alice", ""])
def test_what_has_no_type_is_no_principal(text):
    with pytest.raises(ValueError, match="User:name"):
        parse_principal(text)
