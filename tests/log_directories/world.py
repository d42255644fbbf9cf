"""The state of one seed, and its course: start, actions, an end of the process, start again."""

from random import Random

from minikafka.common.ids import Uuid
from minikafka.controller import cluster_control
from minikafka.log.checkpoints import read_topic_id
from minikafka.log.directories.log_folders import held_records
from minikafka.metadata.partition_registration import LeaderRecoveryState
from tests.log_directories import actions, checks
from tests.log_directories.broker import TWO_LOGS, Broker
from tests.log_directories.metadata import Metadata
from tests.log_directories.model import ProcessEndedError, ViolationError
from tests.worlds.log_directories import formatted

STEPS = 60
_MAX_STARTS_AT_END = 12


class World:
    """Everything that a seed has: it is the only source of random choices."""

    def __init__(self, seed, *, on_line=None, shows_operations=False):
        self.rng = Random(seed)
        self.on_line = on_line
        self.shows_operations = shows_operations
        self.disks = [
            formatted(f"/d{number}", Uuid.of(9, number + 1))
            for number in range(self.rng.choice((2, 2, 3)))
        ]
        for disk in self.disks:
            disk.sync_all()
        self.out = set()
        """The roots that are not in log.dirs."""
        self.metadata = Metadata(self.rng, elr=self.rng.random() < 0.7)
        self.replicas = {}
        """By topic id and index, also those of deleted topics and of broker 2 alone."""
        self.unassigned = set()
        """The keys of replicas whose directory the controller did not know at the last start."""
        self.removed = set()
        """The names of logs whose folder an operator has removed; checkpoints may have them."""
        self.records = self.topics = self.starts = self.refused = 0
        self.lines = []
        self.broker = Broker(self)

    def say(self, *what):
        """Tell what happens; the lines of a seed are always the same."""
        line = " ".join(map(str, what))
        self.lines.append(line)
        if self.on_line is not None:
            self.on_line(line)

    # What there is

    @property
    def present(self):
        """The disks in log.dirs."""
        return [disk for disk in self.disks if disk.root not in self.out]

    def disk(self, root):
        return next(disk for disk in self.disks if disk.root == root)

    def registration(self, replica):
        return self.metadata.registration(replica)

    def live(self):
        """The partitions of topics that exist."""
        return [each for each in self.replicas.values() if self.registration(each) is not None]

    def own_replicas(self):
        """Those of broker 1."""
        return [each for each in self.live() if 1 in self.registration(each).replicas]

    def reason(self, replica):
        """Why the broker keeps a replica offline."""
        return self.broker.manager._lost.reason(replica.at)

    # What changes

    def commit(self, records):
        """Commit what the controller has decided. After an unclean election the log of the new
        leader is what is committed.
        """
        self.metadata.commit(records)
        self.note_elections()

    def note_elections(self):
        for replica in self.live():
            now = self.registration(replica)
            before, replica.leadership = replica.leadership, (now.leader, now.leader_epoch)
            is_unclean = now.leader_recovery_state is LeaderRecoveryState.RECOVERING
            if replica.leadership != before and now.leader >= 0 and is_unclean:
                self.say("unclean election of", now.leader, "for", replica)
                records = (replica.own or []) if now.leader == 1 else replica.copied
                replica.committed = list(records)

    def change_topics(self):
        """Change the metadata while the broker makes its replicas."""
        self.rng.choice((actions.create, actions.delete, actions.reassign))(self)

    def refuse(self, reason):
        """An operator removes the older of two logs, because of which the broker does not start."""
        self.refused += 1
        self.say("the start is refused:", reason)
        match = TWO_LOGS.match(reason)
        if match is None:
            raise ViolationError(f"the start is refused: {reason}")
        name, *roots = match.groups()
        found = [each for each in self.replicas.values() if self._has_logs(each, name, roots)]
        if not found:
            raise ViolationError(f"the start is refused without two logs: {reason}")
        (replica,) = found
        if not replica.has_two_histories:
            raise ViolationError(f"the start is refused, but no directory was out: {reason}")
        older = self.disk(roots[1] if replica.home == roots[0] else roots[0])
        before, older.before_change = older.before_change, lambda *_: None
        broken, older.broken = older.broken, None
        older.remove(name)
        older.sync_names()
        self.removed.add(replica.at)
        older.before_change, older.broken = before, broken

    def _has_logs(self, replica, name, roots):
        """True if all these roots have records of a replica."""
        return str(replica) == name and all(self._has_log(replica, root) for root in roots)

    def _has_log(self, replica, root):
        disk, name = self.disk(root), str(replica)
        broken, disk.broken = disk.broken, None
        found = read_topic_id(disk, name) == replica.topic_id and held_records(disk, name)
        disk.broken = broken
        return found

    # The course

    def play(self, steps=STEPS):
        """Play the seed.

        Raises:
            ViolationError: something that must hold does not.
        """
        for _ in range(steps):
            try:
                if self.broker:
                    actions.draw(self.rng)(self)
                    checks.members(self)
                else:
                    self._start()
            except ProcessEndedError:
                pass
        self._end()

    def _start(self):
        actions.while_stopped(self)
        rng, broker = self.rng, self.broker
        crash = broker.plan_crash(0, 1, 2, 4, 8, 16, 32, 64) if rng.random() < 0.3 else None
        broken = [rng.choice(self.present).root] if rng.random() < 0.1 else []
        broker.start(crash, broken)

    def _end(self):
        """All directories come back, and the broker runs without disturbance."""
        self.say("END")
        if self.broker:
            self.broker.end(power=False)
        self.out.clear()
        if self.metadata.is_fenced(2):
            actions.other_broker(self)
        try:
            for _ in range(_MAX_STARTS_AT_END):
                if self.broker.start():
                    break
            else:
                raise ViolationError("the broker cannot start at the end")
            if self.metadata.is_fenced(1):
                broker = self.metadata.image.brokers[1]
                self.commit(cluster_control.unfencing(self.metadata.view, broker))
                self.broker.publish()
            for _ in range(6):
                self.broker.run(5000)
                actions.replicate(self)
            self.broker.run(30_000)
        except ProcessEndedError:
            raise ViolationError("the process ends at the end") from None
        checks.at_end(self)
