"""Headers around messages, and a client connection without I/O."""
