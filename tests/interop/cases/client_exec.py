"""Our client against OpenSSH's sshd: login, commands, streams, statuses."""

import os
import signal
import subprocess
import time

from harness.checks import between, check, contains, equal, eventually, lacks
from harness.clients import OurClient
from harness.registry import case
from harness.servers import OpenSshServer
from harness.terminals import Terminal


def at_openssh(scene, *settings, **server) -> OurClient:
    """Our client of a fresh sshd's fresh user, what most cases begin with."""
    user = scene.user()
    client = OurClient(scene, OpenSshServer(scene, *settings, **server), user)
    client.user = user
    return client


@case("openssh-server.exec-keeps-standard-output-and-error-apart-rfc4254-5.2")
def separate_streams(scene):
    result = at_openssh(scene).run("echo out; echo err >&2; echo more")
    equal((result.text, result.err, result.status), ("out\nmore\n", "err\n", 0), "output, error, status")


@case("openssh-server.exec-exit-status-0-7-and-255-rfc4254-6.10")
def statuses(scene):
    client = at_openssh(scene)
    for status in (0, 7, 255):
        equal(client.run(f"exit {status}").status, status, "the client's status")


@case("openssh-server.exec-death-by-signal-n-is-status-128-plus-n-rfc4254-6.10")
def death_by_signal(scene):
    client = at_openssh(scene)
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGUSR1):
        equal(client.run(f"kill -{int(number)} $$; sleep 5").status, 128 + number, f"the status after signal {number}")


@case("openssh-server.exec-sorts-its-input-until-eof-report-10")
def standard_input(scene):
    equal(at_openssh(scene).run("sort", stdin=b"pear\napple\n").text, "apple\npear\n", "the sorted lines")


@case("openssh-server.exec-words-become-one-command-line")
def words(scene):
    equal(at_openssh(scene).run("echo", "a  b", "'c  d'", "-l").text, "a b c  d -l\n", "the output")


@case("openssh-server.exec-with-input-that-never-ends-returns-when-the-command-does")
def endless_input(scene):
    client = at_openssh(scene)
    source = scene.start(["/usr/bin/yes"], stdout=subprocess.PIPE)
    result = client.run("head -1", stdin=source.popen.stdout, seconds=15)
    equal((result.text, result.status), ("y\n", 0), "output and status")


@case("openssh-server.exec-whose-reader-goes-away-ends")
def vanished_reader(scene):
    client = at_openssh(scene)
    ours = scene.start(client.argv("yes"), env=client.env, stdout=subprocess.PIPE)
    equal(ours.popen.stdout.read(2), b"y\n", "the first line")
    ours.popen.stdout.close()
    ours.wait(15)
    eventually(lambda: not client.user.processes_with("yes"), 10, "the end of the user's command")


@case("openssh-server.a-closed-standard-output-still-gives-the-status")
def closed_output(scene):
    client = at_openssh(scene)
    ours = scene.start(["/bin/sh", "-c", '"$@" >&-', "sh", *client.argv("echo lost; exit 5")], env=client.env)
    check(ours.wait(15).status in (5, 1), "it ends")


@case("openssh-server.login-by-key-over-ipv6")
def login_ipv6(scene):
    client = at_openssh(scene, address="::1")
    equal(client.run("id -un").text, f"{client.user.name}\n", "the user's name there")


@case("openssh-server.option-l-names-the-user")
def option_l(scene):
    client = at_openssh(scene)
    argv = client.argv("id -un")
    argv = [word.partition("@")[2] if word.startswith(f"{client.login}@") else word for word in argv]
    at = argv.index("-p")
    argv[at:at] = ["-l", client.login]
    equal(scene.run(argv, env=client.env).text, f"{client.login}\n", "the user's name there")


@case("openssh-server.password-from-the-terminal-is-not-shown-rfc4252-8")
def password(scene):
    user = scene.user(key=False)
    client = OurClient(scene, OpenSshServer(scene, "PubkeyAuthentication no", "KbdInteractiveAuthentication no"), user, key=None)
    terminal = Terminal(scene, client.argv("id -un"), env=client.env)
    terminal.expect("(?i)password")
    time.sleep(0.3)
    terminal.type(user.password + "\n")
    equal(terminal.wait(), 0, "the status")
    shown = terminal.rest(0)
    contains(shown, user.name.encode() + b"\r\n", "the terminal")
    lacks(shown, user.password.encode(), "the terminal")


@case("openssh-server.a-wrong-password-is-asked-again")
def wrong_password(scene):
    user = scene.user(key=False)
    client = OurClient(scene, OpenSshServer(scene, "PubkeyAuthentication no", "KbdInteractiveAuthentication no"), user, key=None)
    terminal = Terminal(scene, client.argv("id -un"), env=client.env)
    for text in ("wrong 1", user.password):
        terminal.expect("(?i)password", 15)
        time.sleep(0.3)
        terminal.type(text + "\n")
    equal(terminal.wait(15), 0, "the status")
    contains(terminal.rest(0), user.name.encode(), "the terminal")


@case("openssh-server.dropbear-password-answers-without-a-terminal-and-stays-here")
def dropbear_password(scene):
    user = scene.user(key=False)
    server = OpenSshServer(scene, "KbdInteractiveAuthentication no", "AcceptEnv *")
    client = OurClient(scene, server, user, key=None, env={"DROPBEAR_PASSWORD": user.password})
    result = client.run("id -un; /usr/bin/env")
    contains(result.text, f"{user.name}\n", "the output")
    lacks(result.text, "DROPBEAR_PASSWORD", "the environment there")


@case("openssh-server.no-password-and-no-key-is-a-clear-error")
def nothing_to_offer(scene):
    user = scene.user()
    result = OurClient(scene, OpenSshServer(scene), user, key=None).run("id", seconds=15)
    equal((result.status, result.text), (1, ""), "status and output")
    check(result.err.strip(), "a sentence why")


@case("openssh-server.a-key-file-that-is-missing-or-broken-is-a-warning-report-22")
def bad_key_files(scene):
    client = at_openssh(scene)
    broken = scene.file("broken", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", 0o600)
    result = client.run("echo in", before=["-i", "/no/such/key", "-i", str(broken)])
    equal((result.text, result.status), ("in\n", 0), "output and status")
    contains(result.err, "/no/such/key", "the warning")


@case("openssh-server.several-keys-are-tried-in-turn")
def several_keys(scene):
    client = at_openssh(scene)
    others = [word for _ in range(3) for word in ("-i", str(scene.program.client_key(scene.new_key())))]
    equal(client.run("echo in", before=others).text, "in\n", "the output")


@case("openssh-server.key-and-password-both-wanted")
def both(scene):
    user = scene.user()
    server = OpenSshServer(scene, "AuthenticationMethods publickey,password")
    client = OurClient(scene, server, user, env={"DROPBEAR_PASSWORD": user.password})
    equal(client.run("echo in").text, "in\n", "the output")


@case("openssh-server.answers-to-the-names-dbclient-and-ssh")
def names(scene):
    client = at_openssh(scene)
    for name in ("dbclient", "ssh"):
        client._name = name
        equal(client.run("echo in; exit 3").status, 3, f"the status called {name}")


@case("openssh-server.option-k-keeps-alive-and-notices-a-dead-server", cores=2)
def keepalive(scene):
    client = at_openssh(scene)
    result = client.run("sleep 4; echo awake", before=["-K", "1"])
    equal((result.text, result.status), ("awake\n", 0), "output and status while the server answers")
    ours = client.start("sleep 60", before=["-K", "1"])
    eventually(lambda: client.user.processes_with("sleep 60"), 10, "the command")
    for pid in client.server.sessions():
        os.kill(pid, signal.SIGSTOP)
    result = ours.wait(15)
    between(result.status, 1, 255, "the status when the server is dead")
    check(result.err.strip(), "a sentence why")


@case("openssh-server.a-cut-connection-is-a-clear-error-and-status")
def cut(scene):
    from harness.relay import Relay

    user = scene.user()
    relay = Relay(scene, OpenSshServer(scene))
    client = OurClient(scene, relay, user)
    ours = client.start("sleep 60")
    eventually(lambda: user.processes_with("sleep 60"), 10, "the command")
    relay.cut()
    result = ours.wait(10)
    between(result.status, 1, 255, "the status")
    check(result.err.strip(), "a sentence why")


@case("openssh-server.a-banner-is-shown-without-its-control-characters-rfc4252-5.4")
def banner(scene):
    file = scene.file("banner", "Hello \x1b[31mred\x07 banner\r\nsecond\n")
    client = at_openssh(scene, f"Banner {file}")
    result = client.run("echo in")
    equal(result.text, "in\n", "standard output")
    contains(result.err, "banner", "standard error")
    check("\x1b" not in result.err and "\x07" not in result.err, f"no control characters: {result.err!r}")


@case("openssh-server.v-upper-and-unknown-letters")
def version(scene):
    result = scene.run(scene.program.client(["-V"]))
    equal((result.status, result.text), (0, ""), "status and standard output of -V")
    check(len(result.err.splitlines()) == 1, f"one line: {result.err!r}")


@case("openssh-server.refused-and-unresolved-connections-are-clear-errors")
def no_connection(scene):
    for host in ("127.0.0.1", "no-such-host.invalid"):
        result = scene.run(scene.program.client(["-p", str(scene.port()), f"x@{host}", "true"]), seconds=20)
        between(result.status, 1, 255, "the status")
        contains(result.err, host if "invalid" in host else "", "the error")
        check(result.err.strip(), "a sentence why")
