"""Streams through a client, each way, compared by their SHA-256."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from .checks import Failure, check, equal
from .clients import Client

MIB = 1 << 20
GIB = 1 << 30


def download(client: Client, size: int, seconds: float = 100, before=()):
    """The server's user makes the stream, this side sums it."""
    script = _script(client)
    started = time.monotonic()
    far = _spawn(client, [*client.argv(f"{script} make {size}", before=before)], subprocess.DEVNULL, subprocess.PIPE)
    near = _spawn(client, [script, "sum"], far.popen.stdout, None)
    far.popen.stdout.close()
    _compare("download", client, size, started, seconds, made=far, summed=near)


def upload(client: Client, size: int, seconds: float = 100, before=()):
    """This side makes the stream, the server's user sums it."""
    script = _script(client)
    started = time.monotonic()
    near = _spawn(client, [script, "make", str(size)], subprocess.DEVNULL, subprocess.PIPE)
    far = _spawn(client, [*client.argv(f"{script} sum", before=before)], near.popen.stdout, None)
    near.popen.stdout.close()
    _compare("upload", client, size, started, seconds, made=near, summed=far)


def round_trip(client: Client, size: int, seconds: float = 100, before=()):
    """The stream goes up and, at the same time, comes back through the server's user's cat."""
    script = _script(client)
    started = time.monotonic()
    source = _spawn(client, [script, "make", str(size)], subprocess.DEVNULL, subprocess.PIPE)
    middle = _spawn(client, [*client.argv("cat", before=before)], source.popen.stdout, subprocess.PIPE)
    source.popen.stdout.close()
    sink = _spawn(client, [script, "sum"], middle.popen.stdout, None)
    middle.popen.stdout.close()
    _compare("round trip", client, size, started, seconds, made=source, summed=sink, between=middle)


def _script(client: Client) -> str:
    source = Path(__file__).with_name("pattern.py")
    copy = client.scene.folder / "pattern.py"
    if not copy.exists():
        shutil.copyfile(source, copy)
        copy.chmod(0o755)
    return str(copy)


def _spawn(client: Client, argv, stdin, stdout):
    return client.scene.start(argv, env=client.env, stdin=stdin, stdout=stdout, pipesize=1 << 18)


def _compare(what: str, client: Client, size: int, started: float, seconds: float, made, summed, between=None):
    end = time.monotonic() + seconds
    ended = [(process, process.wait(max(0.1, end - time.monotonic()))) for process in (made, between, summed) if process]
    ended.sort(key=lambda pair: pair[0].argv[0].endswith("pattern.py"))  # the client's own words tell most
    for process, result in ended:
        check(result.status == 0, f"{what}: {' '.join(process.argv)} ended with {result.status}: {result.err[-2000:]}")
    elapsed = time.monotonic() - started
    sent = next((line for line in made.err.splitlines() if line.startswith(f"{size} ")), None)
    if sent is None:
        raise Failure(f"{what}: the maker did not report its {size} bytes: {made.err[-2000:]}")
    equal(summed.out.decode().strip(), sent, f"{what}: bytes and SHA-256")
    print(f"{what} of {size // MIB} MiB: {size / MIB / elapsed:.0f} MiB/s, load {os.getloadavg()[0]:.1f}")
