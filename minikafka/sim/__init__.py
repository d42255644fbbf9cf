"""Whole clusters in virtual time: the same node as in production, in a deterministic world.

Each package imports only those below it:

    explain   the story of a run, a shorter plan      scenario  commands as text, a runner
    drive     plans, clients, operators, faults, a run
    checks    what must hold after every step
    world     virtual time, network, disks, machines
"""
