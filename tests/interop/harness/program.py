"""The program under test, and the stand-ins with which this suite itself was tried.

One executable answers to many names; each is a link in the case's folder to a copy of the executable, because the build
folder need not be open to the users that a case makes.
"""

import shutil
import subprocess
from pathlib import Path

from .checks import check

_NAMES = ("sshaped", "sshape", "sshape-keygen", "dropbear", "dbclient", "dropbearkey", "ssh", "ssh-keygen")


class Sshape:
    """The build's own executable."""

    is_stand_in = False

    def __init__(self, executable: Path):
        self._executable = executable

    def install(self, folder: Path):
        check(self._executable.is_file(), f"the program under test is not built: {self._executable}")
        folder.mkdir(mode=0o755)
        self.folder = folder
        self.copy = folder / "program" / self._executable.name
        self.copy.parent.mkdir(mode=0o755)
        shutil.copy2(self._executable, self.copy)
        for name in _NAMES:
            (folder / name).symlink_to(self.copy)

    def server(self, options: list[str], name: str = "sshaped") -> list[str]:
        return [str(self.folder / name), *options]

    def client(self, words: list[str], name: str = "sshape", home: Path | None = None) -> list[str]:
        return [str(self.folder / name), *words]

    def keygen(self, words: list[str], name: str = "sshape-keygen") -> list[str]:
        return [str(self.folder / name), *words]

    def server_key(self, key: Path) -> Path:
        """A file with the same private key that the server reads."""
        return key

    client_key = server_key

    @staticmethod
    def known_name(host: str, port: int) -> str:
        return host if port == 22 else f"[{host}]:{port}"


class DropbearStandIn(Sshape):
    """Debian's dropbear: the same command lines, fewer algorithms."""

    is_stand_in = True

    def __init__(self):
        pass

    def install(self, folder: Path):
        folder.mkdir(mode=0o755)
        self.folder = folder
        programs = {"/usr/sbin/dropbear": ("sshaped", "dropbear"), "/usr/bin/dbclient": ("sshape", "dbclient", "ssh"),
                    "/usr/bin/dropbearkey": ("sshape-keygen", "dropbearkey", "ssh-keygen")}
        for target, names in programs.items():
            for name in names:
                (folder / name).symlink_to(target)

    def server_key(self, key: Path) -> Path:
        converted = key.with_suffix(".dropbear")
        if not converted.exists():
            subprocess.run(["/usr/bin/dropbearconvert", "openssh", "dropbear", key, converted], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return converted

    client_key = server_key

    def client(self, words: list[str], name: str = "sshape", home: Path | None = None) -> list[str]:
        # It looks for known_hosts in the account's home, whatever HOME says.
        mount = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", 'mount --bind "$HOME" /root && exec "$@"', "sh"]
        return [*mount, str(self.folder / name), *words]

    @staticmethod
    def known_name(host: str, port: int) -> str:
        return host


class OpenSshStandIn(Sshape):
    """Debian's OpenSSH, dropbear's command lines put into its own: more algorithms, other logs."""

    is_stand_in = True

    def __init__(self):
        pass

    def install(self, folder: Path):
        folder.mkdir(mode=0o755)
        self.folder = folder
        Path("/run/sshd").mkdir(exist_ok=True)

    def server(self, options: list[str], name: str = "sshaped") -> list[str]:
        argv = ["/usr/sbin/sshd", "-f", "none"]
        valued = {"-r": ["-h", "{}"], "-P": ["-o", "PidFile={}"], "-b": ["-o", "Banner={}"],
                  "-c": ["-o", "ForceCommand={}"], "-T": ["-o", "MaxAuthTries={}"],
                  "-K": ["-o", "ClientAliveInterval={}"], "-D": ["-o", "AuthorizedKeysFile={}/authorized_keys"]}
        single = {"-F": ["-D"], "-E": ["-e"], "-s": ["-o", "PasswordAuthentication=no"],
                  "-w": ["-o", "PermitRootLogin=no"], "-g": ["-o", "PermitRootLogin=prohibit-password"],
                  "-m": ["-o", "PrintMotd=no"], "-t": ["-o", "AuthenticationMethods=publickey,password"]}
        words = iter(options)
        for word in words:
            if word == "-p":
                address, _, port = next(words).rpartition(":")
                argv += ["-o", f"ListenAddress={address or '0.0.0.0'}:{port}"]
            elif word in valued:
                value = next(words)
                argv += [part.format(value) for part in valued[word]]
            elif word in single:
                argv += single[word]
            elif word in ("-W", "-I", "-M"):
                next(words)
        for setting in ("UsePAM=no", "AcceptEnv=LANG LC_*", "MaxStartups=30", "PerSourceMaxStartups=5", "PrintMotd=yes",
                        "PermitRootLogin=yes", "KbdInteractiveAuthentication=no"):
            argv += ["-o", setting]
        return argv

    def client(self, words: list[str], name: str = "sshape", home: Path | None = None) -> list[str]:
        argv, rest, yes = ["/usr/bin/ssh", "-F", "none"], iter(words), 0
        text = " ".join(words)
        if home and "UserKnownHostsFile" not in text:
            argv += ["-o", f"UserKnownHostsFile={home}/.ssh/known_hosts"]
        for word in rest:
            if word == "-y":
                yes += 1
            elif word in ("-W", "-I"):
                next(rest)
            elif word == "-K":
                argv += ["-o", f"ServerAliveInterval={next(rest)}"]
            else:
                argv.append(word)
        if yes:
            argv[1:1] = ["-o", f"StrictHostKeyChecking={'accept-new' if yes == 1 else 'no'}"]
        if yes > 1:
            argv[1:1] = ["-o", "UserKnownHostsFile=/dev/null"]
        return argv

    def keygen(self, words: list[str], name: str = "sshape-keygen") -> list[str]:
        return ["/usr/bin/ssh-keygen", "-q", *([] if "-y" in words else ["-N", ""]), *words]


def program_under_test(path: str | None, stand_in: str | None):
    if stand_in:
        return {"dropbear": DropbearStandIn, "openssh": OpenSshStandIn}[stand_in]()
    check(path, "say which executable is under test: --program PATH")
    return Sshape(Path(path).resolve())
