"""Weakenings of the guards of brokers' sessions; `mutations.py` has all others."""

from tests.mutation import mutation

SESSION_MUTATIONS = (
    mutation(
        "sessions: a broker whose connection was closed counts as stopped",
        ("controller.stopped_brokers", "StoppedBrokers._ask", "_, endpoint = target",
         "return self.controller.fence_stopped(*target)"),
    ),
    mutation(
        "sessions: a broker that does not answer counts as stopped",
        ("controller.stopped_brokers", "StoppedBrokers._answered", "why == REFUSED and",
         "response is None and"),
    ),
)  # fmt: skip
