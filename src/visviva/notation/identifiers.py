"""Names of people as names of a program: letters of any script, keywords, words of headers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from visviva.notation.names import LETTERS, fresh

# functions of math.h, which exist for float and long double too
_C_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 "
    "exp2 expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 "
    "j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint "
    "nextafter nexttoward pow pow10 remainder remquo rint round scalb scalbln scalbn signbit "
    "significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn "
    # of C23
    "acospi asinpi atan2pi atanpi canonicalize compoundn cospi exp10m1 exp2m1 fmaximum "
    "fmaximum_mag fmaximum_mag_num fmaximum_num fminimum fminimum_mag fminimum_mag_num "
    "fminimum_num fromfp fromfpx llogb log10p1 log2p1 logp1 nextdown nextup pown powr rootn "
    "roundeven rsqrt sinpi tanpi ufromfp ufromfpx".split()
)
# Words that cannot name a function or an argument, in C or in C++ that includes its header:
# keywords, and what the headers or the compiler itself have defined.
C_WORDS = {name + ending for name in _C_MATH for ending in ("", "f", "l")} | set(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm typeof main linux unix i386 NAN INFINITY NULL errno "
    "isfinite isnormal signgam float_t double_t size_t "
    # C++
    "char8_t char16_t char32_t "
    "alignas alignof and and_eq bitand bitor bool catch class compl concept const_cast consteval "
    "constexpr constinit co_await co_return co_yield decltype delete dynamic_cast explicit export "
    "false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public reinterpret_cast requires static_assert static_cast template this "
    "thread_local throw true try typeid typename using virtual wchar_t xor xor_eq "
    # functions that compilers know without a header
    "abort abs alloca bcmp bcopy bzero calloc clog cabs carg cexp cimag conj cpow creal csqrt exit "
    "ffs fprintf fputc fputs free fscanf fwrite imaxabs index isalnum isalpha isblank isdigit "
    "islower isspace isupper labs llabs malloc memchr memcmp memcpy memmove memset printf putchar "
    "puts realloc rindex scanf snprintf sprintf sscanf stpcpy strcat strchr strcmp strcpy strcspn "
    "strdup strlen strncat strncmp strncpy strndup strpbrk strrchr strspn strstr tolower toupper "
    "vprintf vscanf".split()
)
# macros of headers and compilers, and names that C keeps for them
MACRO = re.compile(r"_[A-Z_]\w*|EOF|(?:M|FP|MATH|HUGE|FLT|DBL)_\w*|math_errhandling")


def identifier(name: str, taken: Container[str]) -> str:
    """A name that C and Python allow and that is not taken: theta for θ, u5173_ for 关.

    Examples:
        >>> [identifier(name, {"int"}) for name in ("θ1", "2x", "int")]
        ['theta1', '_2x', 'int_']
    """
    letters = "".join(map(_ascii, unicodedata.normalize("NFC", name).replace("'", "d"))) or "_"
    before = "_" if letters[0].isdigit() else "n" if MACRO.fullmatch(letters) else ""
    return fresh(before + letters, taken)


def _ascii(c: str) -> str:
    if c.isascii():
        return c if c.isalnum() else "_"
    if c in LETTERS:
        return LETTERS[c]
    plain = unicodedata.normalize("NFKD", c)[0]
    if plain.isascii() and plain.isalnum():
        return plain  # é is e
    return f"u{ord(c):04x}_" if c.isalpha() else "_"
