"""Types that every package may use: ids, clocks, errors, events, effects. Imports no other one."""
