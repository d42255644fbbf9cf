"""The voters of the quorum that owns the metadata log, and their addresses.

A static set (`controller.quorum.voters`, kraft.version 0) has ids and addresses; a dynamic one
(kraft.version 1) comes from VotersRecords and also has directory ids.

Source: `VoterSet`, KIP-853.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.data import voters_record as messages
from minikafka.metadata.broker_registration import Endpoint, FeatureRange
from minikafka.protocol.message import decode_message, encode_message
from minikafka.protocol.primitives import MalformedMessage


class RaftVoter(NamedTuple):
    """One voter. `directory_id` is None in a static set."""

    node_id: int
    directory_id: Uuid | None
    endpoints: tuple[Endpoint, ...]
    kraft_versions: FeatureRange = FeatureRange(0, 1)

    def address(self, listener: str) -> tuple[str, int] | None:
        """Host and port of the voter's `listener`, or None if it has none of that name."""
        for endpoint in self.endpoints:
            if endpoint.name == listener:
                return endpoint.host, endpoint.port
        return None


@dataclass(frozen=True, slots=True)
class VoterSet:
    """The voters by id, in ascending order of ids."""

    voters: dict[int, RaftVoter]

    @classmethod
    def of(cls, voters: Iterable[RaftVoter]) -> "VoterSet":
        """Make a set of these voters."""
        return cls({v.node_id: v for v in sorted(voters, key=lambda voter: voter.node_id)})

    @classmethod
    def from_record(cls, value: bytes) -> "VoterSet":
        """Decode the value of a KRAFT_VOTERS control record.

        Raises:
            MalformedMessage: it is not such a value, or has no voter.
        """
        record = decode_message(messages.VotersRecord, value, 0)
        if not record.voters:
            raise MalformedMessage("a set of voters is empty")
        return cls.of(
            RaftVoter(
                voter.voter_id,
                voter.voter_directory_id,
                tuple(Endpoint(e.name, e.host, e.port) for e in voter.endpoints),
                FeatureRange(
                    voter.kraft_version_feature.min_supported_version,
                    voter.kraft_version_feature.max_supported_version,
                ),
            )
            for voter in record.voters
        )

    def to_record(self) -> bytes:
        """Encode this set as the value of a KRAFT_VOTERS control record."""
        return encode_message(
            messages.VotersRecord(
                voters=[
                    messages.Voter(
                        voter_id=voter.node_id,
                        voter_directory_id=voter.directory_id or ZERO_UUID,
                        endpoints=[
                            messages.Endpoint(name=e.name, host=e.host, port=e.port)
                            for e in voter.endpoints
                        ],
                        kraft_version_feature=messages.KRaftVersionFeature(
                            min_supported_version=voter.kraft_versions.minimum,
                            max_supported_version=voter.kraft_versions.maximum,
                        ),
                    )
                    for voter in self.voters.values()
                ]
            ),
            0,
        )

    def __len__(self) -> int:
        return len(self.voters)

    def includes(self, node_id: int, directory_id: Uuid) -> bool:
        """True if a node with this id and directory id is a voter."""
        voter = self.voters.get(node_id)
        return voter is not None and voter.directory_id in (None, directory_id)

    def with_voter(self, voter: RaftVoter) -> "VoterSet":
        """This set with a voter, which replaces the one that has its id."""
        return VoterSet.of({**self.voters, voter.node_id: voter}.values())

    def without(self, node_id: int) -> "VoterSet":
        """This set without a voter."""
        return VoterSet.of(each for each in self.voters.values() if each.node_id != node_id)

    @property
    def majority(self) -> int:
        """The number of voters that are more than half of them."""
        return len(self.voters) // 2 + 1

    @property
    def ids(self) -> list[int]:
        """Voter ids, ascending."""
        return list(self.voters)
