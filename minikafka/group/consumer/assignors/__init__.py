"""The assignors of consumer groups: they decide which member gets which partitions."""

from collections.abc import Mapping

from minikafka.group.consumer.assignors.range import RangeAssignor
from minikafka.group.consumer.assignors.spec import Assignor
from minikafka.group.consumer.assignors.uniform import UniformAssignor

ASSIGNORS: Mapping[str, Assignor] = {
    each.name: each for each in (UniformAssignor(), RangeAssignor())
}
