"""A compressed answer comes out whole, in pieces of bounded size, however it was cut."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.run.inflate import PIECE_BYTES, Inflater


def inflate(encoding: str, chunks: list[bytes]) -> list[bytes]:
    inflater = Inflater(encoding)
    return [*(piece for chunk in chunks for piece in inflater.feed(chunk)), inflater.finish()]


@given(plain=st.binary(max_size=300), repeat=st.integers(1, 3000), cut=st.integers(1, 50))
def test_what_went_in_comes_out(plain: bytes, repeat: int, cut: int) -> None:
    whole = plain * repeat
    for encoding, data in (("gzip", gzip.compress(whole)), ("deflate", zlib.compress(whole)), ("identity", whole)):
        chunks = [data[start : start + cut * 1000] for start in range(0, len(data), cut * 1000)]

        assert b"".join(inflate(encoding, chunks)) == whole


def test_a_byte_at_a_time_is_enough() -> None:
    data = gzip.compress(b"plain" * 100)

    assert b"".join(inflate("gzip", [bytes([byte]) for byte in data])) == b"plain" * 100


def test_no_piece_is_longer_than_the_limit() -> None:
    pieces = inflate("gzip", [gzip.compress(bytes(PIECE_BYTES * 3 + 1))])

    assert max(map(len, pieces)) == PIECE_BYTES
    assert sum(map(len, pieces)) == PIECE_BYTES * 3 + 1


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(ValueError, match="compressed"):
        Inflater(encoding)
