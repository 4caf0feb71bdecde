"""The door."""

import sys

from ctx.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
