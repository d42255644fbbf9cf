"""What the coordinators of groups and of transactions share: writes, loading, work in slices."""
