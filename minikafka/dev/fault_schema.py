"""The JSON schema (draft 2020-12) of the bodies of the fault interface."""

from typing import Any, Final

from minikafka.common.errors import ErrorCode
from minikafka.dev.supervisor import ACTIONS
from minikafka.faults.vocabulary import KINDS, MAX_MS, MAX_TEXT, ROLES, api_names
from minikafka.server.fault_clock import MAX_RATE, MIN_RATE

VERSION: Final = "minikafka.faults/1"
_Schema = dict[str, Any]


def fault_schema() -> _Schema:
    """Return the schema: a definition for each kind of body."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": VERSION,
        "description": "The bodies of requests and answers of `minikafka dev --faults`",
        "$defs": {
            **_faults(),
            **_links_and_clocks(),
            **_disks(),
            **_nodes_and_errors(),
        },
    }


def _faults() -> _Schema:
    return {
        "fault": _object(
            "a fault of answers, as POST /faults takes it; all nodes have it without `node` "
            "and `nodes`",
            {**_fault_fields(), "node": _node("the only node that has it"), "nodes": _nodes()},
            ["api"],
        ),
        "set_fault": _object(
            "a fault that is set, or was until this answer, with the other fields of `fault`",
            {
                **_fault_fields(),
                "nodes": _nodes(),
                "hits": _number("the hits of all nodes"),
                "hits_by_node": {
                    "type": "object",
                    "additionalProperties": {"type": "integer"},
                    "description": "those of each running node since its start",
                },
            },
            ["id", "api", "kind", "role", "hits", "hits_by_node"],
        ),
        "faults": _object(
            "everything that is set",
            {
                "faults": _list("set_fault", "the faults of answers, in the order of trial"),
                "links": _ref("links", "the links"),
                "clocks": _by_node("clock", "the clocks that are wrong"),
                "disks": _by_node("disk", "the disks that are full or slow"),
            },
            ["faults", "links", "clocks", "disks"],
        ),
    }


def _links_and_clocks() -> _Schema:
    return {
        "links": _object(
            "links that are cut or slow, in both directions",
            {
                "cut": {"type": "array", "items": _pair(), "description": "silent links"},
                "slow": _list("slow_link", "slow links"),
            },
        ),
        "slow_link": _object(
            "a slow link",
            {
                "nodes": _pair(),
                "ms": _number("each message takes so much longer; 0: no longer", 0, MAX_MS),
            },
            ["nodes", "ms"],
        ),
        "clock": _object(
            "the clock of a node",
            {
                "offset_ms": {"type": "integer", "description": "shift of the wall clock"},
                "rate": {
                    "type": "number",
                    "minimum": MIN_RATE,
                    "maximum": MAX_RATE,
                    "description": "speed of both clocks, 1 by default",
                },
            },
        ),
    }


def _disks() -> _Schema:
    return {
        "disk": _object(
            "the disk of a node",
            {
                "full": {"type": "boolean", "description": "every write fails"},
                "sync_ms": _number("each fsync takes so much longer", 0, MAX_MS),
            },
        ),
    }


def _nodes_and_errors() -> _Schema:
    return {
        "node": _object(
            "the state of a node",
            {
                "node": _number("its id"),
                "roles": _text("broker, controller, or both"),
                "state": _text("running, starting, paused, killed, stopped, or how it ended"),
                "pid": {"type": ["integer", "null"], "description": "its process"},
                "listeners": _text("the addresses that it advertises"),
                "log": _text("its log file"),
                "notes": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": f"of {', '.join(ACTIONS)}: what a reader should know",
                },
            },
            ["node", "roles", "state", "pid", "listeners", "log"],
        ),
        "nodes": _object("all nodes", {"nodes": _list("node", "their states")}, ["nodes"]),
        "healed": _object(
            "the answer to DELETE /faults",
            {
                "healed": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "a line for each thing that was healed",
                }
            },
            ["healed"],
        ),
        "error": _object(
            "the answer to a request that was refused",
            {"error": _text("what is wrong, and what exists")},
            ["error"],
        ),
    }


def _fault_fields() -> _Schema:
    errors = [name for name in ErrorCode.__members__ if name != "NONE"]
    return {
        "id": {
            **_text("its name, fault-1 and so on by default"),
            "pattern": "^[A-Za-z0-9._-]+$",
            "maxLength": MAX_TEXT,
        },
        "api": {
            "type": "string",
            "enum": list(api_names()),
            "description": "the API whose answers are wrong",
        },
        "kind": {"enum": list(KINDS), "description": "`error`, or what else happens"},
        "error": {
            "type": "string",
            "enum": errors,
            "description": "the error code of kind `error`",
        },
        "ms": _number("the time of `delay` and `throttle`", 0, MAX_MS),
        "topic": _text("only requests that name the topic, by name or id"),
        "partition": _number("only requests that name this partition of the topic"),
        "client_id": _text("only requests of clients with this id"),
        "broker_id": _number("only requests of this node"),
        "role": {"enum": list(ROLES), "description": "only requests on listeners of this role"},
        "versions": {
            "type": "array",
            "items": {"type": "integer"},
            "minItems": 2,
            "maxItems": 2,
            "description": "only requests in versions from the first to the second number",
        },
        "nth": _number("only calls from this one on, of those of all nodes", 1),
        "times": _number("so many calls; all by default, 1 with `nth`", 1),
        "probability": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1,
            "description": "each call with this probability",
        },
        "seed": {"type": "integer", "description": "the same calls for the same seed"},
        "after": {
            "type": "boolean",
            "description": "the request is handled, and only its answer is wrong",
        },
    }


def _object(about: str, fields: _Schema, required: list[str] | None = None) -> _Schema:
    found = {"description": about, "type": "object", "properties": fields}
    return {**found, "required": required or [], "additionalProperties": False}


def _number(about: str, low: int = 0, high: int | None = None) -> _Schema:
    limits = {"minimum": low, **({} if high is None else {"maximum": high})}
    return {"type": "integer", **limits, "description": about}


def _text(about: str) -> _Schema:
    return {"type": "string", "description": about}


def _node(about: str) -> _Schema:
    return {"type": "integer", "description": about}


def _nodes() -> _Schema:
    return {
        "type": "array",
        "items": {"type": "integer"},
        "minItems": 1,
        "description": "the only nodes that have it",
    }


def _pair() -> _Schema:
    return {
        "type": "array",
        "items": {"type": "integer"},
        "minItems": 2,
        "maxItems": 2,
        "description": "the two nodes of a link",
    }


def _ref(name: str, about: str) -> _Schema:
    return {"$ref": f"#/$defs/{name}", "description": about}


def _list(name: str, about: str) -> _Schema:
    return {"type": "array", "items": {"$ref": f"#/$defs/{name}"}, "description": about}


def _by_node(name: str, about: str) -> _Schema:
    return {
        "type": "object",
        "additionalProperties": {"$ref": f"#/$defs/{name}"},
        "description": about,
    }
