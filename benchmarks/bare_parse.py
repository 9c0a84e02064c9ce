"""Read and parse every TOML file below the folders that are given, and do nothing else."""

import os
import sys
import tomllib

for folder in sys.argv[1:]:
    with os.scandir(folder) as entries:
        for entry in entries:
            with open(entry.path, "rb") as file:  # noqa: PTH123 - this is the least that reading a file can cost
                tomllib.load(file)
