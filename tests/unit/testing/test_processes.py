import pytest

from minikafka.testing.processes import reason_of

TIME = "2026-11-27 20:35:51,121"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "it ended before it logged anything"),
        (["num.partition: unknown broker configuration"], "num.partition: unknown broker configuration"),
        (
            [
                f"{TIME} INFO [node 1] minikafka.raft: votes",
                f"{TIME} ERROR [node 1] minikafka.server: cannot bind: in use",
                f"{TIME} INFO [node 1] minikafka.server: stopped",
            ],
            "cannot bind: in use",
        ),
        ([f"{TIME} CRITICAL minikafka.server: x: y"], "x: y"),
        ([f"{TIME} INFO [node 1] minikafka.raft: votes", "Killed"], "Killed"),
        ([f"{TIME} INFO [node 1] minikafka.raft: votes"], f"{TIME} INFO [node 1] minikafka.raft: votes"),
    ],
)  # fmt: skip
def test_the_reason_is_the_last_warning_or_the_last_line(lines, reason):
    assert reason_of(lines) == reason
