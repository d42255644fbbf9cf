"""The resources of the fault interface: what they answer, and that no request breaks them."""

import json
import random
import re

import jsonschema
import pytest

from minikafka.dev.control import ERROR, OK, STOPPING
from minikafka.dev.fault_resources import FaultResources
from minikafka.dev.fault_schema import fault_schema
from minikafka.faults.vocabulary import KINDS, api_names

SCHEMA = fault_schema()
FAULT = {"api": "Produce", "error": "NOT_LEADER_OR_FOLLOWER", "topic": "t", "times": 2}
BODIES = {
    ("POST", "/faults"): "fault",
    ("PUT", "/links"): "links",
    ("POST", "/links"): "links",
    ("PUT", "/clocks/2"): "clock",
    ("POST", "/disks/2"): "disk",
}
"""The definition that a body has, by the request."""


class FakeOwner:
    """Nodes that do at once what they are told."""

    def __init__(self, nodes):
        self.states = dict.fromkeys(nodes, "running")
        self.fails = {}

    def act(self, words, say):
        action, node = words[0], int(words[1])
        if node in self.fails:
            return f"{ERROR}{self.fails[node]}"
        done = {"kill": "killed", "stop": "stopped", "pause": "paused"}
        self.states[node] = done.get(action, "running")
        if action == "kill":
            say("the quorum has lost its majority")
        return OK

    def node_states(self):
        return [
            {"node": node, "roles": "broker", "state": state, "pid": None, "listeners": "",
             "log": ""}
            for node, state in self.states.items()
        ]  # fmt: skip


@pytest.fixture
def owner(machine):
    return FakeOwner(machine.layout.all_nodes)


@pytest.fixture
def ask(owner, machine):
    """Send a request; the answer's status and value, which has the form of the schema."""
    resources = FaultResources(owner, machine.faults, fault_schema)

    def asked(method, path, value=None, *, raw=None):
        body = raw if raw is not None else b"" if value is None else json.dumps(value).encode()
        found = resources.answer(method, path, body)
        if found.status >= 400:
            check("error", found.value)
        return found

    asked.resources = resources
    return asked


def check(name, value):
    """Raise if a value is not as the schema says."""
    schema = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(value)))


def test_a_fault_is_set_read_and_removed(ask):
    made = ask("POST", "/faults", {**FAULT, "node": 2})
    assert (made.status, made.headers) == (201, {"Location": "/faults/fault-1"})
    check("set_fault", made.value)
    assert made.value["nodes"] == [2]
    assert ask("GET", "/faults/fault-1").value == made.value
    found = ask("GET", "/faults").value
    check("faults", found)
    assert found["faults"] == [made.value]
    removed = ask("DELETE", "/faults/fault-1")
    assert (removed.status, removed.value) == (200, made.value)
    assert ask("GET", "/faults/fault-1").status == 404
    assert ask("DELETE", "/faults/fault-1").status == 404


def test_links_are_replaced_added_and_healed(ask):
    links = {"cut": [[2, 1]], "slow": [{"nodes": [1, 3], "ms": 50}]}
    told = {**links, "cut": [[1, 2]]}
    check("links", links)
    assert ask("PUT", "/links", links).value == told
    assert ask("POST", "/links", {"cut": [[2, 3]]}).value["cut"] == [[1, 2], [2, 3]]
    assert ask("GET", "/links").value["slow"] == links["slow"]
    assert ask("PUT", "/links", {"cut": [[2, 3]]}).value == {"cut": [[2, 3]], "slow": []}
    assert ask("DELETE", "/links").value == {"cut": [], "slow": []}


def test_clocks_are_set_and_healed(ask):
    assert ask("GET", "/clocks/2").value == {"offset_ms": 0, "rate": 1.0}
    assert ask("PUT", "/clocks/2", {"offset_ms": -5}).value == {"offset_ms": -5, "rate": 1.0}
    assert ask("GET", "/clocks").value == {"2": {"offset_ms": -5, "rate": 1.0}}
    assert ask("DELETE", "/clocks/2").value == {"offset_ms": 0, "rate": 1.0}
    assert ask("GET", "/clocks").value == {}


def test_disks_are_replaced_changed_and_healed(ask):
    assert ask("GET", "/disks/2").value == {"full": False, "sync_ms": 0}
    assert ask("PUT", "/disks/2", {"full": True}).value == {"full": True, "sync_ms": 0}
    assert ask("POST", "/disks/2", {"sync_ms": 5}).value == {"full": True, "sync_ms": 5}
    assert ask("GET", "/disks").value == {"2": {"full": True, "sync_ms": 5}}
    assert ask("PUT", "/disks/2", {"sync_ms": 7}).value == {"full": False, "sync_ms": 7}
    assert ask("DELETE", "/disks/2").value == {"full": False, "sync_ms": 0}
    assert ask("GET", "/disks").value == {}


def test_nodes_are_acted_on(ask, owner):
    check("nodes", ask("GET", "/nodes").value)
    killed = ask("POST", "/nodes/2/kill").value
    check("node", killed)
    assert (killed["state"], killed["notes"]) == ("killed", ["the quorum has lost its majority"])
    assert ask("GET", "/nodes/2").value["state"] == "killed"
    assert ask("POST", "/nodes/2/start", {}).value["state"] == "running"
    owner.fails[3] = "node 3 is running"
    assert (ask("POST", "/nodes/3/start").status, ask("POST", "/nodes/9/start").status) == (
        409,
        404,
    )
    owner.fails[3] = STOPPING
    assert ask("POST", "/nodes/3/start").status == 503


def test_healing_includes_the_nodes(ask, owner):
    ask("POST", "/faults", FAULT)
    ask("PUT", "/links", {"cut": [[1, 2]]})
    for node, action in ((1, "pause"), (2, "kill"), (3, "stop")):
        ask("POST", f"/nodes/{node}/{action}")
    healed = ask("DELETE", "/faults").value
    check("healed", healed)
    assert healed["healed"] == [
        "node 1 goes on",
        "fault-1: Produce NOT_LEADER_OR_FOLLOWER, topic t, times 2: 0 hits",
        "cut: 1-2",
        "node 2 was started",
        "node 3 was started",
    ]
    assert set(owner.states.values()) == {"running"}
    assert ask("DELETE", "/faults").value == {"healed": []}


@pytest.mark.parametrize(
    ("method", "path", "value", "status", "why"),
    [
        ("GET", "/faultz", None, 404, "did you mean faults?"),
        ("GET", "/faults/a/b", None, 404, "there is no /faults/a/b"),
        ("PATCH", "/faults", None, 405, "/faults has GET, POST, DELETE, not PATCH"),
        ("POST", "/nodes/2/kil", None, 404, "did you mean kill?"),
        ("POST", "/nodes/2/kill", [1], 400, "takes no body"),
        ("POST", "/nodes/02/kill", None, 404, "there is no node 02; the nodes are 1, 2, 3, 101"),
        ("POST", "/faults", None, 400, "the body is missing"),
        ("POST", "/faults", [FAULT], 400, "a fault is a JSON object"),
        ("POST", "/faults", {**FAULT, "topik": "t"}, 400, "no field 'topik'; did you mean topic?"),
        ("POST", "/faults", {**FAULT, "error": "NOT_LEADER"}, 400, "unknown error 'NOT_LEADER'"),
        ("POST", "/faults", {**FAULT, "node": "2"}, 400, "node: takes a node id"),
        ("POST", "/faults", {**FAULT, "nodes": []}, 400, "nodes: takes a list of node ids"),
        ("POST", "/faults", {**FAULT, "nodes": [1], "node": 1}, 400, "give one of them"),
        ("POST", "/faults", {**FAULT, "node": 101}, 400, "node 101 is no broker"),
        ("PUT", "/links", {"cuts": []}, 400, "no field 'cuts'; did you mean cut?"),
        ("PUT", "/links", {"cut": [[1, 1]]}, 400, "no link to itself"),
        ("PUT", "/links", {"cut": [[1]]}, 400, "a link is a list of two node ids"),
        ("PUT", "/links", {"cut": [[1, 9]]}, 400, "there is no node 9"),
        ("PUT", "/links", {"cut": {}}, 400, "cut and slow take lists"),
        ("PUT", "/links", {"slow": [{"nodes": [1, 2]}]}, 400, "slow: ms takes ms from 0"),
        ("PUT", "/clocks/2", {"offset_ms": 1.5}, 400, "offset_ms takes ms"),
        ("PUT", "/clocks/2", {"rate": 0}, 400, "rate takes a number from 0.1 to 10"),
        ("PUT", "/clocks/9", {}, 404, "there is no node 9"),
        ("PUT", "/disks/2", {"full": 1}, 400, "full takes true or false"),
        ("PUT", "/disks/2", {"sync_ms": None}, 400, "sync_ms takes a whole number"),
        ("PUT", "/disks/2", {"sync_ms": -1}, 400, "sync_ms takes ms from 0"),
        ("PUT", "/disks/9", {}, 404, "there is no node 9"),
        ("DELETE", "/faults", {}, 400, "takes no body"),
        ("GET", "/schema", None, 200, ""),
        ("HEAD", "/faults", None, 200, ""),
    ],
)  # fmt: skip
def test_what_is_refused_says_why(ask, machine, method, path, value, status, why):
    found = ask(method, path, value)
    assert found.status == status
    if status >= 400:
        assert why in found.value["error"]
    if status == 405:
        assert found.headers == {"Allow": "GET, POST, DELETE"}
    assert machine.faults.count() == 0


@pytest.mark.parametrize(
    "raw", [b"{", b"nul", b"null", b"NaN", b"\xff\xfe{", b"[" * 60000, b'{"api": 1e999}', b"9" * 5000]
)  # fmt: skip
def test_what_is_no_json_is_refused(ask, raw):
    assert ask("POST", "/faults", raw=raw).status == 400


def test_a_thousand_random_bodies_break_nothing(ask, machine):
    """Each is answered, as the schema says, and what the schema refuses changes nothing."""
    rng = random.Random(46)
    validators = {
        name: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})
        for name in set(BODIES.values())
    }
    accepted = 0
    for _ in range(1000):
        (method, path), name = rng.choice(list(BODIES.items()))
        value = drawn(rng, name)
        before = machine.faults.state
        found = ask(method, path, value)
        assert found.status in (200, 201, 400)
        if found.status == 400:
            assert machine.faults.state == before
        else:
            accepted += 1
            # A field that is null is as one that is missing.
            said = {field: each for field, each in value.items() if each is not None}
            assert validators[name].is_valid(said), (path, value, found)
        if rng.random() < 0.1:
            assert ask("DELETE", "/faults").status == 200
    assert accepted > 50


def drawn(rng, name):
    """A body that is nearly right, or anything."""
    fields = list(SCHEMA["$defs"][name]["properties"])
    if rng.random() < 0.1:
        return anything(rng, 3)
    value = {}
    if name == "fault" and rng.random() < 0.9:
        value["api"] = rng.choice([*api_names()[:4], "x"])
        value["kind"] = rng.choice([*KINDS, 1])
    for field in rng.sample(fields, rng.randrange(0, min(4, len(fields)))):
        value[field] = likely(rng, field) if rng.random() < 0.8 else anything(rng, 2)
    if rng.random() < 0.05:
        value[anything(rng, 0).__repr__()] = 1
    return value


def likely(rng, field):
    nodes = [[rng.choice((1, 2, 3, 101, 7)) for _ in range(rng.choice((2, 2, 2, 1)))] for _ in "ab"]
    return {
        "cut": nodes,
        "slow": [{"nodes": pair, "ms": rng.choice((0, 5, -1))} for pair in nodes],
        "offset_ms": rng.choice((0, 5, 10**30)),
        "rate": rng.choice((1, 0.5, 11)),
        "ms": rng.choice((0, 5, 10**9)),
        "error": rng.choice(("NOT_LEADER_OR_FOLLOWER", "NONE", "X")),
        "nodes": nodes[0],
        "node": nodes[0][0],
        "versions": [3, rng.choice((3, 9, 99))],
        "probability": rng.choice((0.5, 0, 2)),
        "topic": "t",
        "after": True,
        "full": rng.choice((True, False)),
        "sync_ms": rng.choice((0, 5, 10**9)),
    }.get(field, rng.choice((0, 1, "x")))


def anything(rng, depth):
    if depth and rng.random() < 0.5:
        if rng.random() < 0.5:
            return [anything(rng, depth - 1) for _ in range(rng.randrange(4))]
        return {str(rng.random()): anything(rng, depth - 1) for _ in range(rng.randrange(4))}
    return rng.choice(
        (None, True, 0, -1, 1 << 70, 1.5, 1e300, "", "\ud800", "\x00", "ü" * 2000, "Produce")
    )


def test_the_schema_is_one_and_is_served(ask):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert ask("GET", "/schema").value == SCHEMA
    for name, value in (("fault", FAULT), ("clock", {"offset_ms": 1})):
        check(name, value)
    with pytest.raises(jsonschema.ValidationError, match="'Prodoce' is not one of"):
        check("fault", {**FAULT, "api": "Prodoce"})


def test_the_index_names_every_resource(ask):
    found = ask("GET", "/").value["resources"]
    assert found["/nodes/NODE/ACTION"] == ["POST"]
    assert all(re.fullmatch(r"/|(/[a-zA-Z]+)+", path) for path in found)
