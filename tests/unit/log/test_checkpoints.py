"""The small files: what is written is read, and damage is noticed."""

import pytest

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    HIGH_WATERMARKS,
    LEADER_EPOCHS,
    META_PROPERTIES,
    PARTITION_METADATA,
    BadMetaPropertiesError,
    MetaProperties,
    read_clean_shutdown,
    read_epochs,
    read_meta_properties,
    read_offsets,
    read_topic_id,
    write_clean_shutdown,
    write_epochs,
    write_meta_properties,
    write_offsets,
    write_topic_id,
)
from minikafka.log.disk import read_file, write_file
from minikafka.sim.world.sim_disk import SimDisk

OFFSETS = {TopicPartition("a-b", 0): 12, TopicPartition("c", 11): 0}
TOPIC_ID = Uuid.of(3, 4)


@pytest.fixture
def disk():
    made = SimDisk()
    made.make_dir("t-0")
    return made


def test_offsets_round_trip(disk):
    write_offsets(disk, HIGH_WATERMARKS, OFFSETS)
    assert read_file(disk, HIGH_WATERMARKS) == b"0\n2\na-b 0 12\nc 11 0\n"
    assert read_offsets(disk, HIGH_WATERMARKS) == OFFSETS


@pytest.mark.parametrize(
    "content",
    [b"", b"0\n", b"0\n1\n", b"1\n0\n", b"0\n1\na 0 12", b"0\n1\na 0 x\n", b"0\n1\na 0\n"],
)
def test_damaged_offsets_are_noticed(disk, content):
    write_file(disk, HIGH_WATERMARKS, content)
    assert read_offsets(disk, HIGH_WATERMARKS) is None


def test_missing_files_are_none(disk):
    assert read_offsets(disk, HIGH_WATERMARKS) is None
    assert read_epochs(disk, "t-0") is None
    assert read_topic_id(disk, "t-0") is None
    assert read_meta_properties(disk) is None
    assert read_clean_shutdown(disk) is None


def test_epochs_round_trip(disk):
    write_epochs(disk, "t-0", [(1, 0), (4, 20)])
    assert read_file(disk, f"t-0/{LEADER_EPOCHS}") == b"0\n2\n1 0\n4 20\n"
    assert read_epochs(disk, "t-0") == [(1, 0), (4, 20)]


@pytest.mark.parametrize("content", [b"0\n2\n2 0\n1 5\n", b"0\n2\n1 5\n2 5\n", b"0\n1\n1 a\n"])
def test_epochs_that_do_not_rise_are_damaged(disk, content):
    write_file(disk, f"t-0/{LEADER_EPOCHS}", content)
    assert read_epochs(disk, "t-0") is None


def test_topic_id_round_trip(disk):
    write_topic_id(disk, "t-0", TOPIC_ID)
    assert read_file(disk, f"t-0/{PARTITION_METADATA}") == (
        f"version: 0\ntopic_id: {TOPIC_ID}\n".encode()
    )
    assert read_topic_id(disk, "t-0") == TOPIC_ID


@pytest.mark.parametrize("content", [b"", b"version: 1\ntopic_id: x\n", b"version: 0\ntopic_id: x"])
def test_damaged_topic_id_is_noticed(disk, content):
    write_file(disk, f"t-0/{PARTITION_METADATA}", content)
    assert read_topic_id(disk, "t-0") is None


@pytest.mark.parametrize("directory_id", [None, Uuid.of(7, 8)])
def test_meta_properties_round_trip(disk, directory_id):
    properties = MetaProperties("cluster", 3, directory_id)
    write_meta_properties(disk, properties)
    assert read_meta_properties(disk) == properties
    disk.crash()
    assert read_meta_properties(disk) == properties


def test_old_meta_properties_name_a_broker(disk):
    write_file(disk, META_PROPERTIES, b"#x\nversion=0\nbroker.id=4\ncluster.id=c\\=d\n")
    assert read_meta_properties(disk) == MetaProperties("c=d", 4, None)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"cluster.id=c\nnode.id=1\n", r"is damaged: it has no version\. Restore"),
        (b"version=1\nnode.id=1\n", r"no cluster\.id"),
        (b"version=1\ncluster.id=c\nbroker.id=1\n", "no node.id"),
        (b"version=1\ncluster.id=c\nnode.id=x\n", "'x'"),
        (b"version=1\ncluster.id=c\nnode.id=1\ndirectory.id=x\n", "'x'"),
        (b"version=1\ncluster.id=c\nnode.id=1\ndirectory.id=\n", "''"),
        (
            b"version=1\ncluster.id=c\nnode.id=1\ndirectory.i\xe4=BwAAAAAAAAAIAAAAAAAAAA\n",
            r"it has no directory\.id, but the unknown line 'directory\.i\ufffd=BwAA",
        ),
        (b"version=1\ncluster.id=c\nnode.id=1\ndirectory.id-x\n", "line 'directory.id-x'"),
    ],
)
def test_bad_meta_properties_are_refused_with_the_reason(disk, content, says):
    write_file(disk, META_PROPERTIES, content)
    with pytest.raises(BadMetaPropertiesError, match=says) as caught:
        read_meta_properties(disk)
    assert disk.root in str(caught.value)


def test_clean_shutdown_round_trip(disk):
    write_clean_shutdown(disk, 180)
    assert read_file(disk, CLEAN_SHUTDOWN) == b'{"version":0,"brokerEpoch":180}'
    assert read_clean_shutdown(disk) == 180


@pytest.mark.parametrize(
    ("content", "epoch"),
    [
        (b'{"BrokerEpoch": 7}', 7),
        (b'{"version":0}', -1),
        (b"", -1),
        (b"[]", -1),
        (b'{"brokerEpoch":"x"}', -1),
    ],
)
def test_both_spellings_are_read_and_nonsense_is_an_unknown_epoch(disk, content, epoch):
    write_file(disk, CLEAN_SHUTDOWN, content)
    assert read_clean_shutdown(disk) == epoch
