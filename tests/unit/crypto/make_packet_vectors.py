#!/usr/bin/python3
"""Sealed SSH packets made by an independent implementation (python3-cryptography over OpenSSL), by the
text of PROTOCOL.chacha20poly1305, RFC 5647, RFC 4344 and RFC 6668. Prints packet_vectors.inc."""
import hashlib
import hmac
import struct
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.poly1305 import Poly1305

KEY = bytes(range(64))
IV = bytes(range(100, 112))
CTR_IV = bytes(range(100, 116))
MAC_KEY = bytes(range(32))


def chacha(key, block, sequence, data):
    nonce = struct.pack("<Q", block) + struct.pack(">Q", sequence)
    return Cipher(algorithms.ChaCha20(key, nonce), mode=None).encryptor().update(data)


def chacha_packet(sequence, packet):
    k2, k1 = KEY[:32], KEY[32:]
    sealed = chacha(k1, 0, sequence, packet[:4]) + chacha(k2, 1, sequence, packet[4:])
    return sealed + Poly1305.generate_tag(chacha(k2, 0, sequence, bytes(32)), sealed)


def gcm_packet(key, invocation, packet, iv=IV):
    counter = (struct.unpack(">Q", iv[4:])[0] + invocation) % 2**64
    return packet[:4] + AESGCM(key).encrypt(iv[:4] + struct.pack(">Q", counter), packet[4:], packet[:4])


class Ctr:
    """aes-ctr with hmac-sha2-256: of the packet in the clear, or (etm) of what is sent."""

    def __init__(self, key, etm, iv=CTR_IV):
        self.stream = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
        self.etm = etm

    def __call__(self, sequence, packet):
        clear = packet[:4] if self.etm else b""
        sealed = clear + self.stream.update(packet[len(clear) :])
        return sealed + hmac.digest(MAC_KEY, struct.pack(">I", sequence) + (sealed if self.etm else packet), "sha256")


def packet(payload, block, counted=0):
    padding = 4 + (-(counted + 1 + len(payload) + 4)) % block
    body = bytes([padding]) + payload + bytes(range(padding))
    return struct.pack(">I", len(body)) + body


def sealed_together(seal, block, counted=0):
    """SHA-256 of one packet of every length up to 2 kB and some larger, sealed one after the other."""
    whole = hashlib.sha256()
    lengths = list(range(block, 2049, block)) + [32768, 32784, 34992, 262144]
    for number, length in enumerate(padded - counted for padded in lengths):
        body = bytes((number + 5 * i) & 255 for i in range(length))
        whole.update(seal(number, struct.pack(">I", length) + body))
    return whole.digest()


def array(name, data):
    hexes = ", ".join("0x%02x" % b for b in data)
    print("inline constexpr unsigned char %s[] = {%s};" % (name, hexes))


payload = bytes((7 * i + 3) & 255 for i in range(61))
print("// Made by make_packet_vectors.py.")
for sequence in (0, 7, 0xFFFFFFFF):
    array("chacha_%u" % sequence, chacha_packet(sequence, packet(payload, 8)))
for bits in (128, 256):
    for invocation in (0, 1):
        array("gcm%d_%d" % (bits, invocation), gcm_packet(KEY[: bits // 8], invocation, packet(payload, 16)))
array("gcm128_wrapped", gcm_packet(KEY[:16], 1, packet(payload, 16), IV[:4] + b"\xff" * 8))
array("chacha_together", sealed_together(chacha_packet, 8))
array("gcm128_together", sealed_together(lambda i, p: gcm_packet(KEY[:16], i, p), 16))
array("gcm256_together", sealed_together(lambda i, p: gcm_packet(KEY[:32], i, p), 16))
for bits in (128, 256):
    array("ctr%d_mac" % bits, Ctr(KEY[: bits // 8], False)(7, packet(payload, 16, 4)))
    array("ctr%d_etm" % bits, Ctr(KEY[: bits // 8], True)(7, packet(payload, 16)))
    array("ctr%d_together" % bits, sealed_together(Ctr(KEY[: bits // 8], False), 16, 4))
    array("ctr%d_etm_together" % bits, sealed_together(Ctr(KEY[: bits // 8], True), 16))
array("ctr_carried", Ctr(KEY[:16], False, CTR_IV[:8] + b"\xff" * 8)(7, packet(payload, 16, 4)))
array("ctr_wrapped", Ctr(KEY[:16], False, b"\xff" * 16)(7, packet(payload, 16, 4)))
array("clear_16_counted", packet(payload, 16, 4))
array("clear_8", packet(payload, 8))
array("clear_16", packet(payload, 16))
