"""`python -m gekko`, where the console script is not on the path."""

import sys

from gekko.cli.app import main

sys.exit(main())
