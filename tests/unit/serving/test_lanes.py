"""Which requests of a connection have a lane, and when one is made."""

from dataclasses import dataclass

from minikafka.rpc.envelope import RequestHeader
from minikafka.serving import lanes
from minikafka.serving.lanes import Lanes


@dataclass(eq=False)
class FakeLane:
    prefix: bytes
    request: object = None

    @property
    def header(self):
        return RequestHeader(self.prefix[1], self.prefix[3], 0, None)

    def answer(self, frame, correlation_id):
        raise NotImplementedError


def frame(key=0, version=9, correlation_id=5, rest=b"prefix and records"):
    head = key.to_bytes(2, "big") + version.to_bytes(2, "big") + correlation_id.to_bytes(4, "big")
    return memoryview(head + rest)


LANE = FakeLane(bytes(frame(rest=b"prefix")))
LONGER = FakeLane(bytes(frame(rest=b"prefix and")))


def with_lanes(*known):
    found = Lanes()
    for lane in known:
        found.add(lane)
    return found


def test_the_correlation_id_and_the_records_do_not_count():
    found = with_lanes(LANE)
    assert found.find(frame()) is LANE
    assert found.find(frame(correlation_id=99, rest=b"prefix")) is LANE


def test_another_api_version_or_prefix_has_no_lane():
    found = with_lanes(LANE)
    for other in (
        frame(key=1), frame(key=256), frame(version=8), frame(version=265), frame(rest=b"pre"),
        frame(rest=b"another prefix"), memoryview(b""), memoryview(b"\0\0\0\t"),
    ):  # fmt: skip
        assert found.find(other) is None


def test_lanes_of_several_lengths_are_found():
    found = with_lanes(LANE, LONGER, LANE)
    assert found.ends == {0: (len(LANE.prefix), len(LONGER.prefix))}
    assert found.find(frame(rest=b"prefix or")) is LANE
    assert with_lanes(LANE, LONGER).find(frame()) is LONGER


def test_lanes_are_made_from_the_second_request_on_and_ever_more_rarely():
    found = Lanes()
    assert [number for number in range(1, 40) if found.is_wanted()] == [2, 4, 8, 16, 32]


def test_the_oldest_of_too_many_lanes_goes(monkeypatch):
    monkeypatch.setattr(lanes, "MAX_LANES", 2)
    other = FakeLane(bytes(frame(key=1, rest=b"another")))
    found = with_lanes(LANE, LONGER, LANE, other)
    assert found.find(frame(rest=b"prefix or")) is LANE
    assert found.find(frame(key=1, rest=b"another")) is other
    assert found.ends == {0: (len(LANE.prefix),), 1: (len(other.prefix),)}


def test_no_lanes_at_all(monkeypatch):
    monkeypatch.setattr(lanes, "MAX_LANES", 0)
    assert with_lanes(LANE).ends == {}
