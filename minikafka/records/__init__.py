"""Record batches: layout, validation, building, reading, compression."""
