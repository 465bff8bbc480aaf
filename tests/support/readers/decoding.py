"""Read the encoding that names machine code is made from, back into plain data.

That it can be read proves that no two values share one. Written from the description of the format,
not from the code that writes it.
"""

import struct

import numpy as np


def decoded(content):
    """The value as nested tuples of tags and contents."""
    reader = Reader(content)
    for _ in range(reader.number()):
        reader.nodes.append(reader.node())
    value = reader.value()
    assert reader.place == len(content), "something is left over"
    return value


class Reader:
    def __init__(self, content):
        self.content, self.place, self.nodes = content, 0, []

    def take(self, n):
        taken = self.content[self.place : self.place + n]
        assert len(taken) == n, "the end came too soon"
        self.place += n
        return taken

    def number(self):
        return int.from_bytes(self.take(8), "little")

    def text(self):
        return self.take(self.number()).decode("utf-8", "surrogatepass")

    def value(self):
        tag = self.take(1).decode()
        if tag in "NTF":
            return tag
        if tag == "i":
            return int(self.text())
        if tag == "d":
            return struct.unpack("<d", self.take(8))[0]
        if tag == "s":
            return self.text()
        if tag == "b":
            return self.take(self.number())
        if tag in "([":
            return (tag, *(self.value() for _ in range(self.number())))
        if tag == "{":
            keys = self.value()[1:]
            return (tag, *[(key, self.value()) for key in keys])
        if tag == "q":
            return tag, self.text(), self.text()
        if tag in "ag":
            dtype, shape = np.dtype(self.text()), self.value()[1:]
            if dtype.kind == "O":
                return tag, shape, *(self.value() for _ in range(int(np.prod(shape))))
            size = int(np.prod(shape)) * dtype.itemsize
            return tag, dtype.str, shape, self.take(size)
        if tag == "m":
            return tag, self.number(), self.number(), self.value()
        if tag == "o":
            name, count = self.text(), self.number()
            fields = [self.text() for _ in range(count)]
            return tag, name, *[(field, self.value()) for field in fields]
        assert tag == "@", tag
        return self.nodes[self.number()]

    def node(self):
        """A node with its parts, which came before it."""
        assert self.take(1) == b"n"
        kind = self.take(1).decode()
        texts = {"e": 1, "O": 1, "R": 1, "D": 1, "S": 4, "1": 1, "U": 2}[kind]
        what = [self.text() for _ in range(texts)]
        if kind == "e":
            what.append(self.value())
        parts = [self.number() for _ in range(self.number())]
        return kind, *what, *(self.nodes[k] for k in parts)
