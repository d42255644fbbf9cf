"""Log directories: the folders in them, their checkpoints, moves and losses."""
