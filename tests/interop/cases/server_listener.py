"""Our listener among strangers: it lives, other sessions live, and no one gets more than a place before login."""

import os
import socket
import subprocess
import time

from cases.server_exec import logged_in
from harness.checks import between, check, equal, eventually
from harness.processes import alive, zombies_of
from harness.registry import case
from harness.servers import OurServer

PER_ADDRESS, IN_ALL = 5, 30


class _Witness:
    """A session that goes on meanwhile, and the proof that the server takes logins afterwards."""

    def __init__(self, scene, *options, **server):
        self.client = logged_in(scene, *options, **server)
        self.server = self.client.server
        self.session = self.client.start("while read line; do echo echo $line; done", stdin=subprocess.PIPE)
        self.count = 0
        self.still_works()

    def still_works(self):
        self.count += 1
        self.session.popen.stdin.write(f"{self.count}\n".encode())
        self.session.popen.stdin.flush()
        wanted = f"echo {self.count}\n".encode()
        eventually(lambda: wanted in self.session.out, 10, "an answer of the session that was there before")

    def takes_logins(self):
        self.still_works()
        check(alive(self.server.pid), "the listener lives")
        # the places of connections that ended just now may still be taken for a moment
        eventually(lambda: self.client.run("echo in", seconds=20).text == "in\n", 10, "a login afterwards")


def _connect(server, source: str = "127.0.0.1") -> socket.socket:
    family = socket.AF_INET6 if ":" in source else socket.AF_INET
    connection = socket.socket(family)
    connection.settimeout(10)
    connection.bind((source, 0))
    connection.connect((server.address, server.port))
    return connection


def _identification(connection) -> bytes:
    """The server's line, or nothing if it closed."""
    try:
        return connection.recv(255)
    except ConnectionError:
        return b""


def _ends(connection, seconds: float = 10) -> bytes:
    """Reads until the server closes; returns what it said."""
    connection.settimeout(seconds)
    said = b""
    try:
        while data := connection.recv(65536):
            said += data
    except ConnectionError:
        pass
    connection.close()
    return said


@case("listener.garbage-ends-the-connection-and-nothing-else")
def garbage(scene):
    witness = _Witness(scene)
    good = b"SSH-2.0-interop\r\n"
    inputs = {
        "random bytes": os.urandom(5000),
        "zeroes": bytes(5000),
        "an HTTP request": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "a line without an end": b"A" * 70000,
        "SSH-1": b"SSH-1.5-old\r\n",
        "an identification of 300 bytes": b"SSH-2.0-" + b"x" * 300 + b"\r\n",
        "a zero byte in the identification": b"SSH-2.0-x\0y\r\n",
        "random bytes after the identification": good + os.urandom(5000),
        "a packet length of 2^32-1": good + b"\xff\xff\xff\xff" + bytes(100),
        "a packet length of zero": good + bytes(100),
        "a packet length of 35001": good + (35001).to_bytes(4, "big") + bytes(100),
        "padding longer than the packet": good + (12).to_bytes(4, "big") + b"\xff" + bytes(11),
        "padding of 3": good + (12).to_bytes(4, "big") + b"\x03" + b"\x02" + bytes(10),
        "an empty message": good + (12).to_bytes(4, "big") + b"\x0b" + bytes(11),
        "a KEXINIT that is cut short": good + (12).to_bytes(4, "big") + b"\x0a" + b"\x14" + bytes(10),
    }
    for name, data in inputs.items():
        print(name)
        connection = _connect(witness.server)
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # it may have closed already
            pass
        _ends(connection)
        witness.still_works()
    witness.takes_logins()


@case("listener.a-bad-packet-gets-a-disconnect-that-names-the-fault-rfc4253-11.1")
def says_why(scene):
    server = OurServer(scene)
    for data in (b"\xff\xff\xff\xff" + bytes(100), (12).to_bytes(4, "big") + b"\xff" + bytes(11)):
        connection = _connect(server)
        connection.sendall(b"SSH-2.0-interop\r\n" + data)
        said = _ends(connection)
        at = said.find(b"\0\0\0")  # packets are in the clear still
        check(said.startswith(b"SSH-2.0-"), f"an identification first: {said[:60]!r}")
        check(at >= 0 and any(said[i] == 1 and said[i + 1:i + 4] == b"\0\0\0" for i in range(at, len(said) - 4)),
              f"a DISCONNECT in what the server said: {said[-200:]!r}")
    eventually(lambda: server.log().count("Exit before auth from") >= 2, 5, "a line of the log for each")


@case("listener.identification-ends-with-cr-lf-and-is-short-rfc4253-4.2")
def identification(scene):
    server = OurServer(scene)
    connection = _connect(server)
    line = _identification(connection).split(b"\n")[0] + b"\n"
    check(line.startswith(b"SSH-2.0-") and line.endswith(b"\r\n") and len(line) <= 255, f"the identification: {line!r}")
    check(all(32 <= byte < 127 for byte in line[:-2]) and b"-" not in line[8:-2].split(b" ")[0],
          f"printable characters, no further minus sign: {line!r}")


@case("listener.lines-before-the-identification-are-not-for-a-server-report-14")
def lines_before(scene):
    witness = _Witness(scene)
    connection = _connect(witness.server)
    connection.sendall(b"hello\r\nSSH-2.0-interop\r\n")
    _ends(connection)
    witness.takes_logins()


@case("listener.half-an-identification-then-closed-or-slow-harms-no-one")
def half(scene):
    witness = _Witness(scene)
    for data in (b"", b"S", b"SSH-2.0", b"SSH-2.0-x\r"):
        connection = _connect(witness.server)
        connection.sendall(data)
        connection.close()
    slow = _connect(witness.server)
    for byte in b"SSH-2.0-slow_but_fine\r\n":
        slow.sendall(bytes([byte]))
        time.sleep(0.05)
    check(_identification(slow).startswith(b"SSH-2.0-"), "the slow one is served")
    slow.close()
    witness.takes_logins()


@case("listener.half-a-packet-then-closed-harms-no-one")
def half_packet(scene):
    witness = _Witness(scene)
    for size in (1, 3, 4, 5, 100):
        connection = _connect(witness.server)
        connection.sendall(b"SSH-2.0-interop\r\n" + (1000).to_bytes(4, "big")[:size] + bytes(max(0, size - 4)))
        connection.close()
    witness.takes_logins()


@case("listener.a-port-scan-of-300-connections-harms-no-one")
def port_scan(scene):
    witness = _Witness(scene)
    for number in range(300):
        connection = _connect(witness.server, f"127.0.{number % 3}.{number % 50 + 10}")
        if number % 2:  # a reset instead of a farewell
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    witness.takes_logins()
    eventually(lambda: zombies_of(witness.server.pid) == 0, 10, "no child left unreaped")


@case("listener.five-connections-an-address-before-login-and-no-more")
def per_address(scene):
    witness = _Witness(scene)
    held = [_connect(witness.server, "127.0.0.9") for _ in range(PER_ADDRESS)]
    for connection in held:
        check(_identification(connection), "each of the first five is served")
    for _ in range(3):
        equal(_identification(_connect(witness.server, "127.0.0.9")), b"", "what the next one hears")
    check(_identification(_connect(witness.server, "127.0.0.10")), "another address is served")
    witness.takes_logins()
    for connection in held:
        connection.close()

    def served_again():
        connection = _connect(witness.server, "127.0.0.9")
        said = _identification(connection)
        connection.close()
        return said
    eventually(served_again, 5, "the address is served again once its connections ended")


@case("listener.thirty-connections-in-all-before-login-and-no-more")
def in_all(scene):
    witness = _Witness(scene)
    held = []
    for host in range(IN_ALL // PER_ADDRESS):
        for _ in range(PER_ADDRESS):
            held.append(_connect(witness.server, f"127.0.1.{host + 1}"))
            check(_identification(held[-1]), f"connection {len(held)} is served")
    equal(_identification(_connect(witness.server, "127.0.1.100")), b"", "what the 31st connection hears")
    witness.still_works()
    for connection in held:
        connection.close()
    witness.takes_logins()


@case("listener.a-flood-of-500-connections-leaves-sessions-unharmed", seconds=90)
def flood(scene):
    witness = _Witness(scene)
    held = []
    for number in range(500):
        try:
            connection = _connect(witness.server, f"127.0.{2 + number // 200}.{number % 200 + 1}")
        except OSError:
            continue
        connection.setblocking(False)
        try:
            connection.send(os.urandom(64) if number % 3 else b"SSH-2.0-flood\r\n")
        except OSError:
            pass
        held.append(connection)
        if number % 100 == 0:
            witness.still_works()
    between(len(witness.server.sessions()), 1, IN_ALL + 3, "processes of the server at the height of the flood")
    for connection in held:
        connection.close()
    witness.takes_logins()
    eventually(lambda: zombies_of(witness.server.pid) == 0, 10, "no child left unreaped")


@case("listener.an-ipv6-network-counts-as-one-address")
def ipv6_network(scene):
    server = OurServer(scene, address="::1")
    held = [_connect(server, "::1") for _ in range(PER_ADDRESS)]
    for connection in held:
        check(_identification(connection), "each of the first five is served")
    equal(_identification(_connect(server, "::1")), b"", "what the sixth hears")


@case("listener.logged-in-sessions-do-not-count")
def sessions_do_not_count(scene):
    client = logged_in(scene)
    sessions = []
    for number in range(PER_ADDRESS + 3):
        sessions.append(client.start("exec sleep 1008"))
        eventually(lambda: len(client.user.processes_with("sleep 1008")) > number, 10, f"session {number + 1}")
    check(all(session.running() for session in sessions), "all of them live")
    equal(client.run("echo in").text, "in\n", "the output of one more")


@case("listener.twenty-logins-leave-no-process-and-no-descriptor")
def no_leak(scene):
    client = logged_in(scene)
    client.run("true")
    before = len(os.listdir(f"/proc/{client.server.pid}/fd"))
    for number in range(20):
        equal(client.run(f"echo {number}").text, f"{number}\n", "the output")
    eventually(lambda: not client.server.sessions(), 10, "the end of every session's process")
    eventually(lambda: zombies_of(client.server.pid) == 0, 5, "no child left unreaped")
    equal(len(os.listdir(f"/proc/{client.server.pid}/fd")), before, "the listener's open descriptors")

