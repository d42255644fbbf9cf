"""The page of a simulated run, which is run again with a recorder for `harness.page.sim_page`."""

from pathlib import Path

from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.simulation import RunOutcome, Simulation
from minikafka.sim.explain.recorder import Recorder
from minikafka.sim.explain.story import Story

_US_PER_S = 1_000_000
_MS_PER_S = 1000


def write(plan: Plan, command: str, settings: str, path: Path) -> RunOutcome:
    """Run a plan and write its page; return the outcome of the run.

    Raises:
        OSError: if the file cannot be written.
        ImportError: if the extra `verify` is not installed.
    """
    from minikafka.harness.page import sim_page

    recorder = Recorder()
    story = Story()

    def tell(line: str) -> None:
        recorder.add_line(line)
        story.add_line(line)

    simulation = Simulation(plan, tell)
    recorder.follow(simulation.cluster)
    story.follow(simulation)
    outcome = simulation.run()
    drawn = sim_page.SimulatedRun(
        title=f"minikafka sim, seed {plan.seed}",
        violation=outcome.violation or "",
        command=command,
        simulated_s=simulation.world.now_us / _US_PER_S,
        figures={
            "steps": outcome.steps,
            "messages": outcome.messages,
            "checks": outcome.checks,
            "acknowledged": outcome.acknowledged,
            "unclean elections": outcome.unclean_elections,
        },
        settings=settings,
        transcript=recorder.lines,
        story=story.lines if outcome.violation else (),
        broken_s=None if story.moment_us is None else story.moment_us / _US_PER_S,
        planned=[
            {
                "at_s": each.at_ms / _MS_PER_S,
                "for_s": each.for_ms / _MS_PER_S,
                "what": str(each).split(" ms ", 1)[1].partition(" for ")[0].strip(),
            }
            for each in plan.faults.incidents
        ],
        messages=[
            {
                "sent_us": each.sent_us,
                "arrived_us": each.arrived_us,
                "source": each.source,
                "target": each.target,
                "what": each.what,
                "is_request": each.is_request,
            }
            for each in recorder.messages
        ],
        ends=[each._asdict() for each in recorder.ends],
        min_isr=plan.cluster.min_isr,
    )
    path.write_text(sim_page.render(drawn), encoding="utf-8")
    return outcome
