"""Much data between OpenSSH's ssh and our server, each cipher and key exchange, with and without rekeys (report 8)."""

from cases.server_exec import logged_in
from harness.checks import between, contains, equal
from harness.clients import OpenSsh
from harness.registry import case
from harness.relay import Relay
from harness.servers import OurServer
from harness.transfer import GIB, MIB, download, round_trip, upload

CIPHERS = ("chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com", "aes256-gcm@openssh.com")
KEX = ("curve25519-sha256", "curve25519-sha256@libssh.org")


@case("openssh-client.download-of-1-gib-is-equal", seconds=120, cores=2)
def download_gibibyte(scene):
    download(logged_in(scene), GIB)


@case("openssh-client.upload-of-1-gib-is-equal", seconds=120, cores=2)
def upload_gibibyte(scene):
    upload(logged_in(scene), GIB)


@case("openssh-client.round-trip-of-256-mib-both-ways-at-once-is-equal", seconds=120, cores=2)
def round_trip_at_once(scene):
    round_trip(logged_in(scene), 256 * MIB)


def _with_cipher(cipher: str):
    @case(f"openssh-client.cipher-{cipher}-64-mib-each-way", seconds=90, cores=2)
    def each_way(scene):
        user = scene.user()
        relay = Relay(scene, OurServer(scene))
        OpenSsh(scene, relay, user, ["-c", cipher]).run("true")
        agreed = relay.agreed()
        equal((agreed["cipher-up"], agreed["cipher-down"]), (cipher, cipher), "the ciphers agreed on")
        client = logged_in(scene)
        client.options += ["-c", cipher]
        download(client, 64 * MIB)
        upload(client, 64 * MIB)

    @case(f"openssh-client.cipher-{cipher}-rekeys-every-mib-both-ways-at-once-report-8", seconds=90, cores=2)
    def rekeys(scene):
        client = logged_in(scene)
        client.options += ["-c", cipher]
        round_trip(client, 32 * MIB, before=["-o", "RekeyLimit=1M"])


def _with_kex(kex: str):
    @case(f"openssh-client.kex-{kex}-rfc8731")
    def exchange(scene):
        user = scene.user()
        relay = Relay(scene, OurServer(scene))
        client = OpenSsh(scene, relay, user, ["-o", f"KexAlgorithms={kex}"])
        equal(client.run("echo in").text, "in\n", "the command's output")
        equal((relay.agreed()["kex"], relay.agreed()["host-key"]), (kex, "ssh-ed25519"), "what was agreed on")


for _cipher in CIPHERS:
    _with_cipher(_cipher)
for _kex in KEX:
    _with_kex(_kex)


@case("openssh-client.download-rekeys-every-mib-report-8", seconds=90, cores=2)
def download_rekeys(scene):
    client = logged_in(scene)
    download(client, 64 * MIB, before=["-o", "RekeyLimit=1M", "-v"])
    between(_key_exchanges(scene), 30, 300, "key exchanges that ssh -v saw")


@case("openssh-client.upload-rekeys-every-mib-report-8", seconds=90, cores=2)
def upload_rekeys(scene):
    client = logged_in(scene)
    upload(client, 64 * MIB, before=["-o", "RekeyLimit=1M", "-v"])
    between(_key_exchanges(scene), 30, 300, "key exchanges that ssh -v saw")


@case("openssh-client.an-idle-shell-rekeys-by-time-report-8")
def rekey_idle(scene):
    client = logged_in(scene)
    result = client.run("sleep 3; echo awake; sleep 2; echo again", before=["-o", "RekeyLimit=default 1s", "-v"])
    equal((result.text, result.status), ("awake\nagain\n", 0), "output and status")
    between(result.err.count("SSH2_MSG_NEWKEYS received"), 3, 20, "key exchanges that ssh -v saw")


@case("openssh-client.many-small-writes-arrive-whole-report-6", cores=2)
def small_writes(scene):
    client = logged_in(scene)
    script = "import os\nfor i in range(60000): os.write(1, b'%05d\\n' % i)"
    result = client.run(f"/usr/bin/python3 -c \"{script}\"", seconds=50)
    equal(result.out, b"".join(b"%05d\n" % number for number in range(60000)), "the lines")


@case("openssh-client.strict-key-exchange-is-agreed-on")
def strict_kex(scene):
    user = scene.user()
    relay = Relay(scene, OurServer(scene))
    result = OpenSsh(scene, relay, user).run("true", before=["-vvv"])
    ours, theirs = relay.offered()
    contains(theirs[0], "kex-strict-s-v00@openssh.com", "the server's key-exchange list")
    contains(result.err, "will use strict KEX ordering", "ssh -vvv")
    contains(result.err, "server-sig-algs=<", "ssh -vvv (RFC 8308)")


def _key_exchanges(scene) -> int:
    return max(process.err.count("SSH2_MSG_NEWKEYS received") for process in scene.processes)
