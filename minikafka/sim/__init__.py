"""Clusters in virtual time: the production node in a deterministic world.

Each package imports only those below it:

    explain   the story of a run, shorter plans      scenario  commands as text, a runner
    drive     plans, clients, operators, faults, a run
    checks    invariants that hold after every step
    world     virtual time, network, disks, machines
"""
