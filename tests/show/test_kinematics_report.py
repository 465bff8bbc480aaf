"""The report of kinematics: as text, as data, as a page; what a mechanism has not says why."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import visviva as vv
from visviva.cli import app
from visviva.errors import ArgumentError, UnknownNameError
from visviva.show.kinematics import kinematics_report, typed_target


def test_a_report_has_all_parts_and_a_page(tmp_path):
    report = kinematics_report(vv.catalog.two_link(), at={"q1": 0.3, "q2": 0.7})
    text = str(report)
    for said in (
        "mobility 2",
        "2 solutions, all there are",
        "det J = L1*L2*sin(q2)",
        "reach 0.2 to 1.8",
    ):
        assert said in text
    assert "not here" not in text
    report.save(tmp_path / "arm.html")
    page = (tmp_path / "arm.html").read_text(encoding="utf-8")
    assert page.count("plotly-graph-div") >= 4
    assert "2 ways to one target" in page
    assert "<script src" not in page  # opens without a network


def test_solutions_as_data_reach_the_target():
    asked = ["kinematics", "planar_3r", "--pose", "0.9,0.6,0.4", "--json"]
    made = CliRunner().invoke(app, asked)
    assert made.exit_code == 0
    data = json.loads(made.stdout)
    assert data["complete"]
    arm = vv.catalog.planar_3r()
    for q in data["solutions"]:
        X = arm.pose("tool")(q)
        assert np.allclose(X[:2, 3], [0.9, 0.6], atol=1e-12)
        assert np.isclose(np.arctan2(X[1, 0], X[0, 0]), 0.4, atol=1e-12)


def test_what_a_loop_has_not_says_why():
    report = kinematics_report(vv.catalog.four_bar())
    assert "mobility 1" in str(report)
    assert report.parts["Singular positions"].startswith("not here: ")
    assert np.abs(report.model.numeric.constraint_error(report.q)).max() < 1e-9


def test_bad_input_is_told():
    with pytest.raises(UnknownNameError, match="available: 'link1', 'link2', 'tool'"):
        kinematics_report(vv.catalog.two_link(), "tol")
    with pytest.raises(ArgumentError, match="stated by its energies"):
        kinematics_report(vv.catalog.relativistic_particle())
    with pytest.raises(ArgumentError, match="a target is x,y"):
        typed_target("1,2,x")
    X = typed_target("1,2,3,0.1,0.2,0.3")
    roll, yaw = np.arctan2(X[2, 1], X[2, 2]), np.arctan2(X[1, 0], X[0, 0])  # about fixed axes
    assert np.allclose([roll, np.arcsin(-X[2, 0]), yaw], [0.1, 0.2, 0.3])
    assert CliRunner().invoke(app, ["kinematics", "two_link", "--plot", "x.pdf"]).exit_code != 0
