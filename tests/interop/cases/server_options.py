"""Our server's options that other cases do not need."""

import os
import time

from cases.server_exec import logged_in
from harness.checks import between, check, contains, equal, eventually, lacks, matches
from harness.clients import OpenSsh
from harness.ports import listens
from harness.raw_client import RawClient
from harness.registry import case
from harness.servers import OurServer
from harness.terminals import Terminal


@case("options.b-shows-a-banner-before-login-rfc4252-5.4")
def banner(scene):
    text = "Welcome to the interop banner.\nTwo lines.\n"
    client = logged_in(scene, "-b", scene.file("banner", text))
    result = client.run("echo in")
    equal((result.text, result.err.replace("\r", "")), ("in\n", text), "output and standard error")


@case("options.b-missing-or-too-long-is-a-warning")
def banner_faults(scene):
    for file in (scene.folder / "no-such-file", scene.file("long", "x" * 2051)):
        client = logged_in(scene, "-b", file)
        result = client.run("echo in")
        equal(result.text, "in\n", "the output")
        lacks(result.err, "xxxx", "no part of a banner that is too long")
        check(len(client.server.log().splitlines()) >= 1, "a warning in the log")
    client = logged_in(scene, "-b", scene.file("longest", "y" * 2050))
    contains(client.run("true").err, "y" * 2050, "a banner of 2,050 bytes")


@case("options.c-forces-a-command-over-the-keys-own")
def forced(scene):
    client = logged_in(scene, "-c", 'echo "<$SSH_ORIGINAL_COMMAND>"')
    equal(client.run("rm -rf /").text, "<rm -rf />\n", "the output of a command")
    equal(client.run(before=["-T"], stdin=b"echo free\n").text, "<>\n", "the output of a shell")
    client.user.authorize('command="echo keys" ' + scene.public(client.user.key) + "\n")
    equal(client.run("true").text, "<true>\n", "the output with a command= in the key's line")
    terminal = Terminal(scene, client.argv("x y", before=["-t"]), env=client.env)
    terminal.wait()
    contains(terminal.rest(0), b"<x y>", "the output on a pty")


@case("options.d-upper-names-the-folder-of-authorized-keys")
def keys_folder(scene):
    user = scene.user()
    for folder in ("~/other", user.home / "other"):
        (user.home / "other").mkdir(exist_ok=True, mode=0o700)
        os.chown(user.home / "other", user.uid, user.gid)
        user.write("other/authorized_keys", scene.public(user.key) + "\n")
        user.authorize("# none\n")
        equal(OpenSsh(scene, OurServer(scene, "-D", folder), user).run("echo in").text, "in\n", f"the output with {folder}")


@case("options.d-upper-may-be-relative-to-where-the-server-was-started")
def relative_keys_folder(scene):
    user = scene.user()
    keys = user.home / "other"
    keys.mkdir(mode=0o700)
    os.chown(keys, user.uid, user.gid)
    user.write("other/authorized_keys", scene.public(user.key) + "\n")
    user.authorize("# none\n")
    server = OurServer(scene, "-D", "other", cwd=user.home)
    equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", "the output in the foreground")
    port, key = scene.port(), scene.new_key("host")
    scene.check_run(scene.program.server(["-E", "-P", str(scene.folder / "pid"), "-D", "other", "-p", f"127.0.0.1:{port}",
                                          "-r", str(scene.program.server_key(key))]),
                    cwd=user.home, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    server.port, server.host_key = port, key
    equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", "the output in the background")


@case("options.i-upper-ends-an-idle-session", cores=2)
def idle(scene):
    client = logged_in(scene, "-I", "3")
    result = client.run("sleep 30")
    equal(result.status, 255, "ssh's status")
    between(result.seconds, 2, 8, "seconds until the end")
    contains(client.server.log(), "dle", "the log names the idle limit")
    result = client.run("for i in 1 2 3 4 5 6; do sleep 1; echo $i; done")
    equal((result.status, result.text.count("\n")), (0, 6), "a session that is not idle goes on")


@case("options.m-upper-ends-the-longest-session", cores=2)
def longest(scene):
    client = logged_in(scene, "-M", "3")
    result = client.run("while :; do echo x; sleep 0.1; done", seconds=20)
    equal(result.status, 255, "ssh's status")
    between(result.seconds, 2, 8, "seconds until the end")


@case("options.k-upper-asks-and-three-unanswered-end-it", cores=2)
def keepalive(scene):
    client = logged_in(scene, "-K", "1")
    result = client.run("sleep 6; echo awake")
    equal((result.text, result.status), ("awake\n", 0), "a client that answers")
    deaf = RawClient(scene, client.server).log_in(client.user)
    channel = deaf.open_channel()
    channel.exec("sleep 1007")
    eventually(lambda: client.user.processes_with("sleep 1007"), 5, "the command")
    started = time.monotonic()  # from here on it reads nothing
    eventually(lambda: not client.user.processes_with("sleep 1007"), 12, "the end of a client that does not answer")
    between(time.monotonic() - started, 2, 10, "seconds until then")


@case("options.v-upper-is-one-line-on-standard-error-of-our-own-name")
def version(scene):
    result = scene.run(scene.program.server(["-V"]))
    equal((result.status, result.text), (0, ""), "status and standard output")
    matches(result.err, r"\Asshape\S* .*\n\Z", "standard error")


@case("options.v-upper-called-dropbear-is-dropbears-line")
def dropbear_version(scene):
    for argv in (scene.program.server(["-V"], "dropbear"), scene.program.client(["-V"], "dbclient")):
        result = scene.run(argv)
        equal((result.status, result.text), (0, ""), f"status and standard output of {argv}")
        year, number = matches(result.err, r"\ADropbear v(20\d\d)\.(\d\d)\n\Z", "standard error").groups()
        check(int(year) >= 2025 and int(number) >= 87, f"what callers compare: {result.err!r}")


@case("options.h-helps-and-exits-0")
def help_text(scene):
    result = scene.run(scene.program.server(["-h"]))
    equal((result.status, result.text), (0, ""), "status and standard output")
    for letter in "brREFemwsgtpPWKIMTcDnV":
        matches(result.err, rf"-{letter}\b", "standard error")


@case("options.unknown-letters-and-stray-words-exit-1-before-anything-is-done")
def unknown(scene):
    port, pid_file = scene.port(), scene.folder / "pid"
    key = str(scene.program.server_key(scene.new_key("host")))
    for words in (["-Y"], ["stray"], ["--no-such"]):
        result = scene.run(scene.program.server(["-F", "-E", "-P", str(pid_file), "-r", key, "-p", f"127.0.0.1:{port}", *words]),
                           seconds=10)
        equal(result.status, 1, f"the status with {words}")
        check(not pid_file.exists(), "no pid file")


@case("options.r-reads-keys-of-ssh-keygen-and-of-our-own-keygen")
def host_keys(scene):
    user = scene.user()
    own = scene.folder / "own"
    scene.check_run(scene.program.keygen(["-t", "ed25519", "-f", str(own)]))
    for key in (scene.new_key("host"), own):
        if not os.path.exists(f"{key}.pub"):
            line = scene.check_run(scene.program.keygen(["-y", "-f", str(key)])).text
            scene.file(f"{key.name}.pub", matches(line, r"ssh-ed25519 \S+", "the public key")[0] + " own\n")
        equal(OpenSsh(scene, OurServer(scene, host_key=key), user).run("echo in").text, "in\n", f"the output with {key}")


@case("options.r-unreadable-is-a-warning-and-two-of-a-type-or-none-exit-1")
def bad_host_keys(scene):
    user = scene.user()
    garbage = scene.file("garbage", "not a key\n", 0o600)
    client = OpenSsh(scene, OurServer(scene, "-r", scene.folder / "no-such-key", "-r", garbage), user)
    equal(client.run("echo in").text, "in\n", "the output with one good key of three")
    check(client.server.log().count("no-such-key") >= 1, "the log names the missing key")
    good = [str(scene.program.server_key(scene.new_key("host"))) for _ in range(2)]
    for words in (["-r", str(garbage)], ["-r", good[0], "-r", good[1]]):
        result = scene.run(scene.program.server(["-F", "-E", "-p", f"127.0.0.1:{scene.port()}", "-P",
                                                 str(scene.folder / "pid"), *words]), seconds=10)
        equal(result.status, 1, f"the status with {words}")


@case("options.r-with-a-lying-length-inside-is-a-clear-error-report-22")
def lying_key(scene):
    import base64

    text = scene.new_key("host").read_text().splitlines()
    data = bytearray(base64.b64decode("".join(text[1:-1])))
    start = data.index(b"ssh-ed25519", 60) - 4  # the type's length in the private part
    for position in (start, start + 15, start + 51, 15, 23, 35):
        for value in (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x00\x00\xff\xff", b"\x00\x00\x00\x00"):
            broken = bytearray(data)
            broken[position:position + 4] = value
            key = scene.file("broken", f"{text[0]}\n{base64.b64encode(broken).decode()}\n{text[-1]}\n", 0o600)
            result = scene.run(scene.program.server(["-F", "-E", "-p", f"127.0.0.1:{scene.port()}", "-P",
                                                     str(scene.folder / "pid"), "-r", str(key)]), seconds=10)
            equal(result.status, 1, f"the status with {value!r} at {position}")
            check(result.err, "a sentence why")
    for size in (0, 10, len(data) // 2, len(data) - 1):
        cut = base64.b64encode(data[:size]).decode()
        key = scene.file("cut", f"{text[0]}\n{cut}\n{text[-1]}\n", 0o600)
        equal(scene.run(scene.program.keygen(["-y", "-f", str(key)]), seconds=10).status > 0, True, f"refused, cut at {size}")


@case("options.r-upper-makes-missing-host-keys-in-the-default-place-at-the-first-connection")
def make_host_keys(scene):
    user = scene.user()
    etc = scene.private_etc({})
    folder = scene.folder / "dropbear-keys"
    folder.mkdir()
    copy = next(path for path in scene.folder.iterdir() if path.name.startswith("etc"))
    (copy / "dropbear").mkdir(exist_ok=True)
    for old in (copy / "dropbear").iterdir():
        old.unlink()
    port, pid_file = scene.port(), scene.folder / "pid"
    server = scene.start([*etc, *scene.program.server(["-F", "-E", "-R", "-P", str(pid_file), "-p", f"127.0.0.1:{port}"])],
                         env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    eventually(lambda: listens(port), 10, "a listener")
    made = copy / "dropbear" / "dropbear_ed25519_host_key"
    command = ["ssh", "-F", "none", "-o", "StrictHostKeyChecking=accept-new", "-o", f"UserKnownHostsFile={scene.folder}/new",
               "-o", "HostKeyAlgorithms=ssh-ed25519", "-o", "BatchMode=yes", "-i", str(user.key), "-p", str(port),
               f"{user.name}@127.0.0.1", "echo in"]
    equal(scene.run(command).text, "in\n", "the output of the first login")
    check(made.exists(), f"a key in {made}: {server.err}")
    equal((made.stat().st_mode & 0o777, made.stat().st_uid), (0o600, 0), "its mode and owner")
    first = made.read_bytes()
    equal(scene.run(command).text, "in\n", "the output of the second login")
    equal(made.read_bytes(), first, "the key after a second connection")


@case("options.p-listens-on-several-addresses-and-warns-of-the-unusable")
def several_ports(scene):
    user = scene.user()
    second, third = scene.port(), scene.port()
    server = OurServer(scene, "-p", f"[::1]:{second}", "-p", f"127.0.0.1:{third}")
    eventually(lambda: listens(second) == {6} and listens(third) == {4}, 10, "listeners on all three")
    for port, address in ((second, "::1"), (third, "127.0.0.1")):
        server.port, server.address = port, address
        equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", f"the output over {address}:{port}")
    used = OurServer(scene)
    server = OurServer(scene, "-p", f"127.0.0.1:{used.port}")
    equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", "the output beside an unusable port")
    check(server.log(), "a warning of the unusable port")
    result = scene.run(scene.program.server(["-F", "-E", "-r", str(scene.program.server_key(used.host_key)), "-P",
                                             str(scene.folder / "none.pid"), "-p", f"127.0.0.1:{used.port}"]), seconds=15)
    equal(result.status, 1, "the status when no port is usable")


@case("options.p-without-an-address-listens-on-both-families")
def both_families(scene):
    user = scene.user()
    port = scene.port()
    server = OurServer(scene, "-p", str(port))
    eventually(lambda: listens(port) == {4, 6}, 10, "listeners of both families")
    server.port = port
    for address in ("127.0.0.1", "::1"):
        server.address = address
        equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", f"the output over {address}")


@case("options.w-upper-sets-the-window-and-is-clamped-to-the-builds-ceiling-report-2")
def window(scene):
    user = scene.user()
    for value in ("1024", "24576", "65536", "1048576", "1000000000"):
        server = OurServer(scene, "-W", value)
        if not scene.program.is_stand_in:
            raw = RawClient(scene, server).log_in(user)
            channel = raw.open_channel()
            channel.exec("cat > /dev/null")
            raw.wait_for_window(channel)
            check(channel.packet <= channel.window <= int(value), f"-W {value}: packet {channel.packet}, window {channel.window}")
            raw.close()
        result = OpenSsh(scene, server, user).run("wc -c", stdin=bytes(5_000_000))
        equal(result.text.strip(), "5000000", f"bytes that arrived with -W {value}")
        if value == "1000000000" and not scene.program.is_stand_in:
            matches(server.log(), r"\d{5,}", "a warning that names the limit")


@case("options.k-i-m-t-and-w-refuse-what-is-not-a-number")
def not_numbers(scene):
    key = str(scene.program.server_key(scene.new_key("host")))
    for option in ("-K", "-I", "-M", "-T", "-W"):
        for value in ("x", "-1", "99999999999999999999", ""):
            result = scene.run(scene.program.server(["-F", "-E", "-r", key, "-P", str(scene.folder / "pid"), "-p",
                                                     f"127.0.0.1:{scene.port()}", option, value]), seconds=10)
            equal(result.status, 1, f"the status with {option} {value!r}")


@case("options.first-word-names-the-program")
def first_word(scene):
    if scene.program.is_stand_in:
        return
    plain = str(scene.program.copy)
    for word, expected in (("sshaped", r"\Asshape"), ("dropbear", r"\ADropbear v"), ("dbclient", r"\ADropbear v")):
        result = scene.run([plain, word, "-V"])
        equal(result.status, 0, f"the status of sshape {word} -V")
        matches(result.err, expected, f"standard error of sshape {word} -V")


