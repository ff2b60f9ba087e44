"""What the cluster tests share: the program, a small experiment, processes, and a machine of their own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DRIVER = ROOT / "cluster" / "ray_driver.py"

EXPERIMENT = """\
name = "cluster-demo"
seed = 9
games = {games}

[[table]]
title = "small boards"
game = "sixty-seven"
size = ["3x3", "4x4"]
operators = ["+-", "+-*"]

[[table]]
title = "as precise as wanted"
game = "sixty-seven"
size = "3x4"
stop = {{ half_width = 0.02, max_games = 20_000 }}
published = "figures/small.csv"
"""

PUBLISHED = "table,rows,cols,games,wins\nas precise as wanted,3,4,100,9\n"


def program() -> str:
    """The binary under test: $TILELAB, or the newest that is built."""
    built = [ROOT / "target" / profile / "tilelab" for profile in ("release", "debug")]
    found = os.environ.get("TILELAB") or max(filter(Path.exists, built), key=lambda path: path.stat().st_mtime, default=None)
    if found is None:
        sys.exit("no tilelab: cargo build --release")
    return str(found)


def experiment(folder: Path, games: int) -> Path:
    """Writes the experiment and the file that it reads."""
    (folder / "figures").mkdir(parents=True)
    (folder / "figures" / "small.csv").write_text(PUBLISHED)
    file = folder / "demo experiment.toml"
    file.write_text(EXPERIMENT.format(games=games))
    return file


def local_cells(file: Path, out: Path) -> bytes:
    """`cells.csv` of a run on this machine alone."""
    subprocess.run([program(), "run", file, "--out", out, "--quiet"], check=True)
    return cells(out)


def cells(out: Path) -> bytes:
    return (out / "cluster-demo" / "cells.csv").read_bytes()


def wait_until(what: str, holds: Callable[[], object], timeout_s: float = 120.0) -> object:
    """Waits for something to hold and returns it."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if value := holds():
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {timeout_s:.0f} s in vain: {what}")


def processes() -> dict[int, tuple[int, str]]:
    """Parent and command line of each process."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state == "Z":
                continue  # It has ended; nobody has asked for its exit code.
            found[int(entry.name)] = (int(parent), (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip())
        except (OSError, ValueError):
            continue  # No process, or one that has just ended.
    return found


def descendants(pid: int) -> list[int]:
    """The process and everything that it started."""
    table, family = processes(), [pid]
    for member in family:
        family += [child for child, (parent, _) in table.items() if parent == member]
    return family


def kill_all(pid: int) -> None:
    """Kills a process and everything that it started, as a power cut would."""
    for member in descendants(pid):
        try:
            os.kill(member, signal.SIGKILL)
        except ProcessLookupError:
            continue


def on_a_machine_of_its_own() -> None:
    """Starts this script again where no other process and no network but loopback is to be seen.

    Daemons started there end with the script, and no port is taken from anybody.
    """
    if os.environ.get("CLUSTER_TESTS_ALONE"):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        # Ray notes there which cluster is this machine's; the note of a real one must stay.
        os.makedirs("/tmp/ray", exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/tmp/ray"], check=True)
        # Resolvers give no addresses to a machine that has only 127.0.0.1; this one is set aside for documentation (RFC 5737).
        subprocess.run(["ip", "address", "add", "192.0.2.1/32", "dev", "lo"], check=True)
        # The machine's own name may resolve to an address that is not to be seen here.
        socket.sethostname("localhost")
        return
    user = [] if os.getuid() == 0 else ["--map-root-user"]
    command = ["unshare", *user, "--net", "--uts", "--pid", "--mount-proc", "--fork", "--kill-child"]
    if shutil.which("unshare") is None or shutil.which("ip") is None or subprocess.run([*command, "true"]).returncode != 0:
        print(f"{sys.argv[0]}: skipped: this system gives no namespaces ({' '.join(command)}; ip)", file=sys.stderr)
        sys.exit(0)
    os.environ["CLUSTER_TESTS_ALONE"] = "1"
    os.execvp(command[0], [*command, sys.executable, *sys.argv])
