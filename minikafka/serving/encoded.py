"""A cache of encoded responses that many clients request, valid until the metadata changes."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from minikafka.metadata.image import MetadataImage
from minikafka.protocol.message import ApiMessage, encode_message
from minikafka.protocol.primitives import Writer

MAX_BYTES: Final = 8 * 1024 * 1024
"""The maximum size of the cache, including its keys."""
_KEY_PART_BYTES: Final = 128


class EncodedResponse:
    """A response body that is already encoded, in one version."""

    __slots__ = ("API_KEY", "FLEXIBLE_FROM", "body")

    def __init__(self, response: ApiMessage, version: int) -> None:
        """Encode `response`."""
        self.API_KEY = response.API_KEY
        self.FLEXIBLE_FROM = response.FLEXIBLE_FROM
        self.body = encode_message(response, version)

    def encode(self, writer: Writer, version: int) -> None:
        """Append the body; a large one by reference, so that unsent responses share it."""
        del version
        writer.splice(self.body)


@dataclass(slots=True, eq=False, repr=False)
class EncodedResponses:
    """Responses by request key, for the topics and brokers of one image.

    Images share unchanged parts, so a response is valid while both are the same objects.
    """

    most_bytes: int = MAX_BYTES
    _image: MetadataImage = field(default_factory=MetadataImage)
    _responses: dict[Hashable, tuple[EncodedResponse, int]] = field(default_factory=dict)
    _size_bytes: int = 0

    def find(self, image: MetadataImage, key: Hashable) -> EncodedResponse | None:
        """Return the cached response for `key`, or None; clear the cache if the image changed."""
        if image.topics is not self._image.topics or image.brokers is not self._image.brokers:
            self._image = image
            self._responses.clear()
            self._size_bytes = 0
        found = self._responses.get(key)
        return None if found is None else found[0]

    def add(
        self, key: Hashable, key_parts: int, response: ApiMessage, version: int
    ) -> EncodedResponse:
        """Encode and cache a response for `key` and the image of the last `find`.

        The oldest responses are removed if there is no room. `key_parts` is the number of values in
        the key; their content is also in the response, which is why its size counts twice.
        """
        encoded = EncodedResponse(response, version)
        size = 2 * len(encoded.body) + _KEY_PART_BYTES * key_parts
        if size <= self.most_bytes:
            self._responses[key] = encoded, size
            self._size_bytes += size
            while self._size_bytes > self.most_bytes:
                self._size_bytes -= self._responses.pop(next(iter(self._responses)))[1]
        return encoded
