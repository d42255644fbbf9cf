"""What an operation of the controller decides: records to write, and the response to give after.

Source: `ControllerResult`.
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from minikafka.metadata.serde import MetadataRecord

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class ControllerResult(Generic[R_co]):
    """Records in the order in which they are written, and the response that their commit allows.

    `atomic` records stand in one batch of the metadata log, so that nobody ever sees a part of
    them; others may be spread over several batches. `requested` names the request, where it is one
    that may elect uncleanly.
    """

    records: list[MetadataRecord]
    response: R_co
    atomic: bool = field(default=False, kw_only=True)
    requested: str = field(default="", kw_only=True)
