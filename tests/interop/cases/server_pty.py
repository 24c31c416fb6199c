"""Shells on a pseudo-terminal of our server, ssh in a real one here (RFC 4254, 6.2, 6.7; reports 11 and 12)."""

import os
import pwd
import signal
import subprocess

from cases.server_exec import logged_in
from harness.checks import check, contains, equal, eventually, lacks, matches
from harness.clients import OpenSsh
from harness.registry import case
from harness.servers import OurServer
from harness.terminals import Terminal


@case("openssh-client.shell-on-a-pty-has-the-window-size-and-follows-it-rfc4254-6.7")
def window_size(scene):
    client = logged_in(scene)
    terminal = Terminal(scene, client.argv(), rows=33, columns=101, env=client.env)
    terminal.quiet()
    equal(terminal.ask("stty size").strip(), "33 101", "the size at the start")
    for rows, columns in ((50, 132), (1, 1), (24, 80)):
        terminal.resize(rows, columns)
        eventually(lambda: terminal.ask("stty size").strip() == f"{rows} {columns}", 5, f"the size {rows} {columns}")
    terminal.type("exit 3\n")
    equal(terminal.wait(), 3, "ssh's status")


@case("openssh-client.shell-on-a-pty-gets-sigwinch-rfc4254-6.7")
def sigwinch(scene):
    client = logged_in(scene)
    terminal = Terminal(scene, client.argv(), env=client.env)
    terminal.quiet()
    terminal.type("trap 'echo resized to $(stty size)' WINCH; echo TR''AP\n")
    terminal.expect("TRAP")
    terminal.resize(40, 90)
    terminal.type("\n")
    terminal.expect("resized to 40 90")


@case("openssh-client.shell-on-a-pty-is-a-login-shell-with-its-terminal")
def login_shell(scene):
    client = logged_in(scene)
    client.env["TERM"] = "vt220"
    terminal = Terminal(scene, client.argv(), env=client.env)
    terminal.quiet()
    equal(terminal.ask("echo $0").strip(), "-bash", "the shell's own name")
    equal(terminal.ask("echo $TERM").strip(), "vt220", "TERM")
    equal(terminal.ask("echo $SSH_TTY").strip(), terminal.ask("tty").strip(), "SSH_TTY and the terminal")
    equal(terminal.ask("ps -o pid=,sid=,pgid= -p $$ | tr -s ' ' '\\n' | sort -u | grep -c .").strip(), "1",
          "the shell leads its session and its process group")
    name = terminal.ask("tty").strip()
    status = os.stat(name)
    equal(pwd.getpwuid(status.st_uid).pw_name, client.user.name, "the terminal's owner")
    check(status.st_mode & 0o7 == 0, f"the terminal is closed to others: {oct(status.st_mode)}")
    terminal.type("exit\n")
    equal(terminal.wait(), 0, "ssh's status")
    check(not os.path.exists(name) or os.stat(name).st_uid != client.user.uid, "the terminal is taken back")


@case("openssh-client.exec-with-t-has-a-terminal-and-its-status")
def exec_on_pty(scene):
    client = logged_in(scene)
    terminal = Terminal(scene, client.argv("tty; stty size; exit 9", before=["-t"]), rows=31, columns=77, env=client.env)
    equal(terminal.wait(), 9, "ssh's status")
    matches(terminal.rest(0).decode(), r"^/dev/pts/\d+\r\n31 77\r\n", "what it printed")


@case("openssh-client.control-c-interrupts-and-control-d-ends-the-shell")
def control_keys(scene):
    client = logged_in(scene)
    terminal = Terminal(scene, client.argv(), env=client.env)
    terminal.quiet()
    terminal.type("sleep 100\n")
    eventually(lambda: client.user.processes_with("sleep 100"), 5, "the sleep")
    terminal.type("\x03")
    eventually(lambda: not client.user.processes_with("sleep 100"), 5, "the sleep's end")
    equal(terminal.ask("echo alive").strip(), "alive", "the shell afterwards")
    terminal.type("\x04")
    terminal.wait()


@case("openssh-client.terminal-modes-arrive-rfc4254-8")
def terminal_modes(scene):
    client = logged_in(scene)
    terminal = Terminal(scene, ["/bin/sh", "-c", 'stty erase ^H intr ^P -ixon; exec "$@"', "sh",
                                *client.argv("stty -a; sleep 0.2", before=["-t"])], env=client.env)
    terminal.wait()
    shown = terminal.rest(0).decode()
    for part in ("erase = ^H", "intr = ^P", "-ixon"):
        contains(shown, part, "stty -a there")


@case("openssh-client.the-local-terminal-is-itself-again-afterwards")
def local_terminal(scene):
    client = logged_in(scene)
    terminal = Terminal(scene, ["/bin/sh", "-c", '"$@"; stty -a', "sh", *client.argv("true", before=["-t"])], env=client.env)
    terminal.wait()
    matches(terminal.rest(0).decode(), r"[^-]icanon", "stty -a here")


@case("openssh-client.exec-with-t-cat-big-loses-no-tail-report-11", seconds=120)
def pty_drained(scene):
    client = logged_in(scene)
    size = 3_000_000
    client.user.write("big", bytes(b"0123456789abcde\n" * (size // 16)))
    client.options += ["-o", f"ControlPath={scene.folder / 'control'}"]
    client.start(before=["-M", "-N"])
    eventually((scene.folder / "control").exists, 10, "ssh's control socket")
    for _ in range(10):
        result = client.run("stty -opost; cat big", before=["-tt"])
        equal((len(result.out), result.status), (size, 0), "bytes and status")
    for number in range(30):  # short ones race with the child's exit most
        result = client.run(f"stty -opost; echo tail {number}", before=["-tt"])
        equal(result.text, f"tail {number}\n", "the line")


@case("openssh-client.hang-up-reaches-the-shells-jobs-on-a-pty-report-12")
def hang_up_pty(scene):
    client = logged_in(scene)
    terminal = Terminal(scene, client.argv(), env=client.env)
    terminal.quiet()
    terminal.type("sleep 1001\n")
    eventually(lambda: client.user.processes_with("sleep 1001"), 5, "the sleep")
    terminal.process.kill()
    eventually(lambda: not client.user.pids(), 10, "the end of everything that the user ran")


@case("openssh-client.hang-up-reaches-a-command-on-a-pty-report-12")
def hang_up_pty_exec(scene):
    client = logged_in(scene)
    ssh = client.start("sleep 1002 & sleep 1003; echo", before=["-tt"], stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("sleep 1003"), 10, "the sleep")
    ssh.kill()
    eventually(lambda: not client.user.processes_with("sleep 1003"), 10, "the foreground command's end")


@case("openssh-client.hang-up-reaches-a-command-without-a-pty-report-12")
def hang_up_pipe(scene):
    client = logged_in(scene)
    ssh = client.start("sleep 1004; echo", stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("sleep 1004"), 10, "the sleep")
    ssh.kill()
    eventually(lambda: not client.user.pids(), 10, "the end of everything that the user ran")


@case("openssh-client.hang-up-spares-what-ignores-it")
def nohup(scene):
    client = logged_in(scene)
    # The shell's own command line names both: the marks tell that nohup has taken its measures.
    ssh = client.start("nohup sh -c 'echo >up; exec sleep 1005' > /dev/null 2>&1 & sleep 1006", stdin=subprocess.PIPE)
    eventually(lambda: os.path.exists(os.path.join(client.user.home, "up")), 10, "the mark of the process under nohup")
    ssh.kill()
    eventually(lambda: not client.user.processes_with("sleep 1006"), 10, "the other's end")
    check(client.user.processes_with("sleep 1005"), "the process under nohup lives")


@case("openssh-client.message-of-the-day-comes-to-shells-unless-m")
def message_of_the_day(scene):
    user = scene.user()
    prefix = scene.private_etc({"motd": "Interop's message of the day.\n"})
    for options, expected in (((), True), (("-m",), False)):
        client = OpenSsh(scene, OurServer(scene, *options, prefix=prefix), user)
        terminal = Terminal(scene, client.argv(), env=client.env)
        terminal.type("echo SH''OWN; exit\n")
        terminal.wait()
        shown = terminal.rest(0).decode()
        contains(shown, "SHOWN", "the terminal")
        (contains if expected else lacks)(shown, "Interop's message of the day.", f"the terminal with {options}")
    lacks(client.run("true").text, "Interop's", "a command's output")


@case("openssh-client.suspended-while-the-server-sends-leaves-it-asleep-report-7", seconds=90, cores=2)
def suspended_client(scene):
    from harness.processes import cpu_seconds
    import time

    client = logged_in(scene)
    ssh = scene.start(client.argv("yes"), env=client.env, stdout=subprocess.DEVNULL)
    eventually(lambda: client.user.processes_with("yes"), 10, "the command")
    ssh.signal(signal.SIGSTOP)
    time.sleep(1)  # until the sockets' queues are full
    watched = client.server.sessions() + client.user.pids()
    check(len(watched) >= 2, f"a session and a command to watch: {watched}")
    before = sum(map(cpu_seconds, watched))
    time.sleep(4)
    used = sum(map(cpu_seconds, watched)) - before
    ssh.signal(signal.SIGCONT)
    check(used <= 0.05, f"processor time used in 4 s of standstill: {used:.2f} s")
    time.sleep(0.3)
    check(ssh.running() and sum(map(cpu_seconds, watched)) > before, "it goes on afterwards")


@case("server.an-idle-session-uses-no-processor-time", cores=2)
def idle_session(scene):
    from harness.processes import cpu_seconds
    import time

    client = logged_in(scene)
    client.start("cat", stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("cat"), 10, "the command")
    watched = client.server.sessions() + [client.server.pid]
    before = sum(map(cpu_seconds, watched))
    time.sleep(3)
    check(sum(map(cpu_seconds, watched)) - before <= 0.02, "an idle session slept")
