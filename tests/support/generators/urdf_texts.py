"""URDF in pieces: links, joints and robots as text, and what a refusal says."""

import pytest

from visviva.describe.files.urdf.read import loads_urdf
from visviva.errors import ReadError

LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
MASS = '<mass value="2"/><inertia ixx="1" iyy="1.2" izz="1.4" ixy="0" ixz="0" iyz="0"/>'


def link(name, inside=f"<inertial>{MASS}</inertial>"):
    return f'<link name="{name}">{inside}</link>\n'


def joint(name, kind, parent, child, inside=LIMIT):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>\n'


def robot(*parts):
    return '<robot name="r">\n' + "".join(parts) + "</robot>"


def arm(kind="revolute", inside=LIMIT, **options):
    """One joint."""
    return loads_urdf(robot(link("a"), link("b"), joint("j", kind, "a", "b", inside)), **options)


def refusal(text, **options):
    with pytest.raises(ReadError) as caught:
        loads_urdf(text, source="bot.urdf", **options)
    return str(caught.value)


def mimic(source, extra=""):
    return f'<mimic joint="{source}" {extra}/>'
