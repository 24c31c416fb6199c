"""Our client and servers that stop in the middle: what it says, and the status that a script sees."""

import os
import signal
import socket

from harness.checks import between, check, contains, equal, eventually
from harness.clients import OurClient
from harness.registry import case
from harness.servers import OpenSshServer


class MuteServer:
    """Takes connections and never says a word, or only `words`."""

    def __init__(self, scene, words: bytes = b""):
        self.port, self.address = scene.port(), "127.0.0.1"
        self._listener = socket.create_server((self.address, self.port))
        self._words, self._taken = words, []
        scene.on_exit(self._listener.close)

    def take(self):
        connection, _ = self._listener.accept()
        connection.sendall(self._words)
        self._taken.append(connection)


@case("openssh-server.a-status-that-overtook-output-which-is-then-lost-is-no-success")
def lost_output(scene):
    """The command ends while its output waits for our window: its status comes first. Then the server dies."""
    user, server = scene.user(), OpenSshServer(scene)
    client = OurClient(scene, server, user, ["-W", "20000"])
    reader, writer = os.pipe()
    ours = client.start("head -c 120000 /dev/zero; touch done", stdout=writer)
    os.close(writer)
    eventually((user.home / "done").exists, 15, "the command's end")
    eventually(lambda: not user.processes_with("head -c"), 10, "the end of its shell")
    for pid in server.sessions():
        os.kill(pid, signal.SIGKILL)
    size = 0
    while data := os.read(reader, 65536):
        size += len(data)
    os.close(reader)
    check(size < 120000, "this case loses output")
    result = ours.wait(10)
    equal(result.status, 1, "the status")
    contains(result.err, "closed", "standard error")


@case("openssh-server.all-output-comes-before-the-status-for-a-slow-reader")
def slow_reader(scene):
    client = OurClient(scene, OpenSshServer(scene), scene.user(), ["-W", "20000"])
    reader, writer = os.pipe()
    ours = client.start("head -c 300000 /dev/zero; exit 3", stdout=writer)
    os.close(writer)
    size = 0
    while data := os.read(reader, 700):
        size += len(data)
    os.close(reader)
    equal((size, ours.wait(10).status), (300000, 3), "bytes and status")


@case("mute-server.connecttimeout-also-limits-what-comes-after-the-connection")
def mute(scene):
    for words in (b"", b"a line before\r\n", b"SSH-2.0-mute\r\n"):
        server = MuteServer(scene, words)
        ours = scene.start(scene.program.client(["-o", "ConnectTimeout=2", "-y", "-y", "-p", str(server.port), "127.0.0.1", "true"]),
                           env=scene.environment())
        server.take()
        result = ours.wait(10)
        equal(result.status, 1, f"the status after {words!r}")
        between(result.seconds, 1.5, 8, "seconds")
        contains(result.err, "in time", "standard error")


@case("openssh-server.connecttimeout-does-not-limit-the-session")
def patient(scene):
    client = OurClient(scene, OpenSshServer(scene), scene.user(), ["-o", "ConnectTimeout=2"])
    result = client.run("sleep 4; echo awake; exit 6")
    equal((result.text, result.status), ("awake\n", 6), "output and status")


@case("openssh-server.output-that-cannot-be-written-is-a-clear-error")
def full_disk(scene):
    client = OurClient(scene, OpenSshServer(scene), scene.user())
    with open("/dev/full", "wb") as full:
        result = client.run("head -c 100000 /dev/zero", stdout=full)
    equal(result.status, 1, "the status")
    contains(result.err, "No space left", "standard error")
