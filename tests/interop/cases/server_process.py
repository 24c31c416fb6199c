"""Our server as a process: pid file, signals, background, upgrades under its feet."""

import os
import signal
import subprocess
import time

from cases.server_exec import logged_in
from harness.checks import check, contains, equal, eventually
from harness.clients import OpenSsh
from harness.ports import listens
from harness.processes import alive, descendants
from harness.registry import case
from harness.servers import OurServer


@case("process.the-pid-file-holds-the-listeners-pid-and-goes-with-it")
def pid_file(scene):
    for number in (signal.SIGTERM, signal.SIGINT):
        server = OurServer(scene)
        eventually(lambda: server.pid_file.exists() and server.pid_file.read_text().endswith("\n"), 5, "the pid file")
        equal(server.pid_file.read_text(), f"{server.pid}\n", "the pid file")
        server.process.signal(number)
        equal(server.process.wait(10).status, 0, f"the status after signal {number}")
        check(not server.pid_file.exists(), "the pid file is gone")
        contains(server.log(), "Terminated by signal", "the log")
        equal(listens(server.port), set(), "listeners afterwards")


@case("process.a-pid-file-that-cannot-be-written-is-not-fatal")
def no_pid_file(scene):
    user = scene.user()
    server = OurServer(scene, "-P", "/no-such-folder/pid")
    equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", "the output")
    server.stop()


@case("process.an-existing-pid-file-is-written-in-place")
def pid_file_in_place(scene):
    path = scene.file("place.pid", "99999999 old and longer\n")
    before = path.stat().st_ino
    server = OurServer(scene, "-P", path)
    eventually(lambda: path.read_text() == f"{server.pid}\n", 5, "the pid alone in the file")
    equal(path.stat().st_ino, before, "the file's inode")


@case("process.sessions-outlive-the-listener")
def sessions_outlive(scene):
    client = logged_in(scene)
    session = client.start("read line; echo after $line; exit 6", stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("read line"), 10, "the session")
    client.server.stop()
    time.sleep(0.3)
    session.popen.stdin.write(b"all\n")
    session.popen.stdin.close()
    result = session.wait(10)
    equal((result.text, result.status), ("after all\n", 6), "the session's output and status")


@case("process.sessions-outlive-a-listener-that-is-killed")
def sessions_outlive_kill(scene):
    client = logged_in(scene)
    session = client.start("read line; echo after $line", stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("read line"), 10, "the session")
    client.server.process.signal(signal.SIGKILL)
    client.server.process.wait(5)
    session.popen.stdin.write(b"all\n")
    session.popen.stdin.close()
    equal(session.wait(10).text, "after all\n", "the session's output")


@case("process.without-f-upper-it-goes-to-the-background-and-paths-still-resolve")
def background(scene):
    user = scene.user()
    port, folder = scene.port(), scene.folder / "run"
    folder.mkdir()
    key = scene.new_key("host")
    os.link(scene.program.server_key(key), folder / "relative-key")
    result = scene.run(scene.program.server(["-E", "-P", "relative.pid", "-r", "relative-key", "-p", f"127.0.0.1:{port}"]),
                       cwd=folder, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, seconds=10)
    equal(result.status, 0, "the status of the program that was started")
    pid_file = folder / "relative.pid"
    eventually(lambda: pid_file.exists() and pid_file.read_text().strip(), 10, "the pid file")
    pid = int(pid_file.read_text())
    eventually(lambda: listens(port), 10, "a listener")
    check(alive(pid) and pid in descendants(os.getpid()), f"the listener {pid} runs")
    equal(os.readlink(f"/proc/{pid}/cwd"), "/", "its working folder")
    equal(os.getsid(pid) != os.getsid(0), True, "it has a session of its own")

    class Running:
        address, host_key = "127.0.0.1", key

        @staticmethod
        def known_hosts(name):
            return f"{name} {scene.public(key)}\n"
    Running.port = port
    equal(OpenSsh(scene, Running, user).run("echo in").text, "in\n", "the output of a login")
    os.kill(pid, signal.SIGTERM)
    eventually(lambda: not pid_file.exists(), 10, "the pid file's end")


@case("process.keeps-the-name-that-it-was-called-by")
def name(scene):
    user = scene.user()
    for called in ("dropbear", "sshaped"):
        server = OurServer(scene, name=called)
        client = OpenSsh(scene, server, user)
        client.start("cat", stdin=subprocess.PIPE)
        eventually(lambda: user.processes_with("cat"), 10, "the session")
        for pid in [server.pid, server.sessions()[0]]:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                argv = file.read().split(b"\0")
            equal(os.path.basename(argv[0]).decode(), called, f"argv[0] of process {pid}")
            with open(f"/proc/{pid}/comm") as file:
                equal(file.read().strip(), called, f"the name of process {pid}")
        server.stop()
        eventually(lambda: len(user.processes_with("cat")) == 1, 5, "only this session")
        for pid in user.processes_with("cat"):
            os.kill(pid, signal.SIGKILL)


@case("process.an-upgrade-of-the-executable-harms-no-connection")
def upgrade(scene):
    if scene.program.is_stand_in:
        return
    client = logged_in(scene)
    equal(client.run("echo before").text, "before\n", "the output before")
    scene.program.copy.unlink()
    equal(client.run("echo gone").text, "gone\n", "the output when the file is gone")
    scene.program.copy.write_text("#!/bin/sh\nexit 9\n")
    scene.program.copy.chmod(0o755)
    equal(client.run("echo other").text, "other\n", "the output when another file is in its place")


@case("process.logs-to-syslog-as-dropbear-with-facility-authpriv-unless-e-upper")
def syslog(scene):
    import socket

    device = scene.folder / "dev"
    device.mkdir()
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.settimeout(10)
    receiver.bind(str(device / "log"))
    # a /dev of its own with the few devices that a server and a session need
    script = ('for name in null zero full random urandom tty ptmx; do '
              f'mknod -m 666 "{device}/$name" c $(stat -c "0x%t 0x%T" /dev/$name) || exit 1; done; '
              f'mkdir "{device}/pts" "{device}/shm" && mount --rbind /dev/pts "{device}/pts" && '
              f'mount --rbind "{device}" /dev && exec "$@"')
    port, key = scene.port(), scene.new_key("host")
    scene.start(["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh",
                 *scene.program.server(["-F", "-P", str(scene.folder / "pid"), "-p", f"127.0.0.1:{port}", "-r",
                                        str(scene.program.server_key(key))], "dropbear")],
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    eventually(lambda: listens(port), 10, "a listener")
    with socket.create_connection(("127.0.0.1", port)):
        pass
    while True:
        line = receiver.recv(4096).decode()
        if "Child connection from" in line:
            break
    import re
    match = re.match(r"<(\d+)>\w{3} [ \d]\d \d\d:\d\d:\d\d dropbear\[(\d+)\]: Child connection from 127\.0\.0\.1:\d+\n?\0?$", line)
    check(match, f"ident, pid and text: {line!r}")
    equal(int(match[1]) >> 3, 10, "the facility (10 is authpriv)")
