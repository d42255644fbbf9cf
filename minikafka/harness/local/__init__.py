"""The local engine: DuckDB and a reader of this project, without Spark and without Java."""
