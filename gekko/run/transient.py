"""Failures that may be gone the next moment, and what a server says of when that will be."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from gekko.errors import BackendError

BUSY: Final = frozenset({429, 503})
"""The statuses by which a server says that it would answer the same request at another time."""

SECONDS = re.compile(r"\d+(\.\d+)?", re.ASCII)


class TransientError(BackendError):
    """No whole answer arrived, and the same request may get one later.

    *is_overload* says that fewer requests at a time may help; *retry_after_secs* is for how long the server asks to be
    left alone, None where it does not say.
    """

    def __init__(self, message: str, *, is_overload: bool, retry_after_secs: float | None = None) -> None:
        super().__init__(message)
        self.is_overload = is_overload
        self.retry_after_secs = retry_after_secs


def retry_after_secs(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that `Retry-After` asks for: RFC 9110, section 10.2.3; None where it is missing or broken.

    A date is held against the server's own clock, where its answer has one.
    """
    said = headers.get("retry-after", "").strip()
    if SECONDS.fullmatch(said):
        return float(said)
    until = _moment(said)
    if until is None:
        return None
    now = _moment(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # "-0000" is UTC of an unknown zone
