"""A key on which handlers wait."""


class WaitKey:
    """A key on which handlers wait; compared by identity."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Set the name, which is for logs."""
        self.name = name
