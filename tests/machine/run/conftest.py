"""A folder of its own for machine code; collections that are quick in a large process."""

import gc

import pytest


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def small_heap():
    """What other tests left behind is not looked through at every `gc.collect()`, now or later."""
    gc.collect()
    gc.freeze()
