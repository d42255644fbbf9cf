import pytest

from minikafka.common.faults import InvariantViolation
from minikafka.messages.metadata_records.abort_transaction_record import AbortTransactionRecord
from minikafka.messages.metadata_records.begin_transaction_record import BeginTransactionRecord
from minikafka.messages.metadata_records.end_transaction_record import EndTransactionRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.metadata.loader import MetadataLoader


def level(value, name="x"):
    return FeatureLevelRecord(name=name, feature_level=value)


class Feed:
    """Gives batches to a loader, with offsets."""

    def __init__(self):
        self.loader = MetadataLoader()
        self.next = 0

    def batch(self, *records):
        rows = list(enumerate(records, self.next))
        self.next += max(len(records), 1)
        self.loader.load_batch(rows, last_offset=self.next - 1, epoch=3)
        return self.loader.image


@pytest.fixture
def feed():
    return Feed()


def test_a_batch_becomes_visible_at_its_end(feed):
    image = feed.batch(level(1), level(2))
    assert image.feature("x") == 2
    assert (image.offset, image.epoch) == (1, 3)


def test_a_control_batch_moves_the_offset(feed):
    before = feed.batch(level(1))
    image = feed.batch()
    assert image.offset == 1
    assert image.features is before.features


def test_a_transaction_becomes_visible_when_it_ends(feed):
    feed.batch(BeginTransactionRecord(), level(1))
    assert feed.loader.in_transaction
    assert feed.batch(level(2, "y")).features == {}
    image = feed.batch(level(3, "z"), EndTransactionRecord(), level(4, "w"))
    assert image.features == {"x": 1, "y": 2, "z": 3, "w": 4}
    assert not feed.loader.in_transaction


def test_an_aborted_transaction_is_never_visible(feed):
    feed.batch(BeginTransactionRecord(), level(1))
    image = feed.batch(AbortTransactionRecord(), level(2, "y"))
    assert image.features == {"y": 2}


@pytest.mark.parametrize(
    "records",
    [
        (EndTransactionRecord(),),
        (AbortTransactionRecord(),),
        (BeginTransactionRecord(), BeginTransactionRecord()),
        (BeginTransactionRecord(), EndTransactionRecord(), EndTransactionRecord()),
    ],
)
def test_unmatched_transaction_records_are_violations(feed, records):
    with pytest.raises(InvariantViolation):
        feed.batch(*records)


def test_a_snapshot_replaces_everything_and_ends_a_transaction(feed):
    feed.batch(level(1))
    feed.batch(BeginTransactionRecord(), level(5, "y"))
    image = feed.loader.load_snapshot([level(2, "z")], last_offset=99, epoch=7)
    assert image.features == {"z": 2}
    assert (image.offset, image.epoch) == (99, 7)
    assert not feed.loader.in_transaction
