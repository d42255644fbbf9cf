"""The rules of the authorizer: those of `StandardAuthorizer`."""

from itertools import product
from random import Random

import pytest

from minikafka.common.principal import KafkaPrincipal
from minikafka.config.authorizer_keys import STANDARD_AUTHORIZER
from minikafka.config.values import Config
from minikafka.security import authorizer as module
from minikafka.security.acl import (
    Acl,
    AclOperation,
    AclResourceType,
    PatternType,
    PermissionType,
)
from minikafka.security.authorizer import (
    Authorizer,
    configured_authorizer,
    implies,
)
from minikafka.security.not_ready import AuthorizerNotReadyError

ALICE, BOB = KafkaPrincipal("User", "alice"), KafkaPrincipal("User", "bob")
HOST = "10.0.0.1"
OP = AclOperation
TOPIC, GROUP = AclResourceType.TOPIC, AclResourceType.GROUP
ALLOW, DENY = PermissionType.ALLOW, PermissionType.DENY
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED


def acl(operation, permission=ALLOW, name="orders", pattern=LITERAL, **changes):
    row = Acl(TOPIC, name, pattern, "User:alice", "*", operation, permission)
    return row._replace(**changes)


def deciding(*acls, super_users=(), everyone=False):
    authorizer = Authorizer(frozenset(super_users), allows_without_acls=everyone)
    authorizer.replace(acls)
    return authorizer


def allowed(authorizer, operation, name="orders", who=ALICE, host=HOST, kind=TOPIC):
    return authorizer.decide(who, host, operation, kind, name).allowed


def test_without_entries_nothing_is_allowed():
    decision = deciding().decide(ALICE, HOST, OP.READ, TOPIC, "orders")
    assert decision == (False, "DefaultDeny")


def test_everyone_is_allowed_only_where_no_entry_is_about_the_resource():
    authorizer = deciding(acl(OP.READ, principal="User:bob"), everyone=True)
    assert authorizer.decide(ALICE, HOST, OP.WRITE, TOPIC, "free") == (True, "DefaultAllow")
    assert authorizer.decide(ALICE, HOST, OP.WRITE, TOPIC, "orders") == (False, "DefaultDeny")
    assert allowed(authorizer, OP.READ, kind=GROUP)


def test_an_entry_allows_its_operation_its_principal_and_its_resource():
    authorizer = deciding(acl(OP.READ))
    assert allowed(authorizer, OP.READ)
    assert not allowed(authorizer, OP.WRITE)
    assert not allowed(authorizer, OP.READ, who=BOB)
    assert not allowed(authorizer, OP.READ, "orders2")
    assert not allowed(authorizer, OP.READ, kind=GROUP)
    assert authorizer.decide(ALICE, HOST, OP.READ, TOPIC, "orders").rule == acl(OP.READ)


def test_a_denial_has_precedence_whatever_its_pattern_is():
    everything = acl(OP.ALL, principal="User:*", name="*")
    for denial in (
        acl(OP.READ, DENY),
        acl(OP.READ, DENY, name="ord", pattern=PREFIXED),
        acl(OP.READ, DENY, name="*"),
        acl(OP.ALL, DENY),
        acl(OP.READ, DENY, principal="User:*"),
    ):
        for order in ((denial, everything), (everything, denial)):
            authorizer = deciding(*order)
            assert authorizer.decide(ALICE, HOST, OP.READ, TOPIC, "orders") == (False, denial)


@pytest.mark.parametrize("operation", [OP.READ, OP.WRITE, OP.DELETE, OP.ALTER, OP.DESCRIBE, OP.ALL])
def test_what_implies_describe_if_it_is_allowed(operation):
    assert allowed(deciding(acl(operation)), OP.DESCRIBE)
    if operation not in (OP.DESCRIBE, OP.ALL):
        assert allowed(deciding(acl(operation, DENY), acl(OP.DESCRIBE)), OP.DESCRIBE)


@pytest.mark.parametrize("operation", [OP.CREATE, OP.ALTER_CONFIGS, OP.DESCRIBE_CONFIGS])
def test_what_does_not_imply_describe(operation):
    assert not allowed(deciding(acl(operation)), OP.DESCRIBE)


def test_to_alter_configs_implies_to_describe_them():
    assert allowed(deciding(acl(OP.ALTER_CONFIGS)), OP.DESCRIBE_CONFIGS)
    assert not allowed(deciding(acl(OP.ALTER)), OP.DESCRIBE_CONFIGS)
    assert not allowed(deciding(acl(OP.DESCRIBE_CONFIGS)), OP.ALTER_CONFIGS)
    assert not implies(OP.DESCRIBE, OP.READ)


def test_patterns():
    authorizer = deciding(
        acl(OP.READ, name="ord", pattern=PREFIXED), acl(OP.WRITE, name="ord"),
        acl(OP.DELETE, name="*"), acl(OP.CREATE, name="*", pattern=PREFIXED),
    )  # fmt: skip
    for name in ("ord", "orders", "ord."):
        assert allowed(authorizer, OP.READ, name)
    for name in ("or", "xord", "Orders"):
        assert not allowed(authorizer, OP.READ, name)
    assert allowed(authorizer, OP.WRITE, "ord")
    assert not allowed(authorizer, OP.WRITE, "orders")
    assert allowed(authorizer, OP.DELETE, "anything")
    # A prefix of one star is no wildcard.
    assert not allowed(authorizer, OP.CREATE, "anything")
    assert allowed(authorizer, OP.CREATE, "*anything")


def test_a_resource_whose_name_is_a_star():
    authorizer = deciding(acl(OP.READ, name="*", resource_type=GROUP))
    assert allowed(authorizer, OP.READ, "*", kind=GROUP)


def test_hosts():
    authorizer = deciding(acl(OP.READ, host=HOST), acl(OP.WRITE, DENY, host="10.0.0.2"),
                          acl(OP.WRITE))  # fmt: skip
    assert allowed(authorizer, OP.READ)
    assert not allowed(authorizer, OP.READ, host="10.0.0.2")
    assert allowed(authorizer, OP.WRITE)
    assert not allowed(authorizer, OP.WRITE, host="10.0.0.2")


def test_everybody_is_every_principal_whatever_its_type_is():
    authorizer = deciding(acl(OP.READ, principal="User:*"))
    assert allowed(authorizer, OP.READ, who=BOB)
    assert allowed(authorizer, OP.READ, who=KafkaPrincipal("Robot", "r"))
    assert not allowed(deciding(acl(OP.READ)), OP.READ, who=KafkaPrincipal("Robot", "alice"))


def test_a_login_with_a_token_is_the_same_principal():
    assert allowed(deciding(acl(OP.READ)), OP.READ, who=ALICE._replace(token_authenticated=True))


def test_super_users_may_do_everything_also_what_is_denied():
    authorizer = deciding(acl(OP.ALL, DENY), super_users=["User:alice"])
    assert authorizer.decide(ALICE, HOST, OP.READ, TOPIC, "orders") == (True, "SuperUser")
    assert authorizer.decide_for_any(ALICE, HOST, OP.WRITE, TOPIC)
    assert not allowed(authorizer, OP.READ, who=BOB)


def test_before_the_entries_are_known_only_super_users_are_served(caplog):
    authorizer = Authorizer(frozenset(["User:alice"]), allows_without_acls=True)
    assert allowed(authorizer, OP.READ)
    with pytest.raises(AuthorizerNotReadyError):
        allowed(authorizer, OP.READ, who=BOB)
    with pytest.raises(AuthorizerNotReadyError):
        authorizer.decide_for_any(BOB, HOST, OP.WRITE, TOPIC)
    (record,) = caplog.records
    assert record.getMessage().startswith("User:bob is not served: the ACLs are not known yet")
    authorizer.replace([])
    assert allowed(authorizer, OP.READ, who=BOB)


def test_a_change_replaces_all_decisions():
    authorizer = deciding(acl(OP.READ))
    assert allowed(authorizer, OP.READ)
    assert authorizer.acl_count == 1
    generation = authorizer.generation
    authorizer.replace([])
    assert not allowed(authorizer, OP.READ)
    assert authorizer.generation > generation
    assert authorizer.acl_count == 0


def test_entries_are_added_and_removed():
    """As if all entries had been replaced, at each step and for each question."""
    rng = Random(3)
    authorizer, present = deciding(), []
    for _ in range(150):
        removed = rng.sample(present, rng.randrange(len(present) + 1) // 3)
        added = [
            acl(
                rng.choice((OP.ALL, OP.READ, OP.WRITE, OP.ALTER)),
                rng.choice((ALLOW, ALLOW, DENY)),
                rng.choice(("a", "ab", "abc", "b", "*")),
                rng.choice((LITERAL, PREFIXED)),
                principal=rng.choice(("User:alice", "User:bob", "User:*")),
                host=rng.choice(("*", HOST)),
                resource_type=rng.choice((TOPIC, GROUP)),
            )
            for _ in range(rng.randrange(4))
        ]
        for each in removed:
            present.remove(each)
        added = [each for each in dict.fromkeys(added) if each not in present]
        present += added
        authorizer.change(removed, added)
        again = deciding(*present)
        assert authorizer.acl_count == len(present)
        for asked in product(
            (ALICE, BOB), (HOST, "h"), (OP.READ, OP.WRITE, OP.DESCRIBE), (TOPIC, GROUP)
        ):
            assert authorizer.decide_for_any(*asked) == again.decide_for_any(*asked)
            for name in ("a", "abcd", "b", "bc", "c", "*"):
                found = authorizer.decide(*asked, name)
                assert found.allowed == again.decide(*asked, name).allowed
                assert found.allowed == _model(present, *asked, name)


def _model(acls, who, host, operation, kind, name):
    """Every entry is read."""
    about = [
        each
        for each in acls
        if each.resource_type == kind
        and each.principal in (str(who), "User:*")
        and each.host in ("*", host)
        and (
            name.startswith(each.resource_name)
            if each.pattern_type == PREFIXED
            else each.resource_name in (name, "*")
        )
    ]
    if any(
        each.permission_type == DENY and each.operation in (OP.ALL, operation) for each in about
    ):
        return False
    return any(
        each.operation in (OP.ALL, operation) or implies(each.operation, operation)
        for each in about
        if each.permission_type == ALLOW
    )


def test_the_kept_decisions_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "_MAX_KNOWN", 10)
    authorizer = deciding(acl(OP.READ, name="t", pattern=PREFIXED))
    for number in range(100):
        assert allowed(authorizer, OP.READ, f"t{number}")
        assert not allowed(authorizer, OP.READ, "x" * 300 + str(number))
        assert len(authorizer._known) <= 10
    assert max(len(key[-1]) for key in authorizer._known) < 300


@pytest.mark.parametrize(
    ("acls", "expected"),
    [
        ([], False),
        ([acl(OP.WRITE)], True),
        ([acl(OP.ALL)], True),
        ([acl(OP.READ)], False),
        ([acl(OP.WRITE, name="p", pattern=PREFIXED)], True),
        ([acl(OP.WRITE, name="*")], True),
        ([acl(OP.WRITE, host="10.0.0.2")], False),
        ([acl(OP.WRITE, principal="User:bob")], False),
        ([acl(OP.WRITE, principal="User:*")], True),
        ([acl(OP.WRITE), acl(OP.WRITE, DENY)], False),
        ([acl(OP.WRITE), acl(OP.WRITE, DENY, name="orders2")], True),
        ([acl(OP.WRITE), acl(OP.WRITE, DENY, name="ord", pattern=PREFIXED)], False),
        ([acl(OP.WRITE), acl(OP.ALL, DENY, name="*")], False),
        ([acl(OP.WRITE, name="*"), acl(OP.WRITE, DENY)], True),
        ([acl(OP.WRITE, name="*"), acl(OP.WRITE, DENY, name="*")], False),
        # A literal denial does not cover a prefix, a shorter prefix does.
        ([acl(OP.WRITE, name="p", pattern=PREFIXED), acl(OP.WRITE, DENY, name="p")], True),
        ([acl(OP.WRITE, name="pp", pattern=PREFIXED),
          acl(OP.WRITE, DENY, name="p", pattern=PREFIXED)], False),
        ([acl(OP.WRITE, name="p", pattern=PREFIXED),
          acl(OP.WRITE, DENY, name="pp", pattern=PREFIXED)], True),
        ([acl(OP.WRITE, resource_type=GROUP)], False),
    ],
)  # fmt: skip
def test_an_operation_on_any_resource(acls, expected):
    assert deciding(*acls).decide_for_any(ALICE, HOST, OP.WRITE, TOPIC) is expected


def test_an_operation_on_any_resource_without_entries():
    assert deciding(everyone=True).decide_for_any(ALICE, HOST, OP.WRITE, TOPIC)


def test_the_configured_authorizer():
    assert configured_authorizer(Config({})) is None
    found = configured_authorizer(
        Config({
            "authorizer.class.name": STANDARD_AUTHORIZER,
            "super.users": " User:a; User:CN=b,O=c ;",
            "allow.everyone.if.no.acl.found": "true",
        })
    )  # fmt: skip
    assert found.super_users == {"User:a", "User:CN=b,O=c"}
    assert found.allows_without_acls
