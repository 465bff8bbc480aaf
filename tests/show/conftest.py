"""One browser for all tests of pages."""

import pytest

from tests.support.browser import Browser
from tests.support.tools import require


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium; absent, its tests skip on a user's machine and fail in CI."""
    require("chromium", "chromium")
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()
