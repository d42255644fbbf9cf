"""Requests to a group coordinator through the handlers of its APIs."""

from types import SimpleNamespace

from minikafka.apis.offset_commit import offset_commit
from minikafka.common.ids import Uuid
from minikafka.common.principal import ANONYMOUS
from minikafka.log.producers.verification import UNCHECKED
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.image import ImageBuilder
from minikafka.serving.absent import AbsentFeatureWarnings
from minikafka.serving.context import BrokerContext

T = Uuid.of(3, 3)


def _admit(_, __, write):
    """Every transaction includes every group."""
    write(UNCHECKED)


class Asked:
    """Asks broker 1, whose metadata has topic t with two partitions."""

    def __init__(self, world, fenced=False):
        builder = ImageBuilder(world.groups.view.image)
        builder.put_topic("t", T)
        for index in (0, 1):
            builder.put_partition(T, index, world.registration(1))
        builder.put_broker(
            BrokerRegistration(
                broker_id=1, epoch=1, incarnation_id=Uuid.of(1, 1),
                endpoints=(Endpoint("L", "host", 9092, 0),), features={}, rack=None,
                fenced=fenced, in_controlled_shutdown=False, log_dirs=(),
                cordoned_log_dirs=None, registered_at=1,
            )
        )  # fmt: skip
        self.world = world
        self.created = []
        self.image = builder.build(2, 1)

    def __call__(self, handler, request, version):
        broker = SimpleNamespace(
            authorizer=None,
            groups=self.world.groups,
            config=SimpleNamespace(values=self.world.config),
            replicas=SimpleNamespace(get=lambda _: self.world.partition),
            transactional_appends=SimpleNamespace(admit=_admit),
            image=self.image,
            auto_topics=SimpleNamespace(create=self.created.extend),
            absent=AbsentFeatureWarnings(),
        )
        context = BrokerContext(
            self.world.env,
            request.API_KEY,
            version,
            1,
            "client",
            "L",
            "127.0.0.1",
            ANONYMOUS,
            broker,
            None,
        )
        return handler(context, request)

    def commit(self, version=9, group="g", topic="t", topic_id=T, indexes=(0,)):
        rows = [OffsetCommitRequestPartition(index, 40 + index, 2, "m") for index in indexes]
        topics = [OffsetCommitRequestTopic(topic, topic_id, rows)]
        return self(offset_commit, OffsetCommitRequest(group, topics=topics), version)
