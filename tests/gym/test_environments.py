"""Environments are what a plain loop over `step` gives, in every mode, with every seed."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import visviva as vv
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.gym.draws import uniform

g = vv.generic
CART = vv.catalog.cart_pole()
ARM = vv.catalog.two_link()
LOW, HIGH = np.array([-0.1, np.pi - 0.1]), np.array([0.1, np.pi + 0.1])


def fell(q):
    return g.less(0.3, g.absolute(q[1] - np.pi))


def reward(q, v, action, last_q):
    return g.cos(q[1]) - 0.01 * v @ v + 0.1 * action[0] + q[0] - last_q[0]


OPTIONS = {
    "dt": 0.02,
    "reward": reward,
    "termination": fell,
    "action_space": gymnasium.spaces.Box(-10.0, 10.0, (1,)),
    "start": {"q": (LOW, HIGH), "v": (-0.05, 0.05)},
    "max_episode_steps": 30,
}


def actions(n, steps, seed=1):
    return np.random.default_rng(seed).uniform(-10, 10, (steps, n, 1))


class Plain:
    """One episode in plain Python: the same starts, physics, and sums."""

    def __init__(self, seed):
        self.seed, self.episode = seed, 0

    def reset(self):
        numbers = uniform(np.array([self.seed], dtype=np.uint64), np.array([self.episode]), 4)[0]
        self.q = LOW + (HIGH - LOW) * numbers[:2]
        self.v = -0.05 + 0.1 * numbers[2:]
        self.episode, self.steps = self.episode + 1, 0
        return np.concatenate([self.q, self.v])

    def step(self, action):
        last_q, self.steps = self.q, self.steps + 1
        self.q, self.v = CART.step(self.q, self.v, [action[0], 0.0], 0.02)
        r = np.cos(self.q[1]) - 0.01 * self.v @ self.v + 0.1 * action[0] + self.q[0] - last_q[0]
        over = abs(self.q[1] - np.pi) > 0.3
        return np.concatenate([self.q, self.v]), r, over, self.steps >= 30


@pytest.mark.parametrize("mode", ["next", "same"])
@pytest.mark.parametrize("in_numpy", [(), ("reward",), ("observation", "termination")])
def test_it_is_a_plain_loop_over_step(mode, in_numpy):
    options = dict(OPTIONS)
    if "reward" in in_numpy:
        options["reward"] = lambda q, v, action, last_q: (
            np.cos(q[:, 1]) - 0.01 * (v**2).sum(axis=1) + 0.1 * action[:, 0] + (q - last_q)[:, 0]
        )
    if "termination" in in_numpy:
        options["termination"] = lambda q: np.abs(q[:, 1] - np.pi) > 0.3
        options["observation"] = lambda q, v: np.hstack([q, v])
    n, kind = 5, {"next": AutoresetMode.NEXT_STEP, "same": AutoresetMode.SAME_STEP}[mode]
    env = vv.gym.VectorEnv(CART, n, autoreset_mode=kind, in_numpy=in_numpy, **options)
    plain = [Plain(7 + k) for k in range(n)]
    observation, info = env.reset(seed=7)
    np.testing.assert_allclose(observation, [x.reset() for x in plain], rtol=1e-14)
    assert info == {}
    over, ends = np.zeros(n, dtype=bool), 0
    for action in actions(n, 120):
        observation, rewards, terminated, truncated, info = env.step(action)
        for k, x in enumerate(plain):
            if mode == "next" and over[k]:
                wanted = x.reset(), 0.0, False, False
            else:
                wanted = x.step(action[k])
            over[k] = wanted[2] or wanted[3]
            ends += over[k]
            if mode == "same" and over[k]:
                np.testing.assert_allclose(info["final_obs"][k], wanted[0], rtol=1e-9, atol=1e-12)
                wanted = x.reset(), *wanted[1:]
            np.testing.assert_allclose(observation[k], wanted[0], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(rewards[k], wanted[1], rtol=1e-9, atol=1e-12)
            assert (terminated[k], truncated[k]) == wanted[2:]
            assert env.steps[k] == x.steps
        if mode == "same":
            assert ("final_obs" in info) == over.any()
            assert not over.any() or list(info["_final_obs"]) == list(over)
    assert ends > 2 * n


def test_a_row_does_not_know_the_others():
    """Row k of seed s is an environment of seed s + k."""
    env = vv.gym.VectorEnv(CART, 3, parameters={"m": (0.1, 0.5)}, **OPTIONS)
    env.reset(seed=40)
    one = vv.gym.Env(CART, parameters={"m": (0.1, 0.5)}, **OPTIONS)
    observation, _ = one.reset(seed=42)
    np.testing.assert_array_equal(observation, np.concatenate([env.q[2], env.v[2]]))
    is_over = False
    for action in actions(3, 90):
        row = [x[2] for x in env.step(action)[:4]]
        single = [one.reset()[0], 0.0, False, False] if is_over else one.step(action[2])
        is_over = single[2] or single[3]
        for got, wanted in zip(row, single[:4], strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13)
        assert env.parameters["m"][2] == one.parameters["m"]


def test_seeds_and_masks():
    env = vv.gym.VectorEnv(CART, 4, **OPTIONS)
    first = env.reset(seed=3)[0]
    second = env.reset()[0]
    assert (first != second).all()
    np.testing.assert_array_equal(env.reset(seed=3)[0], first)
    np.testing.assert_array_equal(env.reset()[0], second)
    np.testing.assert_array_equal(env.reset(seed=np.int64(3))[0], first)
    np.testing.assert_array_equal(env.reset(seed=[6, 5, 4, 3])[0][3], first[0])
    env.reset(seed=3)
    for action in actions(4, 3):
        before = env.step(action)[0]
    mask = np.array([False, True, False, True])
    after = env.reset(seed=3, options={"reset_mask": mask})[0]
    np.testing.assert_array_equal(after, np.where(mask[:, None], first, before))
    assert list(env.steps) == [3, 0, 3, 0]
    with pytest.raises(ArgumentError, match=r"array of 4 booleans, got int64 of shape \(2,\)"):
        env.reset(options={"reset_mask": np.array([1, 0])})
    with pytest.raises(ArgumentError, match="each of 4 environments, got"):
        env.reset(seed=[1])
    other = vv.gym.VectorEnv(CART, 4, **OPTIONS)
    assert (other.reset()[0] != vv.gym.VectorEnv(CART, 4, **OPTIONS).reset()[0]).any()


def test_starts_are_uniform():
    numbers = uniform(np.arange(4000, dtype=np.uint64), np.arange(4000) % 7, 5)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    np.testing.assert_allclose(numbers.mean(axis=0), 0.5, atol=0.03)
    np.testing.assert_allclose(np.corrcoef(numbers.T), np.eye(5), atol=0.07)
    np.testing.assert_allclose(np.corrcoef(numbers[:-1, 0], numbers[1:, 0])[0, 1], 0, atol=0.07)


def test_disabled_autoreset_waits_for_reset():
    env = vv.gym.VectorEnv(CART, 3, autoreset_mode="Disabled", **OPTIONS)
    with pytest.raises(ArgumentError, match=r"call reset\(\) before step\(\)"):
        env.step(actions(3, 1)[0])
    env.reset(seed=0)
    for action in actions(3, 40):
        _, _, terminated, truncated, _ = env.step(action)
        if (terminated | truncated).any():
            break
    with pytest.raises(ArgumentError, match=r'is over: call reset.*"reset_mask"'):
        env.step(action)
    env.reset(options={"reset_mask": terminated | truncated})
    env.step(action)


def test_parameters_are_drawn_and_count():
    env = vv.gym.VectorEnv(CART, 200, parameters={"m": (0.1, 0.5), "l": (0.4, 0.4)}, **OPTIONS)
    env.reset(seed=0)
    m = env.parameters["m"].copy()
    assert 0.1 <= m.min() < 0.15 < 0.45 < m.max() <= 0.5
    assert (env.parameters["l"] == 0.4).all()
    q, v, action = env.q.copy(), env.v.copy(), actions(200, 1)[0]
    env.step(action)
    other = CART.with_parameters(m=m[5], l=0.4)
    np.testing.assert_allclose(env.q[5], other.step(q[5], v[5], [action[5, 0], 0.0], 0.02)[0])
    np.testing.assert_array_equal(env.parameters["m"], m)
    env.parameters = {"m": 0.3}
    assert env.get_attr("m") == (0.3,) * 200
    env.reset(options={"reset_mask": np.arange(200) == 1})
    assert env.parameters["m"][1] not in (0.3, m[1])
    seen = OPTIONS | {"reward": lambda parameters, t: parameters["m"] + 10 * t}
    one = vv.gym.Env(CART, parameters={"m": (0.2, 0.2)}, **seen)
    one.reset(seed=0)
    one.step([0.0])
    assert one.step([0.0])[1] == pytest.approx(0.2 + 10 * 0.04)
    one.parameters = {"m": 0.25}
    assert one.step([0.0])[1] == pytest.approx(0.25 + 10 * 0.06)
    with pytest.raises(UnknownNameError, match="'mass'"):
        vv.gym.VectorEnv(CART, 1, parameters={"mass": (0.1, 0.5)}, **OPTIONS)
    with pytest.raises(ArgumentError, match=r"parameter 'm' has a range"):
        vv.gym.VectorEnv(CART, 1, parameters={"m": (0.5, 0.1)}, **OPTIONS)


def test_attributes_of_rows():
    env = vv.gym.VectorEnv(CART, 2, **OPTIONS)
    env.reset(seed=0)
    env.set_attr("q", [[0.0, 3.0], [0.1, 3.1]])
    env.set_attr("v", np.zeros(2))
    np.testing.assert_array_equal(env.q, [[0.0, 3.0], [0.1, 3.1]])
    observation = env.step(np.zeros((2, 1)))[0]
    wanted = CART.step([0.1, 3.1], [0.0, 0.0], [0.0, 0.0], 0.02)
    np.testing.assert_allclose(observation[1], np.concatenate(wanted))
    assert env.get_attr("dt") == (0.02, 0.02)
    with pytest.raises(UnknownNameError, match=r"'dt'.*available: 'q', 'v'"):
        env.set_attr("dt", 0.1)
    with pytest.raises(ShapeError, match="2 rows have as many values, got 3"):
        env.set_attr("q", [0, 0, 0])
    with pytest.raises(AttributeError, match="'mass'"):
        env.get_attr("mass")


def test_spaces_come_from_limits():
    limited = ARM.with_limits(effort={"q1": 3.0})
    env = vv.gym.VectorEnv(limited, 2, dt=0.01, reward=lambda q: q[0], dtype=np.float32)
    np.testing.assert_array_equal(env.single_action_space.high, [3.0, np.inf])
    assert env.single_observation_space.dtype == np.float32
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    motor = vv.Actuator.motor("m", ARM.joint_names[1], gear=5.0, limits=(-1.0, 2.0))
    driven = vv.gym.Env(ARM.with_actuators([motor]), dt=0.01, reward=lambda q: q[0])
    assert driven.action_space.low == -1.0
    assert driven.action_space.high == 2.0
    driven.reset(seed=0)
    got = driven.step([1.5])[0]
    np.testing.assert_allclose(got, np.concatenate(ARM.step([0, 0], [0, 0], [0, 7.5], 0.01)))


def test_actions_outside_are_refused_or_clipped():
    env = vv.gym.VectorEnv(CART, 2, **OPTIONS)
    env.reset(seed=0)
    with pytest.raises(ArgumentError, match=r"row 1 is \[11\.\], outside of Box.*clip_actions"):
        env.step([[1.0], [11.0]])
    with pytest.raises(ArgumentError, match="row 0 is"):
        env.step([[np.nan], [0.0]])
    with pytest.raises(ShapeError, match=r"\(2, 1\)"):
        env.step([1.0, 2.0])
    soft = vv.gym.VectorEnv(CART, 2, clip_actions=True, **OPTIONS)
    soft.reset(seed=0)
    observation, _, _, _, info = soft.step([[1.0], [11.0]])
    assert list(info["clipped"]) == [False, True]
    assert info["_clipped"].all()
    np.testing.assert_array_equal(observation, env.step([[1.0], [10.0]])[0])


@pytest.mark.filterwarnings("ignore:.*WARN")
def test_gymnasium_accepts_it():
    space = gymnasium.spaces.Discrete(2)
    options = OPTIONS | {"action_space": space, "forces": lambda action: [20 * action - 10]}
    options["reward"] = lambda q: g.cos(q[1])
    env = vv.gym.Env(CART, render_mode="rgb_array", **options)
    check_env(env)
    check_env(vv.gym.Env(CART, dtype=np.float32, **OPTIONS))
    statistics = RecordEpisodeStatistics(vv.gym.VectorEnv(CART, 8, **options))
    statistics.reset(seed=0)
    episodes = 0
    for _ in range(60):
        info = statistics.step(statistics.action_space.sample())[4]
        episodes += "episode" in info
    assert episodes


def test_a_frame_shows_the_mechanism():
    env = vv.gym.VectorEnv(CART, 3, render_mode="rgb_array", **OPTIONS)
    env.reset(seed=0)
    (frame,) = env.render()
    assert frame.shape == (360, 480, 3)
    assert frame.dtype == np.uint8
    assert (frame == 255).all(axis=2).mean() > 0.5
    assert (frame != 255).any(axis=2).mean() > 0.002
    env.q = [0.5, np.pi / 2]
    assert (env.render()[0] != frame).any()
    assert vv.gym.VectorEnv(CART, 3, **OPTIONS).render() is None


def test_systems_of_every_kind():
    """Time, quaternions, constraints, and a start that is a function."""
    timed = vv.Lagrangian("x", "x'^2/2", "x^2*sin(t)")
    env = vv.gym.Env(timed, dt=0.1, reward=lambda t: t, start={"q": (1.0, 1.0)})
    env.reset(seed=0)
    env.step([0.0])
    observation, reward, *_ = env.step([0.0])
    assert reward == pytest.approx(0.2)
    q, v = timed.step([1.0], [0.0], [0.0], 0.1, 0.0)
    np.testing.assert_allclose(observation, np.concatenate(timed.step(q, v, [0.0], 0.1, 0.1)))
    ball = vv.catalog.tumbling_body()

    def start(rng):
        return ball.integrate(ball.neutral(), rng.normal(size=ball.nv)), rng.normal(size=ball.nv)

    rows = vv.gym.VectorEnv(ball, 3, dt=0.01, reward=lambda v: v @ v, start=start)
    first = rows.reset(seed=5)[0]
    assert len({*first[:, 0]}) == 3
    np.testing.assert_array_equal(rows.reset(seed=5)[0], first)
    rows.step(np.zeros(rows.action_space.shape))
    with pytest.raises(ArgumentError, match="depend on each other"):
        vv.gym.VectorEnv(ball, 3, dt=0.01, reward=lambda: 0.0, start={"q": (0.0, 1.0)})
    bar = vv.gym.Env(vv.catalog.four_bar(), dt=0.01, reward=lambda q: q[0])
    bar.reset(seed=0)
    bar.step([0.1])
    assert np.abs(bar.rows.system.constraint_error(bar.q)).max() < 1e-6


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownNameError, match=r"argument of reward 'obs'.*available: 'q', 'v'"):
        vv.gym.VectorEnv(CART, 1, **OPTIONS | {"reward": lambda obs: obs[0]})
    with pytest.raises(ArgumentError, match="termination is a function of q, v"):
        vv.gym.VectorEnv(CART, 1, **OPTIONS | {"termination": 3})
    with pytest.raises(ShapeError, match="reward is one number"):
        vv.gym.VectorEnv(CART, 1, **OPTIONS | {"reward": lambda q: q})
    with pytest.raises(vv.VisvivaError, match="while a function is being traced") as caught:
        vv.gym.VectorEnv(CART, 1, **OPTIONS | {"reward": lambda q: 1.0 if q[0] > 0 else 0.0})
    assert "in_numpy=['reward']" in caught.value.__notes__[0]
    env = vv.gym.VectorEnv(CART, 2, in_numpy=["reward"], **OPTIONS | {"reward": lambda q: q.sum()})
    env.reset()
    with pytest.raises(ShapeError, match=r"reward, in numpy, .* of 2 environments"):
        env.step([[0.0], [0.0]])
    with pytest.raises(UnknownNameError, match="part of an environment 'forces'"):
        vv.gym.VectorEnv(CART, 1, in_numpy=["forces"], **OPTIONS)
    with pytest.raises(ArgumentError, match="num_envs is a whole number from 1 on, got 0"):
        vv.gym.VectorEnv(CART, 0, **OPTIONS)
    with pytest.raises(ArgumentError, match="max_episode_steps is a whole number from 1 on, got 0"):
        vv.gym.VectorEnv(CART, 1, **OPTIONS | {"max_episode_steps": 0})
    with pytest.raises(ArgumentError, match="dt is the time of a step in seconds"):
        vv.gym.VectorEnv(CART, 1, **OPTIONS | {"dt": 0.0})
    with pytest.raises(ArgumentError, match="say its action_space"):
        vv.gym.VectorEnv(CART, 1, dt=0.1, reward=lambda: 0.0, forces=lambda action: action)
    space = gymnasium.spaces.Box(-1.0, 1.0, (3,))
    with pytest.raises(ShapeError, match="its space is Box"):
        vv.gym.VectorEnv(CART, 1, observation_space=space, **OPTIONS)
    with pytest.raises(UnknownNameError, match="'human'"):
        vv.gym.VectorEnv(CART, 1, render_mode="human", **OPTIONS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": 3}, "start has ranges"),
        ({"start": {"q": 1}}, r"start of q has a range \(low, high\), got 1"),
        ({"start": {"q": ([1, 2, 3], 0)}}, r"range of start of q is an array of shape \(2,\)"),
        ({"start": {"x": (0, 1)}}, "range of a start 'x'"),
        ({"start": lambda rng: ([0.0] * 3, 0.0)}, r"q of a start is an array of shape \(2,\)"),
        ({"parameters": ["m"]}, r"parameters are \{name: \(low, high\)\}"),
        ({"method": "euler"}, "method of a step"),
        ({"action_space": gymnasium.spaces.Text(3)}, "action_space is one of Box"),
        ({"action_space": gymnasium.spaces.Discrete(2)}, r"actions of Discrete\(2\) need forces="),
        ({"parameters": {"m": (-1.0, 1.0)}}, "a mass cannot be negative"),
        ({"forces": lambda action: action[0]}, "forces of an environment gives 1 numbers"),
        ({"autoreset_mode": "never"}, "autoreset_mode 'never'.*'DISABLED'"),
    ],
)
def test_options_that_fit_nothing_are_refused(options, message):
    with pytest.raises(vv.VisvivaError, match=message):
        vv.gym.VectorEnv(CART, 2, **OPTIONS | options)


def test_actions_that_are_no_whole_numbers_are_refused():
    options = {"action_space": gymnasium.spaces.Discrete(3), "forces": lambda action: [action]}
    options["reward"] = lambda q: q[0]
    env = vv.gym.VectorEnv(CART, 2, clip_actions=True, **OPTIONS | options)
    env.reset()
    for actions in ([0, 2], [0.0, 2.0], np.array([True, False])):
        env.step(actions)
    with pytest.raises(ArgumentError, match=r"actions of Discrete\(3\) are whole numbers"):
        env.step([0.5, 1.0])


def test_parameters_are_numbers_of_an_observation():
    drawn = {
        "parameters": {"m": (0.1, 0.5)},
        "observation": lambda q, parameters: [*q, *parameters.values()],
    }
    env = vv.gym.VectorEnv(CART, 3, **OPTIONS | drawn)
    np.testing.assert_array_equal(env.reset(seed=1)[0][:, 2], env.parameters["m"])


def test_options_of_reset_are_known():
    env = vv.gym.Env(CART, **OPTIONS)
    env.reset(options={})
    with pytest.raises(UnknownNameError, match=r"option of reset 'mask'.*reset_mask"):
        env.reset(options={"mask": [True]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"in_numpy": "reward"}, r"in_numpy=\['reward'\]"),
        ({"start": lambda: ([0.0, 0.0], 0.0)}, "start is a function of a generator of numpy"),
        ({"start": lambda rng: np.zeros(2)}, r"a start is a pair \(q, v\), .* array\(\[0"),
        ({"reward": lambda parameters: parameters["l"]}, r"parameters=\{'l': \(low, high\)\}"),
        ({"dtype": int}, "have a dtype of floats, float64 or float32; got <class 'int'>"),
        ({"dtype": "number"}, "dtype of floats"),
        ({"threads": 0}, "threads is a whole number from 1 on, got 0"),
        ({"dt": True}, "dt is the time of a step"),
        ({"parameters": {"m": (-1.0, -0.5)}}, "a mass cannot be negative"),
        ({"color": 3}, "unexpected keyword argument 'color'"),
    ],
)
def test_options_that_would_be_ignored_or_break_are_refused(options, message):
    for make in (lambda **o: vv.gym.VectorEnv(CART, 2, **o), lambda **o: vv.gym.Env(CART, **o)):
        with pytest.raises(vv.VisvivaError, match=message):
            make(**OPTIONS | options)


def test_words_of_others_for_options():
    box = {"m": (0.1, 0.5)}
    for word, value, ours in (
        ("terminated", fell, "termination=fell"),
        ("randomize", box, "parameters={'m': (0.1, 0.5)}"),
        ("max_steps", 5, "max_episode_steps=5"),
    ):
        for kind, first in ((vv.gym.VectorEnv, (CART, 3)), (vv.gym.Env, (CART,))):
            with pytest.raises(ArgumentError) as caught:
                kind(*first, dt=0.02, reward=reward, **{word: value})
            assert ours in caught.value.cure
            named = {"vv": vv, "model": CART, "reward": reward, "fell": fell}
            assert isinstance(eval(caught.value.cure, named), kind)


@pytest.mark.parametrize("mode", ["same_step", "SAME_STEP", "SameStep", AutoresetMode.SAME_STEP])
def test_modes_by_all_their_names(mode):
    env = vv.gym.VectorEnv(CART, 1, autoreset_mode=mode, **OPTIONS)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(ArgumentError, match="a VectorEnv has an autoreset_mode"):
        vv.gym.Env(CART, autoreset_mode=mode, **OPTIONS)


def test_observations_are_never_cut():
    space = gymnasium.spaces.Box(-5, 5, (1,), dtype=np.int64)
    whole = {"observation": lambda q: [g.less(0.0, q[1])], "observation_space": space}
    env = vv.gym.VectorEnv(CART, 2, **OPTIONS | whole)
    assert env.reset(seed=0)[0].tolist() == [[1], [1]]
    parts = whole | {"observation": lambda q: [q[1]]}
    with pytest.raises(ArgumentError, match=r"observations of Box\(-5, 5.* are whole numbers"):
        vv.gym.VectorEnv(CART, 2, **OPTIONS | parts).reset(seed=0)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"parameters": {"m": (0.0, 0.0), "M": (0.0, 0.0)}}, "observation"),
        ({"observation": lambda q: [g.sqrt(-1.0 - q[0] ** 2)]}, "observation"),
        ({"reward": lambda q: g.log(-1.0 - q[0] ** 2)}, "reward"),
    ],
)
def test_what_is_not_finite_is_said_once(options, name):
    env = vv.gym.VectorEnv(CART, 2, **OPTIONS | options)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        env.reset(seed=0)
        for action in actions(2, 3):
            env.step(action)
    (one,) = said
    assert one.category is vv.errors.NotFiniteWarning
    assert str(one.message).startswith(f"{name} of row 0 is not finite")
    assert one.filename == __file__


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_goes_on_as_the_environment_does(copied):
    env = vv.gym.VectorEnv(CART, 3, parameters={"m": (0.1, 0.5)}, **OPTIONS)
    env.reset(seed=4)
    for action in actions(3, 20):
        env.step(action)
    other = copied(env)
    for action in actions(3, 40, seed=2):
        for mine, its in zip(env.step(action)[:4], other.step(action)[:4], strict=True):
            np.testing.assert_array_equal(mine, its)
    one = vv.gym.Env(CART, **OPTIONS)
    one.reset(seed=4)
    np.testing.assert_array_equal(copied(one).step([1.0])[0], one.step([1.0])[0])


def test_arrays_of_shape_nothing_are_numbers():
    parts = {"observation": lambda q: [q[0], np.asarray(q[1]), np.array(0.5)]}
    env = vv.gym.VectorEnv(CART, 2, **OPTIONS | parts)
    np.testing.assert_array_equal(env.reset(seed=0)[0][:, :2], env.q)
    f = vv.function(lambda q: [[q[0], np.asarray(q[1])], [1.0, q[0]]], {"q": 2})
    np.testing.assert_array_equal(f([2.0, 3.0]), [[2.0, 3.0], [1.0, 2.0]])
    u = CART.simulate([0.0, 0.1], t=0.1, tau=lambda t, q, v: [np.asarray(q[1]), 0.0])
    np.testing.assert_allclose(u.forces_at(u.t)[:, 0], u.q[:, 1])


def test_what_is_set_has_its_shape():
    env = vv.gym.VectorEnv(CART, 2, **OPTIONS)
    with pytest.raises(ShapeError, match=r"q is an array of shape \(2, 2\)"):
        env.q = np.zeros((3, 2))
    for seed in (1.5, "a", [-1, 2], [1]):
        with pytest.raises(ArgumentError, match="seed is a whole number from 0 on"):
            env.reset(seed=seed)
    with pytest.raises(ArgumentError, match="a system that moves, got 'cart'"):
        vv.gym.Env("cart", **OPTIONS)
    height = 2.0
    one = vv.gym.Env(CART, **OPTIONS | {"reward": lambda q, h=height: h + 0.0 * q[0]})
    one.reset(seed=0)
    assert one.step([0.0])[1] == 2.0


def test_without_gymnasium_the_extra_is_named(monkeypatch):
    import importlib
    import sys

    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(vv.VisvivaError, match=r'pip install "visviva\[learn\]"'):
        importlib.reload(importlib.import_module("visviva.gym"))
