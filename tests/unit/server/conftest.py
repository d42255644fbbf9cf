"""What a shell reported, as something that a test can await."""

import asyncio

import pytest

from tests.certificates import Authority


class Events:
    """Events in order of arrival."""

    def __init__(self):
        self._queue = asyncio.Queue()
        self.on_event = None
        self.not_read = []

    def step(self, event):
        if hasattr(event, "frame"):
            event = event._replace(frame=bytes(event.frame))
        if self.on_event is not None:
            self.on_event(event)
        self._queue.put_nowait(event)

    def unreadable(self, what, error):
        self.not_read.append((what, error))

    async def next(self, kind):
        """The next event, which must be of this kind."""
        async with asyncio.timeout(10):
            event = await self._queue.get()
        assert isinstance(event, kind), event
        return event

    @property
    def is_empty(self):
        return self._queue.empty()


def framed(payload):
    return len(payload).to_bytes(4, "big") + payload


@pytest.fixture
async def events():
    return Events()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="session")
def certificate(authority):
    return authority.issue("node")
