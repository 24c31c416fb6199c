"""Our client in a real terminal: shells on a pty of OpenSSH's sshd (RFC 4254, 6.2 and 6.7)."""

import os
import signal
import subprocess
import time

from cases.client_exec import at_openssh
from harness.checks import check, contains, equal, eventually, lacks, matches
from harness.processes import command_of, cpu_seconds, descendants
from harness.registry import case
from harness.terminals import Terminal


@case("openssh-server.shell-on-a-pty-has-the-window-size-and-follows-it-rfc4254-6.7")
def window_size(scene):
    client = at_openssh(scene)
    terminal = Terminal(scene, client.argv(), rows=33, columns=101, env=client.env)
    terminal.quiet()
    equal(terminal.ask("stty size").strip(), "33 101", "the size at the start")
    for rows, columns in ((50, 132), (1, 1), (24, 80)):
        terminal.resize(rows, columns)
        eventually(lambda: terminal.ask("stty size").strip() == f"{rows} {columns}", 5, f"the size {rows} {columns}")
    terminal.type("exit 3\n")
    equal(terminal.wait(), 3, "the status")


@case("openssh-server.shell-on-a-pty-is-raw-here-and-cooked-there")
def raw_mode(scene):
    client = at_openssh(scene)
    client.env["TERM"] = "vt220"
    terminal = Terminal(scene, client.argv(), env=client.env)
    terminal.quiet()
    equal(terminal.ask("echo $TERM").strip(), "vt220", "TERM")
    terminal.type("sleep 100\n")
    eventually(lambda: client.user.processes_with("sleep 100"), 5, "the sleep")
    terminal.type("\x03")
    eventually(lambda: not client.user.processes_with("sleep 100"), 5, "the sleep's end by control-C")
    check(terminal.process.running(), "control-C did not end the client")
    terminal.type("stty raw; head -c 3 | od -An -tx1; stty sane -echo; echo BA''CK\n")
    time.sleep(0.5)
    terminal.type("\x1a\x1c\x7f")
    contains(terminal.expect(r"(?s)(.*)BACK")[1].decode(), "1a 1c 7f", "the three control characters")
    time.sleep(0.3)  # until the shell reads again
    terminal.type("\x04")
    terminal.wait()


@case("openssh-server.the-local-terminal-is-itself-again-after-every-kind-of-end")
def local_terminal(scene):
    client = at_openssh(scene)
    run = lambda *command: Terminal(scene, ["/bin/sh", "-c", '"$@"; stty -a; echo EN""D', "sh",
                                            *client.argv(*command, before=["-t"])], env=client.env)
    terminal = run("true")
    terminal.expect("END")
    matches(terminal._seen.decode(), r"[^-]icanon", "stty -a after a normal end")
    matches(terminal._seen.decode(), r"[^-]echo ", "stty -a after a normal end")
    for number in (signal.SIGTERM, signal.SIGHUP):
        terminal = run("sleep 1009")
        eventually(lambda: client.user.processes_with("sleep 1009"), 10, "the command")
        name = scene.program.client([])[-1]
        for pid in descendants(terminal.process.pid):
            if name in command_of(pid):
                os.kill(pid, number)
        terminal.expect("END")
        matches(terminal._seen.decode(), r"[^-]icanon", f"stty -a after signal {number}")
        eventually(lambda: not client.user.processes_with("sleep 1009"), 10, "the command's end")


@case("openssh-server.option-t-gives-a-command-a-pty-and-t-upper-none")
def option_t(scene):
    client = at_openssh(scene)
    terminal = Terminal(scene, client.argv("tty; stty size; exit 9", before=["-t"]), rows=31, columns=77, env=client.env)
    equal(terminal.wait(), 9, "the status")
    matches(terminal.rest(0).decode(), r"/dev/pts/\d+\r\n31 77\r\n", "what it printed with -t")
    terminal = Terminal(scene, client.argv(before=["-T"]), env=client.env)
    terminal.type("tty; exit 4\n")
    equal(terminal.wait(), 4, "the status")
    contains(terminal.rest(0), b"not a tty", "what it printed with -T")
    result = client.run("tty")
    equal(result.text, "not a tty\n", "without either, a command has none")


@case("openssh-server.a-shell-without-a-terminal-here-gets-no-pty")
def no_terminal(scene):
    result = at_openssh(scene).run(stdin=b"tty; echo done; exit 6\n")
    equal((result.text, result.status), ("not a tty\ndone\n", 6), "output and status")


@case("openssh-server.terminal-modes-go-along-rfc4254-8")
def terminal_modes(scene):
    client = at_openssh(scene)
    terminal = Terminal(scene, ["/bin/sh", "-c", 'stty erase ^H intr ^P -ixon; exec "$@"', "sh",
                                *client.argv("stty -a; sleep 0.2", before=["-t"])], env=client.env)
    terminal.wait()
    shown = terminal.rest(0).decode()
    for part in ("erase = ^H", "intr = ^P", "-ixon"):
        contains(shown, part, "stty -a there")


@case("openssh-server.exec-with-t-cat-big-loses-no-tail-report-11", seconds=90)
def pty_drained(scene):
    client = at_openssh(scene)
    size = 3_000_000
    client.user.write("big", bytes(b"0123456789abcde\n" * (size // 16)))
    for _ in range(5):
        terminal = Terminal(scene, ["/bin/sh", "-c", '"$@" | wc -c', "sh", *client.argv("stty -opost; cat big", before=["-t"])],
                            env=client.env)
        equal(terminal.wait(15), 0, "the status")
        contains(terminal.rest(0).split(), str(size).encode(), "the bytes that arrived")


@case("openssh-server.escape-tilde-dot-ends-the-session")
def escape(scene):
    client = at_openssh(scene)
    terminal = Terminal(scene, client.argv(), env=client.env)
    terminal.quiet()
    equal(terminal.ask("echo '~.'").strip(), "~.", "a tilde in mid line is only a tilde")
    terminal.type("\n")
    time.sleep(0.3)
    terminal.type("~.")
    check(terminal.wait() != 0, "a status other than 0")
    eventually(lambda: not client.user.pids(), 10, "the end of everything there")


@case("openssh-server.suspended-while-the-server-sends-then-goes-on", cores=2)
def suspended(scene):
    client = at_openssh(scene)
    ours = scene.start(client.argv("head -c 50000000 /dev/zero"), env=client.env, stdout=subprocess.DEVNULL)
    ours.signal(signal.SIGSTOP)
    time.sleep(1)
    ours.signal(signal.SIGCONT)
    equal(ours.wait(20).status, 0, "the status")


@case("openssh-server.a-stopped-reader-leaves-the-client-asleep-report-7", cores=2)
def stopped_reader(scene):
    client = at_openssh(scene)
    ours = scene.start(client.argv("yes"), env=client.env, stdout=subprocess.PIPE)  # nobody reads it
    time.sleep(2)
    before = cpu_seconds(ours.pid)
    time.sleep(3)
    used = cpu_seconds(ours.pid) - before
    check(used <= 0.05, f"processor time used in 3 s of standstill: {used:.2f} s")
    lacks(ours.err, "rror", "standard error")
