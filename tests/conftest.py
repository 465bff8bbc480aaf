"""Fixtures and settings shared by all tests.

`make test` runs seeded samples of the property, fuzz and kill tests; `make soak` sets VISVIVA_SOAK
and runs those marked `soak` at their full counts.
"""

import gc
import json
import os
import signal
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import tests.support.absent
import tests.support.one_thread  # noqa: F401  (before NumPy is there)
from visviva.machine.run import fingerprint, jit, kernel

SOAK = bool(os.environ.get("VISVIVA_SOAK"))
TESTS = Path(__file__).parent

# workers and the processes that tests start would compile all sources again, each of them
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# a shell's background job ignores Ctrl-C, and so would the processes that tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "visviva",
    deadline=None,
    derandomize=not SOAK,
    database=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("visviva")


def pytest_collection_finish():
    """What is imported by now stays: tests that collect garbage need not look through it.

    Later it is looked for seldom: formulas are many small objects that live long.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_configure(config):
    config.addinivalue_line("markers", "soak: runs at full count in make soak")
    config.addinivalue_line("markers", "spread(n): n of its cases in make test, all in make soak")
    config.addinivalue_line("markers", "early: takes long and begins first, its file in one piece")


def pytest_collection_modifyitems(config, items):
    """Of a family marked `spread(n)`, n cases from the first to the last; the soak runs all."""
    families = {}
    for item in items:
        if mark := item.get_closest_marker("spread"):
            item.add_marker(pytest.mark.soak)
            families.setdefault((item.path, item.originalname), (mark.args[0], []))[1].append(item)
    if not (SOAK or config.getoption("keyword") or any("::" in x for x in config.args)):
        _leave_out(config, items, families)  # what was asked for by name runs whole
    _begin_with_long_ones(items)


def _leave_out(config, items, families):
    """All but n cases of each family."""
    left_out = set()
    for n, family in families.values():
        last = len(family) - 1
        chosen = {round(k * last / max(n - 1, 1)) for k in range(n)}
        left_out |= {item for k, item in enumerate(family) if k not in chosen}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def _begin_with_long_ones(items):
    """Tests marked `early` stand where workers begin, so that none is left alone with one.

    Each of n workers is given a part of the list, one after another; later they take from others.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    pieces = {}
    for item in items:
        if item.get_closest_marker("early"):
            pieces.setdefault(item.path, []).append(item)
    early = [[] for _ in range(workers)]
    for piece in pieces.values():
        min(early, key=len).extend(piece)
    chosen = {item for part in early for item in part}
    rest = [item for item in items if item not in chosen]
    total, made = len(items), []
    for k, part in enumerate(early):
        length = (total - len(made)) // (workers - k)
        filling = max(length - len(part), 0)
        made += [*part, *rest[:filling]]
        rest = rest[filling:]
    items[:] = [*made, *rest]


@pytest.fixture(autouse=True, scope="session")
def _private_cache(tmp_path_factory):
    """Tests neither read nor fill the user's cache, nor use the user's secret.

    Workers of one run share both: what one has compiled the other finds.
    """
    fingerprint.BEGAN = 2**63  # who edits sources while the tests run may find code in the cache
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    own = {name: str(root / name) for name in ("VISVIVA_CACHE", "XDG_STATE_HOME")}
    for folder in own.values():
        Path(folder).mkdir(mode=0o700, exist_ok=True)
    previous = {name: os.environ.get(name) for name in own}
    os.environ |= own
    yield
    for name, value in previous.items():
        os.environ.pop(name)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(autouse=True, scope="module")
def _quickly_compiled(request):
    """Functions are compiled at the code generator's lowest level, in half the time.

    Their numbers are the same to the last bit, as `tests/machine/run/test_levels.py` shows. Code at
    the level that users have is what the soak runs, processes that tests start, and tests of the
    audit, of pages and examples, of the machine and of the laws.
    """
    room = request.path.relative_to(TESTS).parts
    if SOAK or room[0] in ("machine", "sources", "project") or "laws" in room:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        known = fingerprint.fingerprint
        quick = cache(lambda: (*known(), "level 0") if known() else None)
        patch.setattr(fingerprint, "fingerprint", quick)  # kept apart from what others compile
        patch.setattr(jit, "LEVEL", 0)
        kernel.function_object.cache_clear()
        yield
    kernel.function_object.cache_clear()


def pytest_terminal_summary(terminalreporter):
    """How much was compared with other libraries: tests record it, xdist's workers hand it on."""
    groups = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") != "call":
                continue
            for name, text in report.user_properties:
                if name == "compared":
                    said = json.loads(text)
                    groups.setdefault(said["group"], []).append(said)
    for group, parts in sorted(groups.items()):
        counts = {k: sum(x["counts"][k] for x in parts) for k in parts[0]["counts"]}
        functions = {f for x in parts for f in x["functions"]}
        largest = max(x["largest"] for x in parts)
        listed = ", ".join(f"{n} {k}" for k, n in counts.items())
        terminalreporter.write_line(
            f"{group}: {listed}, {len(functions)} functions, largest error {largest:.1e}"
        )
