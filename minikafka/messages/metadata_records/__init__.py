"""Records of the metadata log, generated from `schemas/metadata`."""
