"""What the model knows of each replica, independently of the broker and of its disks."""

import re

MARK = re.compile(rb"<(\d+):(\d+):(\d+)>")
"""The value of a record: number of its topic, index of its partition, number of the record."""


class ViolationError(Exception):
    """Something that must hold does not: the finding of a seed."""


class ProcessEndedError(Exception):
    """The process of the broker has ended within an action, which ends with it."""


def value_of(replica, record):
    return b"<%d:%d:%d>" % (replica.number, replica.at.partition, record)


class Replica:
    """A partition of one topic id, with the log that broker 1 must have of it.

    Records are numbers, which no two records share.
    """

    def __init__(self, at, topic_id, number):
        self.at = at
        self.topic_id = topic_id
        self.number = number
        """That of the topic: the value of each record has it."""
        self.other = []
        """The log of broker 2, whose disk never fails: pairs of record and batch."""
        self.committed = []
        self.own = None
        """The log of broker 1; None if it must have none."""
        self.durable = 0
        """How many of `own` are flushed."""
        self.least = 0
        """How many of `own` the next start must find: all after a kill, the flushed ones after a
        power loss."""
        self.start = 0
        """The highest log start offset that the log may have: no start raises it. Broker 2 has the
        records below."""
        self.in_flight = []
        """Records that the present step may have written or removed when the process ends."""
        self.home = None
        """The root of the directory that has the log."""
        self.roots = set()
        """The roots of all directories that may have a folder of it: homes, and targets of moves."""
        self.open_log = None
        """The log that the process uses, to notice another one."""
        self.leadership = None
        """Leader and epoch, as the metadata had them last."""
        self.has_two_histories = False
        """EXCUSE. A directory that may have a folder was out or broken while the broker wrote to
        another log. When it returns, an operator decides which log counts, or the controller has
        elected without it: the log in use need not be the last one. It may even stay offline, since
        the broker waits for a directory that may have newer records."""
        self.was_lost = False
        """EXCUSE. The controller knows the log as lost, or a directory was out at a start: an empty
        log may stay offline until a leader has the partition, though all directories are back."""

        self.is_removed = False
        """EXCUSE. An operator has removed the folder of the log, which checkpoints name: the replica
        is offline until another broker leads."""

    @property
    def key(self):
        return self.topic_id, self.at.partition

    def __str__(self):
        return str(self.at)

    @property
    def copied(self):
        """The records of broker 2."""
        return [record for record, _ in self.other]

    def remove(self):
        """Broker 1 has no replica any more."""
        self.own = self.open_log = None
        self.least = self.durable = 0

    def lacks_committed(self, records):
        return records[: len(self.committed)] != self.committed

    def common_with_other(self):
        """How many committed records broker 2 has."""
        return common_length(self.committed, self.copied)

    def keeps(self, records):
        """True if a start found what the last process left, less what a power loss may take."""
        written = (self.own + self.in_flight)[: len(records)]
        return records[: self.least] == self.own[: self.least] and records == written


def common_length(first, second):
    length = 0
    for one, two in zip(first, second, strict=False):
        if one != two:
            break
        length += 1
    return length
