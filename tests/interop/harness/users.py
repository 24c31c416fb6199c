"""Real users of the machine, made for one case and removed after it.

Their names carry the runner's pid: suites of several build folders may run at once, and what a killed run left behind is
removed by the next one. The account database is changed under a lock, for useradd gives up when another holds it.
"""

import contextlib
import ctypes
import fcntl
import os
import pwd
import grp
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import processes
from .checks import check

_LOCK = "/tmp/sshape-interop-accounts.lock"
_NAME = re.compile(r"sshape-[tg](\d+)-\d+")


@dataclass
class User:
    name: str
    uid: int
    gid: int
    home: Path
    password: str
    key: Path | None = None  # the private key that its authorized_keys accepts
    groups: list[str] = field(default_factory=list)

    @property
    def authorized_keys(self) -> Path:
        return self.home / ".ssh" / "authorized_keys"

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> Path:
        """A file in the user's home, owned by the user."""
        file = self.home / path
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        os.chown(file, self.uid, self.gid)
        file.chmod(mode)
        return file

    def authorize(self, lines: str | bytes, mode: int = 0o600):
        """Replaces authorized_keys with exactly these bytes."""
        folder = self.home / ".ssh"
        folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(folder, self.uid, self.gid)
        self.write(".ssh/authorized_keys", lines, mode)

    def pids(self) -> list[int]:
        return [pid for pid in processes.all_pids() if processes.uid_of(pid) == self.uid and processes.alive(pid)]

    def processes_with(self, text: str) -> list[int]:
        """The user's processes whose command line holds the text."""
        return [pid for pid in self.pids() if text in processes.command_of(pid)]


class Accounts:
    def __init__(self):
        self._users: list[str] = []
        self._groups: list[str] = []

    def add_user(self, password: str, shell: str, groups: list[str], home_exists: bool = True) -> User:
        check(os.geteuid() == 0, "this case makes a user and starts a server as root: run it as root")
        name = f"sshape-t{os.getpid()}-{len(self._users)}"
        home = Path("/home") / name
        command = ["useradd", "--no-create-home", "--home-dir", str(home), "--shell", shell]
        command += ["--password", crypt(password)] if password else []
        command += ["--groups", ",".join(groups)] if groups else []
        with accounts_locked():
            _remove_leftovers()
            self._users.append(name)
            _run(command + [name])
        entry = pwd.getpwnam(name)
        if home_exists:
            home.mkdir(mode=0o755, parents=True)
            os.chown(home, entry.pw_uid, entry.pw_gid)
        return User(name, entry.pw_uid, entry.pw_gid, home, password, groups=list(groups))

    def add_group(self) -> str:
        name = f"sshape-g{os.getpid()}-{len(self._groups)}"
        with accounts_locked():
            self._groups.append(name)
            _run(["groupadd", name])
        return name

    def remove_all(self):
        if not self._users and not self._groups:
            return
        with accounts_locked():
            for name in self._users:
                _remove_user(name)
            for name in self._groups:
                _remove_group(name)


def crypt(password: str) -> str:
    """A yescrypt hash, as Debian's passwd makes them."""
    library = ctypes.CDLL("libcrypt.so.1")
    library.crypt_gensalt.restype = library.crypt.restype = ctypes.c_char_p
    salt = library.crypt_gensalt(b"$y$", 1, None, 0)
    return library.crypt(password.encode(), salt).decode()


@contextlib.contextmanager
def accounts_locked():
    lock = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _run(command: list[str]):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(done.returncode == 0, f"{' '.join(command)}: {done.stdout}")


def _remove_user(name: str):
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return
    for pid in processes.all_pids():
        if processes.uid_of(pid) == entry.pw_uid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    subprocess.run(["userdel", "--force", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.rmtree(entry.pw_dir, ignore_errors=True)


def _remove_group(name: str):
    subprocess.run(["groupdel", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _remove_leftovers():
    """Accounts whose runner is gone."""
    for entry in pwd.getpwall():
        if _is_leftover(entry.pw_name):
            _remove_user(entry.pw_name)
    for entry in grp.getgrall():
        if _is_leftover(entry.gr_name):
            _remove_group(entry.gr_name)


def _is_leftover(name: str) -> bool:
    found = _NAME.fullmatch(name)
    return found is not None and not Path(f"/proc/{found[1]}").exists()
