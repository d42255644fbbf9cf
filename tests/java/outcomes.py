"""The outcomes of checks on both kinds of nodes, by name."""


def report(found, wanted):
    """Print what differs; return 1 if something does, or if there are no outcomes of Kafka."""
    different = [name for name in wanted | found if wanted.get(name) != found.get(name)]
    for name in different:
        print(f"{name}\n  Apache Kafka: {wanted.get(name)}\n  minikafka:    {found.get(name)}")
    print(f"{len(wanted)} checks, {len(different)} outcomes differ")
    return int(bool(different) or not wanted)
