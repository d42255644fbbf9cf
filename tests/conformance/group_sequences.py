"""Random requests of members of consumer groups, valid and invalid.

Kafka's result depends on the order of hash tables, unless a group has one topic to divide, and its
members either have ids of one letter in the order of joining, or are static and divided by ranges.
In groups of the second kind members use both protocols, and the server draws ids of classic ones.
"""

import random
from pathlib import Path
from typing import NamedTuple

from minikafka.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from minikafka.messages.data.consumer_protocol_subscription import (
    ConsumerProtocolSubscription,
    TopicPartition,
)
from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.describe_groups import DescribeGroupsRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.leave_group import LeaveGroupRequest, MemberIdentity
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.protocol.primitives import Writer

RECORDED = Path(__file__).parent / "data" / "group_sequences.json"
LETTERS = "abcdefghijk"


class Member:
    """What a member knows, as its client does."""

    def __init__(self, name):
        self.name = name
        """Its id, or what a side knows its id by."""
        self.epoch = 0
        self.previous = 0
        self.owned = set()
        self.assigned = set()
        self.instance = None
        self.joined = False
        self.classic = False


class Step(NamedTuple):
    """`build` makes the request, given the side's topic ids by name."""

    text: str
    build: object
    version: int
    member: object = None


def topic_of(seed):
    """The topic of a sequence, and the number of its partitions."""
    return f"t{seed}-0", random.Random(seed).choice((1, 3, 6))


def sequence_of(seed):
    return Sequence(random.Random(f"groups/{seed}"), f"g{seed}", *topic_of(seed))


class Sequence:
    """Draws steps; learns from the answers of the server under test."""

    length = 40

    def __init__(self, rng, group, topic, partitions):
        self.rng = rng
        self.group = group
        self.main = topic
        self.partitions = partitions
        self.members = []
        self.used = 0
        self.is_mixed = rng.random() < 0.5
        self.with_static = self.is_mixed or rng.random() < 0.4
        self.with_patterns = not self.is_mixed and rng.random() < 0.4
        self.pattern = rng.choice((f"{self.main[:-2]}.*", f"{self.main[:-1]}[0-9]"))
        """The only one: another pattern would wait for ten seconds. The first member keeps it."""
        self.assignor = "range" if self.is_mixed else rng.choice((None, "range", "uniform"))
        """The only one that is preferred: Kafka decides a tie by the order of a hash table."""

    def step(self):
        draw = self.rng.random()
        joined = [each for each in self.members if each.joined]
        if not joined or (draw < 0.12 and self.used < len(LETTERS)):
            return self._join()
        if draw < 0.70:
            return self._beat(self.rng.choice(joined))
        if draw < 0.78:
            return self._leave(self.rng.choice(joined))
        if draw < 0.86:
            return self._commit(self.rng.choice(joined))
        if draw < 0.90:
            return self._fetch(self.rng.choice(joined))
        if draw < 0.96:
            return self._describe()
        return self._odd()

    # Joining

    def _join(self):
        away = [each for each in self.members if not each.joined and each.instance]
        if self.used == len(LETTERS) and not away:
            return self._describe()
        if self.used == len(LETTERS):
            return self._describe()
        member = Member(LETTERS[self.used])
        if away and self.rng.random() < 0.6:
            old = self.rng.choice(away)
            member.instance = old.instance
            self.members.remove(old)
        elif self.with_static and (self.is_mixed or self.rng.random() < 0.5):
            member.instance = f"i{self.used}"
        self.used += 1
        self.members.append(member)
        member.joined = True
        if self.is_mixed and self.rng.random() < 0.6 and self._may_be_classic(member):
            return self._join_classic(member)
        return self._join_consumer(member)

    def _may_be_classic(self, member):
        """A classic member would wait for another one in a group that has no other members."""
        others = [each for each in self.members if each is not member]
        return not any(each.classic for each in others) or any(
            each.joined and not each.classic for each in others
        )

    def _join_consumer(self, member):
        rng = self.rng
        names, regex = [self.main], None
        if self.with_patterns and (member.name == LETTERS[0] or rng.random() < 0.5):
            names, regex = None, self.pattern
            if member.name != LETTERS[0] and rng.random() < 0.3:
                regex = rng.choice(("a[", "(?z)", ""))
        rack = rng.choice((None, None, "r1"))
        assignor = self.assignor if self.is_mixed or rng.random() < 0.5 else None
        member.epoch, member.owned = 0, set()
        member.timeout = rng.choice((60_000, 300_000))

        def build(side):
            return ConsumerGroupHeartbeatRequest(
                self.group, side.id_of(member), 0, member.instance, rack, member.timeout, names,
                regex, assignor, [],
            )  # fmt: skip

        text = f"join {member.name} {member.instance} {names} {regex} {rack} {assignor}"
        return Step(text, build, 1, member)

    def _join_classic(self, member):
        member.classic = True
        writer = Writer()
        version = 3
        owned = [TopicPartition(self.main, sorted(member.owned))] if member.owned else []
        ConsumerProtocolSubscription([self.main], None, owned, member.epoch or -1, None).encode(
            writer, version
        )
        data = version.to_bytes(2, "big") + bytes(writer.buf)

        def build(side):
            return JoinGroupRequest(
                self.group, 45_000, 60_000, side.ids.get(member.name, ""), member.instance,
                "consumer", [JoinGroupRequestProtocol("range", data)], None,
            )  # fmt: skip

        return Step(
            f"classic join {member.name} {member.instance} {sorted(member.owned)}", build, 9, member
        )

    # Staying

    def _beat(self, member):
        if member.classic:
            return self._beat_classic(member)
        rng = self.rng
        draw = rng.random()
        epoch, owned = member.epoch, set(member.assigned)
        if draw < 0.25:
            owned = set(member.owned)
        elif draw < 0.30:
            owned = None
        elif draw < 0.34:
            owned = {0, 1, 2}
        elif draw < 0.38:
            epoch += rng.choice((1, -1, 5))
        elif draw < 0.42:
            epoch, owned = member.previous, set(member.owned)
        names = None
        if rng.random() < 0.1:
            names = rng.choice(([self.main], [], ["nothing"], [self.main, "nothing"]))
        regex = None
        if self.with_patterns and member.name != LETTERS[0] and rng.random() < 0.15:
            regex = rng.choice(("", self.pattern))
        timeout = rng.choice((-1, -1, member.timeout))
        if epoch == member.epoch and owned is not None:
            member.owned = owned & member.assigned

        def build(side):
            partitions = None
            if owned is not None:
                partitions = []
                if owned:
                    partitions = [
                        ConsumerGroupHeartbeatRequestTopicPartitions(
                            side.topic_ids[self.main], sorted(owned)
                        )
                    ]
            return ConsumerGroupHeartbeatRequest(
                self.group, side.id_of(member), epoch, member.instance, None, timeout, names,
                regex, None, partitions,
            )  # fmt: skip

        text = f"beat {member.name} epoch {epoch} owned {owned and sorted(owned)} {names} {regex}"
        return Step(text, build, 1, member)

    def _beat_classic(self, member):
        draw = self.rng.random()
        if draw < 0.3:
            return self._join_classic(member)
        epoch = member.epoch if self.rng.random() < 0.93 else member.epoch + 1
        if draw < 0.65:
            return Step(
                f"classic sync {member.name} {epoch}",
                lambda side: SyncGroupRequest(
                    self.group, epoch, side.id_of(member), member.instance, "consumer", "range", []
                ),
                5,
                member,
            )
        return Step(
            f"classic beat {member.name} {epoch}",
            lambda side: HeartbeatRequest(self.group, epoch, side.id_of(member), member.instance),
            4,
            member,
        )

    def _leave(self, member):
        if self.with_patterns and member.name == LETTERS[0]:
            return self._describe()
        others = [each for each in self.members if each is not member]
        if sum(each.classic for each in others) > 1 and not any(
            each.joined and not each.classic for each in others
        ):
            return self._describe()
        member.joined = False
        if member.classic:
            if member.instance is None:
                self.members.remove(member)
            return Step(
                f"classic leave {member.name}",
                lambda side: LeaveGroupRequest(
                    self.group, members=[MemberIdentity(side.id_of(member), member.instance)]
                ),
                5,
            )
        epoch = -2 if member.instance and self.rng.random() < 0.6 else -1
        if epoch == -1:
            self.members.remove(member)
        return Step(
            f"leave {member.name} {member.instance} {epoch}",
            lambda side: ConsumerGroupHeartbeatRequest(
                self.group, side.id_of(member), epoch, member.instance
            ),
            1,
        )

    # Offsets

    def _commit(self, member):
        index = self.rng.randrange(self.partitions + 1)
        epoch = member.epoch - self.rng.choice((0, 0, 0, 1, 2, -1))
        version = self.rng.choice((9, 9, 9, 8))
        return Step(
            f"commit {member.name} {index} epoch {epoch}",
            lambda side: OffsetCommitRequest(
                self.group, epoch, side.id_of(member), member.instance,
                topics=[
                    OffsetCommitRequestTopic(
                        self.main, partitions=[OffsetCommitRequestPartition(index, 5, -1, "")]
                    )
                ],
            ),
            version,
        )  # fmt: skip

    def _fetch(self, member):
        epoch = member.epoch - self.rng.choice((0, 0, 1, -1))
        name = self.rng.choice((member, member, "zz", None))
        return Step(
            f"fetch {getattr(name, 'name', name)} epoch {epoch}",
            lambda side: OffsetFetchRequest(
                groups=[
                    OffsetFetchRequestGroup(
                        self.group, side.id_of(name), epoch,
                        [OffsetFetchRequestTopics(self.main, partition_indexes=[0, 1])],
                    )
                ]
            ),
            9,
        )  # fmt: skip

    # Looking

    def _describe(self):
        draw = self.rng.random()
        if draw < 0.6:
            return self.describe()
        if draw < 0.75:
            return Step("describe classic", lambda side: DescribeGroupsRequest([self.group]), 6)
        return Step("list", lambda side: ListGroupsRequest([], ["consumer", "classic"]), 5)

    def describe(self):
        return Step("describe", lambda side: ConsumerGroupDescribeRequest([self.group]), 1)

    def last(self):
        return [self.describe()]

    def _odd(self):
        name = self.rng.choice(("zz", "", LETTERS[0]))
        request = self.rng.choice(
            (
                ConsumerGroupHeartbeatRequest(self.group, name, 3, None),
                ConsumerGroupHeartbeatRequest("", name, 0, None, None, 1000, [self.main], None, None, []),
                ConsumerGroupHeartbeatRequest(self.group, name, 0, None, None, -1, [self.main], None, None, []),
                ConsumerGroupHeartbeatRequest(self.group, name, 0, None, None, 1000, [self.main], None, None, None),
                ConsumerGroupHeartbeatRequest(self.group, name, 0, None, None, 1000, None, None, None, []),
                ConsumerGroupHeartbeatRequest(self.group, name, -2, None),
                ConsumerGroupHeartbeatRequest(self.group, name, -3, None),
                ConsumerGroupHeartbeatRequest(self.group, name, -1, "i0"),
                ConsumerGroupHeartbeatRequest(self.group, name, -1, None),
                ConsumerGroupHeartbeatRequest(self.group, name, 0, "", None, 1000, [self.main], None, None, []),
                ConsumerGroupHeartbeatRequest(self.group, "zz", 0, None, "", 1000, [self.main], None, None, []),
                ConsumerGroupHeartbeatRequest(self.group, "zz", 0, None, None, 1000, [self.main], None, "none", []),
                ConsumerGroupHeartbeatRequest("nosuch", "zz", 1, None),
                ConsumerGroupHeartbeatRequest("nosuch", "zz", -1, None),
                DeleteGroupsRequest([self.group]),
                HeartbeatRequest(self.group, 1, "zz", None),
                SyncGroupRequest(self.group, 1, LETTERS[0], None, "consumer", "range", []),
                LeaveGroupRequest(self.group, members=[MemberIdentity("zz", None), MemberIdentity("", "nosuch")]),
            )
        )  # fmt: skip
        version = {"HeartbeatRequest": 4, "SyncGroupRequest": 5, "LeaveGroupRequest": 5,
                   "DeleteGroupsRequest": 2}.get(type(request).__name__, 1)  # fmt: skip
        return Step(f"odd {type(request).__name__} {request!r}", lambda side: request, version)

    def learn(self, step, answer):
        """Take over what the answer says to the member, as a client does."""
        member = step.member
        if member is None:
            return
        code = answer["error_code"]
        if step.text.startswith("classic join"):
            if not code:
                member.epoch = answer["generation_id"]
            elif code in (25, 82, 23):
                member.joined = False
                self.members.remove(member)
        elif step.text.startswith("classic sync"):
            if not code:
                member.owned = member.assigned = set(answer["assignment"])
        elif step.text.startswith(("beat", "join")):
            if code in (25, 110, 111, 112, 128, 69, 82):
                member.joined = False
                member.epoch, member.owned, member.assigned = 0, set(), set()
                if member.instance is None and member in self.members:
                    self.members.remove(member)
            elif not code:
                if answer["member_epoch"] != member.epoch:
                    member.previous, member.epoch = member.epoch, answer["member_epoch"]
                if answer["assignment"] is not None:
                    member.assigned = set(answer["assignment"].get(self.main, ()))
