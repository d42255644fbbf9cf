"""Answers that many clients ask for, encoded once for as long as the metadata does not change."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from minikafka.metadata.image import MetadataImage
from minikafka.protocol.message import ApiMessage, encode_message
from minikafka.protocol.primitives import Writer

MOST_BYTES: Final = 8 * 1024 * 1024
"""What is kept, keys included."""
_KEY_PART_BYTES: Final = 128


class EncodedResponse:
    """A response body that is bytes already, in one version."""

    __slots__ = ("API_KEY", "FLEXIBLE_FROM", "body")

    def __init__(self, response: ApiMessage, version: int) -> None:
        """Encode `response`."""
        self.API_KEY = response.API_KEY
        self.FLEXIBLE_FROM = response.FLEXIBLE_FROM
        self.body = encode_message(response, version)

    def encode(self, writer: Writer, version: int) -> None:
        """Append the body; a large one by reference, so that answers that wait share it."""
        del version
        writer.splice(self.body)


@dataclass(slots=True)
class EncodedResponses:
    """Responses by what was asked, for the topics and brokers of one image.

    Images share what did not change, so the identity of both says whether an answer still holds.
    """

    most_bytes: int = MOST_BYTES
    _image: MetadataImage = field(default_factory=MetadataImage)
    _responses: dict[Hashable, tuple[EncodedResponse, int]] = field(default_factory=dict)
    _size_bytes: int = 0

    def find(self, image: MetadataImage, key: Hashable) -> EncodedResponse | None:
        """What was answered to `key` since topics or brokers changed last, or None."""
        if image.topics is not self._image.topics or image.brokers is not self._image.brokers:
            self._image = image
            self._responses.clear()
            self._size_bytes = 0
        found = self._responses.get(key)
        return None if found is None else found[0]

    def add(
        self, key: Hashable, key_parts: int, response: ApiMessage, version: int
    ) -> EncodedResponse:
        """Encode and keep a response to `key` for the image that was searched last.

        The oldest ones go where there is no room; `key_parts` is how many values a key has, and
        what they hold is in the response as well.
        """
        encoded = EncodedResponse(response, version)
        size = 2 * len(encoded.body) + _KEY_PART_BYTES * key_parts
        if size <= self.most_bytes:
            self._responses[key] = encoded, size
            self._size_bytes += size
            while self._size_bytes > self.most_bytes:
                self._size_bytes -= self._responses.pop(next(iter(self._responses)))[1]
        return encoded
