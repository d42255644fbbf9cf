"""The identity of something that handlers wait for."""


class WaitKey:
    """Something that handlers wait for; compared by identity."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Name it, for logs."""
        self.name = name
