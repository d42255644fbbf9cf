"""The verification run: a workload, faults, Spark as the reader, a verdict, a page.

Nothing here trusts the cluster under test: real clients write, Spark reads, and the join of what
was acknowledged with what was read decides. Only `clusters` knows minikafka's own files and hooks.

`run` makes a run out of these packages. Each imports only those below it:

    page      the HTML page of a run
    spark     the session, the stream, a verdict from a run's files
    verdict   every broken promise, and the evidence that "verified" needs
    faults    how each kind of fault begins and ends      watch     what is observed meanwhile
    clusters  minikafka, Apache Kafka, any other cluster; networks and power cuts
    clients   producers and their ledgers, the consumer group and its log
    plan      settings, schedule, workload
"""
