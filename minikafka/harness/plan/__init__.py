"""What a run is asked to do: settings, the schedule of its faults, its workload."""
