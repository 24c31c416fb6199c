"""Option -n: an ordinary user's own server, as SlapOS runs it, and a server of an ordinary user without it."""

import os
from pathlib import Path

from harness.checks import check, equal, eventually, lacks
from harness.clients import OpenSsh
from harness.registry import case
from harness.servers import OurServer
from harness.users import crypt

_PATH = {"PATH": "/usr/bin:/bin"}


def _single(scene, *options, **environment):
    """A server that an ordinary user runs, the command line of SlapOS's recipe."""
    user = scene.user()
    home = scene.folder / "instance"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    (home / ".ssh/authorized_keys").write_text(scene.public(user.key))  # without a final newline, as the recipe
    for path in (home, home / ".ssh", home / ".ssh/authorized_keys"):
        os.chown(path, user.uid, user.gid)
    home.chmod(0o700)
    env = _PATH | {"DROPBEAR_OVERRIDE_HOME": str(home), "DROPBEAR_OVERRIDE_SHELL": "/bin/dash"} | environment
    server = OurServer(scene, "-m", "-g", "-n", *options, name="dropbear", address="::1", as_user=user, env=env)
    return user, home, server


@case("single-user.slapos-command-line-on-ipv6-logs-in-under-any-name")
def any_name(scene):
    user, home, server = _single(scene, "-s")
    for name in (user.name, "whatever", "root"):
        result = OpenSsh(scene, server, name, key=user.key).run("id -u; pwd; echo $HOME; echo $SHELL; echo $0")
        equal(result.text.split("\n")[:4], [str(user.uid), str(home), str(home), "/bin/dash"], f"the session as {name}")


@case("single-user.the-older-option-d-names-the-host-key")
def option_d(scene):
    user, home, server = _single(scene, "-s")
    key = scene.new_key("host")
    os.chown(scene.program.server_key(key), user.uid, user.gid)
    port = scene.port()
    scene.start(scene.program.server(["-F", "-E", "-m", "-s", "-g", "-p", f"[::1]:{port}", "-n", "-P",
                                      str(home / "pid"), "-d", str(scene.program.server_key(key))], "dropbear"),
                env=_PATH | {"DROPBEAR_OVERRIDE_HOME": str(home)}, as_user=user)
    from harness.ports import listens
    eventually(lambda: listens(port), 10, "a listener")
    server.port, server.host_key = port, key
    equal(OpenSsh(scene, server, "x", key=user.key).run("echo in").text, "in\n", "the output")


@case("single-user.refuses-other-keys-and-with-s-passwords")
def refuses(scene):
    user, _, server = _single(scene, "-s")
    equal(OpenSsh(scene, server, user, key=scene.new_key("stranger")).run("id").status, 255, "ssh's status")
    result = OpenSsh(scene, server, "x", password=user.password).run("id")
    equal(result.status, 255, "ssh's status")
    lacks(result.err, "password,", "the methods offered")


@case("single-user.the-overriding-password-logs-in-and-is-wiped-from-the-environment")
def password(scene):
    hashed = crypt("slap 1")
    user, _, server = _single(scene, DROPBEAR_OVERRIDE_PASSWORD=hashed)
    equal(OpenSsh(scene, server, "x", password="slap 1").run("id -u").text, f"{user.uid}\n", "the user's number")
    equal(OpenSsh(scene, server, "x", password=user.password).run("id").status, 255, "ssh's status")
    for pid in [server.pid, *server.sessions()]:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        check(hashed.encode() not in environment, f"no password in the environment of process {pid}")
    output = OpenSsh(scene, server, "x", key=user.key).run("/usr/bin/env").text
    lacks(output, "DROPBEAR_OVERRIDE", "the session's environment")


@case("single-user.a-home-that-others-can-write-is-refused")
def permissions(scene):
    user, home, server = _single(scene, "-s")
    client = OpenSsh(scene, server, "x", key=user.key)
    equal(client.run("echo in").text, "in\n", "the output before")
    home.chmod(0o770)
    equal(client.run("echo in").status, 255, "ssh's status after")


@case("single-user.root-may-not")
def root(scene):
    key = scene.program.server_key(scene.new_key("host"))
    result = scene.run(scene.program.server(["-F", "-E", "-n", "-P", str(scene.folder / "pid"), "-p",
                                             f"127.0.0.1:{scene.port()}", "-r", str(key)]), seconds=10)
    check(result.status > 0, f"a status other than 0: {result.status}")
    check(result.err, "a sentence why")


@case("single-user.the-session-is-the-user-with-clean-descriptors-and-signals")
def clean(scene):
    user, _, server = _single(scene, "-s")
    client = OpenSsh(scene, server, "x", key=user.key)
    equal(client.run("ls /proc/self/fd").text.split(), ["0", "1", "2", "3"], "the descriptors of ls")
    status = dict(line.split(":\t", 1) for line in client.run("cat /proc/self/status").text.splitlines() if ":\t" in line)
    equal((status["SigBlk"], status["SigIgn"]), ("0" * 16, "0" * 16), "blocked and ignored signals")


@case("single-user.an-ordinary-users-server-without-n-accepts-only-that-user")
def own_user_only(scene):
    user, other = scene.user(), scene.user()
    server = OurServer(scene, as_user=user)
    equal(OpenSsh(scene, server, user).run("id -u").text, f"{user.uid}\n", "the user's own login")
    equal(OpenSsh(scene, server, other).run("id").status, 255, "ssh's status of another user's")
    other.authorize(scene.public(user.key) + "\n")
    equal(OpenSsh(scene, server, other.name, key=user.key).run("id").status, 255, "ssh's status under another name")
