"""Mapping rules, with results of Kafka's `SslPrincipalMapper`."""

import pytest

from minikafka.common.principal import ANONYMOUS, KafkaPrincipal
from minikafka.security.ssl_principal import SslPrincipalMapper

SEVERAL = (
    "RULE:^CN=(.*?),OU=(.*?),O=(.*?),L=(.*?),ST=(.*?),C=(.*?)$/$1@$2/L , "
    "RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/U,DEFAULT"
)


@pytest.mark.parametrize(
    ("rules", "name", "principal"),
    [
        ("DEFAULT", "CN=a,O=b", "CN=a,O=b"),
        ("DEFAULT,,", "CN=z", "CN=z"),
        ("RULE:^CN=(.*?),OU=Users.*$/$1/", "CN=kafka,OU=Users,O=x", "kafka"),
        ("RULE:^CN=(.*?),OU=Users.*$/$1/,DEFAULT", "CN=kafka,OU=X", "CN=kafka,OU=X"),
        ("RULE:^CN=(.*?),OU=Users.*$/$1/", "CN=kafka,OU=X", None),
        ("", "CN=a", None),
        (SEVERAL, "CN=Adm.x,O=q", "ADM.X"),
        (SEVERAL, "CN=Adm,OU=B,O=c,L=d,ST=e,C=f", "adm@b"),
        ("RULE:^CN=(.*?)$/$1$2x$10/", "CN=joe", "joe$2xjoe0"),
        (r"RULE:^CN=(.*?)$/\$1-\\-$0/", "CN=joe", "$1-\\-CN=joe"),
        ("RULE:CN=(.*)/$01-$00/", "CN=q", "q-CN=q"),
        ("RULE:.*/x/", "CN=joe", "xx"),
        (r"RULE:a\/b/c/", "a/b", "c"),
    ],
)
def test_names_become_principals(rules, name, principal):
    expected = None if principal is None else KafkaPrincipal("User", principal)
    assert SslPrincipalMapper(rules).principal(name) == expected


def test_a_client_without_certificate_is_anonymous():
    assert SslPrincipalMapper("RULE:a/b/").principal(None) == ANONYMOUS


@pytest.mark.parametrize(
    "rules",
    ["nonsense", "RULE:a", "DEFAULTX", "RULE:^CN=(.*)$/$1/LU", "RULE:a/b/ RULE:b/c/", "RULE:(/b/"],
)
def test_rules_that_cannot_be_parsed_are_refused(rules):
    with pytest.raises(ValueError):
        SslPrincipalMapper(rules)
