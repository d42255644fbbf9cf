"""The ELR by the rules of the specification, where it differs from Kafka's.

It starts from the rows of Apache Kafka, which the rules agree with in leader and ISR, and follows
brokers that leave the ISR (E5) or restart uncleanly (E7), and the ELR until it is emptied (E5,
E10). LastKnownELR is Kafka's while the unclean recovery manager is disabled (E9).
"""

from tests.golden.sequence import members


class Members:
    """ISR and ELR of one partition."""

    def __init__(self, topic):
        self.min_isr = min(topic.min_isr, len(topic.replicas))
        self.replicas = len(topic.replicas)
        self.isr = set(topic.replicas)
        self.elr = set()
        self.killed = set()

    def leave(self, node, *, killed):
        (self.killed.add if killed else self.killed.discard)(node)
        if node in self.isr:
            self.isr.discard(node)
            if len(self.isr) < self.min_isr:
                self.elr.add(node)

    def register(self, node):
        """E7: out of the ELR, unless the shutdown was clean."""
        if node in self.killed and node in self.elr:
            self.elr.discard(node)
        self.killed.discard(node)

    def change_min_isr(self, value):
        self.min_isr = min(value, self.replicas)

    def arrive(self, row):
        """Take the ISR of the next row, and remove its members from the lists."""
        if row["leader"] != "none":
            isr = members(row["isr"])
            self.elr = set() if row.get("answer") == "NONE" and isr - self.isr else self.elr
            self.isr = isr
            self.elr -= isr
        if len(self.isr) >= self.min_isr:
            self.elr = set()


def differences(sequence, topic):
    """Per step: None where the rules give what Kafka showed, else the rule and the columns."""
    state = Members(sequence.topics[topic])
    found = []
    for step in sequence.steps:
        action, *words = step.do
        for word in words if action in ("kill", "kill-in-order", "stop", "bounce") else ():
            state.leave(int(word), killed=action != "stop")
        for word in words if action in ("start", "bounce") else ():
            state.register(int(word))
        if action == "set":
            state.change_min_isr(int(words[0].partition("=")[2]))
        row = step.rows.get(topic)
        if row is None:
            found.append(None)
            continue
        state.arrive(row)
        found.append(_difference(row, state))
    return found


def _difference(row, state):
    if state.elr == members(row["elr"]):
        return None
    return "E10", {"elr": ",".join(map(str, sorted(state.elr)))}
