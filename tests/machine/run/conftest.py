"""A folder of its own for machine code."""

import pytest


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
