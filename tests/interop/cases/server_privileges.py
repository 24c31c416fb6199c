"""What a user's program is born with: identity, descriptors, signals, limits; and what it cannot get back (root mode)."""

import os
import resource
import subprocess

from cases.server_exec import logged_in
from harness.checks import check, contains, equal, eventually
from harness.clients import OpenSsh
from harness.processes import status_of
from harness.registry import case
from harness.servers import OurServer

_NO_PRIVILEGE = "0000000000000000"


def _status(client, *, before=()) -> dict[str, str]:
    text = client.run("cat /proc/self/status", before=before).text.replace("\r", "")
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


@case("privileges.every-uid-and-gid-is-the-users")
def identity(scene):
    client = logged_in(scene)
    for before in ((), ("-tt",)):
        status = _status(client, before=before)
        equal(status["Uid"].split(), [str(client.user.uid)] * 4, f"real, effective, saved, file-system uid {before}")
        equal(status["Gid"].split(), [str(client.user.gid)] * 4, f"real, effective, saved, file-system gid {before}")
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            equal(status[name], _NO_PRIVILEGE, f"{name} {before}")


@case("privileges.supplementary-groups-are-the-users")
def groups(scene):
    groups = [scene.accounts.add_group(), scene.accounts.add_group()]
    user = scene.user(groups=groups)
    client = OpenSsh(scene, OurServer(scene), user)
    expected = scene.check_run(["/usr/bin/id", "-Gn", user.name]).text.split()
    equal(sorted(client.run("id -Gn").text.split()), sorted(expected), "the names of the groups")
    equal(set(expected), {user.name, *groups}, "the groups that the case made")


@case("privileges.the-users-program-cannot-become-root-again")
def no_way_back(scene):
    client = logged_in(scene)
    script = ("import os\n"
              "for name, call in (('setuid', lambda: os.setuid(0)), ('seteuid', lambda: os.seteuid(0)),\n"
              "                   ('setresuid', lambda: os.setresuid(0, 0, 0)), ('setgid', lambda: os.setgid(0)),\n"
              "                   ('setgroups', lambda: os.setgroups([0]))):\n"
              "    try:\n"
              "        call()\n"
              "        print(name, 'worked')\n"
              "    except PermissionError:\n"
              "        print(name, 'refused')\n")
    client.user.write("try.py", script)
    equal(client.run("/usr/bin/python3 try.py").text.split()[1::2], ["refused"] * 5, "what the calls did")


@case("privileges.set-uid-programs-still-work-for-the-user")
def set_uid_programs(scene):
    status = _status(logged_in(scene))
    equal((status["NoNewPrivs"], status["Seccomp"]), ("0", "0"), "no_new_privs and seccomp, which are the network process's")


@case("privileges.only-three-descriptors-are-open")
def descriptors(scene):
    client = logged_in(scene)
    for before in ((), ("-tt",)):
        result = client.run("ls /proc/self/fd", before=before)
        equal(result.text.split(), ["0", "1", "2", "3"], f"the descriptors of ls, 3 being its folder {before}")
    equal(client.run("ls -l /proc/$$/fd | grep -c -e socket:").text.strip(), "0",
          "the user's program has pipes, no socket of the connection")


@case("privileges.signals-are-unblocked-and-default")
def signals(scene):
    user = scene.user(shell="/bin/dash")  # bash changes some itself
    client = OpenSsh(scene, OurServer(scene), user)
    # a server started as nohup does, with signals ignored and blocked, hands neither on
    prefix = ["/usr/bin/python3", "-c",
              "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
              "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGALRM]); "
              "os.execv(sys.argv[1], sys.argv[1:])"]
    odd = OpenSsh(scene, OurServer(scene, prefix=prefix), user)
    for which in (client, odd):
        for before in ((), ("-tt",)):
            status = _status(which, before=before)
            for name in ("SigBlk", "SigIgn", "SigCgt", "SigPnd", "ShdPnd"):
                equal(status[name], _NO_PRIVILEGE, f"{name} {before}")


@case("privileges.limits-and-umask-are-those-that-the-server-was-started-with")
def limits(scene):
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    check(hard == resource.RLIM_INFINITY or hard >= 1234 * 512, f"this machine allows core files (hard limit {hard})")
    prefix = ["/bin/dash", "-c", 'ulimit -S -c 1234; umask 027; exec "$@"', "sh"]
    client = OpenSsh(scene, OurServer(scene, prefix=prefix), scene.user(shell="/bin/dash"))
    equal(client.run("ulimit -S -c").text.strip(), "1234", "the limit of core files")
    equal(client.run("umask").text.strip(), "0027", "the umask")


@case("privileges.the-servers-own-processes-leave-no-core-and-cannot-be-traced-by-the-user")
def server_processes(scene):
    client = logged_in(scene)
    client.start("cat", stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("cat"), 10, "the command")
    sessions = client.server.sessions()
    check(sessions, "a process of the server's for the connection")
    for pid in [client.server.pid, *sessions]:
        with open(f"/proc/{pid}/limits") as file:
            line = next(line for line in file if line.startswith("Max core file size"))
        equal(line.split()[4], "0", f"the soft limit of core files of process {pid}")
        # what is not dumpable belongs to root in /proc, whoever runs it
        equal(os.stat(f"/proc/{pid}/environ").st_uid, 0, f"the owner of /proc/{pid}/environ")


@case("privileges.the-session-that-a-stranger-reaches-holds-no-shadow-and-no-listener")
def session_descriptors(scene):
    client = logged_in(scene)
    client.start("cat", stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("cat"), 10, "the command")
    for pid in client.server.sessions():
        targets = [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
        check("/etc/shadow" not in targets, f"no shadow file among {targets}")
        listening = [line.split()[9] for line in open("/proc/net/tcp") if line.split()[3] == "0A"]
        held = [target for target in targets if target.removeprefix("socket:[").rstrip("]") in listening]
        equal(held, [], f"listening sockets in process {pid}")


@case("privileges.root-keeps-roots-privileges")
def root(scene):
    from cases.server_login import root_with_a_password

    prefix, key = root_with_a_password(scene, "toor 1")
    client = OpenSsh(scene, OurServer(scene, prefix=prefix), "root", key=key)
    status = _status(client)
    equal(status["Uid"].split(), ["0"] * 4, "the uids")
    equal(status["CapEff"], status_of(os.getpid())["CapEff"], "the capabilities, those that the server was started with")
    contains(client.run("ls /proc/self/fd").text.split(), "3", "the descriptors")
