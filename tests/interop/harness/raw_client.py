"""An SSH client that does only what a case tells it to, right or wrong, message by message.

curve25519-sha256, ssh-ed25519, aes128-gcm@openssh.com or aes128-ctr with hmac-sha2-256; RFC 4252 and 4254 only as far as the
cases need.
"""

import hashlib
import hmac
import os
import socket
import struct
import time

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import load_ssh_private_key

from .checks import Failure, check, equal
from .wire import Reader, boolean, mpint, string, u32

DISCONNECT, IGNORE, UNIMPLEMENTED, DEBUG, SERVICE_REQUEST, SERVICE_ACCEPT, EXT_INFO = 1, 2, 3, 4, 5, 6, 7
KEXINIT, NEWKEYS, KEX_ECDH_INIT, KEX_ECDH_REPLY = 20, 21, 30, 31
USERAUTH_REQUEST, USERAUTH_FAILURE, USERAUTH_SUCCESS, USERAUTH_BANNER = 50, 51, 52, 53
GLOBAL_REQUEST, REQUEST_SUCCESS, REQUEST_FAILURE = 80, 81, 82
CHANNEL_OPEN, CHANNEL_OPEN_CONFIRMATION, CHANNEL_OPEN_FAILURE, CHANNEL_WINDOW_ADJUST = 90, 91, 92, 93
CHANNEL_DATA, CHANNEL_EXTENDED_DATA, CHANNEL_EOF, CHANNEL_CLOSE = 94, 95, 96, 97
CHANNEL_REQUEST, CHANNEL_SUCCESS, CHANNEL_FAILURE = 98, 99, 100

reader = Reader


class Closed(Exception):
    """The peer closed the connection."""


class RawClient:
    def __init__(self, scene, server, source: str | None = None, seconds: float = 15):
        self.server = server
        self.socket = socket.create_connection((server.address, server.port), seconds, (source, 0) if source else None)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        scene.on_exit(self.socket.close)
        self._host_blob = Reader(_blob(scene.public(server.host_key)))
        self._buffer = b""
        self._seal = self._open = _Plain()  # the cipher of each direction
        self._sent = self._received = 0  # sequence numbers
        self.session_id = None
        self.ours, self.theirs = b"SSH-2.0-interop_raw", b""
        self.channels = 0
        self.rekeys = 0
        self.requests: list[str] = []  # the server's global requests
        self.opened: dict[int, RawChannel] = {}
        self._waiting: list[bytes] = []
        self.kex_names = ["curve25519-sha256"]
        self.host_key_names = ["ssh-ed25519"]
        self.cipher_names = ["aes128-gcm@openssh.com", "aes128-ctr"]
        self.strict = False

    def close(self):
        self.socket.close()

    # RFC 4253, 4.2

    def exchange_identification(self):
        self.socket.sendall(self.ours + b"\r\n")
        self.theirs = self.read_line().rstrip(b"\r\n")

    def read_line(self) -> bytes:
        while b"\n" not in self._buffer:
            self._fill()
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line + b"\n"

    # RFC 4253, 6: binary packets

    def send(self, payload: bytes):
        self.send_raw(self.packet(payload))

    def send_raw(self, data: bytes):
        self.socket.sendall(data)

    def packet(self, payload: bytes) -> bytes:
        block, counted = self._seal.block, 5 if self._seal.length_counts else 1
        padding = block - (len(payload) + counted) % block
        padding += block if padding < 4 else 0
        body = bytes([padding]) + payload + bytes(padding)
        self._sent += 1
        return self._seal.seal(self._sent - 1, u32(len(body)), body)

    def receive_any(self) -> bytes:
        """The next message, whatever it is."""
        length_bytes = self._open.open_length(self._take(4))
        length = struct.unpack(">I", length_bytes)[0]
        check(length <= 1 << 20, f"the server sent a packet length of {length}")
        try:
            body = self._open.open(self._received, length_bytes, self._take(length + self._open.tag))
        except InvalidTag:
            raise Failure("the server sent a packet with a wrong tag") from None
        self._received += 1
        return body[1:length - body[0]]

    def receive(self) -> bytes:
        """The next message that a case wants to see; the others are dealt with."""
        while True:
            message = self._waiting.pop(0) if self._waiting else self.receive_any()
            if not self._dealt_with(message):
                return message

    def _dealt_with(self, message: bytes) -> bool:
        """IGNORE and the like are dropped, a rekey is done, a request of the server's refused, an adjust added up."""
        if message[0] == KEXINIT and self.session_id:
            self.exchange_keys(their_init=message)
        elif message[0] == GLOBAL_REQUEST:
            self._refuse(message)
        elif message[0] == CHANNEL_WINDOW_ADJUST:
            fields = Reader(message[1:])
            channel = self.opened.get(fields.u32())
            check(channel, f"a window adjust for a channel that is not open: {message!r}")
            channel.window += fields.u32()
            check(channel.window < 1 << 32, "the server's window passes 2^32-1")
        else:
            return message[0] in (IGNORE, DEBUG, EXT_INFO, USERAUTH_BANNER)
        return True

    def wait_for_window(self, channel: "RawChannel"):
        """Reads until the channel may send again; other messages wait for receive()."""
        while channel.window == 0:
            message = self.receive_any()
            if not self._dealt_with(message):
                self._waiting.append(message)

    def expect(self, number: int, what: str = "") -> Reader:
        """The next message, which has to be of this number; the reader stands behind the number."""
        message = self.receive()
        if message[0] != number:
            raise Failure(f"expected message {number} {what}, got {describe(message)}")
        fields = Reader(message)
        fields.byte()
        return fields

    def _refuse(self, request: bytes):
        fields = Reader(request[1:])
        self.requests.append(fields.string().decode())
        if fields.boolean():
            self.send(bytes([REQUEST_FAILURE]))

    def expect_end(self, seconds: float = 10) -> bytes | None:
        """The peer has to end the connection; returns its DISCONNECT if it sent one."""
        end = time.monotonic() + seconds
        disconnect = None
        self.socket.settimeout(seconds)
        try:
            while time.monotonic() < end:
                message = self.receive_any()
                if message[0] == DISCONNECT:
                    disconnect = message
        except (Closed, ConnectionError):
            return disconnect
        except TimeoutError:
            pass
        raise Failure(f"the server did not end the connection within {seconds} s")

    def alive(self) -> bool:
        """Whether the server still answers; asks by a global request that nobody knows."""
        try:
            self.send(bytes([GLOBAL_REQUEST]) + string("alive@interop") + boolean(True))
            self.expect(REQUEST_FAILURE)
            return True
        except (Closed, ConnectionError):
            return False

    # RFC 4253, 7 and 8: key exchange

    def kexinit(self, follows: bool = False) -> bytes:
        kex = self.kex_names + (["kex-strict-c-v00@openssh.com"] if self.strict and not self.session_id else [])
        none, macs = string("none"), string("hmac-sha2-256")
        lists = [string(",".join(names)) for names in (kex, self.host_key_names, self.cipher_names, self.cipher_names)]
        return (bytes([KEXINIT]) + os.urandom(16) + b"".join(lists) + macs + macs + none + none + string("") + string("")
                + boolean(follows) + u32(0))

    def exchange_keys(self, their_init: bytes | None = None, before_reply: bytes = b"", our_init: bytes | None = None,
                      after_init: bytes = b"", before_newkeys: bytes = b"", init_is_sent: bool = False):
        """A whole key exchange. `after_init` and the like are messages sent in between, one each."""
        our_init = our_init or self.kexinit()
        if not init_is_sent:
            self.send(our_init)
        if after_init:
            self.send(after_init)
        if their_init is None:
            their_init = self.receive_until_kexinit()
        self.their_init = their_init
        secret = X25519PrivateKey.generate()
        public = _raw(secret)
        if before_reply:
            self.send(before_reply)
        self.send(bytes([KEX_ECDH_INIT]) + string(public))
        message = self._receive_in_exchange(KEX_ECDH_REPLY)
        blob, their_public, signature = message.string(), message.string(), message.string()
        shared = mpint(secret.exchange(X25519PublicKey.from_public_bytes(their_public)))
        digest = hashlib.sha256(string(self.ours) + string(self.theirs) + string(our_init) + string(their_init)
                                + string(blob) + string(public) + string(their_public) + shared).digest()
        self._verify(blob, signature, digest)
        first = self.session_id is None
        self.session_id = self.session_id or digest
        if before_newkeys:
            self.send(before_newkeys)
        self.send(bytes([NEWKEYS]))
        cipher = self._cipher(their_init)
        self._seal = cipher(*(self._derive(shared, digest, letter) for letter in (b"C", b"A", b"E")))
        self._receive_in_exchange(NEWKEYS)
        self._open = cipher(*(self._derive(shared, digest, letter) for letter in (b"D", b"B", b"F")))
        if self.strict and "kex-strict-s-v00@openssh.com" in _lists(their_init)[0]:
            self._sent = self._received = 0
        self.rekeys += not first

    def receive_until_kexinit(self) -> bytes:
        """What was on its way before the server's KEXINIT is dropped."""
        while True:
            message = self.receive_any()
            if message[0] == KEXINIT:
                return message
            self.dropped = message

    def _receive_in_exchange(self, number: int) -> Reader:
        while True:
            message = self.receive_any()
            if message[0] in (IGNORE, DEBUG):
                continue
            if message[0] != number:
                raise Failure(f"expected message {number} in the key exchange, got {describe(message)}")
            fields = Reader(message)
            fields.byte()
            return fields

    def _cipher(self, their_init: bytes):
        theirs = _lists(their_init)[2]
        name = next((name for name in self.cipher_names if name in theirs), None)
        check(name, f"the server offers none of {self.cipher_names} but {theirs}")
        return _Gcm if "gcm" in name else _Ctr

    def _derive(self, shared: bytes, digest: bytes, letter: bytes) -> bytes:
        return hashlib.sha256(shared + digest + letter + self.session_id).digest()

    def _verify(self, blob: bytes, signature: bytes, digest: bytes):
        known = Reader(self._host_blob._data)
        equal(blob, known._data, "the host key")
        known.string()
        fields = Reader(signature)
        equal(fields.string(), b"ssh-ed25519", "the name in the signature")
        Ed25519PublicKey.from_public_bytes(known.string()).verify(fields.string(), digest)

    # RFC 4252: logging in

    def begin_authentication(self):
        self.exchange_identification()
        self.exchange_keys()
        self.send(bytes([SERVICE_REQUEST]) + string("ssh-userauth"))
        self.expect(SERVICE_ACCEPT)

    def send_password(self, user: str, password: str):
        self.send(bytes([USERAUTH_REQUEST]) + string(user) + string("ssh-connection") + string("password")
                  + boolean(False) + string(password))

    def send_key(self, user: str, key, signed: bool = True, spoil: bool = False):
        """A publickey request, the query when not signed; a spoiled one has a wrong signature."""
        private = load_ssh_private_key(key.read_bytes(), None)
        blob = _blob(open(f"{key}.pub").read())
        request = (bytes([USERAUTH_REQUEST]) + string(user) + string("ssh-connection") + string("publickey")
                   + boolean(signed) + string("ssh-ed25519") + string(blob))
        if signed:
            signature = bytearray(private.sign(string(self.session_id) + request))
            signature[5] ^= spoil
            request += string(string("ssh-ed25519") + string(bytes(signature)))
        self.send(request)

    def log_in(self, user):
        """The whole way to a session of this user, by its key."""
        self.begin_authentication()
        self.send_key(user.name, user.key)
        self.expect(USERAUTH_SUCCESS, "after a good key")
        return self

    # RFC 4254

    def open_channel(self, window: int = 2 << 20, packet: int = 32768, kind: str = "session") -> "RawChannel":
        number = self.channels
        self.channels += 1
        self.send(bytes([CHANNEL_OPEN]) + string(kind) + u32(number) + u32(window) + u32(packet))
        fields = self.expect(CHANNEL_OPEN_CONFIRMATION, f"for a channel of kind {kind}")
        equal(fields.u32(), number, "the channel's number")
        self.opened[number] = RawChannel(self, number, fields.u32(), fields.u32(), fields.u32())
        return self.opened[number]

    # The socket.

    def _fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise Closed
        self._buffer += data

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._fill()
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken


class RawChannel:
    """One channel of a raw client; `window` is what we may still send, `credit` what we gave."""

    def __init__(self, client: RawClient, ours: int, theirs: int, window: int, packet: int):
        self.client, self.ours, self.theirs, self.window, self.packet = client, ours, theirs, window, packet

    def request(self, name: str, want_reply: bool = True, fields: bytes = b""):
        self.client.send(bytes([CHANNEL_REQUEST]) + u32(self.theirs) + string(name) + boolean(want_reply) + fields)

    def exec(self, command: str):
        self.request("exec", True, string(command))
        equal(self.client.expect(CHANNEL_SUCCESS, "to exec").u32(), self.ours, "the channel")

    def send(self, data: bytes):
        """Data, the window kept count of but not obeyed."""
        self.window = max(0, self.window - len(data))
        self.client.send(bytes([CHANNEL_DATA]) + u32(self.theirs) + string(data))

    def adjust(self, count: int):
        self.client.send(bytes([CHANNEL_WINDOW_ADJUST]) + u32(self.theirs) + u32(count))

    def eof(self):
        self.client.send(bytes([CHANNEL_EOF]) + u32(self.theirs))

    def close(self):
        self.client.send(bytes([CHANNEL_CLOSE]) + u32(self.theirs))

    def finish(self, adjust: bool = True) -> "Finished":
        """Reads until the server closes the channel, giving credit back, and closes it too."""
        done = Finished()
        while True:
            message = self.client.receive()
            fields = Reader(message)
            number = fields.byte()
            if number == DISCONNECT:
                raise Failure(f"the server disconnected: {describe(message)}")
            if number < CHANNEL_OPEN_CONFIRMATION or fields.u32() != self.ours:
                continue
            done.order.append(number)
            if number == CHANNEL_DATA:
                data = fields.string()
                done.out += data
                done.largest = max(done.largest, len(data))
                if adjust:
                    self.adjust(len(data))
            elif number == CHANNEL_EXTENDED_DATA:
                fields.u32()
                data = fields.string()
                done.err += data
                if adjust:
                    self.adjust(len(data))
            elif number == CHANNEL_REQUEST:
                name, want_reply = fields.string(), fields.boolean()
                if name == b"exit-status":
                    done.status = fields.u32()
                elif name == b"exit-signal":
                    done.signal = fields.string().decode()
                if want_reply:
                    self.client.send(bytes([CHANNEL_FAILURE]) + u32(self.theirs))
            elif number == CHANNEL_CLOSE:
                self.close()
                return done


class Finished:
    """What a channel brought."""

    def __init__(self):
        self.out, self.err, self.largest = bytearray(), bytearray(), 0  # bytes; the largest packet's
        self.status, self.signal, self.order = None, None, []  # the order is that of the messages' numbers


class _Plain:
    """Before the first NEWKEYS."""

    block, length_counts, tag = 8, True, 0

    def seal(self, sequence: int, length: bytes, body: bytes) -> bytes:
        return length + body

    def open_length(self, length: bytes) -> bytes:
        return length

    def open(self, sequence: int, length: bytes, body: bytes) -> bytes:
        return body


class _Gcm:
    """RFC 5647: the length is authenticated and stays readable; the nonce's last 8 bytes count packets."""

    block, length_counts, tag = 16, False, 16

    def __init__(self, key: bytes, nonce: bytes, _mac_key: bytes):
        self._cipher, self._fixed = AESGCM(key[:16]), nonce[:4]
        self._counter = int.from_bytes(nonce[4:12], "big")

    def _nonce(self) -> bytes:
        nonce = self._fixed + struct.pack(">Q", self._counter)
        self._counter = (self._counter + 1) % (1 << 64)
        return nonce

    def seal(self, sequence: int, length: bytes, body: bytes) -> bytes:
        return length + self._cipher.encrypt(self._nonce(), body, length)

    def open_length(self, length: bytes) -> bytes:
        return length

    def open(self, sequence: int, length: bytes, body: bytes) -> bytes:
        return self._cipher.decrypt(self._nonce(), body, length)


class _Ctr:
    """RFC 4344 with RFC 6668: length and body are one stream, the MAC is over what it was before."""

    block, length_counts, tag = 16, True, 32

    def __init__(self, key: bytes, nonce: bytes, mac_key: bytes):
        # Encryption and decryption are the same.
        self._stream = Cipher(algorithms.AES(key[:16]), modes.CTR(nonce[:16])).encryptor()
        self._mac_key = mac_key

    def _mac(self, sequence: int, length: bytes, body: bytes) -> bytes:
        return hmac.digest(self._mac_key, u32(sequence) + length + body, "sha256")

    def seal(self, sequence: int, length: bytes, body: bytes) -> bytes:
        return self._stream.update(length + body) + self._mac(sequence, length, body)

    def open_length(self, length: bytes) -> bytes:
        return self._stream.update(length)

    def open(self, sequence: int, length: bytes, body: bytes) -> bytes:
        plain = self._stream.update(body[:-32])
        if self._mac(sequence, length, plain) != body[-32:]:
            raise InvalidTag
        return plain


def describe(message: bytes) -> str:
    if message[0] == DISCONNECT:
        fields = Reader(message)
        fields.byte()
        return f"DISCONNECT {fields.u32()} {fields.string().decode(errors='replace')!r}"
    return f"message {message[0]} {message[1:80]!r}"


def _lists(init: bytes) -> list[list[str]]:
    """The name-lists of a KEXINIT."""
    fields = Reader(init[17:])
    return [fields.names() for _ in range(10)]


def _blob(line: str) -> bytes:
    import base64
    return base64.b64decode(line.split()[1])


def _raw(secret: X25519PrivateKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    return secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
