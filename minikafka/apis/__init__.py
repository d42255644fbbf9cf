"""One file per API: handlers that read top to bottom."""
