"""Lets these tests run from a checkout too, where the project is not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "src"))
