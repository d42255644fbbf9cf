"""Parts of documents that programs write, between `<!-- NAME -->` and `<!-- end of NAME -->`."""


def between(text: str, mark: str, part: str) -> str:
    """Return a text with another part between the marks of a name.

    Raises:
        ValueError: if the text has no such marks.
    """
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
    before, has_begin, rest = text.partition(begin)
    _, has_end, after = rest.partition(end)
    if not (has_begin and has_end):
        raise ValueError(f"no marks named {mark}")
    return f"{before}{begin}{part}{end}{after}"
