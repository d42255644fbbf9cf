"""What clients saw, and whether it was right."""
