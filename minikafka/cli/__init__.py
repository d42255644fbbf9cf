"""The command line programs, one module for each."""
