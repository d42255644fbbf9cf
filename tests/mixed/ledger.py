"""What clients sent and read, and the promises that are judged by it."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Ledger:
    """The records of one producer, whose values are distinct; `sent` is in the order of sending."""

    sent: list = field(default_factory=list)
    """(partition, value)."""
    acknowledged: dict = field(default_factory=dict)
    """(partition, offset) -> value."""
    unplaced: list = field(default_factory=list)
    """Values without an offset: librdkafka takes a later batch's success for an acknowledgement."""
    failed: list = field(default_factory=list)
    """(value, why): these records may be in the log, or not."""

    def problems(self, read, delivered):
        """Return a sentence for each broken promise.

        `read` has for each partition what a reader of the whole log got, as (offset, value) in its
        order; `delivered` has the same of a consumer that read meanwhile, and may get a record twice.
        """
        place = {value: at for at, (_, value) in enumerate(self.sent)}
        found = [f"record {value!r} failed: {why}" for value, why in self.failed]
        at_offset = {}
        for partition, rows in read.items():
            offsets = [offset for offset, _ in rows]
            if offsets != sorted(set(offsets)):
                found.append(f"partition {partition}: offsets do not rise")
            places = [place[value] for _, value in rows if value in place]
            if places != sorted(places):
                found.append(f"partition {partition}: records are not in the order of sending")
            at_offset |= {(partition, offset): value for offset, value in rows}
        times = Counter(value for rows in read.values() for _, value in rows)
        found += [
            f"record {value!r} was read {count} times"
            for value, count in times.items()
            if count > 1
        ]
        found += [f"record {value!r} was never sent" for value in times if value not in place]
        for (partition, offset), value in self.acknowledged.items():
            there = at_offset.get((partition, offset))
            if there != value:
                found.append(
                    f"acknowledged record {value!r} is not at {partition}:{offset}, but {there!r}"
                )
        found += [f"acknowledged record {it!r} is lost" for it in self.unplaced if it not in times]
        seen = {
            (partition, offset): value
            for partition, rows in delivered.items()
            for offset, value in rows
        }
        missing = [at for at in self.acknowledged if seen.get(at) != self.acknowledged[at]]
        found += [
            f"acknowledged record at {at} was not delivered, but {seen.get(at)!r}" for at in missing
        ]
        values = set(seen.values())
        found += [
            f"acknowledged record {it!r} was not delivered"
            for it in self.unplaced
            if it not in values
        ]
        return found


@dataclass
class Transactions:
    """The transactions of one transactional id: the values of each, by its number."""

    committed: dict = field(default_factory=dict)
    aborted: dict = field(default_factory=dict)
    unknown: dict = field(default_factory=dict)

    def problems(self, read):
        """Return a sentence for each broken promise; `read` are the values of read_committed."""
        times = Counter(read)
        found = [
            f"record {value!r} was read {count} times"
            for value, count in times.items()
            if count > 1
        ]
        for number, values in self.committed.items():
            found += [
                f"record {each!r} of committed transaction {number} is lost"
                for each in values
                if each not in times
            ]
        for number, values in self.aborted.items():
            found += [
                f"record {each!r} of aborted transaction {number} was read"
                for each in values
                if each in times
            ]
        for number, values in self.unknown.items():
            count = sum(each in times for each in values)
            if count not in (0, len(values)):
                found.append(f"{count} of {len(values)} records of transaction {number} were read")
        return found
