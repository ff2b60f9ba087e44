"""Progress bars of runs."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


def _is_notebook() -> bool:
    """Whether this is a notebook, which shows bars of tqdm."""
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell is not None else None
    # Colab's shell is a class of its own that inherits from Jupyter's.
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(current).__mro__)


class Bar:
    """A bar of tqdm where it is installed, otherwise a line that is written over.

    ``shown`` is ``True``, ``False``, or ``None`` for terminals and notebooks only.
    """

    def __init__(self, name: str, shown: bool | None) -> None:
        self._name = name
        self._is_line = False
        self._bar: Any = None
        self._is_shown = (sys.stderr.isatty() or _is_notebook()) if shown is None else shown
        if self._is_shown:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(desc=name, unit="games", unit_scale=True, leave=False)

    def update(self, games: int, games_max: int, cells_ended: int, cells: int) -> None:
        """Show the games played, their total, and the cells finished."""
        if not self._is_shown:
            return
        if self._bar is not None:
            self._bar.total = games_max
            self._bar.n = games
            self._bar.set_postfix_str(f"{cells_ended}/{cells} cells")
            return
        self._is_line = True
        percent = 100 * games / max(games_max, 1)
        sys.stderr.write(f"\r{self._name}: {percent:5.1f} %, {cells_ended}/{cells} cells ")
        sys.stderr.flush()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._is_line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
