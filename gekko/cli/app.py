"""The program: where it starts, and where every error becomes a text and an exit code."""

import sys


def main() -> int:
    """Run the command line of this process and return the exit code."""
    if sys.argv[1:] == ["--version"]:
        # Asked by scripts, many times: nothing is imported for it.
        from gekko._version import __version__

        print(f"gko {__version__}", flush=True)  # noqa: T201
        return 0
    from gekko.cli.interrupts import heed_signals

    heed_signals()  # before the rest is imported, which takes long enough to be met by a Ctrl-C
    from gekko.cli.root import run

    return run(sys.argv[1:])
