"""Ports that no other case holds, and when a server listens on one, found without a probe that it would count."""

import fcntl
import os
import random
import socket

_FOLDER = "/tmp/sshape-interop-ports"
_FIRST, _COUNT = 21000, 9000  # below the range from which the kernel takes ports for outgoing connections


class Ports:
    """Each port is held by a lock on a file, so that cases of several build folders may run at once."""

    def __init__(self):
        self._locks = []

    def take(self) -> int:
        os.makedirs(_FOLDER, mode=0o1777, exist_ok=True)
        for _ in range(1000):
            port = _FIRST + random.randrange(_COUNT)
            lock = os.open(f"{_FOLDER}/{port}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
                continue
            if _is_free(port):
                self._locks.append(lock)
                return port
            os.close(lock)
        raise RuntimeError("no free port")

    def release(self):
        for lock in self._locks:
            os.close(lock)
        self._locks = []


def _is_free(port: int) -> bool:
    for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                probe.bind((address, port))
            except OSError:
                return False
    return True


def listens(port: int) -> set[int]:
    """The families, 4 and 6, in which some process listens on the port."""
    found = set()
    for family, table in ((4, "/proc/net/tcp"), (6, "/proc/net/tcp6")):
        try:
            with open(table) as lines:
                next(lines)
                for line in lines:
                    fields = line.split()
                    if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port:
                        found.add(family)
        except FileNotFoundError:
            pass
    return found
