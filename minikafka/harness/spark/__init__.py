"""The Spark side of a run: session, job and process, the stream, and a verdict from files."""
