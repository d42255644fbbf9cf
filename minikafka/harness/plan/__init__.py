"""The plan of a run: its settings, its schedule of faults and its workload."""
