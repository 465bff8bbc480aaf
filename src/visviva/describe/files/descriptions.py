"""Files of `robot_descriptions`: `load("panda_description")` where that package is installed.

Its modules fetch a repository by git when they are imported for the first time; nothing else here
uses a network. A name is that of a module only if it is made of small letters, digits and _.
"""

from __future__ import annotations

import importlib
import os
import re
from pkgutil import iter_modules
from typing import Any, NamedTuple

from visviva.errors import BackendError, ReadError, UnknownNameError

PACKAGE = "robot_descriptions"
NAME = re.compile(r"[a-z0-9][a-z0-9_]*_description")
FILES = (
    "URDF_PATH",
    "MJCF_PATH",
    "XACRO_PATH",
)  # a module has one or more of them; the first is taken
FOLDERS = ("PACKAGE_PATH", "REPOSITORY_PATH")


class Description(NamedTuple):
    """A robot's file, and the folders in which its packages are."""

    file: str
    packages: list[str]


def is_description(name: Any) -> bool:
    """Whether it is a name of the kind that robot_descriptions has: "panda_mj_description"."""
    return isinstance(name, str) and NAME.fullmatch(name) is not None


def description(name: str) -> Description:
    """The file of a robot by its name in robot_descriptions, which may have to fetch it."""
    no_file = f"{name}: there is no such file"
    try:
        package: Any = importlib.import_module(PACKAGE)
    except ImportError:
        raise BackendError(
            f"{no_file}, and {PACKAGE}, which may know it, is not installed: pip install {PACKAGE}"
        ) from None
    modules = iter_modules(getattr(package, "__path__", ()))
    names = [x.name for x in modules if NAME.fullmatch(x.name)]
    try:
        module = importlib.import_module(f"{PACKAGE}.{name}")
    except Exception as problem:  # of git, the network or the disk: any kind of error
        if name not in names and isinstance(problem, ModuleNotFoundError):
            raise UnknownNameError(f"description of {PACKAGE}", name, names) from None
        raise ReadError(
            f"{no_file}, and {PACKAGE} could not fetch it, which it does by git at its first use "
            f"({problem!s:.300})"
        ) from None
    files = [vars(module)[x] for x in FILES if x in vars(module)]
    if not files:
        raise ReadError(f"{PACKAGE}.{name} has no file: none of {', '.join(FILES)}")
    folders = [str(vars(module)[x]) for x in FOLDERS if x in vars(module)]
    return Description(str(files[0]), [*folders, *(os.path.dirname(x) for x in folders)])
