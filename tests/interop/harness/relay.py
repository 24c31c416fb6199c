"""A TCP relay between a client and a server: it can speak first, cut the line, and tell what the two agreed on."""

import socket
import struct
import threading

from .scene import Scene


class Relay:
    """Stands in front of a server; looks like it to a client."""

    def __init__(self, scene: Scene, server, prologue: bytes = b""):
        """`prologue` goes to the client before the server's own first byte."""
        self.scene, self.port, self.address, self.host_key = scene, scene.port(), "127.0.0.1", server.host_key
        self.known_hosts = server.known_hosts
        self._target, self._prologue = (server.address, server.port), prologue
        self._first = ([], [])  # what the client said, what the server said
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server((self.address, self.port))
        threading.Thread(target=self._accept, daemon=True).start()
        scene.on_exit(self.cut)

    def cut(self):
        """Ends every connection at once."""
        for end in [self._listener, *self._sockets]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def agreed(self) -> dict[str, str]:
        """What the key exchange settled on: kex, host key, cipher to the server, cipher to the client (RFC 4253, 7.1)."""
        client, server = (_name_lists(b"".join(side)) for side in self._first)
        names = ("kex", "host-key", "cipher-up", "cipher-down")
        return {name: next((item for item in client[i] if item in server[i]), "")
                for i, name in enumerate(names)}

    def offered(self) -> tuple[list[list[str]], list[list[str]]]:
        """The name-lists of the client's and the server's KEXINIT."""
        return tuple(_name_lists(b"".join(side)) for side in self._first)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            self._sockets += [client, server]
            client.sendall(self._prologue)
            for index, (source, sink) in enumerate(((client, server), (server, client))):
                threading.Thread(target=self._copy, args=(source, sink, self._first[index]), daemon=True).start()

    @staticmethod
    def _copy(source, sink, first):
        kept = 0
        try:
            while data := source.recv(65536):
                if kept < 8192:
                    first.append(data)
                    kept += len(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def _name_lists(data: bytes) -> list[list[str]]:
    """The ten name-lists of the KEXINIT that follows the identification line."""
    packet = data[data.index(b"\n") + 1:]
    at = 4 + 1 + 1 + 16  # packet length, padding length, message number, cookie
    lists = []
    for _ in range(10):
        length = struct.unpack_from(">I", packet, at)[0]
        lists.append(packet[at + 4:at + 4 + length].decode().split(","))
        at += 4 + length
    return lists
