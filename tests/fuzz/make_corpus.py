#!/usr/bin/python3
"""Makes corpus/: where the fuzzers begin. Messages as real peers send them, in the form that each target reads.

    make_corpus.py            (needs python3-cryptography and ssh-keygen)
"""

import hmac
import os
import struct
import subprocess
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.poly1305 import Poly1305

CORPUS = Path(__file__).resolve().parent / "corpus"


def put(target: str, name: str, *parts: bytes):
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    (CORPUS / target / name).write_bytes(b"".join(parts))


def u32(value: int) -> bytes:
    return struct.pack(">I", value)


def string(value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return u32(len(value)) + value


BLOB = string("ssh-ed25519") + string(bytes(range(32)))
KEX = "sntrup761x25519-sha512@openssh.com,curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256"
CIPHERS = "chacha20-poly1305@openssh.com,aes128-ctr,aes192-ctr,aes256-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com"
MACS = "umac-64-etm@openssh.com,hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha1"


def kexinit(client: bool, kex: str = KEX, ciphers: str = CIPHERS, follows: bool = False) -> bytes:
    markers = ",ext-info-c,kex-strict-c-v00@openssh.com" if client else ",kex-strict-s-v00@openssh.com"
    lists = [kex + markers, "ssh-ed25519-cert-v01@openssh.com,ssh-ed25519,rsa-sha2-512", ciphers, ciphers, MACS, MACS,
             "none,zlib@openssh.com", "none,zlib@openssh.com", "", ""]
    return b"\x14" + bytes(range(16)) + b"".join(map(string, lists)) + bytes([follows]) + u32(0)


def framed(payload: bytes, block: int = 8, counted: int = 4) -> bytes:
    padding = 4 + -(len(payload) + 1 + 4 + counted) % block
    return u32(1 + len(payload) + padding) + bytes([padding]) + payload + bytes(padding)


# fuzz_packets: a choice (1 client, 2 identified, then the cipher's number, 128 MAC before encryption), then pieces, each after its length less one.
def pieces(data: bytes, size: int = 256) -> bytes:
    return b"".join(bytes([len(part) - 1]) + part for part in (data[i:i + size] for i in range(0, len(data), size)))


def gcm(payloads: list[bytes], key: int) -> bytes:
    sealed = b""
    for number, payload in enumerate(payloads):
        packet = framed(payload, 16, 0)
        nonce = bytes(4) + struct.pack(">Q", number)
        sealed += packet[:4] + AESGCM(bytes(key)).encrypt(nonce, packet[4:], packet[:4])
    return sealed


def chacha(payloads: list[bytes]) -> bytes:
    sealed = b""
    for number, payload in enumerate(payloads):
        stream = lambda counter: Cipher(algorithms.ChaCha20(bytes(32), struct.pack("<QQ", counter, 0)[:8] +
                                                            struct.pack(">Q", number)), None).encryptor()
        packet = framed(payload, 8, 0)
        body = stream(0).update(packet[:4]) + stream(1).update(packet[4:])
        sealed += body + Poly1305.generate_tag(stream(0).update(bytes(32)), body)
    return sealed


def ctr(payloads: list[bytes], key: int, etm: bool) -> bytes:
    stream = Cipher(algorithms.AES(bytes(key)), modes.CTR(bytes(16))).encryptor()
    sealed = b""
    for number, payload in enumerate(payloads):
        packet = framed(payload, 16, 0 if etm else 4)
        body = packet[:4] + stream.update(packet[4:]) if etm else stream.update(packet)
        sealed += body + hmac.digest(bytes(32), u32(number) + (body if etm else packet), "sha256")
    return sealed


def packets():
    hello = b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"
    some = [b"\x05" + string("ssh-userauth"), b"\x02" + string(bytes(100)), b"\x5e" + u32(0) + string(bytes(600))]
    put("fuzz_packets", "identification_then_clear", b"\x00", pieces(hello + framed(kexinit(True))))
    put("fuzz_packets", "lines_before", b"\x01", pieces(b"Welcome\r\nto\nhost\r\n" + hello + framed(b"\x02" + string("x")), 7))
    for cipher in range(6):
        choice = bytes([2 | cipher << 2])
        put("fuzz_packets", f"cipher{cipher}_as_chacha", choice, pieces(chacha(some)))
        put("fuzz_packets", f"cipher{cipher}_as_gcm128", choice, pieces(gcm(some, 16)))
        put("fuzz_packets", f"cipher{cipher}_as_gcm256", choice, pieces(gcm(some, 32), 19))
    for number, size in ((4, 16), (5, 32)):
        put("fuzz_packets", f"ctr{size * 8}_etm", bytes([2 | number << 2]), pieces(ctr(some, size, True)))
        put("fuzz_packets", f"ctr{size * 8}_mac", bytes([130 | number << 2]), pieces(ctr(some, size, False)))


# A byte string after its length in two bytes: the high eight bits, the low four.
def block(body: bytes) -> bytes:
    return bytes([len(body) >> 4, len(body) & 15]) + body


# fuzz_key_exchange: a role (1 client), then messages.
def messages(*payloads: bytes) -> bytes:
    return b"".join(map(block, payloads))


def key_exchange():
    init = b"\x1e" + string(bytes([9]) + bytes(31))
    hybrid = b"\x1e" + string(bytes(1184 + 32))
    reply = b"\x1f" + string(BLOB) + string(bytes([9]) + bytes(31)) + string(string("ssh-ed25519") + string(bytes(64)))
    put("fuzz_key_exchange", "server_curve25519", b"\x00", messages(kexinit(True), init, b"\x15"))
    put("fuzz_key_exchange", "server_hybrid", b"\x00", messages(kexinit(True, "mlkem768x25519-sha256," + KEX), hybrid, b"\x15"))
    put("fuzz_key_exchange", "server_wrong_guess", b"\x00", messages(kexinit(True, follows=True), hybrid, init, b"\x15"))
    put("fuzz_key_exchange", "client_curve25519", b"\x01", messages(kexinit(False), reply, b"\x15"))
    put("fuzz_key_exchange", "client_disconnect", b"\x01", messages(b"\x01" + u32(2) + string("no") + string("")))
    put("fuzz_key_exchange", "no_common_cipher", b"\x00", messages(kexinit(True, ciphers="none")))


# fuzz_auth: a role (1 server). Server: a message and its answer, again and again.
def auth():
    def requests(*bodies: bytes) -> bytes:
        return b"".join(block(body) + b"\x00" for body in bodies)
    head = string("ada") + string("ssh-connection")
    key = string("publickey")
    signature = string("ssh-ed25519") + string(bytes(64))
    put("fuzz_auth", "server_all_methods", b"\x01", requests(
        head + string("none"),
        head + string("password") + b"\x00" + string("secret"),
        head + key + b"\x00" + string("ssh-ed25519") + string(BLOB),
        head + key + b"\x01" + string("ssh-ed25519") + string(BLOB) + string(signature)))
    put("fuzz_auth", "server_password_change", b"\x01", requests(head + string("password") + b"\x01" + string("a") + string("b")))
    put("fuzz_auth", "server_keyboard_interactive", b"\x01", requests(head + string("keyboard-interactive") + string("") + string("")))
    # Client: a choice and a body.
    step = lambda choice, body=b"": bytes([choice]) + block(body)
    failure = string("publickey,password") + b"\x00"
    put("fuzz_auth", "client_password", b"\x00", step(0), step(5, failure), step(7, string("hello") + string("")),
        step(1, b"secret"), step(6))
    put("fuzz_auth", "client_key", b"\x00", step(2, BLOB), step(8, string("ssh-ed25519") + string(BLOB)),
        step(3, BLOB), step(4, signature), step(6))


# fuzz_connection: role and window, then choice, channel, amount, message.
def connection():
    numbers = {"global": 0, "success": 1, "failure": 2, "open": 3, "confirm": 4, "refuse": 5, "adjust": 6, "data": 7,
               "extended": 8, "eof": 9, "close": 10, "request": 11, "ok": 12, "no": 13}
    call = lambda choice, channel=0, amount=0: bytes([choice, channel, amount])
    message = lambda name, body=b"": call(numbers[name], 0, len(body)) + body
    opened = message("open", string("session") + u32(5) + u32(100_000) + u32(32_768)) + call(20)
    request = lambda kind, fields=b"", reply=1: message("request", u32(0) + string(kind) + bytes([reply]) + fields)
    pty = string("xterm") + u32(80) + u32(24) + u32(0) + u32(0) + string(b"\x03" + u32(1) + b"\x00")
    put("fuzz_connection", "server_shell", b"\x02", opened, request("pty-req", pty), call(22, 0, 1),
        request("env", string("LANG") + string("C")), request("shell"), call(22, 0, 1), message("data", u32(0) + string("ls\n")),
        call(25, 0, 200), message("adjust", u32(0) + u32(1_000)), request("window-change", u32(1) * 4, 0),
        request("signal", string("TERM"), 0), message("eof", u32(0)), call(28), call(26), call(27), message("close", u32(0)))
    put("fuzz_connection", "server_exec", b"\xfe", opened, request("exec", string("true")), call(22, 0, 1), call(25, 0, 9),
        call(28), call(26), call(27), call(31), message("close", u32(0)))
    put("fuzz_connection", "server_keepalive", b"\x02", message("global", string("keepalive@openssh.com") + b"\x01"))
    put("fuzz_connection", "server_forwarding", b"\x02", message("open", string("direct-tcpip") + u32(5) + u32(9) + u32(9) +
        string("localhost") + u32(22) + string("127.0.0.1") + u32(9)), message("global", string("tcpip-forward") + b"\x01" + string("") + u32(0)))
    put("fuzz_connection", "client_exec", b"\x03", call(29), message("confirm", u32(0) + u32(7) + u32(100_000) + u32(32_768)),
        call(30), message("ok", u32(0)), message("data", u32(0) + string(bytes(40))), message("extended", u32(0) + u32(1) + string("e")),
        request("exit-status", u32(7), 0), request("exit-signal", string("KILL") + b"\x00" + string("") + string(""), 0),
        message("eof", u32(0)), message("close", u32(0)), call(23, 0, 40), call(27), call(31))
    put("fuzz_connection", "client_refused", b"\x03", call(29), message("refuse", u32(0) + u32(1) + string("no") + string("")))


# fuzz_key_files: 0 a blob and a signature, 1 a file, 2 the binary inside a file.
def key_files():
    import base64
    put("fuzz_key_files", "verify", b"\x00", BLOB, string("ssh-ed25519") + string(bytes(64)))
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("plain", ["-N", ""]), ("encrypted", ["-N", "secret"])):
            path = os.path.join(folder, name)
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-C", "fuzz", "-f", path, *options], check=True)
            text = Path(path).read_text()
            put("fuzz_key_files", f"openssh_{name}", b"\x01", text.encode())
            put("fuzz_key_files", f"binary_{name}", b"\x02", base64.b64decode("".join(text.splitlines()[1:-1])))
    put("fuzz_key_files", "dropbear", b"\x01", string("ssh-ed25519") + string(bytes(range(64))))


def authorized_keys():
    key = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
    put("fuzz_authorized_keys", "plain", b"\x20", b"# comment\n\n", key, b" ada@host\n")
    put("fuzz_authorized_keys", "options", b"\xff", b'restrict,pty,command="echo \\"hi\\"",environment="A=b",from="192.0.2.0/24,!192.0.2.9,*.org" ',
        key, b"\n", b'expiry-time="20300101",permitopen="h:22",no-pty,tunnel="1" ', key)
    put("fuzz_authorized_keys", "broken", b"\x03", b'command="never closed ', key, b"\n", b"from=\"1.2.3.4/99\" ", key, b"\r\n", b"ssh-rsa AAAA\n")


if __name__ == "__main__":
    for make in (packets, key_exchange, auth, connection, key_files, authorized_keys):
        make()
