"""The faults of a run: the begin and end of each kind, and the injector that runs a schedule."""
