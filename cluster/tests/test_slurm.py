"""The array job of cluster/slurm.sh and its merge, run to their end on a Slurm cluster of two nodes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common import ROOT, cells, experiment, local_cells, on_a_machine_of_its_own, program
from slurm_cluster import SlurmCluster, absent

SCRIPT = ROOT / "cluster" / "slurm.sh"
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

    def submit(self, out: Path, tilelab: str | None = None) -> None:
        """Submits the shards that are missing and the merge, as the script's head says, and waits for all jobs."""
        out.mkdir(exist_ok=True)
        text = SCRIPT.read_text()
        for place, edited in (
            ("experiment=(experiments/readme.toml --out results)", f"experiment=({shlex.quote(str(self.file))} --out {shlex.quote(str(out))})"),
            ("shards=200", f"shards={SHARDS}"),
            ("--time=1:00:00 --cpus-per-task=1", "--time=10 --cpus-per-task=2"),
        ):
            self.assertEqual(text.count(place), 1, place)
            text = text.replace(place, edited)
        script = out / "slurm.sh"
        script.write_text(text)
        status = [program(), "cluster", "status", self.file, "--shards", str(SHARDS), "--out", out, "--missing"]
        missing = subprocess.run(status, check=True, capture_output=True, text=True).stdout.strip()
        environment = {**os.environ, "TILELAB": tilelab or program()}
        command = ["sbatch", "--parsable", f"--array={missing}", script]
        job = subprocess.run(command, check=True, capture_output=True, text=True, cwd=out, env=environment).stdout.strip()
        folder = shlex.quote(str(out))
        merge = f"{shlex.quote(program())} merge --out {folder} {folder}/cluster-demo/shard-*-of-{SHARDS}"
        command = ["sbatch", f"--dependency=afterok:{job}", "--kill-on-invalid-dep=yes", "--wrap", merge]
        subprocess.run(command, check=True, capture_output=True, cwd=out)
        self.cluster.wait_for_jobs()

    def logs(self, out: Path) -> str:
        return "".join(path.read_text() for path in sorted(out.glob("slurm-*")))

    def program_that(self, name: str, behaviour: str) -> str:
        """A program that does something else at first, then what tilelab does."""
        path = self.folder / name
        path.write_text(f'#!/bin/sh\ncase "$*" in\n{behaviour}\nesac\nexec "{program()}" "$@"\n')
        path.chmod(0o755)
        return str(path)

    def test_array_and_merge_end_with_the_bytes_of_a_local_run(self) -> None:
        out = self.folder / "out of 'slurm'"
        self.submit(out)
        self.assertEqual(cells(out), self.expected, self.logs(out))

    def test_only_what_failed_is_run_again(self) -> None:
        out = self.folder / "failing"
        fails = self.program_that("fails", '*"--shard 4/"*) echo "broken on purpose" >&2; exit 1 ;;')
        self.submit(out, fails)
        self.assertIn("broken on purpose", self.logs(out))
        self.assertFalse((out / "cluster-demo" / "cells.csv").exists())
        begun = {folder: folder.stat().st_mtime_ns for folder in (out / "cluster-demo").glob("shard-*")}
        self.assertEqual(len(begun), SHARDS - 1)
        self.submit(out)
        self.assertEqual(cells(out), self.expected, self.logs(out))
        self.assertEqual(begun, {folder: folder.stat().st_mtime_ns for folder in begun}, "a finished shard was played again")

    def test_a_shard_that_is_stopped_in_time_continues(self) -> None:
        out = self.folder / "stopped"
        # Slurm warns the script; its shard saves its state and ends with 130.
        once = f'mkdir "{self.folder}/stopped-once" 2>/dev/null'
        stops = self.program_that("stops", f'*"--shard 2/"*) if {once}; then trap "exit 130" TERM; kill -TERM $PPID; sleep 20 & wait; fi ;;')
        self.submit(out, stops)
        self.assertEqual(cells(out), self.expected, self.logs(out))


if __name__ == "__main__":
    if missing := absent():
        print(f"{sys.argv[0]}: skipped: not installed: {missing} (Debian: apt-get install slurm-wlm munge)", file=sys.stderr)
        sys.exit(0)
    if os.getuid() != 0:
        print(f"{sys.argv[0]}: skipped: slurmd needs root", file=sys.stderr)
        sys.exit(0)
    on_a_machine_of_its_own()
    unittest.main()
