"""How a compressed answer is read: a bounded piece at a time."""

import zlib
from collections.abc import Iterator

PIECE_BYTES = 256 * 1024
"""A chunk can inflate a thousandfold; this much of it is in memory at a time."""

GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
"""Lets zlib tell the two formats apart by their heads."""

PLAIN = frozenset({"", "identity"})
READABLE = PLAIN | {"gzip", "x-gzip", "deflate"}


class Inflater:
    """Inflates one answer, where it is compressed; *encoding* is its Content-Encoding.

    Raises:
        ValueError: nobody asked for this encoding, and it cannot be read.
    """

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in READABLE:
            raise ValueError("the answer is compressed in a way that was not asked for")
        self._stream = None if name in PLAIN else zlib.decompressobj(GZIP_OR_ZLIB)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what *chunk* holds.

        Raises:
            ValueError: it is not compressed in the way that the answer's head says.
        """
        if self._stream is None:
            yield chunk
            return
        while chunk:
            yield inflated(self._stream, chunk)
            chunk = self._stream.unconsumed_tail
            # zlib would go on collecting whatever follows the end, without a limit.
            if self._stream.unused_data:
                raise ValueError("the compressed answer has something after its end")

    def finish(self) -> bytes:
        """Return the last bytes, once every chunk was fed.

        Raises:
            ValueError: the end of the compressed answer is missing.
        """
        if self._stream is None:
            return b""
        rest = self._stream.flush()
        if not self._stream.eof:
            raise ValueError("the compressed answer has no end")
        return rest


def inflated(stream: "zlib._Decompress", chunk: bytes) -> bytes:
    """Return at most one piece of what *chunk* holds."""
    try:
        return stream.decompress(chunk, PIECE_BYTES)
    except zlib.error:
        raise ValueError("the compressed answer is damaged") from None
