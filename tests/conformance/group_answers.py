"""Answers about groups as plain values, so that those of two servers can be compared."""

from minikafka.group.embedded import assignment_of

_LONGEST_GIVEN_ID = 20
_UNORDERED = ("members", "groups", "topic_partitions", "subscribed_topic_names")


class Side:
    """One server: the ids of its topics, and the member ids that it drew, by a member's name."""

    def __init__(self):
        self.topic_ids = {}
        self.ids = {}
        self.seen = {}

    def begin(self):
        """Forget the member ids of the last sequence."""
        self.ids, self.seen = {}, {}

    def id_of(self, member):
        """What the server knows a member by, or a plain id."""
        name = getattr(member, "name", member)
        return self.ids.get(name, name)

    def values(self, answer):
        """An answer as plain values: topic ids by name, random member ids by order, no times."""
        row = self._value("", answer)
        kind = type(answer).__name__
        if kind == "ConsumerGroupHeartbeatResponse":
            given = row["assignment"]
            row["assignment"] = given and {
                each["topic_id"]: each["partitions"] for each in given["topic_partitions"]
            }
        elif kind == "SyncGroupResponse":
            data = bytes(answer.assignment)
            found = assignment_of(data).assigned_partitions if data else []
            row["assignment"] = sorted(index for each in found for index in each.partitions)
        return row

    def _value(self, key, found):
        if key == "throttle_time_ms":
            return 0
        if key == "topic_id":
            names = {topic_id: name for name, topic_id in self.topic_ids.items()}
            return names.get(found, str(found))
        if key == "partitions" and found and isinstance(found[0], int):
            return sorted(found)
        if isinstance(found, list):
            rows = [self._value("", each) for each in found]
            return sorted(rows, key=str) if key in _UNORDERED else rows
        if hasattr(type(found), "unknown_tagged_fields"):
            return {
                name: self._value(name, getattr(found, name))
                for name in type(found).__slots__
                if name != "unknown_tagged_fields"
            }
        if isinstance(found, str):
            return self._text(key, found)
        return bytes(found).hex() if isinstance(found, bytes) else found

    def _text(self, key, found):
        if key in ("member_id", "leader") and len(found) > _LONGEST_GIVEN_ID:
            return self.seen.setdefault(found, f"id{len(self.seen)}")
        if key == "error_message":
            for drawn, short in self.seen.items():
                found = found.replace(drawn, short)
        return found


class Play:
    """One sequence on any number of sides at once."""

    def __init__(self, sequence, sides):
        self.sequence = sequence
        self.sides = sides
        self.draws = [sequence.step] * sequence.length
        self.draws += [lambda each=each: each for each in sequence.last()]

    def rounds(self):
        """Yield each step with the plain answers of all sides."""
        for side in self.sides:
            side.begin()
        for draw in self.draws:
            step = draw()
            answers = [side.ask(step.build(side), step.version) for side in self.sides]
            rows = [side.values(each) for side, each in zip(self.sides, answers, strict=True)]
            if step.text == "list":
                for row in rows:
                    own = self.sequence.group
                    row["groups"] = [each for each in row["groups"] if each["group_id"] == own]
            yield step, rows
            if step.text.startswith("classic join") and not rows[0]["error_code"]:
                for side, answer in zip(self.sides, answers, strict=True):
                    side.ids[step.member.name] = answer.member_id
            self.sequence.learn(step, rows[0])
            if self.sequence.with_patterns:
                for side in self.sides:
                    side.resolve_patterns()
