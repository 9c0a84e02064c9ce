"""Mistakes that people make, each with the exact words that `gko` has for it.

A file `AREA/KIND.txt` says what was done wrong, what was called, which files stood there, and what came of it:

    A header's name has a letter that no header can have.

    $ gko config test

    -- .gekko/backends/broken.toml --
    …
    -- stderr, exit code 2 --
    error: …

The files join a sound project (`sound.txt`) or replace some of it. Marks behind a file's name: `(escaped)` for
content in which `\x00` is a byte, `(1 MiB and a byte)` for one that is filled up with spaces, `-> TARGET` for a link,
and a `/` at the end for an empty folder. The values of environment variables may hold escapes as well. Standard output
is always empty.

After a message was changed on purpose, `GKO_REGENERATE_GOLDENS=1 pytest tests/test_golden.py` writes the files anew;
what then differs is to be read like any other change.
"""
