#!/usr/bin/env python3
"""A client of mlkem768x25519-sha256 by an independent implementation (python3-cryptography 47 or later, over
OpenSSL or AWS-LC): what it sends, a server's answer to it, and the secret of both, also of an answer whose
ciphertext was damaged on the way (FIPS 203, 6.3: a secret all the same). Prints hybrid_vectors.inc; the answer
is new in every run."""
import hashlib
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

SEED = bytes(range(64))
SCALAR = bytes(range(64, 96))
SERVER_SCALAR = bytes(range(96, 128))


def array(name, data):
    lines = [", ".join("0x%02x" % b for b in data[i : i + 20]) for i in range(0, len(data), 20)]
    print("inline constexpr unsigned char %s[] = {\n    %s};" % (name, ",\n    ".join(lines)))


client = MLKEM768PrivateKey.from_seed_bytes(SEED)
client_x = X25519PrivateKey.from_private_bytes(SCALAR)
server_x = X25519PrivateKey.from_private_bytes(SERVER_SCALAR)
client_share = client.public_key().public_bytes_raw() + client_x.public_key().public_bytes_raw()
secret, ciphertext = client.public_key().encapsulate()
assert client.decapsulate(ciphertext) == secret
exchanged = server_x.exchange(X25519PublicKey.from_public_bytes(client_share[1184:]))
damaged = bytes([ciphertext[0] ^ 1]) + ciphertext[1:]

print("// Made by make_hybrid_vectors.py.")
array("hybrid_random", SEED + SCALAR)
array("hybrid_client_share_sha256", hashlib.sha256(client_share).digest())
array("hybrid_server_share", ciphertext + server_x.public_key().public_bytes_raw())
array("hybrid_secret", hashlib.sha256(secret + exchanged).digest())
array("hybrid_secret_of_damaged_share", hashlib.sha256(client.decapsulate(damaged) + exchanged).digest())
