"""A Slurm cluster of two nodes on this machine, for tests: munge, a controller and two slurmd, all on loopback."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
from pathlib import Path

from common import wait_until

DAEMONS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue"]

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=6817
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MailProg=/bin/true
SlurmctldTimeout=30
SlurmdTimeout=30
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,requeue_delay=1
PriorityType=priority/basic
NodeName=n1,n2 NodeAddr=127.0.0.1 NodeHostname={host} Port=[6821-6822] CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=small Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def absent() -> str:
    """What is not installed, or an empty text."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return ", ".join(name for name in DAEMONS if shutil.which(name, path=path) is None)


class SlurmCluster:
    """The running cluster; its daemons are in the foreground, so that they end with their parent's namespace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        (folder / "state").mkdir(parents=True)
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        text = CONFIGURATION.format(host=socket.gethostname(), folder=folder, user="root")
        (folder / "slurm.conf").write_text("\n".join(line for line in text.splitlines() if not line.endswith("=")) + "\n")
        files = [f"--{name}-file={folder}/munge.{name}" for name in ("key", "pid", "log", "seed")]
        self.daemons = [self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *files)]
        wait_until("munge answers", (folder / "munge.socket").exists)
        self.daemons.append(self.start("slurmctld", "-D"))
        self.nodes = {name: self.start("slurmd", "-D", "-N", name) for name in ("n1", "n2")}
        wait_until("both nodes are idle", lambda: self.states() == ["idle", "idle"])

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        log = open(self.folder / f"{command[0]}.out", "ab")
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def states(self) -> list[str]:
        answer = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"], capture_output=True, text=True)
        return answer.stdout.split()

    def queue(self) -> list[str]:
        answer = subprocess.run(["squeue", "-h", "-r", "-o", "%i %T %r"], capture_output=True, text=True, check=True)
        return answer.stdout.splitlines()

    def wait_for_jobs(self, timeout_s: float = 240.0) -> None:
        wait_until("all jobs end", lambda: not self.queue(), timeout_s)

    def stop(self) -> None:
        for daemon in [*self.nodes.values(), *self.daemons]:
            daemon.kill()
            daemon.wait()
