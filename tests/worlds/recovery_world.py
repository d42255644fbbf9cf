"""A controller with brokers that answer for their logs, for tests of unclean recovery.

Brokers are names with logs: the controller's questions pass through bytes, as on a wire.
"""

from minikafka.common.events import CLOSED_BY_PEER
from minikafka.common.ids import TopicIdPartition
from minikafka.controller.election import LogInfo
from minikafka.messages import broker_registration as registration_messages
from minikafka.messages import get_replica_log_info as info_messages
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsResponse
from minikafka.rpc.envelope import decode_request, encode_response
from tests.worlds.quorum_world import QuorumWorld

MANAGER = {"unclean.recovery.manager.enabled": "true"}
_PORT = 9000


class RecoveryWorld(QuorumWorld):
    """`logs` is what each broker holds, `asked` what was asked.

    `dead` refuse connections, `foreign` do not have the API, `silent` do not answer (`unanswered`), `behind` have not read the last change of the
    partition, `wrong_epoch` and `errors` are answered in place of what is true.
    """

    def __init__(self, *args, manager=True, config=None, **named):
        given = {"auto.leader.rebalance.enable": "false", **(config or {})}
        super().__init__(*args, config={**(MANAGER if manager else {}), **given}, **named)
        self.logs = {}
        self.dead = {}
        self.asked = []
        self.silent = {}
        self.foreign = {}
        self.unanswered = []
        self.wrong_epoch = {}
        self.errors = {}
        self.behind = {}

    @property
    def recovery(self):
        return self.controller.recovery

    def register(self, broker_id, **changes):
        port = _PORT + broker_id
        changes.setdefault(
            "listeners",
            [registration_messages.Listener(name="PLAINTEXT", host="h", port=port)],
        )
        return super().register(broker_id, **changes)

    def holds(self, broker_id, epoch, end_offset):
        """Set the end of all logs of a broker."""
        self.logs[broker_id] = LogInfo(epoch, end_offset)

    def kill(self, *broker_ids):
        """Brokers are gone, and the controller notices it."""
        for broker_id in broker_ids:
            self.dead[broker_id] = None
            if not self.image.brokers[broker_id].fenced:
                self.fence(broker_id)

    def come_back(self, broker_id, *, clean=False, unfence=True):
        """A broker that was gone starts again; its shutdown was unclean unless said otherwise."""
        self.dead.pop(broker_id, None)
        epoch = self.image.brokers[broker_id].epoch if clean else -1
        self.register(broker_id, epoch=epoch)
        if unfence:
            self.heartbeat(broker_id)

    def talk(self, for_ms=0):
        """Let time pass; every question that is sent meanwhile is answered at once."""
        until = self.env.clock.monotonic_ms + for_ms
        while True:
            self._answer_all()
            due = self.env.timers.next_deadline_ms()
            now = self.env.clock.monotonic_ms
            if due is None or due > until:
                break
            self.advance(max(due - now, 0))
        self.advance(until - self.env.clock.monotonic_ms)

    def _answer_all(self):
        self.settle()
        while self.sends:
            sends, self.sends = self.sends, []
            for send in sends:
                self.answer(send)
            self.advance(0)

    def answer(self, send):
        """Answer one question as its broker would."""
        frame = memoryview(b"".join(bytes(part) for part in send.parts))[4:]
        header, request = decode_request(frame)
        broker_id = send.channel.port - _PORT
        if send.channel.purpose == "stopped-broker-detection":
            return  # Not answered here: the sessions end.
        if header.api_key == ApiKey.API_VERSIONS:
            self._respond(send, header, ApiVersionsResponse())
            return
        assert request.broker_id == broker_id
        keys = [
            TopicIdPartition(topic.topic_id, index)
            for topic in request.topic_partitions
            for index in topic.partitions
        ]
        self.asked.append((broker_id, keys))
        if broker_id in self.dead:
            self.calls.channel_down(send.channel, "connection refused")
        elif broker_id in self.foreign:
            self.calls.channel_down(send.channel, CLOSED_BY_PEER)
        elif broker_id in self.silent:
            self.unanswered.append(send)
        else:
            self._respond(send, header, self._response(request))

    def _respond(self, send, header, response):
        parts = encode_response(header.correlation_id, response, header.api_version)
        answer = bytearray(b"".join(bytes(part) for part in parts))
        self.calls.response(send.channel, memoryview(answer)[4:])

    def _response(self, request):
        broker_id = request.broker_id
        log = self.logs.get(broker_id, LogInfo(0, 0))
        rows = []
        for topic in request.topic_partitions:
            known = self.loader.image.topics[topic.topic_id].partitions
            rows.append(
                info_messages.TopicPartitionLogInfo(
                    topic.topic_id,
                    [
                        info_messages.PartitionLogInfo(
                            index,
                            last_written_leader_epoch=log.last_epoch,
                            current_leader_epoch=known[index].leader_epoch
                            - (broker_id in self.behind),
                            log_end_offset=log.end_offset,
                            error_code=self.errors.get(broker_id, 0),
                        )
                        for index in topic.partitions
                    ],
                )
            )
        epoch = self.wrong_epoch.get(broker_id, self.loader.image.brokers[broker_id].epoch)
        return info_messages.GetReplicaLogInfoResponse(
            broker_epoch=epoch, topic_partition_log_info_list=rows
        )

    @property
    def leader(self):
        return self.partition().leader

    @property
    def counts(self):
        """(recovering, waiting for an operator, finished)."""
        recovery = self.recovery
        return (
            recovery.recovering_count,
            recovery.manual_election_required_count,
            recovery.finished_count,
        )


def world_with_topic(*, strategy=None, configs=None, replicas=(1, 2, 3), **named):
    """Three brokers, topic t with one partition of them and min ISR 2."""
    world = RecoveryWorld.started(**named)
    world.join(*replicas)
    own = {"min.insync.replicas": "2", **(configs or {})}
    if strategy is not None:
        own["unclean.recovery.strategy"] = strategy
    assert world.create(assignment=(replicas,), configs=own).error_code == 0
    world.talk()
    return world


def lost_world(**named):
    """The same, with all gone: ISR [], ELR [1, 2], last leader 1. The logs differ: 3 is longest."""
    world = world_with_topic(**named)
    world.kill(3, 2, 1)
    world.holds(1, 4, 100)
    world.holds(2, 4, 150)
    world.holds(3, 4, 200)
    world.talk()
    return world
