"""What clients did and saw, and what must not be found in it: pure functions over lists."""
