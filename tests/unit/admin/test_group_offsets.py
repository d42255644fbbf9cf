"""Groups with the offsets that they have committed, from the broker that coordinates them."""

from minikafka.admin.client import AdminError
from minikafka.admin.group_offsets import GroupProgress, read_groups
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from minikafka.messages.offset_fetch import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)

TOPIC_ID = Uuid(bytes([7]) * 16)


class Groups:
    """Broker 1 has two groups, broker 2 does not answer, broker 3 has a group without offsets."""

    def brokers(self):
        return {1: ("h", 1), 2: ("h", 2), 3: ("h", 3)}

    def ask_broker(self, broker, request):
        if broker == 2:
            raise AdminError("no answer", ErrorCode.NETWORK_EXCEPTION)
        if isinstance(request, ListGroupsRequest):
            names = {1: ["b", "a"], 3: ["c"]}[broker]
            return ListGroupsResponse(
                groups=[ListedGroup(group_id=name, group_state="Stable") for name in names]
            )
        if broker == 3:
            raise AdminError("unsupported", ErrorCode.UNSUPPORTED_VERSION)
        assert [it.group_id for it in request.groups] == ["b", "a"]
        by_id, by_name = (
            OffsetFetchResponseTopics(
                partitions=[
                    OffsetFetchResponsePartitions(0, 5),
                    OffsetFetchResponsePartitions(1, -1),
                    OffsetFetchResponsePartitions(
                        2, 9, error_code=ErrorCode.UNSTABLE_OFFSET_COMMIT
                    ),
                ],
                **named,
            )
            for named in ({"topic_id": TOPIC_ID}, {"name": "u"})
        )
        return OffsetFetchResponse(
            groups=[
                OffsetFetchResponseGroup("b", [by_id]),
                OffsetFetchResponseGroup("a", [by_name]),
            ]
        )


def test_groups_of_all_brokers_that_answer():
    assert read_groups(Groups(), {TOPIC_ID: "t"}) == [
        GroupProgress("a", "Stable", {TopicPartition("u", 0): 5}),
        GroupProgress("b", "Stable", {TopicPartition("t", 0): 5}),
        GroupProgress("c", "Stable", None),
    ]
