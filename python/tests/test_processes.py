"""Every call works in processes that were forked after it was made in the parent, and in new ones."""

import multiprocessing
import sys
import warnings

import numpy as np
import pytest

import tilelab
from tilelab import envs

BOARD = [["1", "+", "_"], ["2", "_", "3"], ["_", "_", "_"]]
START_METHODS = [
    method for method in ("fork", "spawn", "forkserver") if method in multiprocessing.get_all_start_methods()
]


def first(observations, mask):
    return mask.argmax(1)


def step(env):
    _, info = env.reset(seed=1)
    for _ in range(5):
        _, rewards, _, _, info = env.step(info["action_mask"].argmax(1))
    return rewards.tolist(), info["game"].tolist()


def compared():
    result = tilelab.simulate("67", size="3x3", player=["random", "greedy"], games=50, progress=False)
    return tilelab.compare(result, by="player", paired=True).csv


VECTOR = envs.SixtySevenVecEnv(64, size="3x3", threads=2)
CALLS = {
    "act": lambda: tilelab.Player("67", "greedy", size="3x3").act([BOARD] * 8),
    "playouts": lambda: tilelab.playouts([BOARD] * 4, 20, size="3x3").tolist(),
    "evaluate": lambda: tilelab.evaluate(first, games=20, size="3x3").table(),
    "compare": compared,
    "run": lambda: tilelab.simulate("67", size="3x3", games=500, threads=2, progress=False).csv,
    "vector of the parent": lambda: step(VECTOR),
    "new vector": lambda: step(envs.SixtySevenVecEnv(64, size="3x3", threads=2)),
}


def call(name):
    return CALLS[name]()


def work(name, results):
    results.put(call(name))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("method", START_METHODS)
def test_calls_work_in_other_processes(method, name):
    wanted = call(name)
    context = multiprocessing.get_context(method)
    results = context.SimpleQueue()
    with warnings.catch_warnings():
        # Python 3.12 warns of threads when it forks: here they are tilelab's.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = context.Process(target=work, args=(name, results))
        process.start()
    process.join(60)
    is_hanging = process.is_alive()
    if is_hanging:
        process.kill()
        process.join()
    assert not is_hanging
    assert process.exitcode == 0
    assert results.get() == wanted
    # And in the parent afterwards.
    assert call(name) == wanted


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_forks_of_forks_work():
    def child(depth):
        assert call("act")
        assert step(VECTOR)
        if depth:
            process = multiprocessing.get_context("fork").Process(target=child, args=(depth - 1,))
            process.start()
            process.join(60)
            code = process.exitcode
            if code is None:
                process.kill()
            assert code == 0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child(2)


@pytest.mark.parametrize("context", START_METHODS)
def test_environments_run_in_asynchronous_vectors(context):
    import gymnasium as gym

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        env = gym.vector.AsyncVectorEnv(
            [make_one] * 2, context=context, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
        )
        observation, info = env.reset(seed=[1, 2])
        assert observation["kinds"].shape == (2, 3, 3)
        for _ in range(20):
            _, _, _, _, info = env.step(np.asarray(info["action_mask"]).argmax(1))
        env.close()


def make_one():
    import gymnasium as gym

    return gym.make("tilelab/SixtySeven-v0", size="3x3")
