"""The two-player games as PettingZoo environments (AEC): :mod:`offset_v0` and :mod:`zero_sum_v0`."""

from . import offset_v0, zero_sum_v0

__all__ = ["offset_v0", "zero_sum_v0"]
