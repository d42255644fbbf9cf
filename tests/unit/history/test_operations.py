"""Operations of clients, as values."""

from minikafka.history.operations import Anomaly, Written


def test_only_records_acknowledged_by_all_replicas_are_promised():
    """H4."""
    assert Written(b"a", -1, 0, offset=3).is_promised
    assert not Written(b"a", -1, 0).is_promised
    assert not Written(b"a", 1, 0, offset=3).is_promised


def test_an_anomaly_begins_with_its_kind():
    assert str(Anomaly("lost", "t-0 b'a'")) == "lost: t-0 b'a'"
