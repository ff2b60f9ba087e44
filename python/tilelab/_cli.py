"""The command ``tilelab``: the same program as the Rust binary."""

import signal
import sys

from ._tilelab import command_line


def main() -> None:
    """Run the program with the arguments of this process and exit with its code."""
    # The program has its own handlers; Python's would report a KeyboardInterrupt after them.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command_line(["tilelab", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
