"""Constrained motion against MuJoCo's, whose constraints give way: by one in ten thousand here.

At rest and slowly, since MuJoCo leaves out β = Ȧ v.
"""

import mujoco
import numpy as np
import pytest

import visviva as vv
from tests.support.generators.loops import null_space
from tests.support.oracles import mujoco_models as mj
from tests.support.oracles.oracle import Interpreted, off

STIFF = 'solref="0.01 1" solimp="0.9999 0.9999 0.001 0.5 2"'
BODY = '<inertial pos="{x} 0.1 0.05" mass="1.3" fullinertia="0.2 0.25 0.3 0.02 0.01 -0.03"/>'
FOUR_BAR = f"""
  <body name="crank"><joint name="a" axis="0 0 1"/>{BODY.format(x=0.2)}
    <body name="coupler" pos="0.6 0 0" euler="0 0 70"><joint name="b" axis="0 0 1"/>
      {BODY.format(x=0.5)}
    </body>
  </body>
  <body name="rocker" pos="1.5 0 0" euler="0 0 100"><joint name="c" axis="0 0 1"/>
    {BODY.format(x=0.4)}%s
  </body>"""
HALF = f'<body name="half" pos="1.1 0 0"><joint name="d" axis="0 0 1"/>{BODY.format(x=0.1)}</body>'
ARM = f"""
  <body name="base"><freejoint/>{BODY.format(x=0.0)}
    <body name="arm" pos="0.3 0 0"><joint type="ball"/>{BODY.format(x=0.4)}
      <body name="hand" pos="0.8 0.1 0"><joint name="e" axis="0 1 1"/>{BODY.format(x=0.2)}</body>
    </body>
    <body name="other" pos="-0.3 0 0"><joint name="f" axis="1 0 0"/>{BODY.format(x=-0.3)}
      <body name="tip" pos="0 0.5 0"><joint name="g" type="slide" axis="1 1 0"/>{BODY.format(x=0.1)}
      </body>
    </body>
  </body>"""
SYSTEMS = {
    "point": (FOUR_BAR % "", '<connect body1="coupler" body2="rocker" anchor="1 0.2 0" {}/>'),
    "weld": (FOUR_BAR % HALF, '<weld body1="coupler" body2="half" {}/>'),
    "arm": (
        ARM,
        '<connect body1="hand" body2="tip" anchor="0.1 0.2 0.3" {0}/>'
        '<joint joint1="f" joint2="e" polycoef="0 0.5 0.1 0 0" {0}/>',
    ),
}


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", SYSTEMS)
def test_soft_equalities(name, tmp_path):
    bodies, equalities = SYSTEMS[name]
    text = f"""<mujoco><compiler angle="degree"/><option iterations="500" tolerance="1e-14"/>
      <worldbody>{bodies}</worldbody><equality>{equalities.format(STIFF)}</equality></mujoco>"""
    path = tmp_path / "model.xml"
    path.write_text(text)
    model, m = vv.load(path), mujoco.MjModel.from_xml_path(str(path))
    run, rng = Interpreted(model), np.random.default_rng(0)
    q = mj.our_q(m, m.qpos0)
    assert np.abs(run("constraint_error", q)).max() < 1e-12
    kept = null_space(run("constraint_matrix", q))
    for fast in (0.0, 1e-2):
        v, tau = fast * kept @ kept.T @ rng.normal(size=model.nv), 5 * rng.normal(size=model.nv)
        d = mj.moving(m, m.qpos0, v, tau)
        assert d.ne == len(run("constraint_velocity", q, v))
        assert off(run("forward_dynamics", q, v, tau), mj.accelerations(m, d, v)) < 1e-3
