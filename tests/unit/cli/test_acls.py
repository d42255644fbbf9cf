"""`kafka-acls.py` with a cluster: texts and exit status are those of Apache Kafka 4.3.1.

The entries of a resource have no certain order in Kafka's output.
"""

import argparse
import io

import pytest

from minikafka.admin.client import AdminError
from minikafka.cli import _options, acls
from minikafka.messages.api_keys import response_class
from tests.worlds.authorized_cluster import AuthorizedCluster

ALICE = ("--allow-principal", "User:a")


class _Client:
    """An AdminClient of a simulated cluster."""

    def __init__(self, client):
        self._client = client

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ask(self, request):
        return self._client.ask(request, response_class(request.API_KEY), version=3)

    ask_active = ask

    def settle(self, ask, code_of):
        answer = ask()
        assert isinstance(code_of(answer), int)
        return answer


@pytest.fixture
def secured():
    return AuthorizedCluster(separate_controller=False)


@pytest.fixture
def run(secured, capsys, monkeypatch):
    """Runs the tool; returns status, standard output, standard error."""
    client = secured.admin()
    monkeypatch.setattr(_options, "connect", lambda _: _Client(client))

    def ran(*words, answer="", server=True):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        parser = argparse.ArgumentParser()
        acls.add_arguments(parser)
        given = ["--bootstrap-server", "127.0.0.1:1"] if server else []
        status = acls.run(parser.parse_args([*given, *words]))
        output = capsys.readouterr()
        secured.settle()
        return status, output.out, output.err

    return ran


def pattern(kind, name, pattern_type="LITERAL"):
    return f"`ResourcePattern(resourceType={kind}, name={name}, patternType={pattern_type})`"


def entry(operation, principal="User:a", host="*", permission="ALLOW"):
    return (
        f"\t(principal={principal}, host={host}, operation={operation}, "
        f"permissionType={permission})\n"
    )


def test_add_list_remove(run):
    assert run("--add", *ALICE, "--topic", "t") == (
        0, f"Adding ACLs for resource {pattern('TOPIC', 't')}: \n {entry('ALL')}\n", ""
    )  # fmt: skip
    assert run("--list") == (
        0, f"Current ACLs for resource {pattern('TOPIC', 't')}:\n{entry('ALL')}\n", ""
    )  # fmt: skip
    assert run("--list", "--topic", "u") == (0, "", "")
    assert run("--remove", "--force", "--topic", "t") == (0, "", "")
    assert run("--list") == (0, "", "")


def test_an_entry_that_exists_is_not_added_again(run):
    run("--add", *ALICE, "--topic", "t", "--operation", "Read")
    assert run("--add", *ALICE, "--topic", "t", "--operation", "read", "--operation", "Write") == (
        0,
        (
            "Acl (pattern=ResourcePattern(resourceType=TOPIC, name=t, patternType=LITERAL), "
            "entry=(principal=User:a, host=*, operation=READ, permissionType=ALLOW)) already exists.\n"
            f"Adding ACLs for resource {pattern('TOPIC', 't')}: \n {entry('WRITE')}\n"
        ),
        "",
    )


def test_the_roles(run):
    status, out, _ = run("--add", *ALICE, "--producer", "--topic", "t", "--transactional-id", "x",
                         "--idempotent", "--consumer", "--group", "g")  # fmt: skip
    assert status == 0
    blocks = [
        (pattern("TOPIC", "t"), ["WRITE", "DESCRIBE", "CREATE", "READ"]),
        (pattern("TRANSACTIONAL_ID", "x"), ["WRITE", "DESCRIBE"]),
        (pattern("CLUSTER", "kafka-cluster"), ["IDEMPOTENT_WRITE"]),
        (pattern("GROUP", "g"), ["READ"]),
    ]
    assert out == "".join(
        f"Adding ACLs for resource {where}: \n {''.join(map(entry, operations))}\n"
        for where, operations in blocks
    )


def test_hosts_denials_and_principals(run):
    status, out, _ = run(
        "--add", *ALICE, "--allow-host", "1.2.3.4", "--deny-principal", "User:b", "--topic", "t",
        "--operation", "Read",
    )  # fmt: skip
    rows = entry("READ", host="1.2.3.4") + entry("READ", "User:b", permission="DENY")
    assert (status, out) == (0, f"Adding ACLs for resource {pattern('TOPIC', 't')}: \n {rows}\n")
    assert run("--list", "--principal", "User:b", "--principal", "User:c")[1] == (
        "ACLs for principal `User:b`\n"
        f"Current ACLs for resource {pattern('TOPIC', 't')}:\n"
        f"{entry('READ', 'User:b', permission='DENY')}\n"
        "ACLs for principal `User:c`\n"
    )


def test_pattern_types(run):
    words = ("--topic", "pre", "--resource-pattern-type", "prefixed", "--operation", "Describe")
    run("--add", *ALICE, *words)
    shown = f"Current ACLs for resource {pattern('TOPIC', 'pre', 'PREFIXED')}:\n"
    assert run("--list", "--topic", "prefix")[1] == ""
    match = ("--topic", "prefix", "--resource-pattern-type", "match")
    assert run("--list", *match)[1] == f"{shown}{entry('DESCRIBE')}\n"
    assert run("--remove", "--force", *match)[0] == 0
    assert run("--list")[1] == ""


@pytest.mark.parametrize(("answer", "is_removed"), [("y\n", True), ("Y\n", True), ("n\n", False),
                                                    ("", False)])  # fmt: skip
def test_a_removal_is_confirmed(run, answer, is_removed):
    run("--add", *ALICE, "--topic", "t", "--operation", "Read")
    status, out, _ = run("--remove", *ALICE, "--topic", "t", "--operation", "Read", answer=answer)
    assert (status, out) == (
        0,
        (
            f"Are you sure you want to remove ACLs: \n {entry('READ')} from resource filter "
            f"{pattern('TOPIC', 't')}? (y/n)\n"
        ),
    )
    assert (run("--list")[1] == "") is is_removed


def test_the_removal_of_all_entries_is_confirmed(run):
    assert run("--remove", "--cluster", answer="n\n")[1] == (
        "Are you sure you want to delete all ACLs for resource filter "
        f"{pattern('CLUSTER', 'kafka-cluster')}? (y/n)\n"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--add", *ALICE, "--topic", "t", "--group", "g", "--operation", "Write"),
         ("ResourceType GROUP only supports operations [READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, "
         "ALTER_CONFIGS, ALL]")),
        (("--add", *ALICE, "--topic", "t", "--operation", "Nonsense"),
         ("ResourceType TOPIC only supports operations [READ, WRITE, CREATE, DELETE, ALTER, "
         "DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS, ALL]")),
        (("--add", "--topic", "t"),
         "You must specify one of: --allow-principal, --deny-principal when trying to add ACLs."),
        (("--add", *ALICE),
         ("You must provide at least one resource: --topic <topic> or --cluster or --group <group> "
         "or --delegation-token <Delegation Token ID>")),
        (("--add", *ALICE, "--topic", "t", "--resource-pattern-type", "match"),
         "A '--resource-pattern-type' value of 'MATCH' is not valid when adding acls."),
        (("--add", "--list"), "Command must include exactly one action: --list, --add, --remove. "),
        ((), "Command must include exactly one action: --list, --add, --remove. "),
        (("--list", "--producer"), 'Option "[list]" can\'t be used with option "[producer]"'),
        (("--add", "--producer", *ALICE), "With --producer you must specify a --topic"),
        (("--add", "--consumer", *ALICE, "--topic", "t"),
         ("With --consumer you must specify a --topic and a --group and no --cluster or "
         "--transactional-id option should be specified.")),
        (("--add", "--producer", *ALICE, "--topic", "t", "--operation", "Read"),
         'Option "[producer]" can\'t be used with option "[operation]"'),
        (("--add", "--idempotent", *ALICE, "--topic", "t"),
         "The --idempotent option is only available if --producer is set"),
        (("--add", "--principal", "User:a", *ALICE, "--topic", "t"),
         "The --principal option is only available if --list is set"),
        (("--list", "--bootstrap-controller", "127.0.0.1:2"),
         "Only one of --bootstrap-server or --bootstrap-controller must be specified"),
    ],
)  # fmt: skip
def test_options_that_conflict(run, words, text):
    assert run(*words) == (1, "", f"{text}\nTry --help.\n")


def test_a_server_is_needed(run):
    assert run("--list", server=False)[2].startswith(
        "One of --bootstrap-server or --bootstrap-controller must be specified"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--add", "--allow-principal", "alice", "--topic", "t"),
         "expected a string in format principalType:principalName but got alice"),
        (("--add", *ALICE, "--topic", "t", "--resource-pattern-type", "foo"),
         "Cannot parse argument 'foo' of option resource-pattern-type"),
    ],
)  # fmt: skip
def test_values_that_cannot_be_read(run, words, text):
    assert run(*words) == (1, f"Error while executing ACL command: {text}\n", "")


def test_the_refusal_of_the_cluster(run, monkeypatch):
    def refuse(*_):
        raise AdminError("No Authorizer is configured on the broker", 54)

    monkeypatch.setattr("minikafka.commands.acls.describe_acls", refuse)
    assert run("--list") == (
        1,
        (
            "Error while executing ACL command: org.apache.kafka.common.errors."
            "SecurityDisabledException: No Authorizer is configured on the broker\n"
        ),
        "",
    )
