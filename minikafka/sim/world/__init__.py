"""The simulated world: virtual time, network, disks, machines, clients."""
