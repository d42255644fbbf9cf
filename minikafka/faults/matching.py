"""The calls of an API that a fault hits, and their number so far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.common.wait_key import WaitKey
from minikafka.faults.vocabulary import ASKERS, AnswerFault, FaultError
from minikafka.messages.api_keys import ApiKey
from minikafka.metadata.image import MetadataImage
from minikafka.replica.fetch_session import replica_id_of
from minikafka.serving.registry import BROKER

MAX_FAULTS: Final = 1000
CLIENT: Final = -1
"""The asker of a request that no node sends."""


class CallCounter(Protocol):
    """Counts the calls that a fault is for, and its hits."""

    def count(self, decide: Callable[[int, int], bool]) -> bool:
        """Count a call, and a hit if `decide` returns True; return what it returned.

        It gets the number of this call, from 1, and the number of hits before it.
        """


@dataclass(slots=True, eq=False)
class NodeCounter:
    """The counts at one node."""

    calls: int = 0
    hits: int = 0

    def count(self, decide: Callable[[int, int], bool]) -> bool:
        """Count a call; see `CallCounter`."""
        self.calls += 1
        is_hit = decide(self.calls, self.hits)
        self.hits += is_hit
        return is_hit


@dataclass(slots=True, eq=False)
class ActiveFault:
    """A fault that is set in a node, with its hits there.

    `image` is the metadata from when it was set. `counter` may count for several nodes.
    """

    fault: AnswerFault
    image: MetadataImage
    counter: CallCounter = field(default_factory=NodeCounter)
    key: WaitKey = field(default_factory=lambda: WaitKey("fault"))
    """Notified when the fault is removed."""
    is_removed: bool = False
    hits: int = 0

    def matches_call(self, role: str, version: int, client_id: str | None, asker: int) -> bool:
        """Return True if the fault is for such a call of its API, whatever it is about.

        A fault without `broker_id` is for clients, on a controller listener for every node.
        """
        fault = self.fault
        if fault.role != role:
            return False
        if fault.versions is not None and not fault.versions[0] <= version <= fault.versions[1]:
            return False
        if fault.client_id is not None and fault.client_id != client_id:
            return False
        if fault.broker_id is None:
            return role != BROKER or asker == CLIENT
        return fault.broker_id == asker

    def matches_topic(self, name: str, topic_id: Uuid, index: int | None) -> bool:
        """Return True if the fault is for a topic or partition; `index` None: for the topic.

        The request may name the topic by its name or its id, and so may the fault.
        """
        fault = self.fault
        if fault.topic is None:
            return True
        if fault.partition is not None and index is not None and index != fault.partition:
            return False
        return fault.topic in (name, str(topic_id))

    def fires(self) -> bool:
        """Count a call that matches; return True if the fault hits it, and count the hit."""
        is_hit = self.counter.count(self._decide)
        self.hits += is_hit
        return is_hit

    def _decide(self, call: int, hits: int) -> bool:
        fault = self.fault
        if fault.nth is not None and call < fault.nth:
            return False
        if fault.times is not None and hits >= fault.times:
            return False
        # By the number of the call: several nodes that count together draw once for each.
        return fault.probability >= 1 or Random(f"{fault.seed} {call}").random() < fault.probability


@dataclass(slots=True, eq=False)
class FaultSet:
    """The faults that are set in a node, in the order in which they are tried."""

    active: tuple[ActiveFault, ...] = ()
    by_api: dict[int, tuple[ActiveFault, ...]] = field(default_factory=dict)

    def replace(
        self,
        faults: Sequence[AnswerFault],
        image: MetadataImage,
        notify: Callable[[WaitKey], None],
        counter_of: Callable[[AnswerFault], CallCounter] = lambda _: NodeCounter(),
    ) -> None:
        """Set these faults and no others; one that was set before keeps its counts.

        `counter_of` makes the counter of a new fault.

        Raises:
            FaultError: there are too many, or two have one id.
        """
        if len(faults) > MAX_FAULTS:
            raise FaultError(f"at most {MAX_FAULTS} faults can be set, not {len(faults)}")
        names = [fault.id for fault in faults]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise FaultError(f"id: two faults have the id {twice!r}")
        before = {each.fault: each for each in self.active}
        counters = {fault: counter_of(fault) for fault in faults if fault not in before}
        self.active = tuple(
            before.pop(fault) if fault in before else ActiveFault(fault, image, counters[fault])
            for fault in faults
        )
        self.by_api = {}
        for each in self.active:
            key = each.fault.key
            self.by_api[key] = (*self.by_api.get(key, ()), each)
        for removed in before.values():
            removed.is_removed = True
            notify(removed.key)

    def hits(self) -> dict[str, int]:
        """Return the number of hits by the id of each fault."""
        return {each.fault.id: each.hits for each in self.active}


def asker_of(body: Any) -> int:
    """Return the node that sends a request, or `CLIENT`."""
    key = body.API_KEY
    if key == ApiKey.FETCH:
        return max(CLIENT, replica_id_of(body))
    name = ASKERS.get(key)
    # A client for debugging asks as -2.
    return CLIENT if name is None else max(CLIENT, int(getattr(body, name)))


def named_topic(image: MetadataImage, name: str, topic_id: Uuid) -> tuple[str, Uuid]:
    """Return name and id of a topic of which a request names one, as far as they are known."""
    if not name and topic_id != ZERO_UUID:
        known = image.topics.get(topic_id)
        return ("" if known is None else known.name), topic_id
    if topic_id == ZERO_UUID:
        return name, image.topic_ids.get(name, ZERO_UUID)
    return name, topic_id
