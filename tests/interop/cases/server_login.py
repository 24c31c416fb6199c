"""Who may log in to our server, and how a refusal looks (RFC 4252)."""

import time

from harness.checks import between, check, contains, equal, lacks
from harness.clients import OpenSsh
from harness.registry import case
from harness.servers import OurServer


@case("openssh-client.login-by-key-rfc4252-7")
def login_by_key(scene):
    user = scene.user()
    server = OurServer(scene)
    equal(OpenSsh(scene, server, user).run("id -un").text, f"{user.name}\n", "the user's name there")


@case("openssh-client.login-by-password-rfc4252-8")
def login_by_password(scene):
    user = scene.user(key=False)
    server = OurServer(scene)
    result = OpenSsh(scene, server, user, password=user.password).run("id -un")
    equal(result.text, f"{user.name}\n", "the user's name there")


@case("openssh-client.login-over-ipv6")
def login_over_ipv6(scene):
    user = scene.user()
    server = OurServer(scene, address="::1")
    result = OpenSsh(scene, server, user).run("echo $SSH_CONNECTION")
    equal(result.text.split()[0::2], ["::1", "::1"], "the addresses in SSH_CONNECTION")


@case("openssh-client.wrong-password-is-refused")
def wrong_password(scene):
    user = scene.user(key=False)
    server = OurServer(scene)
    result = OpenSsh(scene, server, user, password=user.password + "x").run("id")
    _refused(result)
    equal(OpenSsh(scene, server, user, password=user.password).run("echo in").text, "in\n", "the right one afterwards")


@case("openssh-client.unknown-key-is-refused")
def unknown_key(scene):
    user = scene.user()
    server = OurServer(scene)
    _refused(OpenSsh(scene, server, user, key=scene.new_key("stranger")).run("id"))


@case("openssh-client.password-as-long-as-a-book-is-refused")
def long_password(scene):
    user = scene.user(key=False)
    server = OurServer(scene)
    _refused(OpenSsh(scene, server, user, password="x" * 101).run("id"))
    _refused(OpenSsh(scene, server, user, password="y" * 1000).run("id"))
    equal(OpenSsh(scene, server, user, password=user.password).run("echo in").text, "in\n", "a login afterwards")


@case("openssh-client.user-without-a-password-is-refused")
def no_password(scene):
    user = scene.user(password="", key=False)
    server = OurServer(scene)
    _refused(OpenSsh(scene, server, user, password="").run("id"))
    _refused(OpenSsh(scene, server, user, password="!").run("id"))


@case("openssh-client.shell-that-is-not-in-etc-shells-is-refused")
def no_shell(scene):
    user = scene.user(shell="/usr/sbin/nologin")
    server = OurServer(scene)
    _refused(OpenSsh(scene, server, user).run("id"))
    _refused(OpenSsh(scene, server, user, password=user.password).run("id"))


@case("openssh-client.option-s-refuses-passwords")
def option_s(scene):
    user = scene.user()
    server = OurServer(scene, "-s")
    equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", "a login by key")
    result = OpenSsh(scene, server, user, password=user.password).run("id")
    _refused(result)
    contains(result.err, "(publickey)", "the methods offered")
    lacks(result.err, "password,", "the methods offered")


@case("openssh-client.option-t-wants-password-and-key")
def option_t(scene):
    user = scene.user()
    server = OurServer(scene, "-t")
    both = OpenSsh(scene, server, user, password=user.password, options=["-o", "PreferredAuthentications=publickey,password"])
    equal(both.run("echo in").text, "in\n", "a login with both")
    _refused(OpenSsh(scene, server, user).run("id"))
    _refused(OpenSsh(scene, server, user, password=user.password).run("id"))
    contains(server.log(), ", extra auth required", "the log")


@case("openssh-client.option-t-binds-the-options-of-the-key-whatever-the-order")
def option_t_order(scene):
    user = scene.user()
    user.authorize(f'command="echo forced" {scene.public(user.key)}\n')
    server = OurServer(scene, "-t")
    for order in ("publickey,password", "password,publickey"):
        client = OpenSsh(scene, server, user, password=user.password, options=["-o", f"PreferredAuthentications={order}"])
        equal(client.run("echo free").text, "forced\n", f"the output after {order}")


@case("openssh-client.option-w-refuses-root")
def option_w(scene):
    prefix, key = root_with_a_password(scene, "toor 1")
    server = OurServer(scene, "-w", prefix=prefix)
    _refused(OpenSsh(scene, server, "root", key=key).run("id"))
    _refused(OpenSsh(scene, server, "root", password="toor 1").run("id"))
    user = scene.user()
    server = OurServer(scene, "-w")
    equal(OpenSsh(scene, server, user).run("echo in").text, "in\n", "another user's login")


@case("openssh-client.option-g-refuses-roots-password-only")
def option_g(scene):
    prefix, key = root_with_a_password(scene, "toor 1")
    server = OurServer(scene, "-g", prefix=prefix)
    equal(OpenSsh(scene, server, "root", key=key).run("id -u").text, "0\n", "root by key")
    _refused(OpenSsh(scene, server, "root", password="toor 1").run("id"))
    user = scene.user(key=False)
    server = OurServer(scene, "-g")
    equal(OpenSsh(scene, server, user, password=user.password).run("echo in").text, "in\n", "another user by password")


@case("openssh-client.root-logs-in-by-key-and-by-password")
def root(scene):
    prefix, key = root_with_a_password(scene, "toor 1")
    server = OurServer(scene, prefix=prefix)
    equal(OpenSsh(scene, server, "root", key=key).run("id -u; id -G").text, "0\n0\n", "root by key")
    equal(OpenSsh(scene, server, "root", password="toor 1").run("id -u").text, "0\n", "root by password")


@case("server.refusals-look-and-last-the-same-for-every-cause", seconds=120, cores=2)
def uniform_refusals(scene):
    from harness.raw_client import RawClient, reader

    user = scene.user(key=False)
    locked = scene.user(password="", key=False)
    shell = scene.user(shell="/usr/sbin/nologin", key=False)
    server = OurServer(scene)
    causes = {"a wrong password": user.name, "an unknown user": "sshape-nobody-there", "a locked user": locked.name,
              "a forbidden shell": shell.name, "an empty name": ""}
    times, answers = {}, {}
    for cause, name in causes.items():
        took = []
        for _ in range(3):
            client = RawClient(scene, server)
            client.begin_authentication()
            started = time.monotonic()
            client.send_password(name, "wrong 1" if cause != "a forbidden shell" else shell.password)
            message = client.receive()
            took.append(time.monotonic() - started)
            fields = reader(message)
            answers[cause] = (fields.byte(), fields.string(), fields.byte())
            client.close()
        times[cause] = sorted(took)[1]
    print({cause: f"{seconds * 1000:.0f} ms" for cause, seconds in times.items()})
    equal(len(set(answers.values())), 1, f"different answers {answers}")
    for cause, seconds in times.items():
        between(seconds, 0.2, 0.5, f"seconds until the refusal of {cause}")
    check(max(times.values()) - min(times.values()) < 0.1, f"the refusals' times differ by 100 ms or more: {times}")


def root_with_a_password(scene, password: str):
    """A prefix that gives a server an /etc and a /root of its own, and a key that this root accepts."""
    key = scene.new_key("root")
    home = scene.folder / "root"
    (home / ".ssh").mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    (home / ".ssh/authorized_keys").write_text(scene.public(key) + "\n")
    from harness.users import crypt
    from pathlib import Path
    lines = Path("/etc/shadow").read_text().splitlines(keepends=True)
    shadow = "".join(f"root:{crypt(password)}:19000:0:99999:7:::\n" if line.startswith("root:") else line for line in lines)
    return [*scene.private_etc({"shadow": shadow}), *scene.with_mounts({home: "/root"})], key


def _refused(result):
    equal(result.status, 255, "ssh's status")
    contains(result.err, "Permission denied", "what ssh says")
    equal(result.out, b"", "the output of a command that must not run")
