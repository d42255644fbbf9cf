"""The verification run: a workload, faults, Spark as the reader, a verdict, a page.

The harness does not trust the cluster under test: real clients write, Spark reads, and the join of
acknowledged records with records read decides. Only `clusters` knows minikafka's files and hooks.

`run` combines these packages. Each imports only those below it:

    page      the HTML page of a run
    spark     the session, the stream, a verdict from a run's files
    verdict   the broken promises, and the evidence that "verified" needs
    faults    the begin and end of each kind of fault     watch     observations during the run
    clusters  minikafka, Apache Kafka, any other cluster; networks and power cuts
    clients   producers and their ledgers, the consumer group and its poll log
    plan      settings, schedule, workload
"""
