"""What the engine logs on its way, brought to whoever asked for it with `--verbose info`."""

import logging
from collections.abc import Callable


def listen(hear: Callable[[str], None]) -> None:
    """Have everything that gko logs passed to *hear*; what its libraries log stays unheard, for it may tell secrets."""
    logger = logging.getLogger("gekko")
    logger.setLevel(logging.INFO)
    logger.handlers = [_Listener(hear)]
    logger.propagate = False


class _Listener(logging.Handler):
    def __init__(self, hear: Callable[[str], None]) -> None:
        super().__init__()
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        self._hear(record.getMessage())
