"""Check that operations answered without an error are in the committed metadata log.

Source: the promise of the controller's `deferred events`: an answer follows its commit.
"""

from dataclasses import dataclass, field

from minikafka.common.ids import Uuid
from minikafka.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse
from minikafka.messages.create_topics import CreateTopicsRequest, CreateTopicsResponse
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.remove_topic_record import RemoveTopicRecord
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from minikafka.messages.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse
from minikafka.protocol.message import ApiMessage
from minikafka.raft.raft_log import MetadataBatch
from minikafka.raft.voter_set import VoterSet
from minikafka.records.batch import ControlType
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.violation import Violation

Fact = tuple[object, ...]
"""A kind, a name and a value: what a record says."""


@dataclass(slots=True)
class CommittedAnswers:
    """The facts in the committed log, in their order.

    An answer is right if what it says held when the request was sent, or became true since: another
    request may have changed it again.
    """

    coverage: Coverage
    _said: list[Fact] = field(default_factory=list)
    _voters: set[tuple[int, Uuid | None]] = field(default_factory=set)
    """The latest voters by id and directory id."""
    _topic_names: dict[Uuid, str] = field(default_factory=dict)

    @property
    def position(self) -> int:
        """The start of facts that are committed after this call."""
        return len(self._said)

    def committed(self, batch: MetadataBatch) -> None:
        """Note a batch, once, in the order of the log."""
        for kind, value in batch.control:
            if kind == ControlType.KRAFT_VOTERS:
                self._say_voters(VoterSet.from_record(value))
        for _, record in batch.records:
            if isinstance(record, TopicRecord):
                self._topic_names[record.topic_id] = record.name
                self._say("topic", record.name, value=True)
            elif isinstance(record, RemoveTopicRecord):
                self._say("topic", self._topic_names[record.topic_id], value=False)
            elif isinstance(record, ConfigRecord):
                self._say("config", (record.resource_name, record.name), value=record.value)
            elif isinstance(record, FeatureLevelRecord):
                self._say("feature", record.name, value=record.feature_level)

    def _say_voters(self, voters: VoterSet) -> None:
        now = {(each.node_id, each.directory_id) for each in voters.voters.values()}
        for key in now:
            self._say("voter", key, value=True)
        for key in self._voters - now:
            self._say("voter", key, value=False)
        self._voters = now

    def _say(self, kind: str, name: object, *, value: object) -> None:
        self._said.append((kind, name, value))

    def _held(self, kind: object, name: object, position: int) -> object:
        """The facts of the records before a position; a feature without a record has level 0."""
        known = [said[2] for said in self._said[:position] if said[:2] == (kind, name)]
        if not known:
            return 0 if kind == "feature" else None
        return known[-1]

    def answered(self, request: ApiMessage, answer: ApiMessage | None, asked_at: int) -> None:
        """Check an answer to a request that was sent at the position `asked_at`.

        Raises:
            Violation: it says yes, and the committed log does not.
        """
        if answer is None:
            return
        for kind, name, value in _promised(request, answer):
            self.coverage.rules["CommittedAnswers"] += 1
            since = [self._held(kind, name, asked_at)]
            since += [said[2] for said in self._said[asked_at:] if said[:2] == (kind, name)]
            if value not in since:
                raise Violation(
                    f"CommittedAnswers: {type(request).__name__} was answered without error, but "
                    f"{kind} {name} = {value} is not in the committed log"
                )


def _promised(request: ApiMessage, answer: ApiMessage) -> list[Fact]:
    """The facts that a response without an error confirms."""
    match request, answer:
        case CreateTopicsRequest(), CreateTopicsResponse():
            return [("topic", x.name, True) for x in answer.topics if not x.error_code]
        case DeleteTopicsRequest(), DeleteTopicsResponse():
            return [("topic", x.name, False) for x in answer.responses if not x.error_code]
        case IncrementalAlterConfigsRequest(), IncrementalAlterConfigsResponse():
            if any(x.error_code for x in answer.responses):
                return []
            return [
                ("config", (resource.resource_name, x.name), x.value)
                for resource in request.resources
                for x in resource.configs
            ]
        case UpdateFeaturesRequest(), UpdateFeaturesResponse() if not answer.error_code:
            return [("feature", x.feature, x.max_version_level) for x in request.feature_updates]
        case AddRaftVoterRequest(), AddRaftVoterResponse() if not answer.error_code:
            return [("voter", (request.voter_id, request.voter_directory_id), True)]
        case RemoveRaftVoterRequest(), RemoveRaftVoterResponse() if not answer.error_code:
            return [("voter", (request.voter_id, request.voter_directory_id), False)]
    return []
