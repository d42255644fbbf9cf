from minikafka.controller import topic_control
from minikafka.controller.replica_index import ReplicaIndex


def found(rows):
    return [(x.topic.name, x.partition.partition) for x in rows]


def test_it_finds_partitions_by_what_a_broker_is_to_them(elr_topic):
    index = elr_topic.controller._index
    elr_topic.create("u", assignment=((2, 3), (3, 1)))
    assert found(index.in_isr(1)) == [("t", 0), ("u", 1)]
    assert found(index.led_by(3)) == [("u", 1)]
    assert index.leads(1)
    assert not index.leads(9)
    elr_topic.propose(1, [1])
    assert found(index.in_isr(2)) == [("u", 0)]
    assert found(index.in_isr_or_elr(2)) == [("u", 0), ("t", 0)]


def test_it_finds_partitions_without_leader_and_without_their_preferred_one(elr_topic):
    index = elr_topic.controller._index
    elr_topic.fence(1)
    assert found(index.without_preferred_leader()) == [("t", 0)]
    assert not index.leads(1)
    elr_topic.fence(2)
    elr_topic.fence(3)
    assert found(index.led_by(-1)) == [("t", 0)]
    elr_topic.heartbeat(3)
    assert found(index.led_by(-1)) == []
    assert found(index.led_by(3)) == [("t", 0)]


def test_it_notes_which_partitions_lost_or_found_a_leader(elr_topic):
    elr_topic.create("u")
    index = ReplicaIndex()
    index.advance(elr_topic.image)
    assert index.take_leaderless_changes() == []
    for broker_id in (1, 2):
        elr_topic.fence(broker_id)
        index.advance(elr_topic.image)
    assert index.take_leaderless_changes() == []
    elr_topic.fence(3)
    index.advance(elr_topic.image)
    lost = [(x.topic.name, x.partition) for x in index.led_by(-1)]
    assert [name for name, _ in lost] == ["t", "u"]
    assert index.take_leaderless_changes() == [key for _, key in lost]
    assert index.leaderless_count() == 2
    elr_topic.heartbeat(3)
    index.advance(elr_topic.image)
    assert index.take_leaderless_changes() == [key for _, key in lost]
    assert index.take_leaderless_changes() == []
    assert index.leaderless_count() == 0


def test_deleted_topics_leave_it(elr_topic):
    index = elr_topic.controller._index
    elr_topic.fence(1)
    request = _delete("t")
    elr_topic.apply(elr_topic.controller.decide(topic_control.delete_topics, request, 6))
    for broker_id in (1, 2, 3):
        assert found(index.in_isr_or_elr(broker_id)) == []
    assert found(index.without_preferred_leader()) == []


def test_built_at_once_it_is_the_same_as_kept_up(elr_topic):
    elr_topic.create("u", assignment=((2, 3), (3, 1)))
    elr_topic.fence(2)
    elr_topic.propose(1, [1])
    fresh = ReplicaIndex()
    fresh.advance(elr_topic.image)
    kept = elr_topic.controller._index
    for broker_id in (-1, 1, 2, 3):
        assert sorted(found(fresh.in_isr(broker_id))) == sorted(found(kept.in_isr(broker_id)))
        assert sorted(found(fresh.led_by(broker_id))) == sorted(found(kept.led_by(broker_id)))
    assert sorted(found(fresh.without_preferred_leader())) == sorted(
        found(kept.without_preferred_leader())
    )


def _delete(name):
    from minikafka.messages.delete_topics import DeleteTopicsRequest

    return DeleteTopicsRequest(topic_names=[name])


def test_elections_are_counted_by_where_the_leader_comes_from(elr_topic):
    """L1, L2, L5: neither an ISR member nor the creation of a partition counts."""
    index = ReplicaIndex()

    def counted():
        index.advance(elr_topic.image)
        return index.unclean_elections, index.elr_elections

    elr_topic.fence(1)
    assert counted() == (0, 0)
    elr_topic.fence(2)
    elr_topic.fence(3)
    assert counted() == (0, 0)
    elr_topic.heartbeat(3)
    assert counted() == (0, 1)
    later = index.restarted()
    later.advance(elr_topic.image)
    assert (later.unclean_elections, later.elr_elections) == (0, 1)
