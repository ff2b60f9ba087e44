"""Steps a second of 2048 in tilelab, EnvPool, Pgx and Jumanji, step by step from Python, each game making its
first legal move: medians of rounds in which all are measured one after the other, in processor time of all threads.

    pip install envpool pgx jumanji
    python python/benches/others.py [games]

What is not installed is left out and named. JAX keeps to one thread; its first step, which compiles, is not counted.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np
from steps import Step, paces, vector


def of_envpool(games: int) -> Step:
    import envpool

    env = envpool.make_gymnasium("Game2048-v1", num_envs=games, num_threads=1, seed=1)
    shown = [env.reset()[0]]

    def step() -> None:
        shown[0] = env.step(np.asarray(shown[0]["action_mask"]).argmax(1).astype(np.int32))[0]

    return step


def of_pgx(games: int) -> Step:
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("2048")
    one_step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = jax.random.split(jax.random.key(1), games)
    split = jax.jit(lambda keys: jax.vmap(lambda key: jax.random.split(key)[0])(keys))
    state = [jax.jit(jax.vmap(env.init))(keys), keys]

    def step() -> None:
        chosen = np.asarray(state[0].legal_action_mask).argmax(1)
        state[1] = split(state[1])
        state[0] = one_step(state[0], chosen, state[1])

    return step


def of_jumanji(games: int) -> Step:
    import jax
    import jumanji
    from jumanji.wrappers import VmapAutoResetWrapper

    env = VmapAutoResetWrapper(jumanji.make("Game2048-v1"))
    one_step = jax.jit(env.step)
    state = list(jax.jit(env.reset)(jax.random.split(jax.random.key(1), games)))

    def step() -> None:
        state[:] = one_step(state[0], np.asarray(state[1].observation.action_mask).argmax(1))

    return step


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    makers: dict[str, Callable[[int], Step]] = {"envpool": of_envpool, "pgx": of_pgx, "jumanji": of_jumanji}
    names, steps = ["tilelab"], [vector("tilelab/TwentyFortyEight-v0", games)]
    for name, make in makers.items():
        try:
            steps.append(make(games))
            names.append(name)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    found = paces(steps, time.process_time)
    print("| library | games | million steps/s | time, tilelab = 1 |\n| --- | ---: | ---: | ---: |")
    for name, times in zip(names, found, strict=True):
        ratio = statistics.median(one / base for one, base in zip(times, found[0], strict=True))
        version = sys.modules[name].__version__
        print(f"| {name} {version} | {games} | {games / statistics.median(times) / 1e6:.3f} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
