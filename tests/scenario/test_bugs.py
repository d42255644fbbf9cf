"""The scenario of a bug plays differently where the bug is back."""

import pytest

from minikafka.sim.scenario.scenario import without_times
from tests.mutation import Edit, Mutation, applied
from tests.scenario.files import FOLDER, played
from tests.simulation.mutations import MUTATIONS

IDENTITY = "LocalLog.sync_identity"
SYNC = 'sync_file(self.disk, f"{self.folder}/{PARTITION_METADATA}")'
BUGS = {
    "topic-id-kept-in-a-power-loss": Mutation(
        "partition.metadata is not synced",
        (
            Edit("minikafka.log.local_log", IDENTITY, SYNC, "pass"),
            Edit("minikafka.log.local_log", IDENTITY, "self.disk.sync_dir(folder)", "pass"),
        ),
    ),
    "fetch-of-a-deleted-topic": Mutation(
        "a replica that is taken away leaves who waits for it waiting",
        tuple(
            Edit("minikafka.replica.partition", "Partition.wake_all", f"self.env.notify(self.{what})",
                 "pass")
            for what in ("committed", "appended", "progress")
        ),
    ),
    "topic-configuration-after-a-restart": Mutation(
        "a log that was loaded keeps what it was loaded with",
        (Edit("minikafka.log.directories.log_manager", "LogManager.create", "log.renew_config(config)", "pass"),),
    ),
    "elr-left-from-before": Mutation(
        "switching ELR on lets old members count",
        (Edit("minikafka.controller.feature_control", "_records", "records += leftover_records(view)",
              "pass"),),
    ),
    "leader-that-missed-another": "CHECK 3: a leader that missed the one in between",
    "proposed-isr": "H3: ",
    "under-min-isr": "H1: ",
    "unclean-shutdown": "E7: ",
    "recovery-balanced": "U6: ",
    "clean-shutdown": "C2: ",
    "isr-and-elr": "E5: the ELR stays",
    "isolated-leader": "H4: ",
}  # fmt: skip


@pytest.mark.parametrize("name", BUGS)
def test_the_scenario_finds_it(name):
    """C2, E5, E7, H1, H2, H3, H4, U6."""
    bug = BUGS[name]
    if isinstance(bug, str):
        (bug,) = [each for each in MUTATIONS if each.name.startswith(bug)]
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    with applied(bug):
        found, _ = played(text, name)
    assert without_times(found) != without_times(text)
