"""PuTTY's plink, paramiko and asyncssh log in to our server and use it."""

import asyncio
import warnings

from harness.checks import check, contains, equal
from harness.clients import Plink
from harness.registry import case
from harness.servers import OurServer


def _paramiko():
    warnings.simplefilter("ignore")  # of its ciphers' ages
    try:
        import paramiko
    except ImportError:
        check(False, "the peer paramiko is missing: install python3-paramiko")
    return paramiko


def _asyncssh():
    warnings.simplefilter("ignore")
    try:
        import asyncssh
    except ImportError:
        check(False, "the peer asyncssh is missing: install python3-asyncssh")
    return asyncssh


# PuTTY

@case("plink.logs-in-by-key-and-runs-a-command")
def plink_key(scene):
    user = scene.user()
    result = Plink(scene, OurServer(scene), user).run("id -un; echo err >&2; exit 7")
    equal((result.text, result.status), (f"{user.name}\n", 7), "output and status")
    contains(result.err, "err\n", "standard error")


@case("plink.logs-in-by-password-and-runs-a-command")
def plink_password(scene):
    user = scene.user(password="plain 1", key=False)
    result = Plink(scene, OurServer(scene), user, password="plain 1").run("id -un")
    equal((result.text, result.status), (f"{user.name}\n", 0), "output and status")


@case("plink.wrong-password-is-refused")
def plink_wrong(scene):
    user = scene.user(key=False)
    result = Plink(scene, OurServer(scene), user, password="wrong").run("id -un")
    equal((result.text, result.status), ("", 1), "output and status")


@case("plink.sorts-its-input-and-moves-16-mib-each-way-reports-10-18-19", seconds=90, cores=2)
def plink_data(scene):
    from harness.transfer import MIB, download, upload

    client = Plink(scene, OurServer(scene), scene.user())
    equal(client.run("sort", stdin=b"b\na\n").text, "a\nb\n", "the sorted lines")
    upload(client, 16 * MIB)
    download(client, 16 * MIB)


@case("plink.shell-on-a-pty")
def plink_pty(scene):
    client = Plink(scene, OurServer(scene), scene.user())
    result = client.run(before=["-t"], stdin=b"tty; echo WO''RKS; exit 5\n")
    contains(result.text, "/dev/pts/", "the terminal")
    contains(result.text, "WORKS", "the output")
    equal(result.status, 5, "the status")


@case("plink.rekeys-by-its-own-limit-report-8", seconds=90)
def plink_rekey(scene):
    from harness.transfer import MIB, round_trip

    client = Plink(scene, OurServer(scene), scene.user())
    # PuTTY's limit is a saved session's; a session of the command line is saved as a file
    folder = scene.home / ".putty" / "sessions"
    folder.mkdir(parents=True)
    (folder / "rekeying").write_text("RekeyBytes=1M\nProtocol=ssh\n")
    round_trip(client, 16 * MIB, before=["-load", "rekeying"])


# paramiko 2.12 has no cipher of the GCM or ChaCha20 kind.

def _paramiko_client(scene, user, server, **login):
    paramiko = _paramiko()
    client = paramiko.SSHClient()
    kind, blob = scene.public(server.host_key).split()[:2]
    import base64
    key = paramiko.Ed25519Key(data=base64.b64decode(blob))
    client.get_host_keys().add(f"[127.0.0.1]:{server.port}", kind, key)
    client.connect("127.0.0.1", server.port, user.name, allow_agent=False, look_for_keys=False, timeout=15, **login)
    scene.on_exit(client.close)
    return client


@case("paramiko-client.logs-in-by-key-and-runs-a-command")
def paramiko_key(scene):
    user = scene.user()
    client = _paramiko_client(scene, user, OurServer(scene), key_filename=str(user.key))
    _, out, err = client.exec_command("id -un; echo err >&2; exit 7")
    equal((out.read(), err.read(), out.channel.recv_exit_status()), (f"{user.name}\n".encode(), b"err\n", 7),
          "output, error, status")


@case("paramiko-client.logs-in-by-password-and-has-two-sessions-on-one-connection")
def paramiko_password(scene):
    user = scene.user(key=False)
    client = _paramiko_client(scene, user, OurServer(scene), password=user.password)
    first_in, first_out, _ = client.exec_command("cat")
    _, second_out, _ = client.exec_command("echo second")
    equal(second_out.read(), b"second\n", "the second session's output")
    first_in.write("first")
    first_in.channel.shutdown_write()
    equal(first_out.read(), b"first", "the first session's output")


@case("paramiko-client.wrong-password-is-refused")
def paramiko_wrong(scene):
    user = scene.user(key=False)
    server = OurServer(scene)
    try:
        _paramiko_client(scene, user, server, password="wrong")
    except _paramiko().AuthenticationException:
        return
    check(False, "paramiko logged in by a wrong password")


@case("paramiko-client.unknown-requests-are-answered-and-a-long-command-spares-the-session-reports-18-19-20")
def paramiko_requests(scene):
    user = scene.user()
    paramiko = _paramiko()
    client = _paramiko_client(scene, user, OurServer(scene), key_filename=str(user.key))
    transport = client.get_transport()
    equal(transport.global_request("no-such-thing@interop", wait=True), None, "the reply to an unknown global request")
    try:
        transport.open_channel("no-such-kind@interop")
        check(False, "a channel of an unknown kind was opened")
    except paramiko.ChannelException as refused:
        equal(refused.code, 3, "the code (SSH_OPEN_UNKNOWN_CHANNEL_TYPE)")
    try:
        client.exec_command("echo " + "x" * 21713)[1].read()
    except paramiko.SSHException:
        pass  # that request may fail
    equal(client.exec_command("echo second")[1].read(), b"second\n", "the output of another channel")


@case("paramiko-client.exit-signal-pty-and-window-change")
def paramiko_pty(scene):
    user = scene.user()
    client = _paramiko_client(scene, user, OurServer(scene), key_filename=str(user.key))
    channel = client.get_transport().open_session()
    channel.get_pty("xterm", 90, 30)
    channel.exec_command("stty size; read line; stty size")
    check(channel.recv(100).startswith(b"30 90"), "the first size")
    channel.resize_pty(100, 40)
    channel.send(b"\n")
    data = b""
    while more := channel.recv(100):
        data += more
    contains(data, b"40 100", "the second size")
    equal(client.exec_command("kill -TERM $$")[1].channel.recv_exit_status(), -1, "no status after death by signal")


@case("paramiko-client.rekeys-in-mid-transfer-report-8", seconds=90, cores=2)
def paramiko_rekey(scene):
    user = scene.user()
    client = _paramiko_client(scene, user, OurServer(scene), key_filename=str(user.key))
    channel = client.get_transport().open_session()
    channel.exec_command("head -c 8000000 /dev/zero | tr '\\0' x")
    count, rekeys = 0, 0
    while data := channel.recv(65536):
        count += len(data)
        if count > (rekeys + 1) * 1_000_000 and rekeys < 5:
            rekeys += 1
            client.get_transport().renegotiate_keys()
    equal((count, rekeys), (8_000_000, 5), "bytes and rekeys")


# asyncssh

def _with_asyncssh(scene, work, user, server, **login):
    """Runs the coroutine function `work` with a connection."""
    asyncssh = _asyncssh()
    kind, blob = scene.public(server.host_key).split()[:2]
    known = asyncssh.import_known_hosts(f"[127.0.0.1]:{server.port} {kind} {blob}\n")

    async def main():
        async with asyncssh.connect("127.0.0.1", server.port, username=user.name, known_hosts=known, config=None,
                                    agent_path=None, **({"client_keys": None} | login)) as connection:
            await work(connection)
    asyncio.run(asyncio.wait_for(main(), 45))


@case("asyncssh-client.logs-in-by-key-and-runs-a-command")
def asyncssh_key(scene):
    user = scene.user()

    async def work(connection):
        done = await connection.run("id -un; echo err >&2; exit 7")
        equal((done.stdout, done.stderr, done.exit_status), (f"{user.name}\n", "err\n", 7), "output, error, status")
    _with_asyncssh(scene, work, user, OurServer(scene), client_keys=[str(user.key)])


@case("asyncssh-client.logs-in-by-password-and-runs-a-command")
def asyncssh_password(scene):
    user = scene.user(key=False)

    async def work(connection):
        equal((await connection.run("id -un")).stdout, f"{user.name}\n", "the output")
    _with_asyncssh(scene, work, user, OurServer(scene), password=user.password)


@case("asyncssh-client.signals-and-exit-signals-rfc4254-6.9-6.10")
def asyncssh_signals(scene):
    user = scene.user()

    async def work(connection):
        process = await connection.create_process("trap 'echo got it; exit 4' TERM; echo ready; while :; do sleep 0.05; done")
        equal(await process.stdout.readline(), "ready\n", "the first line")
        process.send_signal("TERM")
        done = await process.wait()
        equal((done.stdout, done.exit_status), ("got it\n", 4), "output and status after TERM")
        process = await connection.create_process("exec sleep 60")
        await asyncio.sleep(0.3)
        process.send_signal("KILL")
        done = await process.wait()
        equal(done.exit_signal[0], "KILL", "the exit signal")
    _with_asyncssh(scene, work, user, OurServer(scene), client_keys=[str(user.key)])


@case("asyncssh-client.pty-window-change-and-two-sessions-at-once")
def asyncssh_pty(scene):
    user = scene.user()

    async def work(connection):
        process = await connection.create_process("stty size; read line; stty size", term_type="xterm", term_size=(90, 30))
        contains(await process.stdout.readline(), "30 90", "the first size")
        process.change_terminal_size(100, 40)
        process.stdin.write("\n")
        contains((await process.wait()).stdout, "40 100", "the second size")
        for _ in range(5):  # two at once, for the smallest profile has few channels
            done = await asyncio.gather(*(connection.run(f"sleep 0.1; echo {number}") for number in range(2)))
            equal([each.stdout for each in done], ["0\n", "1\n"], "the outputs of two sessions at once")
    _with_asyncssh(scene, work, user, OurServer(scene), client_keys=[str(user.key)])


@case("asyncssh-client.rekeys-every-mib-each-cipher-both-ways-report-8", seconds=90, cores=2)
def asyncssh_rekey(scene):
    user = scene.user()
    server = OurServer(scene)
    for cipher in ("chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com", "aes256-gcm@openssh.com"):
        async def work(connection):
            data = bytes(range(256)) * 16384
            done = await connection.run("cat", input=data, encoding=None)
            check(done.stdout == data, f"4 MiB through cat with {cipher}")
        _with_asyncssh(scene, work, user, server, client_keys=[str(user.key)], encryption_algs=[cipher], rekey_bytes=1 << 20)


@case("asyncssh-client.idle-connection-rekeys-by-time-and-keeps-alive-report-8")
def asyncssh_idle(scene):
    user = scene.user()

    async def work(connection):
        await asyncio.sleep(4)
        equal((await connection.run("echo awake")).stdout, "awake\n", "the output")
    _with_asyncssh(scene, work, user, OurServer(scene), client_keys=[str(user.key)], rekey_seconds=1, keepalive_interval=1)
