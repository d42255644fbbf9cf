"""Consumer groups of one coordinator, asked through the handlers of the APIs."""

from types import SimpleNamespace

from minikafka.apis.consumer_group_describe import consumer_group_describe
from minikafka.apis.consumer_group_heartbeat import consumer_group_heartbeat
from minikafka.apis.delete_groups import delete_groups
from minikafka.apis.describe_groups import describe_groups
from minikafka.apis.heartbeat import heartbeat
from minikafka.apis.join_group import join_group
from minikafka.apis.leave_group import leave_group
from minikafka.apis.list_groups import list_groups
from minikafka.apis.offset_commit import offset_commit
from minikafka.apis.offset_fetch import offset_fetch
from minikafka.apis.sync_group import sync_group
from minikafka.common.ids import Uuid
from minikafka.common.principal import ANONYMOUS
from minikafka.messages.api_keys import ApiKey
from minikafka.metadata.features import GROUP_VERSION
from minikafka.metadata.image import ImageBuilder
from minikafka.protocol.primitives import Reader, Writer
from minikafka.serving.context import BrokerContext
from tests.conformance.group_answers import Side
from tests.worlds.group_world import World

HANDLERS = {
    ApiKey.CONSUMER_GROUP_HEARTBEAT: consumer_group_heartbeat,
    ApiKey.CONSUMER_GROUP_DESCRIBE: consumer_group_describe,
    ApiKey.DELETE_GROUPS: delete_groups,
    ApiKey.DESCRIBE_GROUPS: describe_groups,
    ApiKey.HEARTBEAT: heartbeat,
    ApiKey.JOIN_GROUP: join_group,
    ApiKey.LEAVE_GROUP: leave_group,
    ApiKey.LIST_GROUPS: list_groups,
    ApiKey.OFFSET_COMMIT: offset_commit,
    ApiKey.OFFSET_FETCH: offset_fetch,
    ApiKey.SYNC_GROUP: sync_group,
}
CONFIG = {"group_consumer_assignment_interval_ms": 0}


class InProcess(Side):
    """A coordinator without processes; `topics` has the number of partitions of each."""

    def __init__(self, topics, world=None, **config):
        super().__init__()
        self.world = world or World(**(CONFIG | config))
        self.image = self.world.groups.view.image
        self.change(lambda builder: builder.set_feature(GROUP_VERSION, 1))
        for number, (name, count) in enumerate(topics.items()):
            self.create(name, count, Uuid.of(50, number))

    def change(self, change):
        """Let the metadata change by a function of an `ImageBuilder`."""
        builder = ImageBuilder(self.image)
        change(builder)
        self.image = builder.build(self.image.offset + 1, 1)
        self.world.image = self.image

    def create(self, name, count, topic_id):
        """Create a topic, or give it more partitions."""
        self.topic_ids[name] = topic_id

        def put(builder):
            builder.put_topic(name, topic_id)
            for index in range(count):
                builder.put_partition(topic_id, index, self.world.registration(1))

        self.change(put)

    def ask(self, request, version):
        world = self.world
        broker = SimpleNamespace(
            authorizer=None,
            groups=world.groups,
            config=SimpleNamespace(values=world.config),
            local=SimpleNamespace(config=world.config),
            image=self.image,
        )
        context = BrokerContext(
            world.env,
            request.API_KEY,
            version,
            1,
            "compare",
            "L",
            "127.0.0.1",
            ANONYMOUS,
            broker,
            None,
        )
        found = HANDLERS[ApiKey(request.API_KEY)](context, request)
        return _as_read(self._finished(found, request), version)

    def _finished(self, found, request):
        if hasattr(found, "__slots__"):
            return found
        world = self.world
        try:
            wait = next(found)
            while True:
                world.run()
                assert wait.settled(), f"{request} waits"
                wait = found.send(True)
        except StopIteration as end:
            return end.value

    def fail_over(self):
        """Another coordinator takes over, on the same log."""
        self.world.restart()

    def resolve_patterns(self):
        self.world.run(for_ms=150)


def _as_read(answer, version):
    """An answer as a client reads it in this version."""
    writer = Writer()
    answer.encode(writer, version)
    return type(answer).decode(Reader(bytes(writer.buf)), version)
