"""What a person reads of a run: its story, its messages, a shorter plan."""
