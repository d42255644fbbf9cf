"""Who votes in the quorum that owns the metadata log, and where voters listen.

A static set (`controller.quorum.voters`, kraft.version 0) knows ids and addresses; a dynamic one
(kraft.version 1) comes from VotersRecords and also knows directory ids.

Source: `VoterSet`, KIP-853.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.data import voters_record as messages
from minikafka.metadata.broker_registration import Endpoint, FeatureRange
from minikafka.protocol.message import decode_message, encode_message


class RaftVoter(NamedTuple):
    """One voter. `directory_id` is None in a static set, which does not name it."""

    node_id: int
    directory_id: Uuid | None
    endpoints: tuple[Endpoint, ...]
    kraft_versions: FeatureRange = FeatureRange(0, 1)

    def address(self, listener: str) -> tuple[str, int] | None:
        """Where the voter's `listener` can be reached; of a static voter its only address."""
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
        """The set of these voters."""
        return cls({v.node_id: v for v in sorted(voters, key=lambda voter: voter.node_id)})

    @classmethod
    def from_record(cls, value: bytes) -> "VoterSet":
        """The set that the value of a KRAFT_VOTERS control record holds.

        Raises:
            MalformedMessage: if it is no such value.
        """
        record = decode_message(messages.VotersRecord, value, 0)
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
        """The value of a KRAFT_VOTERS control record from which `from_record` makes this set."""
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
        """Whether a node, with the directory that its log is in, is a voter."""
        voter = self.voters.get(node_id)
        return voter is not None and voter.directory_id in (None, directory_id)

    @property
    def ids(self) -> list[int]:
        """Voter ids, ascending."""
        return list(self.voters)
