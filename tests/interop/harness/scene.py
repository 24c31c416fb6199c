"""One case's stage: its folder, users, ports and processes, and the end of them all."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import processes
from .checks import Failure, check
from .ports import Ports
from .users import Accounts, User, accounts_locked, crypt

# Where to find a peer that is missing; see packages.txt.
_PACKAGES = {
    "ssh": "openssh-client", "ssh-keygen": "openssh-client", "sshd": "openssh-server", "dropbear": "dropbear-bin",
    "dbclient": "dropbear-bin", "dropbearconvert": "dropbear-bin", "plink": "putty-tools", "puttygen": "putty-tools",
    "tinysshd": "tinysshd", "tinysshd-makekey": "tinysshd",
    "fail2ban-regex": "fail2ban",
}
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def tool(name: str) -> str:
    """The path of a peer's program; missing, it is a failure and never a skip."""
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    check(path, f"the peer {name} is missing: install {_PACKAGES.get(name, name)}")
    return path


@dataclass
class Result:
    status: int  # as waitpid has it: -n is death by signal n
    out: bytes
    err: str
    seconds: float

    @property
    def text(self) -> str:
        return self.out.decode(errors="replace")


class Process:
    """A started program; its standard output and error go to files, so no reader can be left waiting for an EOF."""

    def __init__(self, popen: subprocess.Popen, argv: list[str], out: Path, err: Path):
        self.popen, self.argv, self._out, self._err = popen, argv, out, err
        self._started = time.monotonic()
        self.pid = popen.pid

    @property
    def out(self) -> bytes:
        return self._out.read_bytes()

    @property
    def err(self) -> str:
        return self._err.read_text(errors="replace")

    def running(self) -> bool:
        return self.popen.poll() is None

    def wait(self, seconds: float = 30) -> Result:
        try:
            status = self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"still running after {seconds} s: {' '.join(self.argv)}") from None
        return Result(status, self.out, self.err, time.monotonic() - self._started)

    def signal(self, number: int):
        self.popen.send_signal(number)

    def kill(self):
        if self.running():
            self.popen.kill()
            self.popen.wait()

    def report(self) -> str:
        state = "still running" if self.running() else f"status {self.popen.returncode}"
        lines = [f"$ {' '.join(self.argv)}", f"  ({state})"]
        for name, data in (("out", self._out.read_bytes()[-2000:]), ("err", self._err.read_bytes()[-8000:])):
            if data:
                lines += [f"  {name}| {line}" for line in data.decode(errors="backslashreplace").splitlines()]
        return "\n".join(lines)


class Scene:
    def __init__(self, program):
        self.folder = Path(tempfile.mkdtemp(prefix="sshape-interop-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.home = self.folder / "home"  # of whoever runs the clients
        self.home.mkdir(mode=0o700)
        self.program = program
        self.program.install(self.folder / "bin")
        self.accounts = Accounts()
        self._ports = Ports()
        self.processes: list[Process] = []
        self._exits = contextlib.ExitStack()
        self._count = 0

    # Things that a case asks for.

    def user(self, password: str = "correct horse 7 &\"'$", shell: str = "/bin/bash", groups=(), key: bool = True,
             home_exists: bool = True) -> User:
        user = self.accounts.add_user(password, shell, list(groups), home_exists)
        if key:
            user.key = self.new_key(user.name)
            user.authorize(self.public(user.key) + "\n")
        return user

    def private_etc(self, changes: dict[str, str]) -> list[str]:
        """A command prefix that runs a program with an /etc of its own, these files replaced. Its pid stays its own."""
        copy = self.folder / f"etc{self.next_number()}"
        with accounts_locked():  # useradd's lock files come and go
            shutil.copytree("/etc", copy, symlinks=True)
            for item in Path("/etc").rglob("*"):
                if not item.is_symlink():
                    with contextlib.suppress(FileNotFoundError):
                        os.chown(copy / item.relative_to("/etc"), item.stat().st_uid, item.stat().st_gid)
        for name, content in changes.items():
            (copy / name).write_text(content)
        return self.with_mounts({copy: "/etc"})

    def with_mounts(self, mounts: dict[Path, str]) -> list[str]:
        """A command prefix that runs a program in a mount namespace with folders bound over others."""
        script = "".join(f'mount --rbind "{source}" "{target}" && ' for source, target in mounts.items()) + 'exec "$@"'
        return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]

    def new_key(self, comment: str = "interop", kind: str = "ed25519") -> Path:
        """A fresh OpenSSH key pair without a passphrase."""
        path = self.folder / f"key{self.next_number()}"
        self.check_run([tool("ssh-keygen"), "-q", "-t", kind, "-N", "", "-C", comment, "-f", str(path)])
        return path

    @staticmethod
    def public(key: Path) -> str:
        return Path(f"{key}.pub").read_text().strip()

    def port(self) -> int:
        return self._ports.take()

    def file(self, name: str, content: str | bytes, mode: int = 0o644) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)
        return path

    def on_exit(self, function, *arguments):
        self._exits.callback(function, *arguments)

    # Programs.

    def environment(self, **more) -> dict[str, str]:
        return {"PATH": _PATH, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "xterm", **more}

    def start(self, argv, env=None, stdin=subprocess.DEVNULL, stdout=None, stderr=None, cwd=None,
              as_user: User | None = None, **popen) -> Process:
        """Starts a program in a session of its own. Standard input may be bytes, a path or a file."""
        argv = [str(word) for word in argv]
        number = self.next_number()
        out, err = self.folder / f"{number}.out", self.folder / f"{number}.err"
        if isinstance(stdin, bytes):
            stdin = self.file(f"{number}.in", stdin)
        if as_user:
            popen |= {"user": as_user.uid, "group": as_user.gid, "extra_groups": []}
        with open(out, "wb") as out_file, open(err, "wb") as err_file, contextlib.ExitStack() as files:
            if isinstance(stdin, Path):
                stdin = files.enter_context(open(stdin, "rb"))
            child = subprocess.Popen(argv, env=self.environment() if env is None else env, stdin=stdin,
                                     stdout=out_file if stdout is None else stdout,
                                     stderr=err_file if stderr is None else stderr,
                                     cwd=cwd or self.folder, start_new_session=True, **popen)
        process = Process(child, argv, out, err)
        self.processes.append(process)
        return process

    def run(self, argv, seconds: float = 30, **options) -> Result:
        return self.start(argv, **options).wait(seconds)

    def check_run(self, argv, **options) -> Result:
        """Runs a program that has to succeed, for the case says nothing about it."""
        result = self.run(argv, **options)
        check(result.status == 0, f"{' '.join(map(str, argv))} failed: {result.text} {result.err}")
        return result

    # The end.

    def report(self) -> str:
        return "\n".join(process.report() for process in self.processes)

    def close(self, keep_folder: bool = False):
        signal.alarm(0)
        self._exits.close()
        processes.end_descendants()
        for process in self.processes:
            process.popen.poll()
        self.accounts.remove_all()
        self._ports.release()
        if not keep_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def next_number(self) -> int:
        self._count += 1
        return self._count


__all__ = ["Scene", "Process", "Result", "tool", "crypt"]
