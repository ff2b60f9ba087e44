"""The array and the merge job of `tilelab cluster slurm`, run to their end on a Slurm cluster of two nodes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common import cells, experiment, local_cells, on_a_machine_of_its_own, program
from slurm_cluster import SlurmCluster, absent

SHARDS = 6


class Slurm(unittest.TestCase):
    folder: Path
    cluster: SlurmCluster
    expected: bytes
    file: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="cluster-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.cluster = SlurmCluster(cls.folder / "slurm")
        cls.addClassCleanup(cls.cluster.stop)
        # A path that only careful quoting survives.
        cls.file = experiment(cls.folder / "it's $HOME; here", games=2_000)
        cls.expected = local_cells(cls.file, cls.folder / "local")

    def submit(self, out: Path, *options: str) -> str:
        """Prints the script, submits it, waits for all jobs, and returns what the submission said."""
        command = [program(), "cluster", "slurm", self.file, "--shards", str(SHARDS), "--out", out, *options]
        script = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        # From another folder: the paths in the script are absolute.
        submitted = subprocess.run(["sh"], input=script, check=True, capture_output=True, text=True, cwd="/")
        self.cluster.wait_for_jobs()
        return submitted.stdout

    def logs(self, out: Path, pattern: str) -> str:
        return "".join(path.read_text() for path in sorted((out / "cluster-demo" / "slurm").glob(pattern)))

    def program_that(self, name: str, behaviour: str) -> Path:
        """A program that does something else at first, then what tilelab does."""
        path = self.folder / name
        path.write_text(f'#!/bin/sh\ncase "$*" in\n{behaviour}\nesac\nexec "{program()}" "$@"\n')
        path.chmod(0o755)
        return path

    def test_array_and_merge_end_with_the_bytes_of_a_local_run(self) -> None:
        out = self.folder / "out of 'slurm'"
        said = self.submit(out, "--partition", "small", "--cpus", "2", "--time", "10", "--mem", "50M")
        self.assertIn(f"shards 1-{SHARDS} are the array job", said)
        self.assertEqual(cells(out), self.expected, self.logs(out, "*"))
        self.assertEqual(self.logs(out, "[0-9]*").count("try 1: done"), SHARDS)
        begun = {folder: folder.stat().st_mtime_ns for folder in (out / "cluster-demo").glob("shard-*")}
        again = self.submit(out)
        self.assertIn(f"all {SHARDS} shards are done", again)
        self.assertEqual(begun, {folder: folder.stat().st_mtime_ns for folder in begun}, "a finished shard was played again")

    def test_a_failing_shard_is_named_and_only_it_is_run_again(self) -> None:
        out = self.folder / "failing"
        fails = self.program_that("fails", '*"--shard 4/"*) echo "broken on purpose" >&2; exit 1 ;;')
        self.submit(out, "--tilelab", str(fails), "--retries", "1")
        self.assertFalse((out / "cluster-demo" / "cells.csv").exists())
        self.assertIn("try 1: failed with exit code 1; queued again", self.logs(out, "*-4.log"))
        self.assertIn("try 2: failed for good with exit code 1", self.logs(out, "*-4.log"))
        merge = self.logs(out, "merge-*")
        self.assertIn(f"{SHARDS - 1} of {SHARDS} shards done, 0 begun, 1 (4) not begun", merge)
        self.assertIn("missing shards: 4/6", merge)
        self.assertIn("shards 4 are the array job", self.submit(out))
        self.assertEqual(cells(out), self.expected)

    def test_a_shard_that_is_stopped_in_time_continues(self) -> None:
        out = self.folder / "stopped"
        stops = self.program_that(
            "stops", f'*"--shard 2/"*) if mkdir "{self.folder}/stopped-once"; then trap "" TERM; kill -TERM $PPID; sleep 1; exit 130; fi ;;'
        )
        self.submit(out, "--tilelab", str(stops))
        self.assertIn("try 1: stopped with its state saved; queued again", self.logs(out, "*-2.log"))
        self.assertIn("try 2: done", self.logs(out, "*-2.log"))
        self.assertEqual(cells(out), self.expected)


if __name__ == "__main__":
    if missing := absent():
        print(f"{sys.argv[0]}: skipped: not installed: {missing} (Debian: apt-get install slurm-wlm munge)", file=sys.stderr)
        sys.exit(0)
    if os.getuid() != 0:
        print(f"{sys.argv[0]}: skipped: slurmd needs root", file=sys.stderr)
        sys.exit(0)
    on_a_machine_of_its_own()
    unittest.main()
