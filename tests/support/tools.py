"""Programs that some tests want: absent, they skip on a user's machine and fail in CI."""

import os
import shutil

import pytest


def require(program, package):
    path = shutil.which(program)
    if path is None:
        message = f"this test needs {program!r} (Debian package {package})"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return path
