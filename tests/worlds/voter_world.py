"""One voter of three, with its log, disk and controller; a test plays the other two."""

from types import SimpleNamespace

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import METADATA_TOPIC_ID, ZERO_UUID, Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages import begin_quorum_epoch as begin_messages
from minikafka.messages import end_quorum_epoch as end_messages
from minikafka.messages import fetch as fetch_messages
from minikafka.messages import vote as vote_messages
from minikafka.messages.api_keys import ApiKey
from minikafka.metadata.broker_registration import Endpoint
from minikafka.raft.election_state import ElectionState, write_election_state
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.rpc.envelope import decode_request, encode_response
from tests.worlds.quorum_world import (
    CLUSTER_ID,
    CONTROLLER_ID,
    DIRECTORY_ID,
    LISTENER,
    QuorumWorld,
    formatted_disk,
)

METADATA = "__cluster_metadata"
OTHERS = (101, 102)


def directory_of(node_id):
    return DIRECTORY_ID if node_id == CONTROLLER_ID else Uuid.of(9, node_id % (1 << 64))


def address_of(node_id):
    return f"n{node_id}", 9093


def voters_of(*node_ids, static=False):
    return VoterSet.of(
        RaftVoter(
            each, None if static else directory_of(each), (Endpoint(LISTENER, *address_of(each)),)
        )
        for each in node_ids
    )


def write_first_state(disk):
    """The `quorum-state` of a voter that has seen no election."""
    disk.make_dir(METADATA_FOLDER)
    write_election_state(disk, METADATA_FOLDER, ElectionState(), kraft_version=1, voters=[])


class VoterWorld(QuorumWorld):
    """The voter `CONTROLLER_ID`; 101 and 102 do what a test lets them do."""

    def __init__(self, disk=None, *, static=False, others=OTHERS, new=False, **options):
        """With `new` it has never voted: its disk has no `quorum-state`."""
        voters = voters_of(CONTROLLER_ID, *others, static=static)
        if disk is None:
            disk = formatted_disk(dynamic=not static, voters=voters)
            if not new:
                write_first_state(disk)
        super().__init__(
            disk,
            {"metadata.max.idle.interval.ms": "0"},
            static=static,
            voters=voters,
            **options,
        )
        self.snapshots = []

    def on_snapshot(self, snapshot_id, snapshot):
        self.snapshots.append(snapshot_id)
        self.loader.load_snapshot(
            snapshot.records, last_offset=snapshot_id.end_offset - 1, epoch=snapshot_id.epoch
        )

    @property
    def role(self):
        return self.raft.quorum.role.value

    @property
    def position(self):
        """Role, epoch and leader."""
        return self.role, self.raft.epoch, self.raft.leader_id

    @property
    def elections(self):
        return self.raft.elections

    # What this voter sends

    def sent(self, key=None):
        """Requests since the last call: (channel, header, request), of one API or all."""
        self.settle()
        sends, self.sends = self.sends, []
        found = []
        for send in sends:
            frame = memoryview(bytearray(b"".join(bytes(part) for part in send.parts)))
            header, request = decode_request(frame[4:])
            if key is None or header.api_key == key:
                found.append((send.channel, header, request))
        return found

    def wait_for(self, key, most_ms=20_000):
        """Let time pass until requests of this API were sent; those."""
        for _ in range(0, most_ms, 10):
            if found := self.sent(key):
                return found
            self.advance(10)
        raise AssertionError(f"no {ApiKey(key).name} within {most_ms} ms")

    def answer(self, request, response):
        """Deliver the response to one of `sent`."""
        channel, header, _ = request
        parts = encode_response(header.correlation_id, response, header.api_version)
        frame = b"".join(bytes(part) for part in parts)
        self.calls.response(channel, memoryview(bytearray(frame[4:])))
        self.settle()

    def lose(self, request):
        """Break the connection of one of `sent`."""
        self.calls.channel_down(request[0], "refused")
        self.settle()

    def vote_answer(self, request, *, granted, epoch=None, leader_id=-1, error=0, address=None):
        """Answer a request for a vote."""
        epoch = request[2].topics[0].partitions[0].replica_epoch if epoch is None else epoch
        data = vote_messages.VoteResponsePartitionData(0, error, leader_id, epoch, granted)
        response = vote_messages.VoteResponse(
            topics=[vote_messages.VoteResponseTopicData(METADATA, [data])]
        )
        if address is not None:
            response.node_endpoints = [vote_messages.NodeEndpoint(leader_id, *address)]
        self.answer(request, response)

    def elect(self):
        """Grant pre-vote and vote: this voter is the leader then."""
        for _ in ("pre-vote", "vote"):
            self.vote_answer(self.wait_for(ApiKey.VOTE)[0], granted=True)
        assert self.raft.is_leader
        return self

    def fetched_by(self, *node_ids, directory_id=None):
        """The voters fetch at the log's end."""
        for each in node_ids:
            self.raft.fetched(each, directory_id or directory_of(each), self.raft.end_offset)
        self.settle()

    # What others send

    def ask(self, handler, request, version):
        """The response of a handler of the controller listener."""
        services = SimpleNamespace(raft=self.raft, cluster_id=CLUSTER_ID)
        ctx = SimpleNamespace(
            authorizer=None, services=services, version=version, deadline_ms=lambda wait: wait
        )
        response = handler(ctx, request)
        self.settle()
        return response

    def follow(self, leader_id=101, epoch=1):
        """Follow a leader, as after its BeginQuorumEpoch."""
        error = self.elections.answer_begin_epoch(epoch, leader_id, address_of(leader_id))
        assert error == ErrorCode.NONE
        assert self.position == ("follower", epoch, leader_id)
        self.settle()
        return self

    def fetch_answer(self, request, **fields):
        """Answer a fetch as the leader that this voter follows."""
        raft = self.raft
        data = fetch_messages.PartitionData(0, **{"high_watermark": -1, "records": b"", **fields})
        if data.current_leader is None:
            data.current_leader = fetch_messages.LeaderIdAndEpoch(raft.leader_id, raft.epoch)
        topic = fetch_messages.FetchableTopicResponse(topic_id=METADATA_TOPIC_ID, partitions=[data])
        self.answer(request, fetch_messages.FetchResponse(responses=[topic]))


def vote_request(
    epoch,
    replica_id=101,
    *,
    pre_vote=False,
    end_offset=1_000,
    last_epoch=None,
    directory_id=None,
    voter_id=CONTROLLER_ID,
    voter_directory_id=DIRECTORY_ID,
    cluster_id=CLUSTER_ID,
):
    last_epoch = max(epoch - 1, 0) if last_epoch is None else last_epoch
    data = vote_messages.VoteRequestPartitionData(
        0,
        epoch,
        replica_id,
        directory_of(replica_id) if directory_id is None else directory_id,
        voter_directory_id,
        last_epoch,
        end_offset,
        pre_vote,
    )
    topics = [vote_messages.VoteRequestTopicData(METADATA, [data])]
    return vote_messages.VoteRequest(cluster_id, voter_id, topics)


def begin_request(
    epoch,
    leader_id=101,
    *,
    voter_id=CONTROLLER_ID,
    voter_directory_id=DIRECTORY_ID,
    cluster_id=CLUSTER_ID,
    endpoints=None,
):
    data = begin_messages.BeginQuorumEpochRequestPartitionData(
        0, voter_directory_id, leader_id, epoch
    )
    host, port = address_of(leader_id)
    if endpoints is None:
        endpoints = [begin_messages.LeaderEndpoint(LISTENER, host, port)]
    topics = [begin_messages.BeginQuorumEpochRequestTopicData(METADATA, [data])]
    return begin_messages.BeginQuorumEpochRequest(cluster_id, voter_id, topics, endpoints)


def end_request(epoch, leader_id=101, *, successors=(), cluster_id=CLUSTER_ID):
    """`successors` are (id, directory id), or ids for version 0."""
    data = end_messages.EndQuorumEpochRequestPartitionData(
        partition_index=0, leader_id=leader_id, leader_epoch=epoch
    )
    for each in successors:
        if isinstance(each, int):
            data.preferred_successors.append(each)
        else:
            data.preferred_candidates.append(end_messages.ReplicaInfo(*each))
    topics = [end_messages.EndQuorumEpochRequestTopicData(METADATA, [data])]
    return end_messages.EndQuorumEpochRequest(cluster_id, topics, [])


def without_directories(request):
    """The same request for a vote, as version 0 has it."""
    data = request.topics[0].partitions[0]
    data.replica_directory_id = data.voter_directory_id = ZERO_UUID
    request.voter_id = -1
    return request
