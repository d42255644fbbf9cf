"""The persistent state of a quorum node: epoch, leader, vote. It is written before it is used.

Source: `QuorumState`, `FileQuorumStateStore`, `QuorumStateData` (version 0 for kraft.version 0, 1
for kraft.version 1).
"""

import json
from collections.abc import Mapping
from typing import NamedTuple, NewType

from minikafka.common.faults import StorageFault
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.log.disk import Disk, read_file, write_file

QUORUM_STATE = "quorum-state"
NO_NODE = -1
_VERSIONS = (0, 1)
_LARGEST_INT = 2**31 - 1
"""The largest number that a request can have (int32)."""


class ElectionState(NamedTuple):
    """An epoch, its leader and the node that this node voted for in it; -1 for none."""

    epoch: int = 0
    leader_id: int = NO_NODE
    voted_id: int = NO_NODE
    voted_directory_id: Uuid = ZERO_UUID


DurableElection = NewType("DurableElection", ElectionState)
"""A state that is on the disk. Only this module makes one, so that a message which needs it cannot
leave before the write."""


def has_election_state(disk: Disk, folder: str) -> bool:
    """True if there is a `quorum-state` file, damaged or not."""
    return disk.exists(f"{folder}/{QUORUM_STATE}")


def read_election_state(disk: Disk, folder: str) -> DurableElection:
    """Read the state in `quorum-state`; epoch 0 without a leader if there is no such file.

    Raises:
        StorageFault: the file exists but is damaged, or a newer version wrote it.
    """
    content = read_file(disk, f"{folder}/{QUORUM_STATE}")
    if content is None:
        return DurableElection(ElectionState())
    try:
        said = json.loads(content)
        version = int(said["data_version"])
        if version not in _VERSIONS:
            raise StorageFault(
                disk.root,
                f"{folder}/{QUORUM_STATE} has data_version {version}, not 0 or 1: run the version "
                "of Kafka or minikafka that wrote the file, or a newer one",
            )
        voted_directory = said.get("votedDirectoryId")
        found = ElectionState(
            epoch=_number(said, "leaderEpoch", least=0),
            leader_id=_number(said, "leaderId", least=NO_NODE),
            voted_id=_number(said, "votedId", least=NO_NODE),
            voted_directory_id=Uuid.parse(voted_directory) if voted_directory else ZERO_UUID,
        )
        return DurableElection(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageFault(
            disk.root,
            f"{folder}/{QUORUM_STATE} is damaged ({error!r}): expected a JSON object with "
            "leaderId, leaderEpoch, votedId and data_version; remove it, on one voter at a time: "
            "this one counts again when the others have committed a record without it",
        ) from error


def _number(said: Mapping[str, object], key: str, *, least: int) -> int:
    number = int(str(said[key]))
    if not least <= number <= _LARGEST_INT:
        raise ValueError(f"{key} {number} is not from {least} to {_LARGEST_INT}")
    return number


def write_election_state(
    disk: Disk, folder: str, state: ElectionState, *, kraft_version: int, voters: list[int]
) -> DurableElection:
    """Replace `quorum-state`, durably. Only the file of kraft.version 0 has the `voters`."""
    if kraft_version == 0:
        content: dict[str, object] = {
            "clusterId": "",
            "leaderId": state.leader_id,
            "leaderEpoch": state.epoch,
            "votedId": state.voted_id,
            "appliedOffset": 0,
            "currentVoters": [{"voterId": voter} for voter in voters],
            "data_version": 0,
        }
    else:
        content = {
            "leaderId": state.leader_id,
            "leaderEpoch": state.epoch,
            "votedId": state.voted_id,
            "votedDirectoryId": str(state.voted_directory_id),
            "data_version": 1,
        }
    text = json.dumps(content, separators=(",", ":"))
    is_first = not has_election_state(disk, folder)
    write_file(disk, f"{folder}/{QUORUM_STATE}", text.encode(), sync=True)
    if is_first:
        # The folder itself may be new. A vote that was lost with it could be given twice.
        disk.sync_dir("")
    return DurableElection(state)
