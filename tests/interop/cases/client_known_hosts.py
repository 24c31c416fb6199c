"""Our client and host keys: what it asks, accepts, refuses and writes down."""


from harness.checks import check, contains, equal, lacks, matches
from harness.clients import OurClient
from harness.registry import case
from harness.servers import OpenSshServer
from harness.scene import tool
from harness.terminals import Terminal


class _Host:
    """A server that our client does not know, and a user there."""

    def __init__(self, scene):
        self.scene, self.user = scene, scene.user()
        self.server = OpenSshServer(scene)
        self.client = OurClient(scene, self.server, self.user, known=False)
        self.name = scene.program.known_name("127.0.0.1", self.server.port)

    def know(self, text: str):
        self.client.known_hosts.parent.mkdir(mode=0o700, exist_ok=True)
        self.client.known_hosts.write_text(text)

    def known(self) -> str:
        return self.client.known_hosts.read_text() if self.client.known_hosts.exists() else ""

    @property
    def key(self) -> str:
        return " ".join(self.scene.public(self.server.host_key).split()[:2])

    def other_key(self) -> str:
        return " ".join(self.scene.public(self.scene.new_key("other")).split()[:2])

    def accepted(self, *before, **options):
        result = self.client.run("echo in", before=before, **options)
        equal((result.text, result.status), ("in\n", 0), f"output and status with {before}: {result.err}")
        return result

    def refused(self, *before, **options):
        result = self.client.run("echo in", before=before, seconds=15, **options)
        equal(result.text, "", f"the output with {before}")
        check(result.status not in (0, None), f"a status other than 0 with {before}")
        return result


@case("known-hosts.an-unknown-host-is-asked-on-the-terminal-and-yes-is-remembered")
def ask_yes(scene):
    host = _Host(scene)
    fingerprint = scene.check_run([tool("ssh-keygen"), "-l", "-f", f"{host.server.host_key}.pub"]).text.split()[1]
    terminal = Terminal(scene, host.client.argv("echo i''n"), env=host.client.env)
    shown = terminal.expect(r"(?is).*\((y/n|yes/no)[^)]*\)")[0].decode()
    contains(shown, fingerprint, "the question names the fingerprint")
    contains(shown, "127.0.0.1", "the question names the host")
    terminal.type("yes\n" if "yes" in shown else "y\n")
    terminal.expect("in\r\n")
    equal(terminal.wait(), 0, "the status")
    contains(host.known(), host.key, "known_hosts")
    host.accepted()  # and asks no more
    folder = host.client.known_hosts.parent.stat()
    equal(folder.st_mode & 0o777, 0o700, "the mode of ~/.ssh")


@case("known-hosts.an-unknown-host-is-asked-on-the-terminal-and-no-ends-it")
def ask_no(scene):
    host = _Host(scene)
    terminal = Terminal(scene, host.client.argv("echo i''n"), env=host.client.env)
    shown = terminal.expect(r"(?is)\((y/n|yes/no)[^)]*\)")[0].decode()
    terminal.type("no\n" if "yes" in shown else "n\n")
    check(terminal.wait() != 0, "a status other than 0")
    lacks(terminal.rest(0), b"in\r\n", "the terminal")
    lacks(host.known(), host.key, "known_hosts")


@case("known-hosts.an-unknown-host-without-a-terminal-is-refused")
def no_terminal(scene):
    host = _Host(scene)
    result = host.refused(stdin=b"yes\ny\n")
    check(result.err.strip(), "a sentence why")
    lacks(host.known(), host.key, "known_hosts")


@case("known-hosts.y-accepts-and-remembers-and-a-changed-key-is-still-refused")
def option_y(scene):
    host = _Host(scene)
    host.accepted("-y")
    contains(host.known(), host.key, "known_hosts")
    lines = host.known()
    host.accepted()
    host.accepted("-y")
    equal(host.known(), lines, "known_hosts after a second time")
    host.know(f"{host.name} {host.other_key()}\n")
    host.refused("-y")


@case("known-hosts.y-twice-accepts-anything-without-a-check")
def option_yy(scene):
    host = _Host(scene)
    host.know(f"{host.name} {host.other_key()}\n")
    before = host.known()
    host.accepted("-y", "-y")
    equal(host.known(), before, "known_hosts")


@case("known-hosts.stricthostkeychecking-accept-new-yes-and-no")
def strict(scene):
    host = _Host(scene)
    option = lambda value: ("-o", f"StrictHostKeyChecking={value}")
    host.refused(*option("yes"))
    lacks(host.known(), host.key, "known_hosts after yes")
    host.accepted(*option("accept-new"))
    contains(host.known(), host.key, "known_hosts after accept-new")
    host.accepted(*option("yes"))
    host.know(f"{host.name} {host.other_key()}\n")
    host.refused(*option("accept-new"))
    host.refused(*option("yes"))
    host.know("")
    host.accepted(*option("no"))


@case("known-hosts.a-changed-key-is-refused-with-a-clear-message")
def changed(scene):
    host = _Host(scene)
    host.know(f"{host.name} {host.other_key()}\n")
    before = host.known()
    result = host.refused()
    matches(result.err, r"(?i)mismatch|changed|does not match|differs", "the message")
    contains(result.err, "known_hosts", "the message names the file")
    equal(host.known(), before, "known_hosts")
    terminal = Terminal(scene, host.client.argv("echo i''n"), env=host.client.env)
    check(terminal.wait() != 0, "on a terminal it is refused too, and not asked")


@case("known-hosts.hashed-entries-are-found")
def hashed(scene):
    host = _Host(scene)
    host.know(f"{host.name} {host.key}\n")
    scene.check_run([tool("ssh-keygen"), "-q", "-H", "-f", str(host.client.known_hosts)])
    check(host.known().startswith("|1|"), "the file is hashed")
    host.accepted()
    host.know(f"{host.name} {host.other_key()}\n")
    scene.check_run([tool("ssh-keygen"), "-q", "-H", "-f", str(host.client.known_hosts)])
    host.refused()


@case("known-hosts.a-bracketed-port-is-looked-up-first-then-the-bare-name")
def bracketed(scene):
    host = _Host(scene)
    bracketed, bare = f"[127.0.0.1]:{host.server.port}", "127.0.0.1"
    host.know(f"{bracketed} {host.key}\n{bare} {host.other_key()}\n")
    host.accepted()
    host.know(f"{bare} {host.key}\n")
    host.accepted()
    host.know(f"{bracketed} {host.other_key()}\n")
    host.refused()
    host.know(f"{bare} {host.other_key()}\n")
    host.refused()


@case("known-hosts.lists-patterns-comments-and-odd-lines-are-read")
def odd_lines(scene):
    host = _Host(scene)
    key = host.key
    for text in (f"other,{host.name},third {key}\n", f"# comment\n\n{host.name} {key} a comment\n", f"{host.name} {key}",
                 f"{host.name}\t{key}\r\n", "nonsense\n" + "x" * 20000 + f"\n{host.name} {key}\n", f"@cert-authority * {key}\n"
                 f"{host.name} {key}\n", f"{host.name} ssh-rsa AAAAB3NzaC1yc2EAAAABIwAAAAEA\n{host.name} {key}\n"):
        host.know(text)
        host.accepted()
    for text in (f"#{host.name} {key}\n", f"x{host.name} {key}\n", f"{host.name}\n", f"{host.name} ssh-ed25519 AAAA\n"):
        host.know(text)
        host.refused()


@case("known-hosts.a-revoked-key-is-refused")
def revoked(scene):
    host = _Host(scene)
    host.know(f"@revoked {host.name} {host.key}\n{host.name} {host.key}\n")
    host.refused()
    host.refused("-y")


@case("known-hosts.userknownhostsfile-names-another-file")
def other_file(scene):
    host = _Host(scene)
    other = scene.folder / "other-known"
    host.accepted("-y", "-o", f"UserKnownHostsFile={other}")
    contains(other.read_text(), host.key, "the other file")
    lacks(host.known(), host.key, "the usual file")
    host.accepted("-o", f"UserKnownHostsFile={other}")
    host.accepted("-y", "-o", "UserKnownHostsFile=/dev/null")


@case("known-hosts.a-file-that-cannot-be-written-is-read-only-with-a-warning")
def read_only(scene):
    host = _Host(scene)
    (scene.home / ".ssh").write_text("a file in the folder's place\n")
    result = host.accepted("-y")
    check(result.err.strip(), "a warning")


@case("known-hosts.a-new-entry-keeps-the-other-lines-also-without-a-final-newline")
def append(scene):
    host = _Host(scene)
    host.know("other.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ")
    host.accepted("-y")
    lines = host.known().splitlines()
    equal(lines[0], "other.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ", "the first line")
    equal(len(lines), 2, "the lines")
    host.accepted()


@case("known-hosts.ssh-keygen-finds-what-our-client-wrote")
def readable(scene):
    host = _Host(scene)
    host.accepted("-y")
    names = [f"[127.0.0.1]:{host.server.port}", "127.0.0.1"]
    found = [scene.run([tool("ssh-keygen"), "-F", name, "-f", str(host.client.known_hosts)]).status for name in names]
    check(0 in found, f"an entry for one of {names}: {host.known()!r}")
