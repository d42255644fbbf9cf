"""A quorum of one on a simulated disk, with its controller: for tests of raft and controller.

Nothing is faked: the raft node, the log, the loader and the controller are those of a node. The
world runs flushes and timers, which a node's shell would do.
"""

import json
from random import Random

from minikafka.apis.broker_heartbeat import decide_heartbeat
from minikafka.common.clock import Now
from minikafka.common.effects import Flush, Send
from minikafka.common.environment import Environment
from minikafka.common.ids import Uuid
from minikafka.config.values import Config
from minikafka.controller import (
    cluster_control,
    configuration_control,
    replication_control,
    topic_control,
)
from minikafka.controller.quorum_controller import QuorumController
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file
from minikafka.messages import alter_partition as alter_messages
from minikafka.messages import broker_heartbeat as heartbeat_messages
from minikafka.messages import broker_registration as registration_messages
from minikafka.messages import create_topics as topic_messages
from minikafka.messages import incremental_alter_configs as config_messages
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.features import DEFAULT_LEVELS, METADATA_VERSION, SUPPORTED_FEATURES
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC
from minikafka.metadata.loader import MetadataLoader
from minikafka.raft.metadata_storage import note_first_start, open_metadata_log, read_bootstrap
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.settings import RaftSettings
from minikafka.raft.snapshot_retention import SnapshotRetention
from minikafka.raft.snapshotter import Snapshotter, restore
from minikafka.raft.storage import format_directory, format_metadata_directory
from minikafka.raft.voter_history import VoterHistory
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.rpc.calls import Calls
from minikafka.rpc.controller_channel import ActiveController
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.wire_world import take_turn

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
LISTENER = "CONTROLLER"
CONTROLLER_ID = 100
DIRECTORY_ID = Uuid.of(9, 9)
SETTINGS = RaftSettings(
    election_timeout_ms=1000,
    election_backoff_max_ms=1000,
    fetch_timeout_ms=2000,
    request_timeout_ms=2000,
    retry_backoff_ms=20,
    fetch_max_bytes=1 << 20,
    snapshot_max_bytes=1 << 20,
)


def one_voter(directory_id=DIRECTORY_ID):
    endpoint = Endpoint(LISTENER, "127.0.0.1", 9093)
    return VoterSet.of([RaftVoter(CONTROLLER_ID, directory_id, (endpoint,))])


def formatted_disk(levels=None, *, dynamic=True, voters=None):
    disk = SimDisk()
    format_metadata_directory(
        disk,
        levels=dict(DEFAULT_LEVELS if levels is None else levels),
        voters=(voters or one_voter()) if dynamic else None,
        now_ms=0,
    )
    format_directory(disk, cluster_id=CLUSTER_ID, node_id=CONTROLLER_ID, directory_id=DIRECTORY_ID)
    return disk


class QuorumWorld:
    """One controller node without its shell."""

    def __init__(
        self, disk=None, config=None, *, seed=1, static=False, start_ms=1_000_000, voters=None
    ):
        self.disk = formatted_disk(voters=voters) if disk is None else disk
        self.env = Environment(Random(seed))
        self.env.clock.set(Now(start_ms, start_ms))
        self.loader = MetadataLoader()
        self.batches = []
        self.sends = []
        self.calls = Calls(self.env, "test")
        note_first_start(self.disk)
        log = open_metadata_log(self.disk, LogConfig(), self.env.clock.now, self.env.rng)
        self.raft = RaftNode(
            env=self.env,
            calls=self.calls,
            cluster_id=CLUSTER_ID,
            quorum=QuorumState(
                node_id=CONTROLLER_ID,
                directory_id=DIRECTORY_ID,
                disk=self.disk,
                listener=LISTENER,
                is_controller=True,
                history=VoterHistory((voters or one_voter(None)) if static else None),
            ),
            log=RaftLog(log),
            disk=self.disk,
            bootstrap=(),
            settings=SETTINGS,
            endpoints=(Endpoint(LISTENER, "127.0.0.1", 9093),),
        )
        self.snapshotter = Snapshotter(
            env=self.env,
            raft=self.raft,
            max_bytes=1 << 30,
            max_interval_ms=0,
            retention=SnapshotRetention(self.raft, max_bytes=-1, max_ms=-1),
        )
        self.controller = QuorumController(
            env=self.env,
            node_id=CONTROLLER_ID,
            cluster_id=CLUSTER_ID,
            raft=self.raft,
            loader=self.loader,
            values=Config(config or {}),
            endpoints=(Endpoint(LISTENER, "127.0.0.1", 9093),),
            bootstrap=read_bootstrap(self.disk),
            calls=self.calls,
            active_controller=ActiveController(self.calls, self.raft),
            broker_listener="PLAINTEXT",
        )

    @classmethod
    def started(cls, *args, **named):
        world = cls(*args, **named)
        world.start()
        return world

    def start(self):
        restore(self.raft, self.loader)
        self.raft.start(self)
        self.controller.start()
        self.settle()

    def on_commit(self):
        size = append_ms = 0
        for batch in self.raft.log.batches(self.loader.image.offset + 1, self.raft.high_watermark):
            size, append_ms = size + batch.size, batch.append_ms
            self.batches.append(batch)
            self.loader.load_batch(batch.records, last_offset=batch.last_offset, epoch=batch.epoch)
        self.controller.on_commit()
        if size:
            self.snapshotter.committed(self.loader, size, append_ms)

    def on_snapshot(self, snapshot_id, snapshot):
        raise AssertionError("the only voter fetches no snapshot")

    def on_leader_change(self):
        pass

    def on_resign(self):
        self.controller.renounce()

    def on_leader(self, epoch):
        self.controller.activate(epoch)

    # What a shell does

    def flush(self):
        """Run the flushes that are wanted now; those that they cause are left."""
        effects, self.env.effects = self.env.effects, []
        for effect in effects:
            if isinstance(effect, Send):
                self.sends.append(effect)
            if isinstance(effect, Flush):
                for target in effect.targets:
                    target.run()
                self.env.flush_done(effect.token, None)
        return bool(effects)

    def settle(self):
        while self.flush():
            pass

    def advance(self, delay_ms):
        """Let time pass, timer by timer."""
        until = self.env.clock.monotonic_ms + delay_ms
        while True:
            deadline = self.env.next_deadline_ms()
            if deadline is None or deadline > until:
                break
            at = max(deadline, self.env.clock.monotonic_ms)
            self.env.clock.set(Now(at, at))
            take_turn(self.env, at)
            self.settle()
        self.env.clock.set(Now(until, until))

    def write_snapshot(self):
        """Append a record, and write a snapshot that includes it."""
        usual, self.snapshotter.max_bytes = self.snapshotter.max_bytes, 1
        self.raft.append([NoOpRecord()], metadata_version=30)
        self.settle()
        self.snapshotter.max_bytes = usual
        self.finish_snapshot()

    def finish_snapshot(self):
        while self.snapshotter.is_writing:
            self.advance(1)

    # State that tests read

    @property
    def image(self):
        return self.controller.latest

    def records(self, since=0):
        """Committed records from an offset on."""
        return [
            record for batch in self.batches for offset, record in batch.records if offset >= since
        ]

    def apply(self, result):
        """Append, commit; the records and the response."""
        since = self.raft.end_offset
        offset = self.controller.append(result)
        epoch = self.controller.epoch
        self.settle()
        assert self.controller.is_committed(offset, epoch)
        return self.records(since), result.response

    def register(self, broker_id, *, epoch=-1, incarnation=None, version=4, **changes):
        request = registration_messages.BrokerRegistrationRequest(
            broker_id=broker_id,
            cluster_id=CLUSTER_ID,
            incarnation_id=incarnation or Uuid.draw(self.env.rng),
            listeners=[registration_messages.Listener(name="PLAINTEXT", host="h", port=9092)],
            features=[
                registration_messages.Feature(
                    name=name, min_supported_version=x.minimum, max_supported_version=x.maximum
                )
                for name, x in SUPPORTED_FEATURES.items()
            ],
            rack=None,
            log_dirs=[Uuid.of(50, broker_id + 1)],
            previous_broker_epoch=epoch,
        )
        for name, value in changes.items():
            setattr(request, name, value)
        decision = cluster_control.register_broker
        return self.apply(self.controller.decide(decision, request, version))

    def heartbeat(self, broker_id, *, offset=None, version=2, **changes):
        request = heartbeat_messages.BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=self.image.brokers[broker_id].epoch,
            current_metadata_offset=self.image.offset if offset is None else offset,
        )
        for name, value in changes.items():
            setattr(request, name, value)
        return self.apply(decide_heartbeat(self.controller, request, version))

    def join(self, *broker_ids, **changes):
        """Register brokers and have them unfenced."""
        for broker_id in broker_ids:
            self.register(broker_id, **changes)
            self.heartbeat(broker_id)

    def fence(self, broker_id):
        """A broker asks to be fenced; the records that this caused."""
        return self.heartbeat(broker_id, want_fence=True)[0]

    def create(self, name="t", assignment=((1, 2, 3),), configs=None, **changes):
        """Create a topic with this assignment; the answer for it."""
        topic = topic_messages.CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                topic_messages.CreatableReplicaAssignment(
                    partition_index=index, broker_ids=list(replicas)
                )
                for index, replicas in enumerate(assignment)
            ],
            configs=[
                topic_messages.CreatableTopicConfig(name=key, value=value)
                for key, value in (configs or {}).items()
            ],
        )
        for key, value in changes.items():
            setattr(topic, key, value)
        return self.create_all(topic)[0]

    def create_all(self, *topics, validate_only=False):
        request = topic_messages.CreateTopicsRequest(
            topics=list(topics), validate_only=validate_only
        )
        return self.apply(self.controller.decide(topic_control.create_topics, request))[1].topics

    def partition(self, name="t", index=0):
        return self.image.partition(name, index)

    def set_config(self, name, key, value, resource_type=RESOURCE_TOPIC, operation=0):
        """IncrementalAlterConfigs of one value; (records, the resource's answer)."""
        request = config_messages.IncrementalAlterConfigsRequest(
            resources=[
                config_messages.AlterConfigsResource(
                    resource_type=resource_type,
                    resource_name=name,
                    configs=[
                        config_messages.AlterableConfig(
                            name=key, value=value, config_operation=operation
                        )
                    ],
                )
            ]
        )
        records, response = self.apply(
            self.controller.decide(configuration_control.incremental_alter_configs, request)
        )
        return records, response.responses[0]

    def enable_recovery(self):
        """Enable the unclean recovery manager."""
        key = "unclean.recovery.manager.enabled"
        _, answer = self.set_config("", key, "true", RESOURCE_BROKER)
        assert answer.error_code == 0

    def propose(self, leader, isr, name="t", index=0, *, version=3, **changes):
        """AlterPartition of one partition by its leader; (records, the partition's answer)."""
        current = self.partition(name, index)
        data = alter_messages.AlterPartitionRequestPartitionData(
            partition_index=index,
            leader_epoch=current.leader_epoch,
            partition_epoch=current.partition_epoch,
            leader_recovery_state=0,
        )
        if version >= 3:
            data.new_isr_with_epochs = [alter_messages.BrokerState(broker_id=x) for x in isr]
        else:
            data.new_isr = list(isr)
        for key, value in changes.items():
            setattr(data, key, value)
        request = alter_messages.AlterPartitionRequest(
            broker_id=leader,
            broker_epoch=self.image.brokers[leader].epoch,
            topics=[
                alter_messages.AlterPartitionRequestTopicData(
                    topic_id=self.image.topic_ids[name], partitions=[data]
                )
            ],
        )
        records, response = self.apply(
            self.controller.decide(replication_control.alter_partition, request, version)
        )
        return records, response.topics[0].partitions[0]


def quorum_state_file(disk):
    return json.loads(read_file(disk, f"{METADATA_FOLDER}/quorum-state"))


def levels_of(records):
    return {x.name: x.feature_level for x in records if isinstance(x, FeatureLevelRecord)}


def default_levels(**changes):
    return {METADATA_VERSION: DEFAULT_LEVELS[METADATA_VERSION], **changes}
