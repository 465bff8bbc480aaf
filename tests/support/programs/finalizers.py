"""Things that call a compiled function while they are being destroyed; argv: scenario, repeats.

Each makes a fresh function, hides it in garbage with something that still calls it, and collects.
"""

import asyncio
import gc
import random
import sys
import weakref

import numpy as np

import visviva as vv

ONES = np.ones(3)
calls = []


def factor(k):
    """Few, so that most code comes from the cache."""
    return k % 7 + 2.0


def fresh(k):
    """A function that was called, so that its machine code is in memory."""
    f = vv.function(lambda x: x * factor(k), {"x": 3})
    assert f(ONES)[0] == factor(k)
    return f


def called(f, k):
    """By every road into the code: one row, many rows, lists, threads."""
    want = factor(k)
    assert f(ONES).tolist() == [want] * 3
    assert f(np.ones((5, 3)))[4, 2] == want
    assert f([1.0, 1.0, 1.0])[0] == want
    assert f(np.ones((4096, 3)), threads=2)[-1, 0] == want
    calls.append(k)


class Plant:
    """A cycle whose finalizer takes one last step."""

    def __init__(self, f, k):
        self.f, self.k, self.me = f, k, self

    def __del__(self):
        called(self.f, self.k)


def a_plant_with_a_last_step(k):
    Plant(fresh(k), k)


def a_callback_bound_to_its_controller(k):
    class Controller:
        def __init__(self, f):
            self.f, self.callbacks = f, [self.stop]

        def stop(self):
            called(self.f, k)

        def __del__(self):
            self.callbacks[0]()

    Controller(fresh(k))


def a_generator_left_in_the_middle(k):
    def steps(f, hold):
        try:
            while True:
                yield f(ONES)
        finally:
            called(f, k)

    hold = []
    made = steps(fresh(k), hold)
    next(made)
    hold.append(made)


def an_abandoned_task(k):
    async def control(f):
        try:
            await asyncio.sleep(1000)
        finally:
            called(f, k)

    async def main():
        asyncio.get_running_loop().keep = asyncio.create_task(control(fresh(k)))
        await asyncio.sleep(0)

    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    loop.run_until_complete(main())
    loop.close()


def a_finalizer_that_keeps_the_function(k):
    """It rises again, and is called later."""
    kept = []

    class Keeper(Plant):
        def __del__(self):
            kept.append(self.f)

    Keeper(fresh(k), k)
    gc.collect()
    called(kept.pop(), k)


def destroyed_after_all_finalizers(k):
    """An object that the collector does not know is destroyed when it takes cycles apart."""
    f = fresh(k)

    class Late:
        __slots__ = ()

        def __del__(self):
            try:
                called(f, k)
            except (AttributeError, TypeError, NameError, SystemError):
                calls.append(k)  # taken apart already: an error, not a crash

    def cycle():
        ring = [Late()]
        ring.append(ring)

    for _ in range(3):
        cycle()
    ring = [Late(), Late, f, type(f), [f], Late()]
    random.Random(k).shuffle(ring)
    ring.append(ring)


def a_weak_reference_with_a_callback(k):
    f = fresh(k)
    Plant(f, k).watch = weakref.ref(f, lambda _: None)


def the_code_alone(k):
    """The entry point outlives its function."""
    f = fresh(k)
    entry = type(f).__call__
    del f
    gc.collect()
    called(entry, k)
    ring = [entry, fresh(k)]
    ring.append(ring)


def a_repetition_with_a_last_pass(k):
    """Half of it done, and the rest when everything else is being taken apart."""
    loop = vv.Loop(vv.function(lambda x: x * factor(k), {"x": 3}))

    class Rollout:
        def __init__(self):
            self.run, self.loop, self.me = loop.start(np.ones((5, 3))), loop, self
            self.run.advance(2)

        def __del__(self):
            self.run.advance(4)
            assert self.run.state["x"][4, 2] == factor(k) ** 4
            assert self.loop(ONES, times=2).state["x"][0] == factor(k) ** 2
            calls.append(k)

    Rollout()


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (
        a_plant_with_a_last_step,
        a_callback_bound_to_its_controller,
        a_generator_left_in_the_middle,
        an_abandoned_task,
        a_finalizer_that_keeps_the_function,
        destroyed_after_all_finalizers,
        a_weak_reference_with_a_callback,
        the_code_alone,
        a_repetition_with_a_last_pass,
    )
}


def main(name, repeats):
    gc.disable()
    failed = []
    sys.unraisablehook = failed.append
    for k in range(repeats):
        SCENARIOS[name](k)
        gc.collect()
        assert k in calls, name
    assert not failed, failed
    keep = fresh(repeats)  # and once more while the interpreter goes down
    Plant(keep, repeats)
    sys.keep = Plant(keep, repeats)
    print("alive", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
