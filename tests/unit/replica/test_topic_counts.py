"""Numbers of a topic's traffic."""

from dataclasses import fields

from minikafka.replica.topic_counts import TopicCounts


def test_every_number_is_added():
    names = [each.name for each in fields(TopicCounts)]
    some = TopicCounts(**{name: at for at, name in enumerate(names, 1)})
    total = TopicCounts()
    total.add(some)
    total.add(some)
    assert [getattr(total, name) for name in names] == [2 * at for at in range(1, len(names) + 1)]
    assert some == TopicCounts(**{name: at for at, name in enumerate(names, 1)})
