"""The HTML page of a run, and the page of a simulated run."""
