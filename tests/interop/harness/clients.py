"""Clients that a case runs: the program under test, OpenSSH's, PuTTY's plink."""

import os
import subprocess
from pathlib import Path

from .scene import Scene, Process, Result, tool
from .servers import Server
from .users import User


class Client:
    """A way to log in to one server as one user; argv() is the whole command line for one command."""

    def __init__(self, scene: Scene, server: Server, user: User | str, options=(), env: dict | None = None):
        self.scene, self.server = scene, server
        self.login = user if isinstance(user, str) else user.name
        self.options = [str(option) for option in options]
        self.env = scene.environment(**(env or {}))

    def argv(self, *command: str, before=()) -> list[str]:
        raise NotImplementedError

    def start(self, *command: str, before=(), **options) -> Process:
        return self.scene.start(self.argv(*command, before=before), env=self.env, **options)

    def run(self, *command: str, before=(), seconds: float = 30, **options) -> Result:
        return self.start(*command, before=before, **options).wait(seconds)


class OpenSsh(Client):
    """OpenSSH's ssh, which knows the server's true host key and nothing of the machine's configuration."""

    def __init__(self, scene: Scene, server: Server, user: User | str, options=(), password: str | None = None,
                 key: Path | None = None, env: dict | None = None, chroot: Path | None = None):
        super().__init__(scene, server, user, options, env)
        known = scene.folder / f"known{scene.next_number()}"
        known.write_text(server.known_hosts(f"[{server.address}]:{server.port}"))
        self._program = [tool("ssh")]
        if chroot:
            known, key = (_inside(scene, chroot, path) for path in (known, key or user.key))
            self._program = ["/usr/sbin/chroot", str(chroot), "/usr/bin/ssh"]
        self._words = ["-F", "none", "-o", f"UserKnownHostsFile={known}", "-o", "GlobalKnownHostsFile=none",
                       "-o", "StrictHostKeyChecking=yes", "-o", "IdentitiesOnly=yes", "-p", str(server.port)]
        key = key or (user.key if isinstance(user, User) else None)
        if password is not None:
            self.env |= {"SSH_ASKPASS": str(_askpass(scene)), "SSH_ASKPASS_REQUIRE": "force", "INTEROP_PASSWORD": password}
            self._words += ["-o", "NumberOfPasswordPrompts=1"]
            if not key or isinstance(user, str) or key == user.key:
                self._words += ["-o", "PreferredAuthentications=password"]
        else:
            self._words += ["-o", "BatchMode=yes"]
        if key:
            self._words += ["-i", str(key)]

    def argv(self, *command: str, before=()) -> list[str]:
        return [*self._program, *self.options, *before, *self._words, f"{self.login}@{self.server.address}", *command]


class OurClient(Client):
    """The program under test as a client. `known=False` leaves its known_hosts without the server."""

    def __init__(self, scene: Scene, server: Server, user: User | str, options=(), known: bool = True,
                 key: Path | bool | None = True, name: str = "sshape", env: dict | None = None):
        super().__init__(scene, server, user, options, env)
        self._name = name
        if key is True:
            key = user.key
        self._key = ["-i", str(scene.program.client_key(key))] if key else []
        if known:
            self.known_hosts.parent.mkdir(mode=0o700, exist_ok=True)
            with open(self.known_hosts, "a") as file:
                file.write(server.known_hosts(scene.program.known_name(server.address, server.port)))

    @property
    def known_hosts(self) -> Path:
        return self.scene.home / ".ssh" / "known_hosts"

    def argv(self, *command: str, before=()) -> list[str]:
        words = [*self.options, *map(str, before), *self._key, "-p", str(self.server.port),
                 f"{self.login}@{self.server.address}", *command]
        return self.scene.program.client(words, self._name, self.scene.home)


class Plink(Client):
    """PuTTY's command-line client, told the server's host key by its fingerprint."""

    def __init__(self, scene: Scene, server: Server, user: User, options=(), password: str | None = None):
        super().__init__(scene, server, user, options)
        listing = scene.check_run([tool("ssh-keygen"), "-l", "-f", f"{server.host_key}.pub"]).text
        self._words = ["-ssh", "-batch", "-hostkey", listing.split()[1], "-P", str(server.port)]
        if password is not None:
            self._words += ["-pw", password]
        else:
            ppk = scene.folder / f"{user.name}.ppk"
            if not ppk.exists():
                scene.check_run([tool("puttygen"), str(user.key), "-O", "private", "-o", str(ppk)])
            self._words += ["-i", str(ppk)]

    def argv(self, *command: str, before=()) -> list[str]:
        return [tool("plink"), *self.options, *before, *self._words, f"{self.login}@{self.server.address}", *command]


def _askpass(scene: Scene) -> Path:
    return scene.file("askpass", "#!/bin/sh\nprintf '%s\\n' \"$INTEROP_PASSWORD\"\n", 0o755)


def _inside(scene: Scene, chroot: Path, file: Path) -> Path:
    """A copy of the file that a program in the chroot can read, by its name there."""
    folder = chroot / "tmp" / scene.folder.name
    folder.mkdir(exist_ok=True)
    scene.on_exit(lambda: subprocess.run(["rm", "-rf", str(folder)], check=False))
    (folder / file.name).write_bytes(file.read_bytes())
    os.chmod(folder / file.name, 0o600)
    return Path("/tmp") / folder.name / file.name
