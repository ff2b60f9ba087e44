"""A user's program: mypy and pyright check it strictly, and it runs."""

from pathlib import Path

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import tilelab
from tilelab import envs, observations
from tilelab.observations import Planes, Step, Tiles


@tilelab.player
def first(turn: tilelab.Turn) -> str:
    return turn.legal[0]


@tilelab.player(observation="planes")
def last(observations: Planes, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray(legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1))


def first_legal(observations: Tiles, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray(legal.argmax(axis=1))


def closer(step: Step) -> NDArray[np.float64]:
    return step.won.astype(np.float64) - step.lost


def experiments(folder: Path) -> None:
    result = tilelab.simulate("67", size=["3x3", (2, 2)], operator_rate=[0.3, np.float32(0.5)], rules="gapless", games=10)
    wins: list[int | None] = result["wins"]
    row: dict[str, object] = result[0]
    assert len(wins) == len(result) == 4 and row["games"] == 10
    frame = result.to_polars()
    assert frame.height == 4 and result.to_pandas().shape[0] == 4
    experiment: tilelab.Experiment = tilelab.plan({"name": "n", "seed": 1, "table": [{"title": "t", "game": "67", "size": "2x2"}]})
    saved = tilelab.run(experiment, out=folder)
    assert saved.folder is not None and saved.folder.exists()
    standings = tilelab.match("2048", [first, last, "corner"], size="3x3", max_moves=20, games=4)
    assert len(standings) == 1 and len(standings.standings()) == 6
    differences = tilelab.compare(tilelab.simulate("67", player=["random", last], size="2x2", games=10), by="player")
    assert differences.only_a == []
    trained = tilelab.learn("67", folder / "my.weights", size="2x2", games="0.1k")
    assert trained.weights


def players() -> None:
    names: list[str] = tilelab.Player("2048", "corner", goal=256).act([[["2", "2", "_", "_"]] * 4])
    assert names[0] in ("up", "down", "left", "right")
    env = envs.SixtySevenVecEnv(4, size=(3, 3), seed=np.int64(3), autoreset_mode="SameStep")
    shown, info = env.reset(seed=1)
    player = tilelab.Player("67", "greedy", size="3x3")
    actions: NDArray[np.int64] = player.act(shown)
    values: NDArray[np.float64] = player.values(shown)
    after: tilelab.Afterstates = tilelab.afterstates("67", shown, size="3x3")
    planes: Planes = observations.encode("67", "planes", shown["kinds"], shown["numbers"])
    assert actions.shape == (4,) and values.shape == after.legal.shape == (4, 4) and planes.shape == (4, 8, 3, 3)
    assert (after.legal == info["action_mask"]).all()


def environments() -> None:
    env = envs.SixtySevenVecEnv(4, observation="planes", threads=2, size="3x3", reward=closer)
    planes: NDArray[np.float32] = env.reset(seed=1)[0]
    rollout = env.rollout(lambda observations, legal: legal.argmax(axis=1), 8, out=env.buffers(8))
    assert rollout["planes"].shape == (9, *planes.shape)
    one = envs.CalculatorEnv(level=3, render_mode="ansi")
    tiles: Tiles = one.reset(seed=2)[0]
    observation, reward, terminated, truncated, info = one.step(int(one.action_masks().argmax()))
    kinds: NDArray[np.uint8] = observation["kinds"]
    assert kinds.shape == tiles["kinds"].shape and isinstance(reward, float) and not (terminated and truncated) and info
    swipes: Tiles = envs.TwentyFortyEightVecEnv(4, goal=256).reset()[0]
    assert swipes["numbers"].shape == (4, 4, 4)
    made = gym.make("tilelab/SixtySeven-v0", size="3x3")
    assert made.action_space.contains(np.int64(0))


def learning() -> None:
    evaluation = tilelab.evaluate({"mine": first_legal}, "67", games=20, size="3x3", against=["random"])
    rate: float = evaluation.score("mine").win_rate
    low, high = evaluation.score("random").interval
    assert 0 <= rate <= 1 and low <= high
    data: tilelab.Dataset = tilelab.dataset("67", "greedy", games=5, size="2x2", observation="planes")
    for chunk in data:
        assert len(chunk["planes"]) == len(chunk["action"]) == len(chunk["return_to_go"])
    best = max(tilelab.games(), key=lambda game: len(game.parameters)).name
    assert best in {game.name for game in tilelab.games()}


def main() -> None:
    experiments(Path("results"))
    players()
    environments()
    learning()


if __name__ == "__main__":
    main()
