"""Limits of requests that both their sender and their receiver know; docs/rules.md A5, R3."""

MAX_ELECTIONS = 1000
"""The partitions that one ElectLeaders request elects leaders for (A5)."""

MAX_REPLICA_LOG_INFOS = 2000
"""The partitions that one GetReplicaLogInfo request describes (R3)."""
