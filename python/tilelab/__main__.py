"""``python -m tilelab``: the command ``tilelab``."""

from ._cli import main

main()
