"""Asks the handlers of transaction APIs, on a `TransactionWorld` whose markers are written."""

from types import SimpleNamespace

from minikafka.apis.add_offsets_to_txn import add_offsets_to_txn
from minikafka.apis.add_partitions_to_txn import add_partitions_to_txn
from minikafka.apis.describe_transactions import describe_transactions
from minikafka.apis.end_txn import end_txn
from minikafka.apis.find_coordinator import find_coordinator
from minikafka.apis.init_producer_id import init_producer_id
from minikafka.apis.list_transactions import list_transactions
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.common.principal import ANONYMOUS
from minikafka.common.wait_key import WaitKey
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.absent import AbsentFeatureWarnings
from minikafka.serving.context import BrokerContext
from minikafka.serving.steps import Compute, WaitUntil

HANDLERS = {
    ApiKey.FIND_COORDINATOR: find_coordinator,
    ApiKey.INIT_PRODUCER_ID: init_producer_id,
    ApiKey.ADD_PARTITIONS_TO_TXN: add_partitions_to_txn,
    ApiKey.ADD_OFFSETS_TO_TXN: add_offsets_to_txn,
    ApiKey.END_TXN: end_txn,
    ApiKey.LIST_TRANSACTIONS: list_transactions,
    ApiKey.DESCRIBE_TRANSACTIONS: describe_transactions,
}


class Asked:
    """Asks broker 1. With `writes_markers`, the markers are written after each answer."""

    def __init__(self, world, *, writes_markers=True, listener="L", each_takes_ms=0):
        self.world = world
        self.writes_markers = writes_markers
        self.listener = listener
        self.each_takes_ms = each_takes_ms
        self.created = []
        world.ids.arrived = WaitKey("ids")

    def __call__(self, request, version):
        """The answer; waits end when what they wait for has happened, or at their deadline."""
        world = self.world
        broker = SimpleNamespace(
            authorizer=None,
            transactions=world.coordinator,
            groups=SimpleNamespace(partition_of=self._partition_of),
            local=SimpleNamespace(config=world.offsets_config),
            config=SimpleNamespace(inter_broker_listener_name="L"),
            producer_ids=world.ids,
            image=world.image,
            auto_topics=SimpleNamespace(create=self.created.extend),
            absent=AbsentFeatureWarnings(),
        )
        context = BrokerContext(
            world.env,
            request.API_KEY,
            version,
            1,
            "client",
            self.listener,
            "h",
            ANONYMOUS,
            broker,
            None,
        )
        answer = HANDLERS[request.API_KEY](context, request)
        if hasattr(answer, "send"):
            answer = self._finished(answer)
        world.run(self.each_takes_ms)
        if self.writes_markers:
            world.write_all_markers()
        return answer

    def _partition_of(self, group):
        return 0 if OFFSETS_TOPIC in self.world.topics else None

    def _finished(self, steps):
        world = self.world
        result = None
        while True:
            try:
                step = steps.send(result)
            except StopIteration as stop:
                return stop.value
            if isinstance(step, Compute):
                result = step.function()
                continue
            assert isinstance(step, WaitUntil)
            world.run()
            result = step.settled()
            if not result:
                world.run(max(step.deadline_ms - world.now_ms, 0))
                result = step.settled()
