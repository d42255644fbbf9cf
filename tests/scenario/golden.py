"""The sequences that Apache Kafka went through, as scenarios.

Kafka fences a killed broker when its session ends: the detection of stopped nodes is off.
"""

from tests.golden import sequence as data

# Two heartbeats, so that sessions end in the order of the kills.
_APART = "wait=600ms"


def script(sequence):
    """The commands of each step, and the step."""
    topics = [
        f"topic {name} replicas={','.join(map(str, topic.replicas))} min.isr={topic.min_isr}"
        for name, topic in sequence.topics.items()
    ]
    steps = []
    for step in sequence.steps:
        if step.text == "create":
            commands = [f"cluster brokers={sequence.brokers} detection=off", *topics]
        else:
            commands = _commands(*step.do)
        for acks, column in (("all", "all"), ("1", "one")):
            led = [name for name, row in step.rows.items() if column in row]
            if led:
                commands.append(f"produce 1 {' '.join(led)} acks={acks}")
        steps.append((commands, step))
    return steps


def _commands(action, *words):
    if action == "kill-in-order":
        *first, last = words
        return [*(f"kill {node} {_APART}" for node in first), f"kill {last}"]
    if action == "bounce":
        return [f"kill {words[0]} wait=50ms", f"start {words[0]}"]
    if action == "set":
        return [f"alter {words[0].replace('min.insync.replicas', 'min.isr')}"]
    if action == "reassign":
        return [f"reassign {words[0].replace('none', 'cancel')}"]
    return [" ".join((action, *words))]


def text(sequence):
    """The file: commands, and in comments where Apache Kafka was in another state, and why."""
    lines = [f"# {sequence.about}", f"# tests/golden/sequences/{sequence.name}.json"]
    for commands, step in script(sequence):
        lines.append("")
        for topic, (rule, row) in step.here.items():
            theirs = data.text({column: step.rows[topic][column] for column in row})
            lines.append(f"# {rule}: Apache Kafka 4.3.1 showed {theirs} of {topic}.")
        lines += commands
    return "\n".join([*lines, "", "read"]) + "\n"
