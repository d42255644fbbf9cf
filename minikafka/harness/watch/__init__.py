"""The observation of a cluster during a run: leaders, ISR, ELR, high watermarks and processes."""
