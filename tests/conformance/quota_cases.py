"""Requests of an administrator that describe client quotas, and the quotas of the cluster.

`record_authorization` sends them to Apache Kafka, `test_client_quotas` to a simulated cluster. Only
the order of entries is not compared.
"""

import struct
from itertools import combinations, product

from minikafka.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest

USER, CLIENT, IP = "user", "client-id", "ip"
EXACT, DEFAULT, SPECIFIED = 0, 1, 2
ALTER = 49
"""AlterClientQuotas, which minikafka does not serve."""

QUOTAS = [
    ({USER: "alice"}, {"producer_byte_rate": 1024.0, "consumer_byte_rate": 2048.0}),
    ({USER: "bob"}, {"request_percentage": 12.5}),
    ({USER: None}, {"producer_byte_rate": 1.0}),
    ({CLIENT: "app"}, {"producer_byte_rate": 2.0}),
    ({CLIENT: None}, {"consumer_byte_rate": 3.0}),
    ({USER: "alice", CLIENT: "app"}, {"producer_byte_rate": 4.0}),
    ({USER: "alice", CLIENT: None}, {"producer_byte_rate": 5.0}),
    ({USER: None, CLIENT: "app"}, {"producer_byte_rate": 6.0}),
    ({USER: None, CLIENT: None}, {"controller_mutation_rate": 7.0}),
    ({IP: "127.0.0.9"}, {"connection_creation_rate": 8.0}),
    ({IP: None}, {"connection_creation_rate": 9.0}),
]


def describe(name, *components, strict=False, version=1):
    rows = [ComponentData(*each) for each in components]
    return f"describe {name}", DescribeClientQuotasRequest(rows, strict), version


def _filters():
    users = [(USER, EXACT, "alice"), (USER, EXACT, "carol"), (USER, DEFAULT, None),
             (USER, SPECIFIED, None)]  # fmt: skip
    clients = [(CLIENT, EXACT, "app"), (CLIENT, DEFAULT, None), (CLIENT, SPECIFIED, None)]
    addresses = [(IP, EXACT, "127.0.0.9"), (IP, DEFAULT, None), (IP, SPECIFIED, None)]
    yield ()
    for each in (*users, *clients, *addresses):
        yield (each,)
    yield from product(users, clients)


_INVALID = {
    "an empty type": [("", EXACT, "a")],
    "an unknown type": [("none", EXACT, "a")],
    "an unknown type beside a known one": [(USER, SPECIFIED, None), ("none", EXACT, "a")],
    "a type twice": [(USER, EXACT, "a"), (USER, SPECIFIED, None)],
    "an unknown type twice": [("none", EXACT, "a"), ("none", EXACT, "a")],
    "no name": [(USER, EXACT, None)],
    "a default with a name": [(USER, DEFAULT, "a")],
    "any with a name": [(USER, SPECIFIED, "a")],
    "an unknown match": [(USER, 3, "a")],
    "a negative match": [(USER, -1, None)],
    "an address and a user": [(IP, EXACT, "127.0.0.9"), (USER, EXACT, "a")],
    "an address and a client": [(CLIENT, DEFAULT, None), (IP, SPECIFIED, None)],
    "an empty name": [(USER, EXACT, "")],
}
CASES = [
    *(
        describe(f"{each}{' strictly' if strict else ''}", *each, strict=strict)
        for each in _filters()
        for strict in (False, True)
    ),
    *(describe(name, *each) for name, each in _INVALID.items()),
    describe("everything, v0", version=0),
    describe("an unknown type, v0", ("none", EXACT, "a"), version=0),
]


def alteration():
    """The body of an AlterClientQuotas request, v0, that sets all quotas."""

    def text(value):
        return b"\xff\xff" if value is None else struct.pack(">h", len(value)) + value.encode()

    entries = b""
    for entity, quotas in QUOTAS:
        entries += struct.pack(">i", len(entity))
        entries += b"".join(text(kind) + text(name) for kind, name in entity.items())
        entries += struct.pack(">i", len(quotas))
        entries += b"".join(text(key) + struct.pack(">d?", rate, False)
                            for key, rate in quotas.items())  # fmt: skip
    return struct.pack(">i", len(QUOTAS)) + entries + b"\0"


assert len({name for name, _, _ in CASES}) == len(CASES)
assert all(one != other for one, other in combinations([each for each, _ in QUOTAS], 2))
