"""Words that every room may use: ids, clocks, errors, faults, file slices. Imports no other room."""
