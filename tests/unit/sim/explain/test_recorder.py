from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.explain.recorder import MESSAGES_KEPT, Recorder


def plan(seed, seconds):
    """A seed's plan with a separate controller, so that no connection uses loopback."""
    return draw(seed, seconds * 1000).changed(separate_controller=True)


def recorded(seed, seconds):
    recorder = Recorder()
    simulation = Simulation(plan(seed, seconds), recorder.add_line)
    recorder.follow(simulation.cluster)
    return recorder, simulation.run()


def test_recording_does_not_change_the_run():
    recorder, outcome = recorded(3, 6)
    lines = []
    alone = Simulation(plan(3, 6), lines.append).run()
    assert recorder.lines == lines
    assert alone.digest == outcome.digest
    assert alone.coverage.checks == outcome.checks


def test_messages_have_a_name_two_ends_and_their_times():
    recorder, outcome = recorded(3, 6)
    assert len(recorder.messages) == min(MESSAGES_KEPT, outcome.messages)
    assert [message.sent_us for message in recorder.messages] == sorted(
        message.sent_us for message in recorder.messages
    )
    names = {message.what for message in recorder.messages}
    assert {"Fetch", "BrokerHeartbeat"} <= names
    assert "answer" not in names
    for message in recorder.messages:
        assert message.source != message.target
        assert message.arrived_us is None or message.arrived_us > message.sent_us
    answers = [message for message in recorder.messages if not message.is_request]
    assert any(message.what == "Fetch" for message in answers)


def test_high_watermarks_are_those_of_leaders():
    recorder, _ = recorded(3, 6)
    assert {end.partition for end in recorder.ends} >= {"t-0"}
    assert max(end.offset for end in recorder.ends) > 0
    for one, other in zip(recorder.ends, recorder.ends[1:], strict=False):
        assert one.at_us <= other.at_us
