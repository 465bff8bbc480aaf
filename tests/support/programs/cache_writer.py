"""Writes cache entries without end; killed from outside."""

import itertools

from visviva.machine.run import cache

NAMES = [cache.name_of("test", str(i)) for i in range(4)]


def content(i):
    code = bytes([i]) * (200_000 + 1000 * i)
    return {"number": i}, code


if __name__ == "__main__":
    print("ready", flush=True)
    for k in itertools.count():
        cache.write(NAMES[k % 4], *content(k % 4))
