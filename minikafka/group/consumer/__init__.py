"""Consumer groups of the new protocol (KIP-848): heartbeats, assignment by the server.

A group is the fold of its records (`group.ConsumerGroup.apply`). An operation makes records on a
copy of the group (`draft.Draft`), and the copy takes the group's place when they are appended.
"""
