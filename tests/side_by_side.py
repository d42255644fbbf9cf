"""Which tests stay together when pytest runs in several processes, and which begin first.

`--dist loadgroup` of pytest-xdist 3.8 changes names of tests in a way that pytest 9.2 does not see,
so that every test would go its own way; groups are made from the names of modules here.
"""

from xdist.scheduler import LoadScopeScheduling

OF_PROCESSES = ("integration", "fault", "golden", "attacks", "harness")
"""Folders whose tests start processes: a module's tests stay together, as they share a cluster."""
OF_A_SESSION = (
    "test_data_sources",
    "test_spark_side",
    "test_verdict",
    "test_verdict_engines",
    "test_verdict_isolation",
    "test_verdict_polls",
    "test_verdict_time",
)
"""Modules that share one Spark session, which is expensive to start and slow at first."""
ALONE = ("test_examples", "test_mutated_brokers", "test_verify_end_to_end")
"""Modules of whose tests each has a cluster and a Spark of its own, and mostly waits for them."""
LONGEST = (
    "harness/test_spark_cluster",
    "golden",
    "spark",
    "harness/test_mutated_brokers",
    "harness/test_verify_end_to_end",
    "integration/test_replication",
    "fault/test_harness_faults",
    "fault/test_storage",
    "fault/test_odd_frames",
)
"""The groups that begin first, so that the last ones are short."""


def group_of(node_id):
    """The group of a test, by its name for pytest; tests of a group run one after the other."""
    path, _, name = node_id.partition("::")
    folder, _, module = path.removeprefix("tests/").rpartition("/")
    stem = module.removesuffix(".py")
    if folder not in OF_PROCESSES:
        return node_id
    if folder == "golden":
        return folder
    if folder == "harness" and stem in OF_A_SESSION:
        return "spark"
    return f"{folder}/{stem}/{name}" if stem in ALONE else f"{folder}/{stem}"


def place_of(node_id):
    """The place of a test's group in the run."""
    group = group_of(node_id)
    found = (at for at, name in enumerate(LONGEST) if f"{group}/".startswith(f"{name}/"))
    return next(found, len(LONGEST))


class Groups(LoadScopeScheduling):
    """Gives the tests of a group to one process."""

    def _split_scope(self, nodeid):
        return group_of(nodeid)
