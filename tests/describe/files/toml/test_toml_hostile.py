"""Mechanism files of strangers: no file at all, huge or tangled ones, and mutated ones."""

import numpy as np
import pytest

from tests.support.counts import count, within
from tests.support.generators.mechanism_files import FILES, body, everything
from visviva.describe.files.toml.read import MechanismFileError, load_toml, loads_toml, to_toml
from visviva.describe.model.model import Model


@pytest.mark.soak
def test_files_that_are_none(tmp_path):
    with pytest.raises(MechanismFileError, match="expected a text file, got a directory"):
        load_toml(tmp_path)
    with pytest.raises(MechanismFileError, match="there is no such file"):
        load_toml(tmp_path / "absent.toml")
    with pytest.raises(MechanismFileError, match="expected a text file, got a pipe or a device"):
        load_toml("/dev/zero")
    garbage = tmp_path / "garbage.toml"
    garbage.write_bytes(b'name = "a"\n' + bytes(range(256)) * 100)
    with pytest.raises(MechanismFileError, match=r"garbage.toml: line 3 is not text in UTF-8"):
        load_toml(garbage)
    huge = tmp_path / "huge.toml"
    with huge.open("wb") as file:
        file.truncate(200 * 2**20)
    with within(1), pytest.raises(MechanismFileError, match="expected at most 1000000 bytes"):
        load_toml(huge)
    secret = tmp_path / "null.toml"
    secret.write_bytes(b"\0" * 1000)
    with pytest.raises(MechanismFileError, match="not TOML"):
        load_toml(secret)
    marked = tmp_path / "windows.toml"
    marked.write_bytes(b"\xef\xbb\xbf" + body("").replace("\n", "\r\n").encode())
    assert load_toml(marked).nv == 1


many = "\n".join(f'[[body]]\nname = "b{i}"\njoint = "free"' for i in range(20_000))
HOSTILE = {
    "dotted key": "a." * 100_000 + "b = 1",
    "dotted key in quotes": '"a" . ' * 50_000 + "b = 1",
    "dotted key inside": "x = {" + "a." * 100_000 + "b = 1}",
    "dotted header": "[" + "a." * 100_000 + "b]",
    "arrays": "x = " + "[" * 200_000,
    "inline tables": "x = " + "{a=" * 200_000,
    "digits": "x = " + "9" * 900_000,
    "one word": "a" * 900_000,
    "dots": "." * 900_000,
    "quotes": "x = '" + "\".'." * 200_000,
    "long key": f'name = "a"\n{"k" * 900_000} = 1',
    "many keys": 'name = "a"\n' + "\n".join(f"k{i} = 1" for i in range(60_000)),
    "many bodies": f'name = "a"\n{many}',
    "long formula": body(f'at = [0, 0, "{"1+" * 400_000}1"]'),
    "deep formula": body(f'at = [0, 0, "{"(" * 4_000}1"]'),
    "power tower": body('at = [0, 0, "9**9**9**9"]'),
    "squares": body(
        'at = [0, 0, "e899"]',
        "parameters = { e0 = 1.5 }\n[expressions]\n"
        + "\n".join(f'e{i} = "e{i - 1}*e{i - 1}"' for i in range(1, 900)),
    ),
    "code": body("at = [0, 0, \"__import__('os').system('true')\"]"),
    "too long": "#" * 1_000_001,
}


@pytest.mark.spread(10)
@pytest.mark.soak
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_cost_little(name):
    with within(4), pytest.raises(MechanismFileError) as caught:
        loads_toml(HOSTILE[name])
    assert len(str(caught.value)) < 3000


@pytest.mark.spread(0)
def test_a_large_file_is_read_in_good_time():
    links = "".join(
        f'[[body]]\nname = "b{i}"\njoint = "revolute"\naxis = "z"\nat = ["l", 0, 0]\n'
        + (f'parent = "b{i - 1}"\n' if i else "")
        + 'inertia = { solid = "box", mass = "m", x = "l", y = 0.1, z = 0.1 }\n'
        for i in range(1000)
    )
    with within(5):
        model = loads_toml(f'name = "chain"\nparameters = {{ m = 1, l = 0.1 }}\n{links}')
    assert model.nv == 1000


WORDS = [b"\n", b"[[body]]", b"=", b'"', b"inf", b"nan", b"-1", b"0", b"{", b"]", b"\xff", b"'x'"]
SEEDS = [path.read_bytes() for path in FILES] + [to_toml(everything().numeric).encode()]


@pytest.mark.soak
def test_mutated_files_are_read_or_refused(tmp_path):
    rng = np.random.default_rng(7)
    path = tmp_path / "mutant.toml"
    read = 0
    for k in range(count(300, 10_000)):
        data = SEEDS[k % len(SEEDS)]
        for _ in range(rng.integers(1, 4)):
            i, n = int(rng.integers(len(data))), int(rng.integers(1, 12))
            new = [b"", bytes(rng.integers(32, 127, n).tolist()), WORDS[rng.integers(len(WORDS))]]
            data = data[:i] + new[rng.integers(3)] + data[i + n :]
        path.write_bytes(data)
        try:
            read += isinstance(load_toml(path), Model)
        except MechanismFileError as error:
            assert str(path) in str(error)  # noqa: PT017
    assert read > 0
