from minikafka.replica.queued_append import QueuedAppend


def test_two_appends_of_the_same_size_are_two_appends():
    """A request waits for its own append: equal fields do not make them the same."""
    first, second = QueuedAppend(-1, 10), QueuedAppend(-1, 10)
    assert first != second
    assert first.done is not second.done


def test_a_new_append_has_neither_a_validated_batch_nor_an_outcome():
    queued = QueuedAppend(1, 10)
    assert (queued.validated, queued.outcome, queued.leader_epoch) == (None, None, -1)
