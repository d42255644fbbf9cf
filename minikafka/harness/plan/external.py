"""The faults of a schedule that an external cluster cannot have, found before the run."""

from collections.abc import Collection

from minikafka.harness.plan.commands import ANYWHERE, NEEDED, command_option
from minikafka.harness.plan.schedule import CLIENTS, PlannedFault, Schedule
from minikafka.harness.plan.settings import RunSettings


def impossible_faults(settings: RunSettings, schedule: Schedule) -> list[str]:
    """Return one sentence for each kind of fault that could not be done in the run.

    The run would be undecided. With `--lenient faults` it may leave these faults out.
    """
    if not settings.bootstrap_servers or "faults" in settings.lenient:
        return []
    given = settings.templates()
    problems = [_problem(fault, given) for fault in schedule.faults]
    return list(dict.fromkeys(filter(None, problems)))


def _problem(fault: PlannedFault, given: Collection[str]) -> str:
    if fault.kind in ANYWHERE:
        return ""
    planned = f"The schedule has the fault '{fault.kind}'"
    if fault.kind not in NEEDED:
        return f"{planned}, which a cluster that --bootstrap-server names cannot have."
    if not any(set(names) <= set(given) for names in NEEDED[fault.kind]):
        ways = (" and ".join(map(command_option, names)) for names in NEEDED[fault.kind])
        return f"{planned}, which needs {', or '.join(ways)}."
    if CLIENTS in fault.targets or fault.parameters.get("from_clients"):
        return f"{planned} of clients, but {command_option('cut')} cuts only nodes from each other."
    return ""
