#!/usr/bin/env python3
"""Estimates how the time of a large sweep falls with the number of cores.

A model of four parts, each from a measured figure: playing (spread over the cores in whole shards), the start of each shard, the
single driver that hands out and receives shards, and the merge at the end. Prints a Markdown table.
The number of shards is four times the number that can run at once, up to the driver's limit.
"""

from __future__ import annotations

import argparse
import math


def projected(cores: int, options: argparse.Namespace) -> tuple[int, dict[str, float], float]:
    """Number of shards, seconds of each part, and megabytes received."""
    places = max(1, cores // options.cpus)  # Shards that run at once.
    shards = max(64, min(4 * places, options.shards_max))
    shard_s = options.cells * options.games * options.us_per_game / 1e6 / shards / min(options.cpus, cores)
    rounds = math.ceil(shards / places)  # The slowest place plays `rounds` shards, one after the other.
    # Each cell is cut into `cell_parts` parts (see `ShardPlan` in src/runner/stages.rs), each with a tally in its shard's result.
    cell_parts = max(1, shards // max(1, options.cells // 128))
    tallies = options.cells * cell_parts
    received_mb = tallies * options.bytes_per_tally / 1e6
    parts = {
        "playing": rounds * shard_s,
        "starting": rounds
        * (options.start_s + (options.cells * options.plan_us_per_cell + tallies / shards * options.save_us_per_tally) / 1e6),
        "driver": shards * options.dispatch_ms / 1e3 + received_mb / options.receive_mb_per_s,
        "merge": (tallies * options.merge_us_per_tally + shards * options.cells * options.merge_us_per_cell) / 1e6,
    }
    return shards, parts, received_mb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    number = {"type": float, "metavar": "X"}
    parser.add_argument("--cells", type=int, default=10_000, help="cells of the sweep")
    parser.add_argument("--games", type=int, default=1_000_000, help="games of each cell")
    parser.add_argument("--cpus", type=int, default=1, help="cores of a shard, and its threads")
    parser.add_argument("--shards-max", type=int, default=20_000, help="the largest number of shards that the driver accepts")
    parser.add_argument("--us-per-game", default=0.8, help="microseconds of one core for a game", **number)
    parser.add_argument("--start-s", default=0.1, help="seconds from handing out a shard to its first game, without its cells", **number)
    parser.add_argument("--plan-us-per-cell", default=12.0, help="microseconds per cell of the sweep to plan a shard", **number)
    parser.add_argument("--save-us-per-tally", default=70.0, help="microseconds per tally to start, save and pack a shard's cell", **number)
    parser.add_argument("--dispatch-ms", default=1.5, help="milliseconds of the driver for each shard", **number)
    parser.add_argument("--receive-mb-per-s", default=23.0, help="megabytes of packed results that the driver unpacks and writes per second", **number)
    parser.add_argument("--bytes-per-tally", default=64.0, help="packed size of a cell's tally in a shard's result", **number)
    parser.add_argument("--merge-us-per-tally", default=6.0, help="microseconds of the merge for a tally", **number)
    parser.add_argument("--merge-us-per-cell", default=0.06, help="microseconds of the merge for each cell of a shard, even without a tally", **number)
    options = parser.parse_args()
    print("| cores | shards | playing | starting | driver | merge | whole | speed-up | results |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    base = None
    for cores in (2, 8, 32, 100, 320, 1_000, 3_200, 10_000):
        shards, parts, megabytes = projected(cores, options)
        # Receiving goes on while shards are played; whichever takes longer counts.
        whole = max(parts["playing"] + parts["starting"], parts["driver"]) + parts["merge"]
        base = base or whole * cores
        times = " | ".join(f"{seconds:,.0f} s" for seconds in [*parts.values(), whole])
        print(f"| {cores:,} | {shards:,} | {times} | {base / whole:,.0f} | {megabytes / 1e3:,.1f} GB |")


if __name__ == "__main__":
    main()
