"""What drives a simulated cluster: plans, clients, operators, faults, a run."""
