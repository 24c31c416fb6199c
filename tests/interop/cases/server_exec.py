"""Commands that OpenSSH's ssh runs on our server: output, status, input, environment (RFC 4254, section 6)."""

import os
import subprocess
import time

from harness.checks import between, check, contains, equal, eventually, lacks, matches
from harness.clients import OpenSsh
from harness.registry import case
from harness.servers import OurServer


def logged_in(scene, *options, **server) -> OpenSsh:
    """A client of a fresh server's fresh user, what most cases begin with."""
    client = OpenSsh(scene, OurServer(scene, *options, **server), user := scene.user())
    client.user = user
    return client


@case("openssh-client.exec-keeps-standard-output-and-error-apart-rfc4254-5.2")
def separate_streams(scene):
    result = logged_in(scene).run("echo out; echo err >&2; echo more")
    equal((result.text, result.err, result.status), ("out\nmore\n", "err\n", 0), "output, error, status")


@case("openssh-client.exec-keeps-four-mebibytes-of-each-stream-apart")
def separate_large_streams(scene):
    script = "head -c 4194304 /dev/zero | tr '\\0' o & head -c 4194304 /dev/zero | tr '\\0' e >&2; wait"
    result = logged_in(scene).run(script)
    equal((len(result.out), set(result.out)), (4 << 20, {ord("o")}), "standard output")
    equal((len(result.err), set(result.err)), (4 << 20, {"e"}), "standard error")


@case("openssh-client.exec-exit-status-0-rfc4254-6.10")
def status_0(scene):
    equal(logged_in(scene).run("true").status, 0, "ssh's status")


@case("openssh-client.exec-exit-status-7-rfc4254-6.10")
def status_7(scene):
    equal(logged_in(scene).run("exit 7").status, 7, "ssh's status")


@case("openssh-client.exec-exit-status-255-rfc4254-6.10")
def status_255(scene):
    client = logged_in(scene)
    result = client.run("exit 255")
    equal((result.status, result.err), (255, ""), "ssh's status and error")
    equal(client.run("exit 254").status, 254, "ssh's status")


@case("openssh-client.exec-death-by-signal-is-status-255-rfc4254-6.10")
def death_by_signal(scene):
    client = logged_in(scene)
    result = client.run("kill -TERM $$", before=["-v"])
    equal(result.status, 255, "ssh's status")
    contains(result.err, "exit-signal", "what ssh -v saw")


@case("openssh-client.exec-sorts-its-input-until-eof-report-10")
def standard_input_eof(scene):
    result = logged_in(scene).run("sort", stdin=b"pear\napple\nquince\n")
    equal(result.text, "apple\npear\nquince\n", "the sorted lines")


@case("openssh-client.exec-without-input-sees-eof-at-once")
def no_input(scene):
    equal(logged_in(scene).run("cat; echo end").text, "end\n", "the output")


@case("openssh-client.exec-reads-on-after-the-command-closed-its-output")
def closed_output(scene):
    client = logged_in(scene)
    result = client.run("exec >&- 2>&-; cat > copied; exit 3", stdin=bytes(3 << 20))
    equal(result.status, 3, "ssh's status")
    equal((client.user.home / "copied").stat().st_size, 3 << 20, "the bytes that arrived")


@case("openssh-client.exec-ends-soon-while-a-background-process-holds-the-pipe")
def background_process(scene):
    result = logged_in(scene).run("sleep 30 & echo hi")
    equal((result.text, result.status), ("hi\n", 0), "output and status")
    between(result.seconds, 0, 8, "seconds until ssh came back")


@case("openssh-client.exec-head-1-closes-its-input-and-yes-does-not-hang")
def closed_sink(scene):
    client = logged_in(scene)
    started = time.monotonic()
    source = scene.start(["/bin/sh", "-c", "yes | head -c 104857600"], stdout=subprocess.PIPE)
    result = client.run("head -1", stdin=source.popen.stdout, seconds=20)
    equal((result.text, result.status), ("y\n", 0), "output and status")
    between(time.monotonic() - started, 0, 15, "seconds until ssh came back")


@case("openssh-client.exec-that-writes-for-ever-ends-with-its-client")
def killed_client(scene):
    client = logged_in(scene)
    ssh = scene.start(client.argv("yes"), env=client.env, stdout=subprocess.PIPE)
    equal(ssh.popen.stdout.read(2), b"y\n", "the first line")
    ssh.kill()
    eventually(lambda: not client.user.processes_with("yes"), 10, "the end of the user's command")


@case("openssh-client.exec-gives-the-environment-that-compat-names")
def environment(scene):
    client = logged_in(scene, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "INTEROP_LEAK": "leaked",
                                   "DROPBEAR_PASSWORD": "leaked"})
    lines = dict(line.split("=", 1) for line in client.run("/usr/bin/env").text.splitlines())
    user = client.user
    for name, value in {"USER": user.name, "LOGNAME": user.name, "HOME": str(user.home), "SHELL": "/bin/bash"}.items():
        equal(lines.get(name), value, name)
    contains(lines.get("PATH", ""), "/usr/bin:/bin", "PATH")
    matches(lines.get("SSH_CONNECTION", ""), rf"^127\.0\.0\.1 \d+ 127\.0\.0\.1 {client.server.port}$", "SSH_CONNECTION")
    matches(lines.get("SSH_CLIENT", ""), rf"^127\.0\.0\.1 \d+ {client.server.port}$", "SSH_CLIENT")
    lacks("\n".join(lines.values()), "leaked", "the environment")


@case("openssh-client.option-e-gives-the-servers-environment-but-never-a-password")
def option_e(scene):
    client = logged_in(scene, "-e", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "INTEROP_SEEN": "seen",
                                         "DROPBEAR_PASSWORD": "leaked"})
    output = client.run("/usr/bin/env").text
    contains(output, "INTEROP_SEEN=seen\n", "the environment")
    lacks(output, "leaked", "the environment")


@case("openssh-client.env-requests-set-lang-and-lc-but-nothing-else-rfc4254-6.4")
def env_requests(scene):
    client = logged_in(scene)
    names = {"LANG": "C.UTF-8", "LC_TIME": "POSIX", "LD_PRELOAD": "/tmp/x.so", "INTEROP_FOO": "bar", "ENV": "/tmp/x"}
    # ssh takes the first SetEnv only, with all its values
    words = ["-o", "SetEnv=" + " ".join(f"{name}={value}" for name, value in names.items())]
    output = client.run("/usr/bin/env", before=words).text
    contains(output, "LANG=C.UTF-8\n", "the environment")
    contains(output, "LC_TIME=POSIX\n", "the environment")
    for name in ("LD_PRELOAD", "INTEROP_FOO", "\nENV"):
        lacks(output, f"{name}=", "the environment")


@case("openssh-client.exec-starts-in-the-home-and-without-a-terminal")
def home(scene):
    client = logged_in(scene)
    result = client.run("pwd; tty; ps -o tty= -p $$")
    equal(result.text.split("\n")[:2], [str(client.user.home), "not a tty"], "folder and terminal")
    equal(result.text.split()[-1], "?", "the controlling terminal")


@case("openssh-client.exec-works-when-the-home-is-missing")
def missing_home(scene):
    user = scene.user(key=False, home_exists=False)
    client = OpenSsh(scene, OurServer(scene), user, password=user.password)
    result = client.run("pwd")
    equal((result.text, result.status), ("/\n", 0), "the folder and the status")


@case("openssh-client.exec-runs-the-command-by-the-users-shell")
def shell(scene):
    user = scene.user(shell="/bin/dash")
    result = OpenSsh(scene, OurServer(scene), user).run("echo $0; echo \"a  b\" 'c\"d'")
    matches(result.text, r"^(/bin/)?dash\na  b c\"d\n$", "the output")


@case("openssh-client.two-sessions-share-one-connection-rfc4254-5.1")
def two_sessions(scene):
    client = logged_in(scene)
    socket = scene.folder / "control"
    client.options += ["-o", f"ControlPath={socket}"]
    master = client.start(before=["-M", "-N"])
    eventually(socket.exists, 10, "ssh's control socket")
    first = client.start("read line; echo first $line; exit 4", stdin=subprocess.PIPE)
    second = client.run("echo second; exit 5")
    equal((second.text, second.status), ("second\n", 5), "the second session")
    check(first.running(), "the first session goes on")
    first.popen.stdin.write(b"again\n")
    first.popen.stdin.close()
    result = first.wait(10)
    equal((result.text, result.status), ("first again\n", 4), "the first session")
    connections = [line for line in client.server.log().splitlines() if "Child connection" in line]
    check(scene.program.is_stand_in or len(connections) == 1, f"one connection: {connections}")
    check(master.running(), "the master connection lives")


@case("openssh-client.forty-sessions-one-after-the-other-on-one-connection")
def many_sessions(scene):
    client = logged_in(scene)
    client.options += ["-o", f"ControlPath={scene.folder / 'control'}"]
    client.start(before=["-M", "-N"])
    eventually((scene.folder / "control").exists, 10, "ssh's control socket")
    for number in range(40):
        equal(client.run(f"echo {number}; exit {number}").status, number, f"the status of session {number}")
    for pid in client.server.sessions():
        between(len(os.listdir(f"/proc/{pid}/fd")), 0, 24, f"open descriptors of the server's process {pid}")
