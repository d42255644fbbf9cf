"""The Spark side of a run: session, job and process, the stream, and the engine of the rules."""
