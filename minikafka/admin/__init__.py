"""A blocking admin client for the command line tools."""
