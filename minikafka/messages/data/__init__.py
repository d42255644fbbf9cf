"""Control records and other data, generated from `schemas/data`."""
