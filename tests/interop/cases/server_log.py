"""The lines of our server's log that other programs parse, byte for byte."""

import re
import socket

from harness.checks import between, check, contains, equal, eventually, matches
from harness.clients import OpenSsh
from harness.raw_client import DISCONNECT, USERAUTH_FAILURE, Closed, RawClient
from harness.registry import case
from harness.servers import OurServer

_PREFIX = r"^\[(\d+)\] (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-3]\d \d\d:\d\d:\d\d "


def _lines(server, wanted: str, seconds: float = 10) -> list[str]:
    """The texts of the lines, their prefix checked and taken off, once the wanted text is among them."""
    server.wait_for_log(wanted, seconds)
    lines = server.log().splitlines()
    for line in lines:
        matches(line, _PREFIX, "the beginning of a line")
    return [re.sub(_PREFIX, "", line) for line in lines]


def _line(server, pattern: str) -> str:
    """The one line that matches the whole pattern."""
    def found():
        return [line for line in map(lambda line: re.sub(_PREFIX, "", line), server.log().splitlines())
                if re.fullmatch(pattern, line)]
    lines = eventually(found, 5, f"a line that matches {pattern!r} in the log")
    equal(len(lines), 1, f"the number of lines like {pattern!r}")
    return lines[0]


def _fingerprint(scene, key) -> str:
    return scene.check_run(["/usr/bin/ssh-keygen", "-l", "-f", f"{key}.pub"]).text.split()[1]


@case("log.a-login-by-key-is-three-lines")
def login_by_key(scene):
    user = scene.user()
    server = OurServer(scene)
    OpenSsh(scene, server, user).run("true")
    address = r"127\.0\.0\.1:\d+"
    _lines(server, "Exit (")
    _line(server, rf"Child connection from {address}")
    fingerprint = re.escape(_fingerprint(scene, user.key))
    _line(server, rf"Pubkey auth succeeded for '{user.name}' with ssh-ed25519 key {fingerprint} from {address}")
    matches(_line(server, rf"Exit \({user.name}\) from <{address}>: .*"), r": \S", "the reason")
    ports = set(re.findall(r"127\.0\.0\.1:(\d+)", server.log()))
    check(scene.program.is_stand_in or len(ports - {str(server.port)}) == 1, f"one peer's port in all lines: {ports}")


@case("log.a-login-by-password-is-a-line")
def login_by_password(scene):
    user = scene.user(key=False)
    server = OurServer(scene, address="::1")
    OpenSsh(scene, server, user, password=user.password).run("true")
    _line(server, rf"Password auth succeeded for '{user.name}' from \[::1\]:\d+")
    _line(server, r"Child connection from \[::1\]:\d+")


@case("log.a-wrong-password-is-a-line-that-names-the-user")
def wrong_password(scene):
    user = scene.user(key=False)
    server = OurServer(scene)
    OpenSsh(scene, server, user, password="wrong").run("true")
    _line(server, rf"Bad password attempt for '{user.name}' from 127\.0\.0\.1:\d+")
    _line(server, r"Exit before auth from <127\.0\.0\.1:\d+>: \(user '" + user.name + r"', 1 fails\): .*")


@case("log.an-unknown-user-is-a-line-without-the-name")
def unknown_user(scene):
    server = OurServer(scene)
    OpenSsh(scene, server, "my-secret-password", password="x").run("true")
    _line(server, r"Login attempt for nonexistent user from 127\.0\.0\.1:\d+")
    eventually(lambda: "Exit before auth" in server.log(), 5, "the end's line")
    check("my-secret-password" not in server.log(), "people type passwords there: the name is not logged")


@case("log.a-wrong-signature-is-a-line")
def bad_signature(scene):
    user = scene.user()
    server = OurServer(scene)
    client = RawClient(scene, server)
    client.begin_authentication()
    client.send_key(user.name, user.key, spoil=True)
    client.expect(USERAUTH_FAILURE)
    fingerprint = re.escape(_fingerprint(scene, user.key))
    _line(server, rf"Pubkey auth bad signature for '{user.name}' with key .*{fingerprint} from 127\.0\.0\.1:\d+")


@case("log.max-auth-tries-is-a-line-and-option-t-sets-them")
def max_tries(scene):
    user = scene.user(key=False)
    server = OurServer(scene, "-T", "2")
    client = RawClient(scene, server)
    client.begin_authentication()
    for _ in range(2):
        client.send_password(user.name, "wrong")
        client.expect(USERAUTH_FAILURE, "to a failure that is still allowed")
    client.send_password(user.name, "wrong")
    client.expect_end()
    _line(server, r"Exit before auth from <127\.0\.0\.1:\d+>: \(user '" + user.name + r"', 3 fails\): "
                  r"Max auth tries reached - user '" + user.name + "'")


@case("log.ten-failures-are-allowed-without-option-t", seconds=90)
def default_tries(scene):
    user = scene.user(key=False)
    server = OurServer(scene)
    client = RawClient(scene, server)
    client.begin_authentication()
    for _ in range(10):
        client.send_password(user.name, "wrong")
        client.expect(USERAUTH_FAILURE, "to a failure that is still allowed")
    client.send_password(user.name, "wrong")
    client.expect_end()
    contains(server.wait_for_log("Max auth tries reached"), "11 fails", "the line")


@case("log.key-queries-are-limited-too")
def key_queries(scene):
    user = scene.user()
    server = OurServer(scene)
    client = RawClient(scene, server)
    client.begin_authentication()
    stranger, answered = scene.new_key("stranger"), 0
    try:
        while answered < 100:
            client.send_key(user.name, stranger, signed=False)
            if client.receive()[0] == DISCONNECT:
                break
            answered += 1
    except (Closed, ConnectionError):
        pass
    between(answered, 1, 15, "key queries answered, 15 being the limit without -T")


@case("log.a-connection-that-ends-before-login-is-a-line")
def early_exit(scene):
    server = OurServer(scene)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.recv(100)
    _line(server, r"Exit before auth from <127\.0\.0\.1:\d+>: .+")


@case("log.what-a-peer-sends-cannot-make-lines-of-its-own")
def escaping(scene):
    user = scene.user(key=False)
    server = OurServer(scene)
    evil = "x\n[1] Jan  1 00:00:00 Password auth succeeded for 'root' from 1.2.3.4:5\r\x1b[2J\x07"
    client = RawClient(scene, server)
    client.begin_authentication()
    client.send_password(evil, "wrong")
    client.expect(USERAUTH_FAILURE)
    client.send(b"\x01" + b"\0\0\0\x0b" + len(evil).to_bytes(4, "big") + evil.encode() + b"\0\0\0\0")
    client.expect_end()
    OpenSsh(scene, server, user, password="wrong").run("true")
    server.wait_for_log("Bad password attempt")
    log = server.log()
    check("\x1b" not in log and "\x07" not in log and "\r" not in log, f"no control characters in the log: {log!r}")
    for line in log.splitlines():
        check(not line.startswith("[1] Jan"), f"no line of the peer's own making: {line!r}")
