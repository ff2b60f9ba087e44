"""The environments as Stable-Baselines3 and sb3-contrib (``MaskablePPO``) expect them::

    from sb3_contrib import MaskablePPO
    from tilelab.sb3 import VecEnv

    env = VecEnv("67", 256, observation="planes", rules="gapless")
    model = MaskablePPO("MlpPolicy", env).learn(1_000_000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv as Base

from .envs import _vector_of, _VecEnv
from .observations import ENDS


class VecEnv(Base):  # type: ignore[misc]
    """N games of 67!, 2048 or Calculator; the arguments are those of the Gymnasium vectors.

    ``action_masks()`` are the legal moves. The info of an episode's last step has
    ``terminal_observation``, ``TimeLimit.truncated``, ``episode`` (``r`` return, ``l`` steps),
    ``won``, ``game`` and ``end``.
    """

    def __init__(self, game: str, num_envs: int, **arguments: Any) -> None:
        self.envs: _VecEnv = _vector_of(game)(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **arguments)
        """The underlying vector."""
        self.render_mode: str | None = self.envs.render_mode
        num_envs = self.envs.num_envs
        self._mask = np.ones((num_envs, len(self.envs.move_names)), np.bool_)
        self._actions = np.zeros(num_envs, np.int64)
        self._seed: int | None = None
        self._returns = np.zeros(num_envs)
        self._steps = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Choose the master seed of the next reset; all games are seeded by it."""
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> Any:
        """Start the first episodes of the chosen seed, or the next ones."""
        observation, info = self.envs.reset(seed=self._seed)
        self._seed = None
        self._keep_mask(info)
        self._returns[:] = 0
        self._steps[:] = 0
        self.reset_infos: list[dict[str, Any]] = [{"game": int(game)} for game in info["game"]]
        return observation

    def step_async(self, actions: NDArray[Any]) -> None:
        """Set the moves of the next :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play a round in every game."""
        observation, rewards, terminated, truncated, info = self.envs.step(self._actions)
        self._keep_mask(info)
        self._returns += rewards
        self._steps += 1
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for slot in np.flatnonzero(done):
            final = info["final_info"]
            infos[slot] = {
                "terminal_observation": info["final_obs"][slot],
                "TimeLimit.truncated": bool(truncated[slot]),
                "episode": {"r": float(self._returns[slot]), "l": int(self._steps[slot])},
                "won": bool(final["won"][slot]),
                "game": int(final["game"][slot]),
                "end": ENDS[final["end"][slot]],
            }
        self._returns[done] = 0
        self._steps[done] = 0
        return observation, rewards.astype(np.float32), done, infos

    def _keep_mask(self, info: dict[str, Any]) -> None:
        # A game may be over before its first move: then nothing is legal, and every move ends it.
        mask = info["action_mask"].astype(np.bool_)
        self._mask = mask | ~mask.any(axis=1, keepdims=True)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal moves, bool of shape (N, moves)."""
        return self._mask.copy()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """The boards as pictures, with ``render_mode="rgb_array"``."""
        shown = self.envs.render() if self.render_mode == "rgb_array" else None
        return shown or [None] * self.num_envs

    def close(self) -> None:
        """No-op."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, repeated for each game."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Attributes are those of all games: they cannot be set for some."""
        raise NotImplementedError("tilelab: make a new environment instead of changing this one")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **keywords: Any) -> list[Any]:
        """The result of a method for each game; supports ``action_masks``."""
        if method_name != "action_masks":
            raise AttributeError(f"tilelab.sb3.VecEnv has no method {method_name} for single games; supported: action_masks")
        return [self._mask[index].copy() for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped, but episodes are monitored: their last info has ``episode``."""
        from stable_baselines3.common.monitor import Monitor

        is_monitor = isinstance(wrapper_class, type) and issubclass(wrapper_class, Monitor)
        return [is_monitor] * len(list(self._get_indices(indices)))
