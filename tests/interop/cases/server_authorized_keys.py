"""How our server reads authorized_keys (report 21), which options bind, and whose files it trusts."""

import os
import time

from harness.checks import check, contains, equal, lacks, matches
from harness.clients import OpenSsh
from harness.registry import case
from harness.servers import OurServer
from harness.terminals import Terminal

# Everything but the key's own line; {key} stands for it.
_ACCEPTED = {
    "a-tab-between-the-words": "{kind}\t{blob}\tcomment\n",
    "two-spaces-between-the-words": "{kind}  {blob}  comment\n",
    "carriage-returns": "{kind} {blob} comment\r\n",
    "a-carriage-return-and-no-comment": "{kind} {blob}\r\n",
    "no-final-newline": "{kind} {blob} comment",
    "no-comment": "{kind} {blob}\n",
    "a-key-after-a-10-kb-line": "# " + "x" * 10240 + "\n{kind} {blob} comment\n",
    "a-key-after-a-10-kb-key-line": "ssh-rsa " + "A" * 10240 + " someone\n{kind} {blob} comment\n",
    "a-key-after-a-64-kb-line": "y" * 65536 + "\n{kind} {blob} comment\n",
    "a-key-after-comments-and-empty-lines": "\n# one\n   # two\n\n\t\n{kind} {blob} comment\n",
    "spaces-before-the-key": "   {kind} {blob} comment\n",
    "a-tab-before-the-key": "\t{kind} {blob} comment\n",
    "a-key-after-lines-that-are-not-keys": "hello\nssh-dss AAAA x\nssh-ed25519 !!!! x\nssh-ed25519\n{kind} {blob}\n",
    "a-key-after-bytes-that-are-not-text": "\x00\x01\xff\xfe\n{kind} {blob} comment\n",
    "a-long-comment": "{kind} {blob} " + "c" * 500 + "\n",
}
_REFUSED = {
    "a-key-inside-a-long-line": "# " + "x" * 10240 + " {kind} {blob} comment\n",
    "a-long-line-cut-before-a-key": "{pad}{kind} {blob} comment\n",
    "a-commented-key": "# {kind} {blob} comment\n",
    "an-empty-file": "",
    "half-of-the-key": "{kind} {half} comment\n",
    "the-key-with-another-type": "ssh-rsa {blob} comment\n",
}


def _try(scene, text: str, *options) -> tuple[OpenSsh, object]:
    user = scene.user()
    kind, blob = scene.public(user.key).split()[:2]
    user.authorize(text.format(kind=kind, blob=blob, half=blob[: len(blob) // 2], pad="").encode("latin-1"))
    client = OpenSsh(scene, OurServer(scene, *options), user)
    client.user = user
    return client, client.run("echo in")


def _accepts(name: str, text: str):
    @case(f"authorized-keys.accepts-{name}-report-21")
    def accepts(scene):
        _, result = _try(scene, text)
        equal((result.text, result.status), ("in\n", 0), "output and status")


def _refuses(name: str, text: str):
    @case(f"authorized-keys.refuses-{name}-report-21")
    def refuses(scene):
        if "{pad}" in text:  # whatever the limit of a line is, its rest is no line of its own
            user = scene.user()
            server = OurServer(scene)
            for size in (1000, 1024, 2048, 4096, 4200, 8192, 16384, 65536):
                kind, blob = scene.public(user.key).split()[:2]
                user.authorize("#" * size + f"{kind} {blob} comment\n")
                equal(OpenSsh(scene, server, user).run("echo in").status, 255, f"ssh's status behind {size} bytes")
            return
        _, result = _try(scene, text)
        equal((result.text, result.status), ("", 255), "output and status")


for _name, _text in _ACCEPTED.items():
    _accepts(_name, _text)
for _name, _text in _REFUSED.items():
    _refuses(_name, _text)


@case("authorized-keys.a-line-that-is-too-long-is-logged-report-21")
def long_line_logged(scene):
    client, result = _try(scene, "y" * 70000 + "\n{kind} {blob} comment\n")
    equal(result.text, "in\n", "the output")
    contains(client.server.log().lower(), "line", "the log")


@case("authorized-keys.the-300th-line-counts-and-the-301st-does-not")
def three_hundred_lines(scene):
    client, result = _try(scene, "# a comment\n" * 299 + "{kind} {blob}\n")
    equal(result.text, "in\n", "the output with the key in line 300")
    client.user.authorize("# a comment\n" * 300 + scene.public(client.user.key) + "\n")
    equal(client.run("echo in").status, 255, "ssh's status with the key in line 301")


@case("authorized-keys.a-missing-file-refuses")
def missing_file(scene):
    user = scene.user()
    user.authorized_keys.unlink()
    equal(OpenSsh(scene, OurServer(scene), user).run("echo in").status, 255, "ssh's status")


# Options.

@case("authorized-keys.command-forces-it-and-gives-the-original-command")
def forced_command(scene):
    client, result = _try(scene, 'command="echo forced: \\"$SSH_ORIGINAL_COMMAND\\"" {kind} {blob}\n')
    equal(result.text, "forced: echo in\n", "the output of a command")
    equal(client.run(before=["-T"], stdin=b"echo free\n").text, "forced: \n", "the output of a shell")
    result = client.run("sftp", before=["-s"])
    lacks(result.text, "\x00\x00", "the output of a subsystem")
    terminal = Terminal(scene, client.argv(before=["-t"]), env=client.env)
    terminal.wait()
    equal(terminal.rest(0).split(b"\r\n")[0], b"forced: ", "the output of a shell on a pty")


@case("authorized-keys.command-refuses-the-clients-environment-and-signals")
def forced_command_environment(scene):
    client, result = _try(scene, 'command="/usr/bin/env" {kind} {blob}\n')
    output = client.run("true", before=["-o", "SetEnv=LC_FORCED=1"]).text
    contains(output, "SSH_ORIGINAL_COMMAND=true\n", "the environment")
    lacks(output, "LC_FORCED", "the environment")


@case("authorized-keys.options-are-case-insensitive")
def case_insensitive(scene):
    client, result = _try(scene, 'NO-PTY,Command="echo forced",No-X11-Forwarding {kind} {blob}\n')
    equal(result.text, "forced\n", "the output")


@case("authorized-keys.a-command-may-hold-commas-spaces-and-quotes")
def quoted_command(scene):
    client, result = _try(scene, 'no-pty,command="echo a,b  \\"c d\\", e",no-agent-forwarding {kind} {blob}\n')
    equal(result.text, "a,b c d, e\n", "the output")


@case("authorized-keys.no-pty-refuses-a-terminal")
def no_pty(scene):
    for option in ("no-pty", "restrict"):
        client, result = _try(scene, option + " {kind} {blob}\n")
        equal(result.text, "in\n", f"the output without a pty under {option}")
        result = client.run("tty", before=["-tt"])
        contains(result.err, "PTY allocation request failed", f"what ssh says under {option}")
        lacks(result.text, "/dev/pts", "the output")


@case("authorized-keys.restrict-then-pty-allows-a-terminal")
def restrict_pty(scene):
    client, _ = _try(scene, "restrict,pty {kind} {blob}\n")
    contains(client.run("tty", before=["-tt"]).text, "/dev/pts/", "the terminal")


@case("authorized-keys.from-allows-and-refuses-addresses-and-networks")
def from_addresses(scene):
    client, _ = _try(scene, "{kind} {blob}\n")
    line = scene.public(client.user.key) + "\n"
    allowed = ("127.0.0.1", "127.0.0.0/8", "10.0.0.0/8,127.0.0.1", "127.0.0.1/32", "::1,127.0.0.1", "0.0.0.0/0")
    refused = ("10.1.2.3", "127.0.0.2", "126.0.0.0/8", "::1", "!127.0.0.1", "127.0.0.0/8,!127.0.0.1")
    for expected, patterns in ((0, allowed), (255, refused)):
        for pattern in patterns:
            client.user.authorize(f'from="{pattern}" {line}')
            equal(client.run("echo in").status, expected, f'ssh\'s status with from="{pattern}"')


@case("authorized-keys.from-with-a-host-name-refuses-the-line")
def from_host_name(scene):
    _, result = _try(scene, 'from="localhost" {kind} {blob}\n')
    equal(result.status, 255, "ssh's status")


@case("authorized-keys.from-allows-and-refuses-ipv6")
def from_ipv6(scene):
    user = scene.user()
    client = OpenSsh(scene, OurServer(scene, address="::1"), user)
    for pattern, expected in (("::1", 0), ("::/64", 0), ("0:0:0:0:0:0:0:1", 0), ("::1/128", 0), ("fe80::/10", 255),
                              ("127.0.0.1", 255), ("::2", 255)):
        user.authorize(f'from="{pattern}" {scene.public(user.key)}\n')
        equal(client.run("echo in").status, expected, f'ssh\'s status with from="{pattern}"')


@case("authorized-keys.expiry-time-past-refuses-and-future-allows")
def expiry_time(scene):
    client, _ = _try(scene, "{kind} {blob}\n")
    line = scene.public(client.user.key) + "\n"
    for offset, expected in ((-2 * 86400, 255), (2 * 86400, 0)):
        for form in ("%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S"):
            stamp = time.strftime(form, time.localtime(time.time() + offset))
            client.user.authorize(f'expiry-time="{stamp}" {line}')
            equal(client.run("echo in").status, expected, f"ssh's status with expiry-time={stamp}")
    for stamp in ("", "tomorrow", "2030", "20301345"):
        client.user.authorize(f'expiry-time="{stamp}" {line}')
        equal(client.run("echo in").status, 255, f"ssh's status with expiry-time={stamp!r}")


@case("authorized-keys.an-option-that-is-unknown-or-wants-more-refuses-the-line")
def unknown_option(scene):
    client, _ = _try(scene, "{kind} {blob}\n")
    line = scene.public(client.user.key) + "\n"
    for option in ("no-such-option", "cert-authority", 'principals="x"', 'command="unfinished', 'no-such="value"'):
        client.user.authorize(f"{option} {line}")
        equal(client.run("echo in").status, 255, f"ssh's status with {option}")


@case("authorized-keys.environment-is-read-over-and-not-honoured")
def environment_option(scene):
    client, _ = _try(scene, 'environment="INTEROP_X=1" {kind} {blob}\n')
    result = client.run("echo in; /usr/bin/env")
    contains(result.text, "in\n", "the output")
    lacks(result.text, "INTEROP_X", "the environment")


@case("authorized-keys.harmless-options-are-accepted")
def harmless_options(scene):
    _, result = _try(scene, 'no-port-forwarding,no-agent-forwarding,no-X11-forwarding,no-user-rc,permitopen="h:1",'
                            'permitlisten="2",no-pty {kind} {blob}\n')
    equal(result.text, "in\n", "the output")


@case("authorized-keys.the-keys-comment-is-in-ssh-pubkeyinfo")
def pubkeyinfo(scene):
    client, _ = _try(scene, "{kind} {blob} anna+7@host.example,x-y_z\n")
    equal(client.run("echo $SSH_PUBKEYINFO").text, "anna+7@host.example,x-y_z\n", "SSH_PUBKEYINFO")


# Whose files are trusted.

def _permissions(name: str, change):
    @case(f"authorized-keys.permissions-{name}-refuses")
    def refuses(scene):
        client, result = _try(scene, "{kind} {blob}\n")
        equal(result.text, "in\n", "the output before the change")
        change(scene, client.user)
        before = len(client.server.log())
        result = client.run("echo in")
        equal((result.text, result.status), ("", 255), "output and status after the change")
        matches(client.server.log()[before:], r"(?i)owner|permission|writable|mode", "the log since")


_permissions("of-a-file-that-the-group-can-write", lambda scene, user: user.authorized_keys.chmod(0o660))
_permissions("of-a-file-that-all-can-write", lambda scene, user: user.authorized_keys.chmod(0o602))
_permissions("of-a-folder-that-the-group-can-write", lambda scene, user: user.authorized_keys.parent.chmod(0o770))
_permissions("of-a-home-that-the-group-can-write", lambda scene, user: user.home.chmod(0o775))
_permissions("of-another-users-file", lambda scene, user: os.chown(user.authorized_keys, scene.user().uid, user.gid))
_permissions("of-another-users-home", lambda scene, user: os.chown(user.home, scene.user().uid, user.gid))
_permissions("of-a-link-to-another-users-file", lambda scene, user: _link_elsewhere(scene, user))


def _link_elsewhere(scene, user):
    elsewhere = scene.file("keys", scene.public(user.key) + "\n", 0o666)
    user.authorized_keys.unlink()
    user.authorized_keys.symlink_to(elsewhere)


@case("authorized-keys.a-pipe-in-its-place-refuses-and-does-not-hang")
def fifo(scene):
    user = scene.user()
    user.authorized_keys.unlink()
    os.mkfifo(user.authorized_keys, 0o600)
    os.chown(user.authorized_keys, user.uid, user.gid)
    result = OpenSsh(scene, OurServer(scene), user).run("echo in", seconds=15)
    equal(result.status, 255, "ssh's status")


@case("authorized-keys.roots-file-in-the-users-home-is-trusted")
def roots_file(scene):
    client, _ = _try(scene, "{kind} {blob}\n")
    os.chown(client.user.authorized_keys, 0, 0)
    client.user.authorized_keys.chmod(0o644)
    equal(client.run("echo in").text, "in\n", "the output")


@case("authorized-keys.a-file-that-only-root-can-read-is-not-read-as-root")
def unreadable_file(scene):
    client, _ = _try(scene, "{kind} {blob}\n")
    os.chown(client.user.authorized_keys, 0, 0)
    client.user.authorized_keys.chmod(0o600)
    result = client.run("echo in")
    check(result.status == 255, "the file is opened as the user, who may not read it")
