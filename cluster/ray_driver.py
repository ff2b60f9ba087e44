#!/usr/bin/env python3
"""Runs one tilelab experiment over a Ray cluster and merges the result.

Each shard is one Ray task. The task gets the program and the experiment through Ray's object store, plays `tilelab run --shard I/N`
in a temporary folder, and returns that folder as a tar, so no shared disk is needed. The driver writes each finished shard to OUT/NAME
immediately; at the end `tilelab merge` makes the tables of a local run, with the same bytes. If run again, it plays only missing shards.

A shard that fails, or whose worker or node is lost, is retried up to --retries times. A node gets no more shards if it can run neither
the program sent to it nor its own program with the same plan. Exit codes: 0 done, 1 shards or cells failed (all others are saved),
2 wrong input, 130 interrupted.

Without an address, Ray runs only on this machine and listens only on 127.0.0.1. Token authentication is always on: on this machine with
a token made for the run, on a cluster with the token of the cluster.

Needs Ray (tested with 2.60.0) and Python 3.10; the machines need nothing else.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import hashlib
import importlib
import io
import json
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ray: Any = None  # Imported by `connect`, since Ray reads its environment when it is imported.

PROGRESS_EVERY_S = 5.0
NODES_EVERY_S = 2.0
SHARDS_DEFAULT = 64
SHARDS_MAX = 20_000  # Their folders must fit the argument list of one `tilelab merge`.


class WrongInput(Exception):
    """An error in the driver's arguments or files: exit code 2."""


@dataclass(frozen=True)
class Parcel:
    """What every task needs; put into the object store once."""

    program: list[Any]  # One reference to the bytes of the program; in a list, so that Ray does not fetch it for each task.
    program_sha256: str
    files: dict[str, bytes]  # The experiment and the files it names, by path below their common folder.
    experiment: str  # Path of the experiment among `files`.
    identity: dict[str, Any]  # What `tilelab cluster plan` says where the driver runs.
    overrides: list[str]
    run_options: list[str]
    shards: int


# ---- On the nodes -------------------------------------------------------------------------------------------------------------------


def die_with_parent() -> None:
    """Asks Linux to kill this process when its parent dies, so that a killed worker leaves no game running."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def call(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)


def is_whole(path: Path, sha256: str) -> bool:
    """Whether a file is there and has these bytes."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except OSError:
        return False


def installed(parcel: Parcel) -> Path:
    """Writes the received program once for each node and user, replacing any other file at its path."""
    folder = Path(tempfile.gettempdir()) / f"tilelab-{os.getuid()}-{parcel.program_sha256[:16]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o022:
        raise PermissionError(f"{folder} is not a folder that only you can write to")
    path = folder / "tilelab"
    if not is_whole(path, parcel.program_sha256):
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(ray.get(parcel.program[0]))
        os.chmod(file.name, 0o700)
        os.replace(file.name, path)
    return path


def fitting_program(parcel: Parcel, experiment: Path) -> tuple[str, str]:
    """A program on this node that plans the same run as the driver's, or an empty name and the problem of each candidate."""
    complaints = []
    for origin, find in [("the program sent to it", lambda: installed(parcel)), ("its own", lambda: shutil.which("tilelab"))]:
        try:
            program = find()
            if program is None:
                complaints.append("it has no tilelab of its own on its PATH")
                continue
            answer = call([str(program), "cluster", "plan", str(experiment), *parcel.overrides])
            identity = json.loads(answer.stdout) if answer.returncode == 0 else None
        except (OSError, ValueError) as error:
            complaints.append(f"{origin} does not run: {error}")
            continue
        if identity == parcel.identity:
            return str(program), ""
        if identity is None:
            complaints.append(f"{origin} fails: {answer.stderr.strip()[-300:] or answer.returncode}")
        else:
            keys = [key for key in parcel.identity if identity.get(key) != parcel.identity[key]]
            differing = ", ".join(f"{key} {identity.get(key)} instead of {parcel.identity[key]}" for key in keys)
            complaints.append(f"{origin} plans another run: {differing}")
    return "", "; ".join(complaints)


def packed(folder: Path) -> bytes:
    """The files of a shard's folder as a tar."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=6) as tar:
        for path in sorted(folder.iterdir()):
            if path.name not in {".lock", ".state.previous"}:
                tar.add(path, arcname=path.name)
    return buffer.getvalue()


def play_shard(parcel: Parcel, shard: int) -> tuple[str, bytes, str]:
    """Plays a shard. Returns `done` with its folder, `failed`, or `unfit` if this node cannot play; and a message."""
    here = f"{socket.gethostname()} ({os.uname().machine})"
    with tempfile.TemporaryDirectory(prefix="tilelab-shard-") as name:
        scratch = Path(name)
        for path, content in parcel.files.items():
            (scratch / "files" / path).parent.mkdir(parents=True, exist_ok=True)
            (scratch / "files" / path).write_bytes(content)
        experiment, out = scratch / "files" / parcel.experiment, scratch / "out"
        program, complaint = fitting_program(parcel, experiment)
        if not program:
            return "unfit", b"", f"{here}: {complaint}"
        common = [str(experiment), *parcel.overrides, "--out", str(out)]
        ran = call([program, "run", *common, *parcel.run_options, "--quiet", "--shard", f"{shard}/{parcel.shards}"])
        if ran.returncode != 0:
            # Failed cells are recorded in a shard that is otherwise done.
            status = call([program, "cluster", "status", *common, "--shards", str(parcel.shards), "--missing"])
            if status.returncode != 0 or shard in expanded(status.stdout):
                return "failed", b"", f"{here}: exit code {ran.returncode}: {ran.stderr.strip()[-500:]}"
        folder = out / parcel.identity["name"] / f"shard-{shard}-of-{parcel.shards}"
        return "done", packed(folder), ran.stderr.strip() if ran.returncode != 0 else ""


# ---- Where the driver runs ----------------------------------------------------------------------------------------------------------


def expanded(text: str) -> set[int]:
    """The numbers in a text such as `1-3,7`."""
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def compact(numbers: Iterable[int]) -> str:
    """Numbers as text such as `1-3,7`; the reverse of `expanded`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@dataclass
class Run:
    """One experiment, divided into shards, and its results folder."""

    program: str
    file: Path
    out: Path
    overrides: list[str]
    identity: dict[str, Any]
    shards: int

    @property
    def name(self) -> str:
        return str(self.identity["name"])

    @property
    def folder(self) -> Path:
        return self.out / self.name

    @property
    def scratch(self) -> Path:
        """Holds the lock of the driver, and shards while they are unpacked."""
        return self.folder / ".cluster"

    def missing(self) -> set[int]:
        options = ["--shards", str(self.shards), "--out", str(self.out), "--missing"]
        return expanded(tilelab(self.program, "cluster", "status", str(self.file), *self.overrides, *options))

    def keep(self, shard: int, tar: bytes) -> None:
        """Writes a finished shard atomically: its folder is complete or absent."""
        final = self.folder / f"shard-{shard}-of-{self.shards}"
        incoming = Path(tempfile.mkdtemp(prefix=f"{final.name}-", dir=self.scratch))
        with tarfile.open(fileobj=io.BytesIO(tar), mode="r:gz") as files:
            files.extractall(incoming / "new", filter="data")
        if final.exists():
            # An unfinished shard of a local run lies there.
            final.rename(incoming / "old")
        (incoming / "new").rename(final)
        shutil.rmtree(incoming)

    def merge(self) -> int:
        """Merges all shards; returns the exit code of `tilelab merge`."""
        folders = [f"shard-{shard}-of-{self.shards}" for shard in range(1, self.shards + 1)]
        command = [self.program, "merge", "--out", str(self.out), *folders]
        return subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL).returncode


def tilelab(program: str, *arguments: str) -> str:
    """Standard output of the program; input that it rejects raises `WrongInput`."""
    answer = subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if answer.returncode != 0:
        raise WrongInput(answer.stderr.strip().removeprefix("error: "))
    return answer.stdout


def parcel_of(run: Run, run_options: list[str]) -> Parcel:
    """Packs the program, and the experiment with the files it reads at their places relative to each other."""
    program = Path(run.program).read_bytes()
    named = [Path(name) for name in run.identity["files"]]
    if absolute := [str(name) for name in named if name.is_absolute()]:
        raise WrongInput(f"{run.file}: {', '.join(absolute)}: absolute paths do not exist on other machines; write it relative to the experiment's folder")
    paths = [Path(os.path.normpath(run.file.parent / name)) for name in [run.file.name, *named]]
    base = Path(os.path.commonpath([path.parent for path in paths]))
    files = {str(path.relative_to(base)): path.read_bytes() for path in paths}
    sha256 = hashlib.sha256(program).hexdigest()
    experiment = str(paths[0].relative_to(base))
    return Parcel([ray.put(program)], sha256, files, experiment, run.identity, run.overrides, run_options, run.shards)


@dataclass
class Nodes:
    """The nodes that take shards."""

    cpus_per_shard: int
    unfit: dict[str, str] = field(default_factory=dict)  # Why, by node id.
    slots: int = 0  # Shards that run at once.
    looked: float = float("-inf")

    def look(self) -> None:
        if time.monotonic() - self.looked < NODES_EVERY_S:
            return
        self.looked = time.monotonic()
        alive = [node for node in ray.nodes() if node["Alive"]]
        fit = [node for node in alive if node["NodeID"] not in self.unfit]
        self.slots = sum(int(node["Resources"].get("CPU", 0)) // self.cpus_per_shard for node in fit)
        if self.unfit and not fit:
            raise WrongInput("no node can play: " + "; ".join(self.unfit.values()))

    def exclude(self, node: str, why: str) -> None:
        if node not in self.unfit:
            say(f"a node gets no more shards: {why}")
        self.unfit[node] = why
        self.looked = float("-inf")

    def options(self) -> dict[str, Any]:
        selector = {"ray.io/node-id": f"!in({','.join(sorted(self.unfit))})"} if self.unfit else {}
        # Lost tasks come back to the driver, which counts and names the tries.
        return {"num_cpus": self.cpus_per_shard, "max_retries": 0, "label_selector": selector}


def play_on_node(parcel: Parcel, shard: int) -> tuple[str, str, bytes, str]:
    """The task: what `play_shard` returns, with the node's id before it."""
    return ray.get_runtime_context().get_node_id(), *play_shard(parcel, shard)


class Dispatch:
    """Hands out shards until each is done or has failed permanently."""

    def __init__(self, run: Run, run_options: list[str], cpus: int, retries: int, missing: set[int]) -> None:
        self.run, self.retries = run, retries
        self.parcel = ray.put(parcel_of(run, run_options))
        self.task = ray.remote(play_on_node)
        self.nodes = Nodes(cpus)
        self.waiting = deque(sorted(missing))
        self.running: dict[Any, int] = {}
        self.retried: Counter[int] = Counter()
        self.failed: dict[int, str] = {}
        self.done = run.shards - len(missing)
        self.begun, self.told = time.monotonic(), float("-inf")

    def play(self) -> None:
        while self.waiting or self.running:
            self.nodes.look()
            while self.waiting and len(self.running) < self.nodes.slots:
                shard = self.waiting.popleft()
                self.running[self.task.options(**self.nodes.options()).remote(self.parcel, shard)] = shard
            self.tell(PROGRESS_EVERY_S)
            if not self.running:
                time.sleep(0.5)  # No node is alive just now.
                continue
            ray.wait(list(self.running), num_returns=1, timeout=1.0)
            ready, _ = ray.wait(list(self.running), num_returns=len(self.running), timeout=0)
            for result in ready:
                self.receive(result, self.running.pop(result))
        self.tell(0.0)

    def receive(self, result: Any, shard: int) -> None:
        try:
            node, kind, tar, message = ray.get(result)
        except ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else ""
            self.again(shard, f"{type(error).__name__}: {reason}"[:300])
            return
        if kind == "done":
            self.run.keep(shard, tar)
            self.done += 1
            if message:
                say(f"{self.run.name}: shard {shard} is done, but: {message}")
        elif kind == "unfit":
            self.nodes.exclude(node, message)
            self.waiting.appendleft(shard)
        else:
            self.again(shard, message)

    def again(self, shard: int, why: str) -> None:
        if self.retried[shard] < self.retries:
            self.retried[shard] += 1
            say(f"{self.run.name}: shard {shard} is retried ({self.retried[shard]} of {self.retries}): {why}")
            self.waiting.append(shard)
        else:
            self.failed[shard] = why
            say(f"{self.run.name}: shard {shard} failed: {why}")

    def tell(self, every_s: float) -> None:
        """One line: the number of shards done, and which are running or retried."""
        now = time.monotonic()
        if now - self.told < every_s:
            return
        self.told = now
        retried = [f"{shard} (x{count})" if count > 1 else str(shard) for shard, count in sorted(self.retried.items())]
        parts = [
            f"{self.done}/{self.run.shards} shards done",
            f"running {compact(self.running.values()) or 'none'}",
            f"{len(self.waiting)} waiting",
            f"retried {', '.join(retried) or 'none'}",
        ]
        parts += [f"failed {compact(self.failed)}"] if self.failed else []
        say(f"{self.run.name}: {'; '.join(parts)}; {now - self.begun:.0f} s")


def connect(address: str | None) -> None:
    """Joins the cluster, or starts Ray on this machine only; it ends with the driver."""
    global ray
    address = address or os.environ.get("RAY_ADDRESS") or None
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    secure(address)
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise WrongInput(f"Ray cannot be imported: {error}; see docs/cluster.md for how to install it") from None
    if address:
        ray.init(address=address, log_to_driver=False)
    else:
        ray.init(address="local", include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1", object_store_memory=200_000_000)


def secure(address: str | None) -> None:
    """Turns token authentication on; without an address, also keeps Ray on the loopback interface."""
    has_token = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if address is None:
        # Ray replaces 127.0.0.1 by the machine's public address, unless it thinks that it cannot form clusters here.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        os.environ["RAY_AUTH_MODE"] = "token"
        if not has_token:
            os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    elif os.environ.setdefault("RAY_AUTH_MODE", "token") == "token" and not has_token and not (Path.home() / ".ray" / "auth_token").exists():
        raise WrongInput("RAY_AUTH_TOKEN: missing; set it to the token with which the nodes of the cluster were started")


def shard_count(folder: Path, asked: int | None) -> int:
    """The number of shards: as requested, or that of the existing folder, so that a second run plays only missing shards."""
    if asked is not None:
        return asked
    counts = {int(path.name.rpartition("-")[2]) for path in folder.glob("shard-*-of-*") if path.name.rpartition("-")[2].isdigit()}
    if len(counts) > 1:
        raise WrongInput(f"--shards: {folder} is divided into {' and into '.join(map(str, sorted(counts)))} shards; name one")
    return counts.pop() if counts else SHARDS_DEFAULT


def whole_number(first: int, last: int) -> Any:
    def read(text: str) -> int:
        if not text.isdigit() or not first <= int(text) <= last:
            raise argparse.ArgumentTypeError(f"{text}: accepted: a whole number from {first} to {last}")
        return int(text)

    return read


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run a tilelab experiment over a Ray cluster; run again, it does only what is missing.")
    parser.add_argument("file", type=Path, metavar="FILE", help="the experiment file")
    parser.add_argument("--address", help="the cluster, such as auto or HOST:6379 [default: $RAY_ADDRESS, or Ray on this machine only]")
    parser.add_argument("--shards", type=whole_number(2, SHARDS_MAX), metavar="N", help=f"number of shards, several times the cores [default: that of the folder, or {SHARDS_DEFAULT}]")
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="folder for results [default: results]")
    parser.add_argument("--games", type=whole_number(1, 2**64 - 1), metavar="N", help="games per cell, instead of the file's")
    parser.add_argument("--lanes", type=whole_number(1, 2**32), metavar="N", help="games that share a trajectory in every cell, instead of the file's")
    parser.add_argument("--seed", type=whole_number(0, 2**64 - 1), metavar="S", help="the master seed, instead of the file's")
    parser.add_argument("--allow-programs", action="store_true", help="start the programs that the file names as players; read it first, and trust them")
    parser.add_argument("--kernel", default="auto", metavar="NAME", help="the kernel (`tilelab list kernels`)")
    parser.add_argument("--cpus", type=whole_number(1, 65_535), default=1, metavar="C", help="cores of a shard, and its threads [default: 1]")
    parser.add_argument("--retries", type=whole_number(0, 1_000), default=4, metavar="R", help="how often a lost or failed shard is retried [default: 4]")
    parser.add_argument("--tilelab", metavar="PATH", help="the program [default: target/release/tilelab of this clone, or on the PATH]")
    return parser.parse_args(argv)


def program_path(named: str | None) -> str:
    built = Path(os.path.abspath(__file__)).parent.parent / "target" / "release" / "tilelab"
    found = shutil.which(named) if named else (str(built) if built.exists() else shutil.which("tilelab"))
    if found is None:
        raise WrongInput(f"--tilelab {named}: no such program" if named else "no tilelab: build it with cargo build --release, or name it with --tilelab")
    return os.path.abspath(found)


def prepared(args: argparse.Namespace) -> Run:
    program, file, out = program_path(args.tilelab), Path(os.path.abspath(args.file)), Path(os.path.abspath(args.out))
    overrides = [f"--{key}={value}" for key in ("games", "lanes", "seed") if (value := getattr(args, key)) is not None]
    overrides += ["--allow-programs"] * args.allow_programs
    identity = json.loads(tilelab(program, "cluster", "plan", str(file), *overrides))
    return Run(program, file, out, overrides, identity, shard_count(out / identity["name"], args.shards))


def drive(args: argparse.Namespace) -> int:
    run = prepared(args)
    missing = run.missing()
    try:
        run.scratch.mkdir(parents=True, exist_ok=True)
        lock = open(run.scratch / "lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WrongInput(f"{run.folder}: another driver is writing here; wait for it or name another folder with --out") from None
    except OSError as error:
        raise WrongInput(f"--out: {run.folder}: cannot be written: {error.strerror}; name a folder that can") from None
    with lock:
        for left in run.scratch.glob("shard-*"):
            shutil.rmtree(left)  # Half unpacked by a driver that was killed.
        if missing:
            connect(args.address)
            say(f"{run.name}: {len(missing)} of {run.shards} shards to play: {compact(missing)}")
            dispatch = Dispatch(run, ["--kernel", args.kernel, "--threads", str(args.cpus)], args.cpus, args.retries, missing)
            dispatch.play()
            if dispatch.failed:
                say(f"{run.name}: failed: shards {compact(dispatch.failed)}; the others are saved in {run.folder}; the same command retries only the missing shards")
                return 1
        shutil.rmtree(run.scratch)
        return run.merge()


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    try:
        return drive(args)
    except WrongInput as error:
        say(f"error: {error}")
        return 2
    except ConnectionError as error:
        say(f"error: --address {args.address}: no Ray cluster answers: {error}")
        return 2
    except KeyboardInterrupt:
        say("interrupted; finished shards are kept, the same command plays the others")
        return 130


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    sys.exit(main())
