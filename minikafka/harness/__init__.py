"""The verification run: workload, ledger, faults, Spark, verdict, report (SPEC §14).

Nothing here trusts the cluster under test: real clients write, Spark reads, and only the join of
what was acknowledged with what was read decides. Nothing here knows which implementation it looks
at, apart from `cluster`, which can start one of our own.
"""
