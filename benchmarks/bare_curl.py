"""Do what the bare loop does with the fastest client that Python has; it is measured and not used."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pycurl


def main(url: str, bodies: list[bytes], places: int) -> None:
    """Send every body, so many at a time."""
    multi, left = pycurl.CurlMulti(), iter(bodies)
    under_way = sum(sent(multi, curl, left) for curl in (handle(url) for _ in range(places)))
    while under_way:
        multi.perform()
        _, done, failed = multi.info_read()
        if not done:
            multi.select(1.0)
        if failed:
            raise SystemExit(f"error: {failed[0][2]}")
        for curl in done:
            completion = json.loads(curl.answer.getvalue())
            json.loads(completion["choices"][0]["message"]["content"])
            multi.remove_handle(curl)
            under_way += sent(multi, curl, left) - 1


def handle(url: str) -> pycurl.Curl:
    """Return what sends one request after the other."""
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.HTTPHEADER, ["Content-Type: application/json", "Expect:"])
    return curl


def sent(multi: pycurl.CurlMulti, curl: pycurl.Curl, left: Iterator[bytes]) -> int:
    """Send the next body, and return 1; or 0 where none is left."""
    body = next(left, None)
    if body is None:
        return 0
    curl.answer = io.BytesIO()
    curl.setopt(pycurl.WRITEFUNCTION, curl.answer.write)
    curl.setopt(pycurl.POSTFIELDS, body)
    multi.add_handle(curl)
    return 1


main(sys.argv[1], Path(sys.argv[2]).read_bytes().splitlines(), int(sys.argv[3]))
