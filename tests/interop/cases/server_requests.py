"""Requests of channels and of the connection, said message by message to our server (RFC 4254; reports 1, 3 to 6, 18 to 20)."""

import time

from harness.checks import Failure, between, check, contains, equal, lacks
from harness.raw_client import (CHANNEL_CLOSE, CHANNEL_DATA, CHANNEL_EOF, CHANNEL_FAILURE, CHANNEL_OPEN,
                                CHANNEL_OPEN_FAILURE, CHANNEL_REQUEST, CHANNEL_SUCCESS, GLOBAL_REQUEST, REQUEST_FAILURE,
                                RawClient, describe)
from harness.registry import case
from harness.servers import OurServer
from harness.wire import Reader, boolean, string, u32

PTY = string("xterm") + u32(80) + u32(24) + u32(0) + u32(0) + string(b"\0")


def raw(scene, *options) -> RawClient:
    user = scene.user()
    client = RawClient(scene, OurServer(scene, *options))
    client.user = user
    return client.log_in(user)


@case("raw-client.unknown-global-requests-fail-in-order-report-18-19")
def global_requests(scene):
    client = raw(scene)
    for name in ("keepalive@openssh.com", "no-such-thing@interop", "nor-this@interop"):
        client.send(bytes([GLOBAL_REQUEST]) + string(name) + boolean(True))
    client.send(bytes([GLOBAL_REQUEST]) + string("no-reply@interop") + boolean(False))
    client.send(bytes([CHANNEL_OPEN]) + string("no-such-kind@interop") + u32(9) + u32(1 << 20) + u32(32768))
    for _ in range(3):
        client.expect(REQUEST_FAILURE, "to a global request")
    fields = client.expect(CHANNEL_OPEN_FAILURE, "to a channel of an unknown kind")
    equal((fields.u32(), fields.u32()), (9, 3), "the channel's number and SSH_OPEN_UNKNOWN_CHANNEL_TYPE")
    check(client.alive(), "the session lives")


@case("raw-client.unknown-channel-requests-fail-in-order-before-data-report-18-19")
def channel_requests(scene):
    client = raw(scene)
    channel = client.open_channel()
    for name in ("winadj@putty.projects.tartarus.org", "simple@putty.projects.tartarus.org", "no-such-thing@interop"):
        channel.request(name)
    channel.request("no-reply@interop", want_reply=False)
    channel.request("exec", True, string("echo hi"))
    for _ in range(3):
        client.expect(CHANNEL_FAILURE, "to an unknown request")
    client.expect(CHANNEL_SUCCESS, "to exec")
    channel.request("winadj@putty.projects.tartarus.org")
    done = channel.finish()
    equal((done.out, done.status), (b"hi\n", 0), "output and status")
    contains(done.order, CHANNEL_FAILURE, "the messages; the late winadj is answered too")


@case("raw-client.a-thousand-requests-that-want-replies-are-all-answered-report-18")
def many_requests(scene):
    client = raw(scene)
    for _ in range(10):
        for _ in range(100):
            client.send(bytes([GLOBAL_REQUEST]) + string("keepalive@openssh.com") + boolean(True))
        for _ in range(100):
            client.expect(REQUEST_FAILURE, "to a keepalive")


@case("raw-client.exec-of-21718-bytes-leaves-the-session-alive-report-20")
def long_command(scene):
    client = raw(scene)
    for size in (21718, 32000, 8000, 2000):
        channel = client.open_channel()
        command = "echo " + "x" * (size - 5)
        channel.request("exec", True, string(command))
        message = client.receive()
        check(message[0] in (CHANNEL_SUCCESS, CHANNEL_FAILURE), f"the reply to {size} bytes: {describe(message)}")
        if message[0] == CHANNEL_SUCCESS:
            equal(len(channel.finish().out), size - 4, f"the output of {size} bytes")
        else:
            check(size > 2000, "a command of 2,000 bytes works")
            channel.close()
            client.expect(CHANNEL_CLOSE)
    channel = client.open_channel()
    channel.exec("echo second")
    equal(channel.finish().out, b"second\n", "another channel afterwards")


@case("raw-client.eof-exit-status-and-close-come-in-order-rfc4254-5.3-6.10")
def order_at_the_end(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.exec("echo out; exit 7")
    done = channel.finish()
    equal((done.out, done.status, done.signal), (b"out\n", 7, None), "output, status, signal")
    equal(done.order.count(CHANNEL_EOF), 1, "EOFs")
    equal(done.order[-1], CHANNEL_CLOSE, "the last message")
    check(done.order.index(CHANNEL_DATA) < done.order.index(CHANNEL_EOF), f"data before EOF: {done.order}")
    check(client.alive(), "the session lives without a channel")


@case("raw-client.exit-signal-has-the-signals-name-rfc4254-6.10")
def exit_signal(scene):
    client = raw(scene)
    for name in ("TERM", "KILL", "HUP", "INT", "ABRT", "SEGV", "USR1"):
        channel = client.open_channel()
        channel.exec(f"kill -{name} $$; sleep 5")
        done = channel.finish()
        equal((done.signal, done.status), (name, None), f"the exit signal after kill -{name}")


@case("raw-client.signal-requests-reach-the-command-rfc4254-6.9")
def signal_request(scene):
    client = raw(scene)
    for name in ("TERM", "INT", "USR1", "HUP"):
        channel = client.open_channel()
        channel.exec(f"trap 'echo got {name}; exit 5' {name}; echo ready; while :; do sleep 0.05; done")
        fields = client.expect(CHANNEL_DATA)
        equal((fields.u32(), fields.string()), (channel.ours, b"ready\n"), "the first line")
        channel.request("signal", False, string(name))
        done = channel.finish()
        equal((done.out, done.status), (f"got {name}\n".encode(), 5), f"after signal {name}")


@case("raw-client.unknown-signal-names-do-nothing-rfc4254-6.9")
def unknown_signal(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.exec("cat")
    for name in ("NOSUCH", "", "9", "SIGKILL@interop", "A" * 300):
        channel.request("signal", False, string(name))
    channel.send(b"still here")
    channel.eof()
    done = channel.finish()
    equal((done.out, done.status), (b"still here", 0), "output and status")


@case("raw-client.window-change-and-break-on-a-pty-rfc4254-6.7-rfc4335")
def window_change(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.request("pty-req", True, PTY)
    client.expect(CHANNEL_SUCCESS, "to pty-req")
    channel.exec("stty size; read line; stty size")
    fields = client.expect(CHANNEL_DATA)
    equal((fields.u32(), fields.string()), (channel.ours, b"24 80\r\n"), "the first size")
    channel.request("window-change", False, u32(132) + u32(43) + u32(0) + u32(0))
    channel.request("break", True, u32(500))
    message = client.receive()
    check(message[0] in (CHANNEL_SUCCESS, CHANNEL_FAILURE), f"a reply to break: {describe(message)}")
    channel.send(b"\n")
    contains(channel.finish().out, b"43 132", "the second size")


@case("raw-client.a-second-shell-or-exec-on-a-channel-fails-rfc4254-6.5")
def second_exec(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.exec("cat")
    channel.request("exec", True, string("echo no"))
    channel.request("shell", True)
    channel.request("subsystem", True, string("sftp"))
    channel.request("pty-req", True, PTY)
    for _ in range(4):
        client.expect(CHANNEL_FAILURE, "to a second program")
    channel.eof()
    equal(channel.finish().status, 0, "the first program's status")


@case("raw-client.unknown-subsystem-fails-and-the-channel-lives-rfc4254-6.5")
def unknown_subsystem(scene):
    client = raw(scene)
    channel = client.open_channel()
    for name in ("no-such-thing", "../../bin/sh", "", "x" * 5000):
        channel.request("subsystem", True, string(name))
        client.expect(CHANNEL_FAILURE, "to an unknown subsystem")
    channel.exec("echo fine")
    equal(channel.finish().out, b"fine\n", "the output of a command on the same channel")


@case("raw-client.x11-and-agent-requests-are-refused-until-they-exist")
def x11(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.request("x11-req", True, boolean(False) + string("MIT-MAGIC-COOKIE-1") + string("00" * 16) + u32(0))
    client.expect(CHANNEL_FAILURE, "to x11-req")
    channel.exec("echo fine")
    equal(channel.finish().out, b"fine\n", "the output")


@case("raw-client.env-requests-are-bounded-rfc4254-6.4")
def env_bound(scene):
    client = raw(scene)
    channel = client.open_channel()
    for number in range(300):
        channel.request("env", False, string(f"LC_X{number}") + string("v" * 1000))
    channel.request("env", True, string("LC_" + "N" * 20000) + string("v" * 10000))
    message = client.receive()
    check(message[0] in (CHANNEL_FAILURE, CHANNEL_SUCCESS), f"the reply to a huge env: {describe(message)}")
    channel.exec("echo fine")
    equal(channel.finish().out, b"fine\n", "the output")


@case("raw-client.as-many-channels-as-the-table-holds-then-a-shortage-then-again")
def channel_table(scene):
    client = raw(scene)
    opened = []
    for number in range(2000):
        client.send(bytes([CHANNEL_OPEN]) + string("session") + u32(number) + u32(100000) + u32(32768))
        message = client.receive()
        fields = Reader(message)
        if fields.byte() == CHANNEL_OPEN_FAILURE:
            equal((fields.u32(), fields.u32()), (number, 4), "the channel and SSH_OPEN_RESOURCE_SHORTAGE")
            break
        equal(fields.u32(), number, "the channel's number")
        opened.append(fields.u32())
    check(2 <= len(opened) < 2000, f"a bounded number of channels, at least two: {len(opened)}")
    print(f"{len(opened)} channels")
    client.send(bytes([CHANNEL_CLOSE]) + u32(opened[0]))
    client.expect(CHANNEL_CLOSE)
    client.channels = 5000
    channel = client.open_channel()
    channel.exec("echo again")
    equal(channel.finish().out, b"again\n", "the output of a channel in the freed place")


@case("raw-client.window-of-2-gib-given-at-once-never-stalls-report-1", seconds=90, cores=2)
def huge_window(scene):
    client = raw(scene)
    channel = client.open_channel(window=1 << 31)
    channel.exec("head -c 33554432 /dev/zero")
    done = channel.finish(adjust=False)
    equal((len(done.out), done.status), (32 << 20, 0), "bytes and status")


@case("raw-client.window-sum-past-2-to-the-32-ends-the-session-report-1-rfc4254-5.2")
def window_overflow(scene):
    client = raw(scene)
    channel = client.open_channel(window=0xFFFFFFFF)
    channel.exec("sleep 60")
    check(client.alive(), "a window of 2^32-1 is normal")
    channel.adjust(1)
    client.expect_end()


@case("raw-client.window-of-zero-then-small-adjusts-neither-hangs-nor-spins-report-5", cores=2)
def zero_window(scene):
    from harness.processes import cpu_seconds, descendants

    client = raw(scene)
    channel = client.open_channel(window=0)
    channel.exec("echo abcdefgh; exit 3")
    watched = descendants(client.server.pid)
    before = sum(map(cpu_seconds, watched))
    time.sleep(1.5)
    between(sum(map(cpu_seconds, watched)) - before, 0, 0.05, "processor seconds while the window is shut")
    got = b""
    for count in (0, 1, 1, 1, 2, 0, 4):
        channel.adjust(count)
        while count:
            fields = Reader(message := client.receive())
            if fields.byte() == CHANNEL_DATA:
                fields.u32()
                data = fields.string()
                between(len(data), 1, count, "bytes for a credit")
                got, count = got + data, count - len(data)
            else:  # the exit status need not wait
                equal(message[0], CHANNEL_REQUEST, describe(message))
                equal(message[-4:], u32(3), "the status")
    equal(got, b"abcdefgh\n", "the bytes")
    channel.adjust(1)  # many servers see the end of a pipe only when they may read from it
    channel.finish()


@case("raw-client.tiny-packet-limit-of-the-peer-is-kept-rfc4254-5.1")
def tiny_packets(scene):
    client = raw(scene)
    channel = client.open_channel(packet=7)
    channel.exec("head -c 1000 /dev/zero | tr '\\0' x")
    done = channel.finish()
    equal(done.out, b"x" * 1000, "the bytes")
    between(done.largest, 1, 7, "bytes in the largest packet")


@case("raw-client.the-advertised-packet-fits-the-advertised-window-report-3")
def advertised(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.exec("wc -c")
    client.wait_for_window(channel)
    check(channel.packet <= channel.window, f"packet {channel.packet} is at most the window {channel.window}")
    size = channel.packet
    channel.send(b"x" * size)
    channel.eof()
    equal(channel.finish().out.strip(), str(size).encode(), "the bytes of one largest packet")


@case("raw-client.data-past-the-window-ends-the-session-report-4")
def past_the_window(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.exec("sleep 60")
    client.wait_for_window(channel)
    while channel.window > 0:
        channel.send(b"x" * min(channel.packet, 32000, channel.window))
    check(client.alive(), "a window used to its last byte is normal")
    try:
        for _ in range(200):  # adjusts came meanwhile for what the pipe took
            channel.send(b"x" * min(channel.packet, 32000))
    except ConnectionError:
        return
    client.expect_end()


@case("raw-client.three-hundred-thousand-one-byte-packets-keep-the-window-whole-report-6", seconds=120, cores=2)
def one_byte_packets(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.exec("wc -c")
    sent, target = 0, 300_000
    while sent < target:
        client.wait_for_window(channel)
        burst = min(channel.window, 500, target - sent)
        client.send_raw(b"".join(client.packet(bytes([CHANNEL_DATA]) + u32(channel.theirs) + string(b"x"))
                                 for _ in range(burst)))
        sent += burst
        channel.window -= burst
    channel.eof()
    equal(channel.finish().out.strip(), str(target).encode(), "the bytes that arrived")


@case("raw-client.data-after-eof-and-a-second-close-are-faults-not-crashes-rfc4254-5.3")
def after_close(scene):
    client = raw(scene)
    channel = client.open_channel()
    channel.exec("true")
    channel.finish()
    channel.close()  # the second: the channel is gone
    channel.send(b"x")
    try:
        client.alive()  # it may forgive this
    except Failure as disconnected:
        contains(str(disconnected), "DISCONNECT", "the only other answer")
    lacks(scene.report(), "core dumped", "the logs")
    again = RawClient(scene, client.server).log_in(client.user)
    check(again.alive(), "the server takes another login")


@case("raw-client.channel-numbers-never-given-end-the-session-rfc4254-5")
def wrong_number(scene):
    client = raw(scene)
    for number in (0, 77, 0xFFFFFFFF):
        bad = RawClient(scene, client.server).log_in(client.user)
        bad.send(bytes([CHANNEL_DATA]) + u32(number) + string(b"x"))
        bad.expect_end()
    check(client.alive(), "another session lives")


@case("raw-client.rekey-while-a-command-floods-output-report-8", cores=2)
def rekey_in_flood(scene):
    client = raw(scene)
    channel = client.open_channel(window=0x7FFFFFFF)
    channel.exec("head -c 20000000 /dev/zero")
    got = 0
    rekeyed = 0
    while True:
        fields = Reader(message := client.receive())
        number = fields.byte()
        if number == CHANNEL_DATA:
            fields.u32()
            got += len(fields.string())
            if got > (rekeyed + 1) * 2_000_000 and rekeyed < 5:
                got += _rekey_collecting(client)
                rekeyed += 1
        elif number == CHANNEL_CLOSE:
            break
        else:
            check(number in (CHANNEL_EOF, CHANNEL_REQUEST, 93), describe(message))
    equal((got, rekeyed), (20_000_000, 5), "bytes and rekeys")


def _rekey_collecting(client: RawClient) -> int:
    """Rekeys; returns how many bytes of data came before the server's KEXINIT."""
    ours = client.kexinit()
    client.send(ours)
    got = 0
    while True:
        message = client.receive_any()
        if message[0] == 20:
            break
        if message[0] == CHANNEL_DATA:
            fields = Reader(message)
            fields.take(5)
            got += len(fields.string())
    client.exchange_keys(their_init=message, our_init=ours, init_is_sent=True)
    return got
