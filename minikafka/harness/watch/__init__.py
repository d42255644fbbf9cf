"""What is observed of a cluster while a run goes on: leaders, ISR, ELR, watermarks, processes."""
