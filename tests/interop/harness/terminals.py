"""A real pseudo-terminal with a program in it: type, read the screen's bytes, change its size."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

from .checks import Failure
from .scene import Process, Scene


class Terminal:
    def __init__(self, scene: Scene, argv, rows: int = 24, columns: int = 80, env: dict | None = None, as_user=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._slave_name = os.ttyname(slave)
        self._seen = b""  # everything that came
        self._read = 0  # how much of it an expect() has passed
        self.process: Process = scene.start(argv, env=env, stdin=slave, stdout=slave, stderr=slave, as_user=as_user,
                                            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        scene.on_exit(self.close)

    def type(self, text: str):
        os.write(self.master, text.encode())

    def resize(self, rows: int, columns: int):
        """As a terminal window does: the kernel sends SIGWINCH to the program by itself."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settings(self) -> list:
        return termios.tcgetattr(self.master)

    def expect(self, pattern: str, seconds: float = 10) -> re.Match:
        """Reads until the pattern appears in what came since the last expect()."""
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern.encode(), self._seen[self._read:], re.MULTILINE)
            if found:
                self._read += found.end()
                return found
            if not self._more(end - time.monotonic()):
                raise Failure(f"the terminal never showed {pattern!r}; it showed {self._seen[self._read:]!r}")

    def rest(self, seconds: float = 10) -> bytes:
        """Everything that came since the last expect(), until the program closes the terminal."""
        end = time.monotonic() + seconds
        while self._more(end - time.monotonic()):
            pass
        return self._seen[self._read:]

    def ask(self, command: str, seconds: float = 10) -> str:
        """Runs a command in the shell that is in the terminal; returns what it printed. Needs `quiet()` before."""
        self.type(f"{command}; echo EN''D\n")
        return self.expect(r"(?s)(.*?)END\r*\n", seconds)[1].decode(errors="replace").replace("\r", "")

    def quiet(self, seconds: float = 15):
        """Turns off the shell's prompt and the echo, so that only output remains."""
        self.type("PS1=; PROMPT_COMMAND=; stty -echo; bind 'set enable-bracketed-paste off' 2>/dev/null; echo RE''ADY\n")
        self.expect(r"READY\r*\n", seconds)
        time.sleep(0.1)  # the prompt of the line before may still come

    def wait(self, seconds: float = 10) -> int:
        """The program's exit status; what it still writes is read meanwhile."""
        end = time.monotonic() + seconds
        while self.process.running() and time.monotonic() < end:
            self._more(0.05)
        self.process.popen.poll()
        if self.process.running():
            raise Failure(f"the program in the terminal still runs after {seconds} s; it showed {self._seen!r}")
        self.rest(0.2)
        return self.process.popen.returncode

    def hang_up(self):
        """As closing the terminal's window does."""
        self.close()

    def close(self):
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    def _more(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # EIO: no one has the slave open any more
            return False
        self._seen += data
        return bool(data)
