"""What goes wrong in a simulated cluster, and how each fault is undone."""
