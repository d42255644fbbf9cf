"""The folders of logs that a broker no longer uses."""

import pytest

from minikafka.common.errors import UnknownTopicIdError
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import ID, OTHER_ID, T


@pytest.mark.parametrize("case", ["gone", "recreated", "elsewhere"])
def test_log_that_is_not_in_the_metadata_at_the_start_is_set_aside(leading, case):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.logs.shutdown(10)
    for disk in leading.disks:
        disk.crash()
    changes = {
        "gone": [leading.no_topic()],
        "recreated": [
            leading.no_topic(),
            leading.topic(topic_id=OTHER_ID),
            leading.put(1, topic_id=OTHER_ID),
        ],
        "elsewhere": [leading.put(2, replicas=(2, 3))],
    }[case]
    leading.boot()
    leading.start(*changes)
    assert [name.endswith("-stray") for name in leading.files()].count(True) == 1
    assert (T in leading.manager.partitions) == (case == "recreated")
    if case == "recreated":
        assert leading.partition().log.log_end_offset == 0


def test_log_that_belongs_here_is_kept_at_the_start(leading):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.logs.shutdown(10)
    for disk in leading.disks:
        disk.crash()
    leading.boot()
    leading.start()
    assert leading.partition().log.log_end_offset == 3


def test_topic_of_the_same_name_begins_empty(leading):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.apply(
        leading.no_topic(), leading.topic(topic_id=OTHER_ID), leading.put(1, topic_id=OTHER_ID)
    )
    assert leading.partition().topic_id == OTHER_ID
    assert leading.partition().log.log_end_offset == 0
    assert leading.manager.get_by_id(OTHER_ID, 0) is leading.partition()
    with pytest.raises(UnknownTopicIdError):
        leading.manager.get_by_id(ID, 0)


MANY = range(1, 30)


def test_many_folders_are_renamed_in_several_turns_or_at_the_stop(leading):
    leading.apply(*[leading.put(1, index) for index in MANY])
    leading.run()
    leading.apply(leading.no_topic())
    assert 0 < len(renamed(leading)) < len(MANY)
    leading.manager.stop_fetching()
    assert len(renamed(leading)) == len(MANY) + 1


def renamed(world):
    return [name for name in world.files() if name.endswith("-delete")]
