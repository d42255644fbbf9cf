"""The metrics of nodes: names, kinds and help texts. Values are computed elsewhere."""
