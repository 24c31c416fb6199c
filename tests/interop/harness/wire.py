"""RFC 4251, section 5: what the raw client says, built and taken apart."""

import struct


def u32(value: int) -> bytes:
    return struct.pack(">I", value)


def string(value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return u32(len(data)) + data


def boolean(value: bool) -> bytes:
    return b"\1" if value else b"\0"


def mpint(value: bytes) -> bytes:
    """A non-negative number from its big-endian bytes."""
    value = value.lstrip(b"\0")
    return string(b"\0" + value if value and value[0] & 0x80 else value)


class Reader:
    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise ValueError(f"a message of {len(self._data)} bytes ends too early")
        self._at += count
        return self._data[self._at - count:self._at]

    def byte(self) -> int:
        return self.take(1)[0]

    def boolean(self) -> bool:
        return self.byte() != 0

    def u32(self) -> int:
        return struct.unpack(">I", self.take(4))[0]

    def string(self) -> bytes:
        return self.take(self.u32())

    def names(self) -> list[str]:
        return self.string().decode().split(",")

    def rest(self) -> bytes:
        return self.take(len(self._data) - self._at)
