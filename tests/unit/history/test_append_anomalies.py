"""G0, G1a, G1b and G1c are found in hand-made histories, and nothing in serial ones."""

from minikafka.history.append_anomalies import (
    AppendTransaction,
    aborted_reads,
    circular_flows,
    dirty_writes,
    intermediate_reads,
)


def transaction(name, outcome="commit", process=None, appends=None, reads=None):
    return AppendTransaction(name, process or name, outcome, appends or {}, reads or {})


def kinds(transactions, lists, **options):
    found = [
        *dirty_writes(transactions, lists, **options),
        *aborted_reads(transactions),
        *intermediate_reads(transactions),
        *circular_flows(transactions, lists, **options),
    ]
    return [each.kind for each in found]


def test_a_serial_history_has_no_anomaly():
    history = [
        transaction("T1", appends={"x": ["a", "b"], "y": ["c"]}),
        transaction("T2", reads={"x": ["a", "b"], "y": ["c"]}, appends={"x": ["d"]}),
        transaction("T3", "abort", appends={"y": ["gone"]}),
        transaction("T4", reads={"x": ["d"]}, appends={"y": ["e"]}),
    ]
    assert kinds(history, {"x": ["a", "b", "d"], "y": ["c", "e"]}) == []


def test_g0_two_transactions_append_before_one_another():
    history = [
        transaction("T1", appends={"x": ["x1"], "y": ["y1"]}),
        transaction("T2", appends={"x": ["x2"], "y": ["y2"]}),
    ]
    lists = {"x": ["x1", "x2"], "y": ["y2", "y1"]}
    [found] = dirty_writes(history, lists)
    assert str(found) == "G0: T1 -> T2 -> T1"
    assert kinds(history, lists) == ["G0"]


def test_g0_interleaved_appends_to_one_list():
    history = [
        transaction("T1", appends={"x": ["x1", "x3"]}),
        transaction("T2", appends={"x": ["x2"]}),
    ]
    assert kinds(history, {"x": ["x1", "x2", "x3"]}) == ["G0"]


def test_producers_may_interleave_but_not_the_transactions_of_one():
    lists = {"x": ["x1", "x2", "x3"]}
    appends = {"T1": {"x": ["x1", "x3"]}, "T2": {"x": ["x2"]}}
    two = [transaction(name, appends=each) for name, each in appends.items()]
    assert list(dirty_writes(two, lists, within_process=True)) == []
    one = [transaction(name, process="p", appends=each) for name, each in appends.items()]
    assert kinds(one, lists, within_process=True) == ["G0"]


def test_an_aborted_transaction_has_no_place_in_the_order():
    history = [
        transaction("T1", appends={"x": ["x1"], "y": ["y1"]}),
        transaction("T2", "abort", appends={"x": ["x2"], "y": ["y2"]}),
    ]
    assert kinds(history, {"x": ["x1", "x2"], "y": ["y2", "y1"]}) == []


def test_g1a_an_aborted_value_is_read():
    history = [
        transaction("T1", "abort", appends={"x": ["a"]}),
        transaction("T2", reads={"x": ["a"]}),
    ]
    [found] = aborted_reads(history)
    assert str(found) == "G1a: T2 read 'a' of x from T1"
    assert kinds(history, {"x": ["a"]}) == ["G1a"]


def test_what_an_aborted_reader_saw_does_not_count():
    history = [
        transaction("T1", "abort", appends={"x": ["a"]}),
        transaction("T2", "abort", reads={"x": ["a"]}),
        transaction("T3", None, reads={"x": ["a"]}),
    ]
    assert kinds(history, {"x": ["a"]}) == []


def test_g1b_the_first_append_of_two_is_read():
    history = [
        transaction("T1", appends={"x": ["a", "b"]}),
        transaction("T2", reads={"x": ["a"]}),
    ]
    [found] = intermediate_reads(history)
    assert str(found) == "G1b: T2 read 'a' of x from T1, which also appended 'b'"
    assert kinds(history, {"x": ["a", "b"]}) == ["G1b"]


def test_a_transaction_may_read_its_own_first_append():
    history = [transaction("T1", appends={"x": ["a", "b"]}, reads={"x": ["a"]})]
    assert kinds(history, {"x": ["a", "b"]}) == []


def test_g1c_two_transactions_read_one_another():
    history = [
        transaction("T1", appends={"x": ["a"]}, reads={"y": ["b"]}),
        transaction("T2", appends={"y": ["b"]}, reads={"x": ["a"]}),
    ]
    [found] = circular_flows(history, {"x": ["a"], "y": ["b"]})
    assert str(found) == "G1c: T2 -> T1 -> T2"
    assert kinds(history, {"x": ["a"], "y": ["b"]}) == ["G1c"]


def test_g1c_by_a_read_and_an_order_of_writes():
    """T2 reads T1, and appends before it: T1 -> T2 by x, T2 -> T3 -> T1 by y."""
    history = [
        transaction("T1", appends={"x": ["a"], "y": ["y1"]}),
        transaction("T2", appends={"y": ["y2"]}, reads={"x": ["a"]}),
        transaction("T3", None, appends={"y": ["y3"]}),
    ]
    [found] = circular_flows(history, {"x": ["a"], "y": ["y2", "y3", "y1"]})
    assert str(found) == "G1c: T1 -> T2 -> T3 -> T1"


def test_a_circle_of_writes_alone_is_not_g1c():
    history = [
        transaction("T1", appends={"x": ["x1", "x3"]}),
        transaction("T2", appends={"x": ["x2"]}),
    ]
    assert list(circular_flows(history, {"x": ["x1", "x2", "x3"]})) == []


def test_long_histories_need_no_recursion():
    names = [f"T{number}" for number in range(5_000)]
    history = [transaction(name, appends={"x": [name]}) for name in names]
    assert kinds(history, {"x": names}) == []
