"""Random sequences of requests about transactions, for two clusters.

A step is drawn once, from what both have answered so far, and built for each cluster, since each
has its own producer ids and topic ids.
"""

from typing import NamedTuple

from tests.conformance import transaction_steps as steps
from tests.conformance.transaction_answers import MISSING

STEPS = 12


class Names(NamedTuple):
    """What a sequence may use: nothing of it is used by another one."""

    ids: tuple
    groups: tuple
    topic: str
    partitions: tuple
    missing: str
    """A transactional id that few sequences use."""


class Sequence:
    """Draws steps. `producers` are the ids and epochs that both have answered, newest last."""

    def __init__(self, rng, names):
        self.rng = rng
        self.names = names
        self.producers = {name: [steps.NO_PRODUCER] for name in names.ids}
        self.sequences = {}

    def learn(self, name, values):
        """Note the producer that an answer has, if both have it."""
        number, epoch = values.get("producer_id", -1), values.get("producer_epoch", -1)
        if values.get("error_code") == 0 and number >= 0:
            self.producers.setdefault(name, []).append(steps.Producer(number, epoch))

    def step(self):
        """Draw the next step."""
        kinds, weights = zip(*steps.KINDS, strict=True)
        return self.rng.choices(kinds, weights)[0](self)

    def first(self):
        """The steps at the start: most sequences need a producer."""
        return [steps.init(self, name, steps.NO_PRODUCER) for name in self.names.ids]

    def last(self):
        """What each sequence ends with: everything that readers and operators see."""
        found = [steps.describe_transactions(self), steps.list_transactions(self)]
        found += [steps.fetch(self, isolation, 12) for isolation in (0, 1)]
        found += [steps.list_offsets(self, isolation, steps.LATEST, 5) for isolation in (0, 1)]
        found.append(steps.describe_producers(self, self.names.partitions))
        found += [steps.offset_fetch(self, stable, 8) for stable in (False, True)]
        return found

    # Parts of requests

    def name(self):
        """A transactional id, mostly of this sequence."""
        if self.rng.randrange(30) == 0:
            return self.rng.choice(("", self.names.missing))
        return self.rng.choice(self.names.ids)

    def producer(self, name):
        """A producer, mostly the current one of this id."""
        known = self.producers.get(name) or [steps.NO_PRODUCER]
        now = known[-1]
        kind = self.rng.randrange(24)
        if kind == 0:
            return now._replace(epoch=now.epoch + 1)
        if kind == 1:
            return now._replace(epoch=now.epoch - 1)
        if kind == 2:
            return self.rng.choice(known)
        if kind == 3:
            return self.rng.choice([each[-1] for each in self.producers.values()])
        return steps.STRANGER if kind == 4 else now

    def partitions(self):
        """Some partitions; sometimes one that does not exist."""
        found = self.rng.choice(
            ((0,), (1,), (0, 1), (0,), (1,), (0, 1))
        )  # more often one or both than none
        rows = [(self.names.topic, self.names.partitions[each]) for each in found]
        odd = self.rng.randrange(20)
        if odd == 0:
            rows.append((self.names.topic, 9999))
        elif odd == 1:
            rows.append((MISSING, 0))
        return rows

    def group(self):
        return self.rng.choice(self.names.groups)
