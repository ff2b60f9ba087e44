"""Runs every command of docs/cluster.md, as a newcomer would, and compares the results.

Commands that fetch or build something run first, with the network; all others where only loopback is to be seen. Each block has
a copy of the project's files to itself. HEAD stands for the first machine of a cluster.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common import ROOT, on_a_machine_of_its_own, program
from slurm_cluster import SlurmCluster, absent

FOLDER = "CLUSTER_README_FOLDER"
FETCHES = re.compile(r"^cargo |-m venv |pip install ")


def blocks(file: Path, heading: str) -> list[str]:
    """The shell blocks below a heading, up to the next heading of its level."""
    text = file.read_text()
    section = re.search(rf"^{re.escape(heading)}$(.*?)(?=^## |\Z)", text, re.M | re.S)
    return re.findall(r"^```sh\n(.*?)^```$", section.group(1), re.M | re.S) if section else []


BLOCKS = blocks(ROOT / "docs" / "cluster.md", "## Commands")


def commands(block: str) -> list[str]:
    """The commands, continued lines joined, without comments."""
    lines = [re.sub(r"\s+# .*$", "", line) for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def fetch(folder: Path) -> None:
    """Runs what needs the network, each command once."""
    (folder / "project").mkdir()
    for command in dict.fromkeys(command for block in BLOCKS for command in commands(block) if FETCHES.search(command)):
        if command == "cargo build --release" and "TILELAB" in os.environ:
            continue  # The program that it names is built.
        where = ROOT if command.startswith("cargo ") else folder / "project"
        subprocess.run(["bash", "-euc", command], cwd=where, check=True, stdout=subprocess.DEVNULL)


class Commands(unittest.TestCase):
    folder = Path(os.environ.get(FOLDER, "/nonexistent"))
    expected: bytes

    @classmethod
    def setUpClass(cls) -> None:
        out = cls.folder / "local"
        subprocess.run([program(), "run", ROOT / "experiments/readme.toml", "--games", "1000", "--out", out, "--quiet"], check=True)
        cls.expected = (out / "readme" / "cells.csv").read_bytes()

    def run_block(self, number: int, block: str) -> bytes:
        """Runs a block and returns the cells that it made."""
        home = self.folder / f"block-{number}"
        (home / "target" / "release").mkdir(parents=True)
        (home / "target" / "release" / "tilelab").symlink_to(program())
        for name in ("experiments", "cluster"):
            (home / name).symlink_to(ROOT / name)
        if (self.folder / "project" / ".venv").exists():
            (home / ".venv").symlink_to(self.folder / "project" / ".venv")
        lines = [command for command in commands(block) if not FETCHES.search(command)]
        if not lines:
            return self.expected
        script = "\n".join(["set -euo pipefail", *lines]).replace("HEAD", "127.0.0.1")
        ran = subprocess.run(["bash", "-c", script], cwd=home, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=240)
        self.assertEqual(ran.returncode, 0, f"{script}\n{ran.stdout}\n{ran.stderr}")
        if "sbatch" in block:
            self.slurm.wait_for_jobs()
        return (home / "results" / "readme" / "cells.csv").read_bytes()

    def test_every_block_ends_with_the_bytes_of_a_local_run(self) -> None:
        self.assertGreaterEqual(len(BLOCKS), 4)
        for number, block in enumerate(BLOCKS):
            with self.subTest(block=block):
                if "parallel " in block and shutil.which("parallel") is None:
                    print("skipped: GNU parallel is not installed (Debian: apt-get install parallel)", file=sys.stderr)
                    continue
                if "sbatch" in block:
                    if (missing := absent()) or os.environ.get("CLUSTER_TESTS_ROOT") != "1":
                        print(f"skipped: Slurm needs root and: {missing or 'nothing else'}", file=sys.stderr)
                        continue
                    self.slurm = SlurmCluster(self.folder / f"slurm-{number}")
                    self.addCleanup(self.slurm.stop)
                self.assertEqual(self.run_block(number, block), self.expected)


if __name__ == "__main__":
    if FOLDER in os.environ:
        on_a_machine_of_its_own()
        unittest.main()
    with tempfile.TemporaryDirectory(prefix="cluster-readme-") as name:
        fetch(Path(name))
        os.environ[FOLDER] = name
        os.environ["CLUSTER_TESTS_ROOT"] = str(int(os.getuid() == 0))
        sys.exit(subprocess.run([sys.executable, *sys.argv]).returncode)
