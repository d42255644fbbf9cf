"""The result of a controller operation: records to write, and the response after their commit.

Source: `ControllerResult`.
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from minikafka.metadata.serde import MetadataRecord

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class ControllerResult(Generic[R_co]):
    """Records in write order, and the response to send after their commit.

    `atomic` records are written in one batch of the metadata log, so that no reader sees only a
    part of them; others may be split over several batches. `requested` names the request if it may
    cause an unclean election.
    """

    records: list[MetadataRecord]
    response: R_co
    atomic: bool = field(default=False, kw_only=True)
    requested: str = field(default="", kw_only=True)
