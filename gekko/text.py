"""How text is counted."""


def non_empty_lines(text: str) -> int:
    """Return how many lines of *text* are more than white space; lines end with LF or CRLF."""
    return sum(1 for line in text.split("\n") if line.strip())
