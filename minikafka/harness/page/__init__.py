"""The HTML page of a run, and that of a simulated one."""
