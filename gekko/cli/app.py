"""The program: where it starts, and where every error becomes a text and an exit code."""

import os
import sys


def main() -> int:
    """Run the command line of this process and return the exit code."""
    if sys.argv[1:] == ["--version"]:
        # Asked by scripts, many times: nothing is imported for it.
        from gekko._version import __version__

        try:
            os.write(1, f"gko {__version__}\n".encode())
        except OSError:
            pass  # told below, where every error is
        else:
            return 0
    from gekko.cli.interrupts import Interrupted, end_deaf, heed_signals, ignore_signals

    try:
        heed_signals()  # before the rest is imported, which takes long enough to be met by a Ctrl-C
        from gekko.cli.root import run

        return run(sys.argv[1:])
    except Interrupted as interrupted:
        ignore_signals()
        return interrupted.code
    finally:
        end_deaf()
