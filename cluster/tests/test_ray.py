"""The Ray driver on a cluster of two nodes on this machine: workers and nodes killed, shards that fail, nodes that do not fit; and alone."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from common import DRIVER, cells, descendants, experiment, kill_all, local_cells, on_a_machine_of_its_own, processes, program, wait_until

PORT = 6399
SHARDS = 32


class Node:
    """A Ray node with one core for shards."""

    def __init__(self, *where: str, environment: dict[str, str] | None = None) -> None:
        command = [str(Path(sys.executable).parent / "ray"), "start", *where, "--block", "--num-cpus=1", "--node-ip-address=127.0.0.1"]
        command += ["--object-store-memory=80000000", "--disable-usage-stats"]
        environment = {**os.environ, **(environment or {})}
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=self.said)
        wait_until("a node has joined", self.joined)

    def joined(self) -> bool:
        self.said.seek(0)
        return "Ray runtime started" in self.said.read()

    def playing(self) -> list[tuple[int, int]]:
        """Worker and `tilelab run` of each shard that runs on this node."""
        table = processes()
        family = [pid for pid in descendants(self.process.pid) if pid in table]
        return [(table[pid][0], pid) for pid in family if " run " in table[pid][1] and "--shard" in table[pid][1]]

    def kill(self) -> None:
        kill_all(self.process.pid)
        self.process.wait()
        self.said.close()


class Drive:
    """The driver, running, and what it has said."""

    def __init__(self, file: Path, out: Path, *options: str) -> None:
        command = [sys.executable, str(DRIVER), str(file), "--out", str(out), "--address", f"127.0.0.1:{PORT}", *options]
        if "--tilelab" not in options:
            command += ["--tilelab", program()]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)

    def said(self, *words: str) -> list[str]:
        return [line for line in self.lines if all(word in line for word in words)]

    def end(self) -> tuple[int, str]:
        """Exit code and everything said."""
        code = self.process.wait(timeout=300)
        self.reader.join()
        return code, "".join(self.lines)


def listening(pids: list[int]) -> list[str]:
    """The local addresses on which these processes listen, in the hexadecimal form of /proc/net."""
    inodes = set()
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inodes.add(os.readlink(descriptor).removeprefix("socket:[").removesuffix("]"))
            except OSError:
                continue  # Closed in the meantime.
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return [row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes]


class Ray(unittest.TestCase):
    folder: Path
    head: Node
    second: Node

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="cluster-ray-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(16))
        cls.head = Node("--head", f"--port={PORT}", "--include-dashboard=false")
        cls.addClassCleanup(cls.head.kill)
        cls.second = Node(f"--address=127.0.0.1:{PORT}")
        cls.addClassCleanup(cls.second.kill)

    def test_1_a_failing_shard_is_named_and_only_it_is_played_again(self) -> None:
        file, out = experiment(self.folder / "failing", games=300), self.folder / "failing-out"
        fails = self.folder / "fails"
        fails.write_text(f'#!/bin/sh\ncase "$*" in *"--shard 4/"*) echo "broken on purpose" >&2; exit 1 ;; esac\nexec "{program()}" "$@"\n')
        fails.chmod(0o755)
        code, said = Drive(file, out, "--shards", "6", "--retries", "1", "--tilelab", str(fails)).end()
        self.assertEqual(code, 1, said)
        self.assertIn("shard 4 is retried (1 of 1)", said)
        self.assertIn("broken on purpose", said)
        self.assertIn("failed: shards 4; the others are saved", said)
        kept = {path: path.stat().st_ino for path in (out / "cluster-demo").glob("shard-*-of-6")}
        self.assertEqual(len(kept), 5)
        code, said = Drive(file, out).end()
        self.assertEqual(code, 0, said)
        self.assertIn("1 of 6 shards to play: 4", said)
        self.assertEqual(kept, {path: path.stat().st_ino for path in kept}, "a finished shard was played again")
        self.assertEqual(cells(out), local_cells(file, self.folder / "failing-local"))

    def test_2_a_worker_and_then_a_node_are_killed(self) -> None:
        file, out = experiment(self.folder / "killed", games=80_000), self.folder / "killed-out"
        expected = local_cells(file, self.folder / "killed-local")
        drive = Drive(file, out, "--shards", str(SHARDS), "--kernel", "reference")
        finished = lambda: {path: path.stat().st_ino for path in (out / "cluster-demo").glob(f"shard-*-of-{SHARDS}")}
        wait_until("two shards are done", lambda: len(finished()) >= 2)
        wait_until("the second node plays", self.second.playing)
        playing = wait_until("a worker plays", self.head.playing)
        worker, game = playing[0]
        os.kill(worker, signal.SIGKILL)
        wait_until("its shard is retried", lambda: drive.said("is retried"))
        wait_until("its game is gone", lambda: game not in processes())
        wait_until("the second node plays", self.second.playing)
        before = finished()
        self.second.kill()
        wait_until("the lost shard is retried", lambda: len(drive.said("is retried")) >= 2)
        self.assertLess(len(finished()), SHARDS, "the node was killed after the end")
        code, said = drive.end()
        self.assertEqual(code, 0, said)
        self.assertIn(f"{SHARDS}/{SHARDS} shards done", said)
        self.assertEqual(before, {path: path.stat().st_ino for path in before}, "a finished shard was played again")
        self.assertEqual(cells(out), expected)

    def test_3_a_node_that_cannot_play_gets_no_shards(self) -> None:
        # Enough to play that the fit node is still at it when the other has started its first worker.
        file, out = experiment(self.folder / "unfit", games=80_000), self.folder / "unfit-out"
        # There the program that is sent cannot be started, and the node's own plans with another version.
        other, blocked = self.folder / "other", self.folder / "blocked"
        other.mkdir()
        identity = subprocess.run([program(), "cluster", "plan", file], check=True, capture_output=True, text=True).stdout
        (other / "tilelab").write_text("#!/bin/sh\ncat <<'END'\n" + identity.replace('"version":"', '"version":"9.') + "END\n")
        (other / "tilelab").chmod(0o755)
        blocked.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", blocked], check=True)
        path = f"{other}:{os.environ['PATH']}"
        unfit = Node(f"--address=127.0.0.1:{PORT}", environment={"TMPDIR": str(blocked), "PATH": path})
        try:
            drive = Drive(file, out, "--shards", str(SHARDS), "--kernel", "reference")
            code, said = drive.end()
            self.assertEqual(code, 0, said)
            self.assertIn("a node gets no more shards", said)
            self.assertIn("Permission denied", said)
            self.assertIn("version 9.", said)
            self.assertNotIn("is retried", said)
            self.assertEqual(cells(out), local_cells(file, self.folder / "unfit-local"))
        finally:
            unfit.kill()
            subprocess.run(["umount", "--lazy", blocked], check=True)

    def test_6_alone_it_listens_on_the_loopback_interface_only(self) -> None:
        file, out = experiment(self.folder / "alone", games=80_000), self.folder / "alone-out"
        command = [sys.executable, str(DRIVER), str(file), "--out", str(out), "--shards", "4", "--tilelab", program(), "--kernel", "reference"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        drive = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        try:
            wait_until("a shard is played", lambda: any(" --shard " in processes().get(pid, (0, ""))[1] for pid in descendants(drive.pid)))
            sockets = listening(descendants(drive.pid))
            self.assertGreater(len(sockets), 3)
            self.assertEqual([address for address in sockets if not address.endswith("0100007F")], [])
            self.assertEqual(drive.wait(timeout=300), 0)
        finally:
            kill_all(drive.pid)
            drive.wait()
        self.assertEqual(cells(out), local_cells(file, self.folder / "alone-local"))

    def test_7_a_cluster_needs_its_token(self) -> None:
        file = experiment(self.folder / "token", games=10)
        command = [sys.executable, str(DRIVER), str(file), "--out", str(self.folder / "token-out"), "--address", f"127.0.0.1:{PORT}", "--tilelab", program()]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")} | {"HOME": str(self.folder)}
        refused = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("RAY_AUTH_TOKEN: missing", refused.stderr)

    def test_4_other_experiments_are_refused(self) -> None:
        first, out = experiment(self.folder / "first", games=300), self.folder / "first-out"
        code, said = Drive(first, out, "--shards", "2").end()
        self.assertEqual(code, 0, said)
        result = cells(out)
        code, said = Drive(first, out, "--seed", "10").end()
        self.assertEqual(code, 2, said)
        self.assertIn("seed: 9 there, 10 here", said)
        self.assertEqual(cells(out), result)

    def test_5_wrong_arguments(self) -> None:
        file = experiment(self.folder / "wrong", games=10)
        for options, words in [
            (["--shards", "1"], "from 2 to 20000"),
            (["--tilelab", "/nowhere/tilelab"], "no such program"),
            (["--games", "0"], "from 1"),
            (["--lanes", "3"], "lanes"),
        ]:
            code, said = Drive(file, self.folder / "wrong-out", *options).end()
            self.assertEqual(code, 2, said)
            self.assertIn(words, said)
        code, said = Drive(self.folder / "no-such-file.toml", self.folder / "wrong-out").end()
        self.assertEqual(code, 2, said)
        self.assertIn("no-such-file.toml", said)
        self.assertFalse((self.folder / "wrong-out").exists())


if __name__ == "__main__":
    on_a_machine_of_its_own()
    unittest.main(failfast=True)
