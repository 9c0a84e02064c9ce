"""Whether the documentation is true: its blocks are run, its generated parts, its tables and its links are checked."""
