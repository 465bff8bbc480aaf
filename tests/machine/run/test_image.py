"""Object files into one image: what is linked runs, what does not fit is refused."""

import ctypes

import pytest

import visviva as vv
from visviva.machine.code.cpu import host
from visviva.machine.run import image, jit, memory
from visviva.machine.run.kernel import function_object

pytestmark = pytest.mark.skipif(not host().has_images, reason="images are for x86-64 and Linux")

TABLE = "@vv.table = hidden global ptr null\n"
BATCH = "define void @vv.batch(i64 %n, ptr %io, ptr %buffer) {\n  ret void\n}\n"


def objects(*texts):
    return [jit.object_code(text, host(), "small") for text in texts]


def callable_of(*texts):
    """The function @vv.entry(i64) -> i64 of some modules."""
    content, places = image.linked(objects(*texts))
    code = memory.placed(content, places)
    return code, ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.call("vv.entry"))


def test_modules_call_each_other_and_read_their_constants():
    main = f"""{TABLE}{BATCH}
declare hidden i64 @vv.other(i64)
@numbers = internal constant [3 x i64] [i64 10, i64 20, i64 30]
define i64 @vv.entry(i64 %i) {{
  %p = getelementptr i64, ptr @numbers, i64 %i
  %x = load i64, ptr %p
  %y = call i64 @vv.other(i64 %x)
  ret i64 %y
}}"""
    other = """
@vv.shared = hidden constant i64 7
define hidden i64 @vv.other(i64 %x) {
  %s = load i64, ptr @vv.shared
  %y = mul i64 %x, %s
  ret i64 %y
}"""
    _code, f = callable_of(main, other)
    assert [f(i) for i in range(3)] == [70, 140, 210]
    _again, g = callable_of(main, other.replace("i64 7", "i64 9"))
    assert [f(2), g(2)] == [210, 270]


def test_the_table_is_found():
    main = f"""{TABLE}{BATCH}
define i64 @vv.entry(i64 %i) {{
  %t = load ptr, ptr @vv.table
  %x = ptrtoint ptr %t to i64
  ret i64 %x
}}
define void @vv.bind(ptr %t) {{
  store ptr %t, ptr @vv.table
  ret void
}}"""
    _code, f = callable_of(main)
    assert f(0) == ctypes.addressof(memory.imports.addresses())


def test_large_sections_are_aligned():
    main = f"""{TABLE}{BATCH}
@big = internal constant [4096 x i8] zeroinitializer, align 64
@odd = internal constant [3 x i8] c"abc"
@words = internal constant [8 x i64] [i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8], \
align 64
define i64 @vv.entry(i64 %i) {{
  %o = getelementptr i8, ptr @odd, i64 %i
  %c = load i8, ptr %o
  %p = ptrtoint ptr @words to i64
  %z = getelementptr i8, ptr @big, i64 %i
  %b = load i8, ptr %z
  %cb = or i8 %c, %b
  %low = and i64 %p, 63
  %x = zext i8 %cb to i64
  %y = add i64 %x, %low
  ret i64 %y
}}"""
    _code, f = callable_of(main)
    assert [f(i) for i in range(3)] == list(b"abc")


def refused(content, match):
    with pytest.raises(image.Unlinkable, match=match):
        image.linked(content)


def test_what_does_not_fit_is_refused():
    one = "define i64 @vv.entry(i64 %i) {\n  ret i64 %i\n}"
    refused([], "an image has")
    refused([b""], "not an ELF")
    refused([b"\x7fELF garbage" * 20], "not an ELF")
    foreign = "declare i64 @strlen(ptr)\n@s = internal constant [2 x i8] zeroinitializer\n" + (
        "define i64 @vv.entry() {\n  %n = call i64 @strlen(ptr @s)\n  %m = add i64 %n, 1\n"
        "  %k = call i64 @other(i64 %m)\n  ret i64 %k\n}\ndeclare hidden i64 @other(i64)"
    )
    refused(objects(foreign), r"undefined: \[.*'other'")
    absolute = "@x = internal global i64 5\n@vv.p = global ptr @x\n" + one
    refused(objects(absolute), "relocations of the kinds")
    other = bytearray(objects(one)[0])
    other[18:20] = (183).to_bytes(2, "little")
    refused([bytes(other)], "for machine 183")
    page = "@vv.x = constant i64 5, align 8192\n" + one
    refused(objects(page), "aligned to 8192")


def test_what_many_programs_call_is_kept_on_disk(tmp_path, monkeypatch):
    """A process that compiles another program finds it; damaged, it is compiled again."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path))

    def value(factor):
        function_object.cache_clear()
        return float(vv.function(lambda x: vv.generic.sin(factor * x), {"x": ()})(0.5))

    def files():
        return {path: path.read_bytes() for path in tmp_path.iterdir()}

    wanted, first = value(5.0), files()
    assert len(first) > 1  # the program, sines, ways to copy: how many depends on the lanes
    value(6.0)
    assert len(files()) == len(first) + 1  # the other program alone
    for path, content in first.items():
        path.write_bytes(content[:-1] + b"x")
    assert value(5.0) == wanted
    assert first.items() <= files().items()
