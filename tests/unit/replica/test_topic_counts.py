"""Numbers of a topic's traffic."""

from dataclasses import fields

from minikafka.replica.topic_counts import BrokerTopicStats, TopicCounts


def test_every_number_is_added():
    names = [each.name for each in fields(TopicCounts)]
    some = TopicCounts(**{name: at for at, name in enumerate(names, 1)})
    total = TopicCounts()
    total.add(some)
    total.add(some)
    assert [getattr(total, name) for name in names] == [2 * at for at in range(1, len(names) + 1)]
    assert some == TopicCounts(**{name: at for at, name in enumerate(names, 1)})


def test_counts_of_a_deleted_topic_remain_in_the_total():
    stats = BrokerTopicStats()
    stats.add("a").messages_in += 3
    stats.add("b").messages_in += 4
    assert stats.add("a") is stats.of("a")
    stats.remove("a")
    stats.remove("a")
    assert (stats.of("a").messages_in, stats.of("b").messages_in) == (0, 4)
    assert stats.total().messages_in == 7
