"""Identifiers: UUIDs in Kafka's format, and topic partitions."""

import base64
import binascii
from random import Random
from typing import NamedTuple, Self


class Uuid(bytes):
    """16 bytes; printed as 22 characters of URL-safe base64 without padding.

    Source: `org.apache.kafka.common.Uuid`. The first 100 values are reserved.
    """

    __slots__ = ()

    def __new__(cls, raw: bytes) -> Self:
        """Wrap 16 raw bytes.

        Raises:
            ValueError: `raw` has another length.
        """
        if len(raw) != 16:
            raise ValueError(f"a UUID has 16 bytes, not {len(raw)}")
        return super().__new__(cls, raw)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the output of `str()`.

        Raises:
            ValueError: the text is not 22 characters of URL-safe base64.
        """
        try:
            raw = base64.b64decode(text + "==", altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(f"{text!r} is not a UUID in URL-safe base64") from None
        if len(raw) != 16 or len(text) != 22:
            raise ValueError(f"{text!r} is not a UUID in URL-safe base64")
        return cls(raw)

    @classmethod
    def of(cls, most_significant: int, least_significant: int) -> Self:
        """Make the UUID with these two unsigned 64-bit halves."""
        return cls(most_significant.to_bytes(8, "big") + least_significant.to_bytes(8, "big"))

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Draw a random (version 4) UUID that is not reserved and does not start with a dash.

        A leading dash would look like an option on a command line (`Uuid.randomUuid`).
        """
        while True:
            raw = bytearray(rng.randbytes(16))
            raw[6] = (raw[6] & 0x0F) | 0x40
            raw[8] = (raw[8] & 0x3F) | 0x80
            drawn = cls(bytes(raw))
            if not drawn.is_reserved and not str(drawn).startswith("-"):
                return drawn

    @property
    def is_reserved(self) -> bool:
        """True for the first 100 values, which are not ids of topics or directories."""
        return self[:15] == _RESERVED_PREFIX and self[15] < 100

    def __str__(self) -> str:
        return base64.urlsafe_b64encode(self).decode("ascii")[:22]

    def __repr__(self) -> str:
        return f"Uuid({self})"


_RESERVED_PREFIX = bytes(15)

ZERO_UUID = Uuid.of(0, 0)
METADATA_TOPIC_ID = Uuid.of(0, 1)

DIRECTORY_MIGRATING = Uuid.of(0, 0)
"""The directory of a replica that the metadata does not have (KIP-858, `DirectoryId`)."""
DIRECTORY_UNASSIGNED = Uuid.of(0, 1)
"""The directory of a replica that was never in one."""
DIRECTORY_LOST = Uuid.of(0, 2)
"""The directory of a replica whose log the broker has reported as gone."""
RESERVED_DIRECTORIES = (DIRECTORY_MIGRATING, DIRECTORY_UNASSIGNED, DIRECTORY_LOST)
"""The ids that name no directory."""


class TopicPartition(NamedTuple):
    """A partition by topic name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class TopicIdPartition(NamedTuple):
    """A partition by topic id: it differs from that of a later topic of the same name."""

    topic_id: Uuid
    partition: int

    def __str__(self) -> str:
        return f"{self.topic_id}:{self.partition}"
