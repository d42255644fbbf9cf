"""What nodes tell about themselves: names, kinds and help texts. Values are computed elsewhere."""
