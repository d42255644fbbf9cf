"""The load of a log from its files, and its recovery after an unclean shutdown."""
