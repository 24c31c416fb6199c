#!/usr/bin/python3
"""A stream of bytes that no disk holds: `pattern.py make BYTES` writes it, `pattern.py sum` reads one.

Both end with a line `BYTES SHA-256`: make on standard error, sum on standard output.
"""

import hashlib
import os
import sys

_BLOCK = 1 << 17


def make(size: int):
    import random
    base = memoryview(random.Random(4253).randbytes(8 * _BLOCK))
    digest, sent = hashlib.sha256(), 0
    while sent < size:
        start = (sent // _BLOCK * 7919) % (7 * _BLOCK)  # another part of the base for each block: a lost one shows
        block = base[start:start + min(_BLOCK, size - sent)]
        digest.update(block)
        while block:
            block = block[os.write(1, block):]
        sent = min(sent + _BLOCK, size)
    print(sent, digest.hexdigest(), file=sys.stderr)


def total():
    buffer, digest, count = bytearray(_BLOCK), hashlib.sha256(), 0
    view = memoryview(buffer)
    with open(0, "rb", buffering=0, closefd=False) as source:
        while got := source.readinto(buffer):
            digest.update(view[:got])
            count += got
    print(count, digest.hexdigest())


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]))
    else:
        total()
