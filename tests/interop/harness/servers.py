"""Servers that a case starts: the program under test, OpenSSH's, dropbear's, TinySSH's."""

import os
import signal
from pathlib import Path

from . import processes
from .checks import Failure, eventually
from .ports import listens
from .scene import Scene, Process, tool
from .users import User


class Server:
    """What every client needs to know of a server, and what every server lets a case see."""

    def __init__(self, scene: Scene, process: Process, port: int, host_key: Path, address: str = "127.0.0.1"):
        self.scene, self.process, self.port, self.address, self.host_key = scene, process, port, address, host_key
        self.pid = process.pid

    def wait_until_it_listens(self, seconds: float = 15):
        def up():
            if not self.process.running():
                raise Failure(f"the server ended with status {self.process.popen.returncode}: {self.log()}")
            return (6 if ":" in self.address else 4) in listens(self.port)
        eventually(up, seconds, f"a listener on port {self.port}")
        return self

    def log(self) -> str:
        return self.process.err

    def wait_for_log(self, text: str, seconds: float = 10) -> str:
        """The first line of the log that holds the text."""
        def line():
            return next((line for line in self.log().splitlines() if text in line), None)
        return eventually(line, seconds, f"a line with {text!r} in the server's log")

    def sessions(self) -> list[int]:
        """The server's own processes for its connections, not the users' programs."""
        program = os.readlink(f"/proc/{self.pid}/exe")

        def is_ours(pid):
            try:
                return os.readlink(f"/proc/{pid}/exe") == program
            except (FileNotFoundError, ProcessLookupError):
                return False
        return [pid for pid in processes.descendants(self.pid) if is_ours(pid)]

    def known_hosts(self, name: str) -> str:
        """The server's line for a known_hosts file."""
        kind, blob = self.scene.public(self.host_key).split()[:2]
        return f"{name} {kind} {blob}\n"

    def stop(self):
        self.process.signal(signal.SIGTERM)
        self.process.wait(10)


class OurServer(Server):
    """The program under test as a server in the foreground, logging to standard error."""

    def __init__(self, scene: Scene, *options, name: str = "sshaped", address: str = "127.0.0.1", port: int | None = None,
                 host_key: Path | None = None, as_user: User | None = None, env: dict | None = None, prefix=(),
                 wait: bool = True, cwd: Path | None = None):
        port = port or scene.port()
        host_key = host_key or scene.new_key("host")
        self.pid_file = scene.folder / f"server{port}.pid"
        key_file = scene.program.server_key(host_key)
        if as_user:
            os.chown(key_file, as_user.uid, as_user.gid)
            self.pid_file.touch()
            os.chown(self.pid_file, as_user.uid, as_user.gid)
        where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        words = ["-F", "-E", "-P", str(self.pid_file), "-p", where, "-r", str(key_file), *map(str, options)]
        argv = [*prefix, *scene.program.server(words, name)]
        # A machine's own server does not start with a test's pretty locale.
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} if env is None else env
        process = scene.start(argv, env=environment, as_user=as_user, cwd=cwd)
        super().__init__(scene, process, port, host_key, address)
        if wait:
            self.wait_until_it_listens()


class OpenSshServer(Server):
    """OpenSSH's sshd with a configuration of its own, also from inside a chroot."""

    def __init__(self, scene: Scene, *settings: str, address: str = "127.0.0.1", chroot: Path | None = None,
                 port: int | None = None, host_key: Path | None = None):
        port, host_key = port or scene.port(), host_key or scene.new_key("host")
        folder = scene.folder
        prefix, sshd = ["/usr/sbin/chroot", str(chroot)] if chroot else [], "/usr/sbin/sshd" if chroot else tool("sshd")
        if chroot:  # its files have to be where it can see them
            folder = chroot / "tmp" / scene.folder.name
            folder.mkdir(exist_ok=True)
            scene.on_exit(_remove_tree, folder)
            (folder / host_key.name).write_bytes(host_key.read_bytes())
            (folder / host_key.name).chmod(0o600)
        inside = Path("/") / folder.relative_to(chroot) if chroot else folder
        ((chroot or Path("/")) / "run/sshd").mkdir(mode=0o755, parents=True, exist_ok=True)
        where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        lines = [*settings, f"ListenAddress {where}", f"HostKey {inside / host_key.name}", "PidFile none", "UsePAM no",
                 "MaxStartups 100", "LogLevel VERBOSE", "PermitRootLogin yes"]
        config = folder / f"sshd{port}.conf"
        config.write_text("\n".join(lines) + "\n")
        process = scene.start([*prefix, sshd, "-D", "-e", "-f", str(inside / config.name)],
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        super().__init__(scene, process, port, host_key, address)
        self.wait_until_it_listens()


class DropbearServer(Server):
    """Debian's dropbear, also from inside a chroot."""

    def __init__(self, scene: Scene, *options: str, chroot: Path | None = None):
        port, host_key = scene.port(), scene.new_key("host")
        prefix, program = ["/usr/sbin/chroot", str(chroot)] if chroot else [], "/usr/sbin/dropbear"
        if not chroot:
            tool("dropbear")
        converted = host_key.with_suffix(".dropbear")
        scene.check_run([tool("dropbearconvert"), "openssh", "dropbear", host_key, converted])
        if chroot:
            folder = chroot / "tmp" / scene.folder.name
            folder.mkdir(exist_ok=True)
            scene.on_exit(_remove_tree, folder)
            (folder / converted.name).write_bytes(converted.read_bytes())
            converted = Path("/tmp") / folder.name / converted.name
        process = scene.start([*prefix, program, "-F", "-E", "-P", "/tmp/sshape-no-such-folder/pid", "-p",
                               f"127.0.0.1:{port}", "-r", str(converted), *options],
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        super().__init__(scene, process, port, host_key)
        self.wait_until_it_listens()


def _remove_tree(folder: Path):
    import shutil
    shutil.rmtree(folder, ignore_errors=True)
