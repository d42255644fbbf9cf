"""The error of clusters for tests."""


class ClusterError(Exception):
    """An operation on a cluster failed; the message says why in one sentence.

    If a node's log tells more, its last lines are notes of the error.
    """
