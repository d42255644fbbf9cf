"""How one is played, and how its file is brought up to date."""

from minikafka.commands.scenario import NAMED
from minikafka.sim.scenario.scenario import parse, play, without_times
from minikafka.sim.scenario.scenario_runner import ScenarioRunner

FOLDER = NAMED


def played(text, name):
    """What a scenario's text becomes when it is played, and the runner afterwards."""
    scenario = parse(text, name, ScenarioRunner.CARRY_OUT)
    runner = ScenarioRunner()
    return scenario.text(play(scenario, runner.carry_out)), runner


def compare(path, found, config):
    """The file is what was found, but for times; with --rewrite it becomes so."""
    rewrites = config.getoption("--rewrite", default=False)
    text = path.read_text(encoding="utf-8") if path.exists() or not rewrites else ""
    if rewrites and without_times(text) != without_times(found):
        path.write_text(found, encoding="utf-8")
        text = found
    assert without_times(text) == without_times(found)
