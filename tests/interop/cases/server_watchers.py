"""Programs of a host that watch the server, or end its sessions: fail2ban, OpenWrt's killclients."""

import re
import socket
import subprocess

from cases.server_exec import logged_in
from cases.server_login import root_with_a_password
from harness.checks import check, contains, equal, eventually
from harness.clients import OpenSsh
from harness.processes import alive
from harness.raw_client import USERAUTH_FAILURE, RawClient
from harness.registry import case
from harness.scene import tool
from harness.servers import OurServer


def _as_syslog_writes_it(log: str) -> str:
    """The lines of -E as a syslog daemon's file has them."""
    line = re.compile(r"\[(\d+)\] (\w{3}) (\d\d) (\d\d:\d\d:\d\d) (.*)")
    matches = [line.fullmatch(one) for one in log.splitlines()]
    check(all(matches), f"every line has the form of -E: {log!r}")
    return "".join(f"{m[2]} {int(m[3]):2d} {m[4]} router dropbear[{m[1]}]: {m[5]}\n" for m in matches)


@case("log.fail2bans-own-filter-for-dropbear-finds-every-attacker-and-nobody-else")
def fail2ban(scene):
    user = scene.user()
    server = OurServer(scene, "-T", "3", address="::1")
    # two who attack
    OpenSsh(scene, server, "nobody-of-this-name", password="x").run("true")
    OpenSsh(scene, server, user, password="wrong", key=scene.new_key("other")).run("true")
    # who logs in, who only looks, and who tries to have another address banned
    equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", "the output of a login")
    with socket.create_connection(("::1", server.port)) as looking:
        looking.recv(100)
    for name in ("x from 192.0.2.9:1", "x\nBad password attempt for 'root' from 192.0.2.9:1"):
        client = RawClient(scene, server)
        client.begin_authentication()
        client.send_password(name, "wrong")
        client.expect(USERAUTH_FAILURE)
        client.close()
    eventually(lambda: server.log().count("Exit before auth") >= 5, 15, "the ends of all connections")
    log = scene.file("auth.log", _as_syslog_writes_it(server.log()))
    result = scene.check_run([tool("fail2ban-regex"), "--print-all-matched", log, "dropbear"])
    contains(result.text, "Failregex: 4 total", "attackers found")
    found = scene.check_run([tool("fail2ban-regex"), "--out", "ip", log, "dropbear"]).text.split()
    equal(found, ["::1"] * 4, "the addresses to ban")


# What OpenWrt's init script does, in our words. The program's path is on no command line but the program's.
_KILLCLIENTS = r"""
spare=
pid=$$
while pid=$(cut -d ' ' -f 4 /proc/$pid/stat); [ "$pid" -ne 0 ]; do
  if grep -Fq -e "PROGRAM" /proc/$pid/cmdline; then spare="$pid"; break; fi
done
for file in "FOLDER"/*.pid; do spare="$spare $(cat "$file")"; done
for folder in /proc/[0-9]*; do
  pid=${folder#/proc/}
  [ "$(cat $folder/comm 2>/dev/null)" = dropbear ] && grep -Fq -e "PROGRAM" $folder/cmdline || continue
  case " $spare " in *" $pid "*) continue ;; esac
  kill -KILL "$pid"
done
echo killed
"""


@case("process.killclients-ends-the-other-sessions-and-spares-its-own-and-the-listener")
def killclients(scene):
    client = logged_in(scene, name="dropbear")
    program = str(scene.folder / "bin" / "dropbear")
    folder = scene.folder / "pids"
    folder.mkdir()
    (folder / "dropbear.main.pid").write_text(client.server.pid_file.read_text())
    other = client.start("cat", stdin=subprocess.PIPE)
    eventually(lambda: client.user.processes_with("cat"), 10, "the other session")

    # Root runs it, from inside a session of root's.
    prefix, key = root_with_a_password(scene, "toor 1")
    roots = OurServer(scene, prefix=prefix, name="dropbear")
    (folder / "dropbear.roots.pid").write_text(roots.pid_file.read_text())
    script = scene.file("killclients", _KILLCLIENTS.replace("PROGRAM", program).replace("FOLDER", str(folder)))
    result = OpenSsh(scene, roots, "root", key=key).run(f"sh {script}; echo still here")
    equal((result.text, result.status), ("killed\nstill here\n", 0), "the session that ran it")
    check(other.wait(10).status != 0, "the other session is over")
    eventually(lambda: not client.user.processes_with("cat"), 10, "the end of the other session's command")
    check(alive(client.server.pid) and alive(roots.pid), "both listeners live")
    equal(client.run("echo again").text, "again\n", "a login afterwards")
