"""Words that every room may use: ids, clocks, errors, events, effects. Imports no other room."""
