"""The verification run: workload, ledger, faults, Spark, verdict, report."""
