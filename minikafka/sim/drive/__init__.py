"""Plans, clients, operators and faults of a simulated cluster, and the run of a plan."""
