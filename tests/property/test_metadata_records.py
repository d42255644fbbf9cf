"""Any sequence of records, of every type that there is: a snapshot rebuilds the image (R1)."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from minikafka.common.faults import InvariantViolation
from minikafka.common.ids import Uuid
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.replay import replay
from minikafka.metadata.serde import decode_record, encode_record, record_version
from minikafka.metadata.snapshot import snapshot_records
from tests.property.test_metadata import without_offsets
from tests.worlds.message_samples import Case, Limits, all_specs, class_of, sample

LEVEL = 30
RECORDS = [
    Case(spec, spec.versions.high)
    for spec in all_specs()
    if spec.type == "metadata" and "metadata_records" in class_of(spec).__module__
]
"""Every record type in its newest version."""
TRANSACTIONS = ("BeginTransactionRecord", "EndTransactionRecord", "AbortTransactionRecord")
IDS = (Uuid.of(7, 1), Uuid.of(7, 2))
FEW = {
    "name": "abc", "topic_name": "abc", "topic_id": IDS, "broker_id": (1, 2),
    "token_id": "xy", "mechanism": (1, 2), "partition_id": (0, 1), "controller_id": (1, 2),
    "leader_recovery_state": (0, 1), "key": "kq", "resource_name": "ab", "resource_type": (2, 4),
}  # fmt: skip
"""Few values of what tells things apart, so that records meet."""


def tame(record, rng):
    for name, values in FEW.items():
        if hasattr(record, name):
            setattr(record, name, rng.choice(values))
    if hasattr(record, "id"):
        record.id = rng.choice(IDS if isinstance(record.id, Uuid) else (1, 2))
    if hasattr(record, "directories"):
        # A directory for each replica.
        record.replicas = [1, 2]
        record.directories = rng.sample(IDS, 2)
    for name in ("broker_epoch", "epoch", "leader_epoch", "partition_epoch"):
        if hasattr(record, name):
            setattr(record, name, 5)
    return record


def records(seed):
    """A sequence, each record as it comes out of the log."""
    rng = Random(seed)
    cases = [case for case in RECORDS if case.spec.name not in TRANSACTIONS]
    found = []
    for _ in range(rng.randint(1, 80)):
        record = tame(sample(rng.choice(cases), rng, Limits(unknown_tags=False)), rng)
        found.append(decode_record(encode_record(record, record_version(record, LEVEL))))
    return found


def image_of(sequence):
    """The image of a log of these records; records that contradict earlier ones are left out."""
    image = MetadataImage()
    for offset, record in enumerate(sequence):
        builder = ImageBuilder(image)
        try:
            replay(builder, record, offset)
        except InvariantViolation:
            continue
        image = builder.build(offset, 1)
    return image


def through_bytes(image):
    return [
        decode_record(encode_record(record, record_version(record, LEVEL)))
        for record in snapshot_records(image)
    ]


@settings(max_examples=300, deadline=None, database=None)
@given(st.integers(0, 2**32))
def test_a_snapshot_rebuilds_the_image(seed):
    image = image_of(records(seed))
    again = MetadataLoader().load_snapshot(
        through_bytes(image), last_offset=image.offset, epoch=image.epoch
    )
    assert without_offsets(again) == without_offsets(image)
    assert list(snapshot_records(again)) == list(snapshot_records(image))


def test_the_sequences_reach_every_part_of_an_image():
    images = [image_of(records(seed)) for seed in range(200)]
    parts = ("topics", "brokers", "controllers", "configs", "features", "carried")
    for part in parts:
        assert any(getattr(image, part) for image in images), part
    types = {key.record_type for image in images for key in image.carried}
    assert types == {10, 11, 14, 18}
