"""A seed is one history; seeds that once broke something. The seeds of CI run in `floors`."""

import os
import subprocess
import sys

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.simulation import Simulation
from tests.mutation import applied
from tests.simulation.mutations import MUTATIONS

DURATION_MS = 20_000
DIGEST = """
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.simulation import Simulation
for seed in (3, 4, 8):
    print(Simulation(draw(seed, 15_000)).run().digest)
"""


def test_a_topic_that_is_deleted_while_it_is_flushed_breaks_no_disk():
    """Seed 168 deletes one at that moment: a failed flush would take a sound disk offline."""
    plan = draw(168, DURATION_MS)
    violation = Simulation(plan).run().violation
    assert violation is None
    (mutation,) = [each for each in MUTATIONS if each.name.startswith("a flush of a deleted")]
    with applied(mutation):
        rule = Simulation(plan).run().rule
        assert rule == "sound disk"


def digests(hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", DIGEST]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_seed_is_one_history_whatever_python_hashes():
    first, second = digests("1"), digests("2")
    assert first == second
    assert len(set(first)) == 3
