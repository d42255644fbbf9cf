"""Nodes that misbehave, in processes of their own: Python imports this before anything else.

With this folder in PYTHONPATH, and the name of a mutation of `tests/simulation/mutations.py` or
`tests/harness/transaction_mutations.py` in MINIKAFKA_TEST_MUTATION, a process that runs a node
weakens that guard. Every other process, such as the harness that has to find it out, stays as it
is.
"""

import os
import sys

RUNS_NODES = {"server-start", "minikafka.server.fork_server"}
if RUNS_NODES.intersection(sys.orig_argv) and "MINIKAFKA_TEST_MUTATION" in os.environ:
    from tests.harness.transaction_mutations import TRANSACTION_MUTATIONS
    from tests.mutation import applied
    from tests.simulation.mutations import MUTATIONS

    wanted = os.environ["MINIKAFKA_TEST_MUTATION"]
    [mutation] = [each for each in (*MUTATIONS, *TRANSACTION_MUTATIONS) if each.name == wanted]
    # Kept: once it is collected the guard is as it was.
    weakened = applied(mutation)
    weakened.__enter__()
    print(f"this node is mutated: {wanted}", file=sys.stderr, flush=True)
