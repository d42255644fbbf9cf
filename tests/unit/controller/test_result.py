from minikafka.controller.result import ControllerResult


def test_records_may_be_spread_over_batches_unless_it_is_said_otherwise():
    assert not ControllerResult([], "answer").atomic
    assert ControllerResult([], "answer", atomic=True).atomic
