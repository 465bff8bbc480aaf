"""Live in the browser: mechanisms that are moved by sliders, pulled by a hand, and played.

    python examples/33_live_view.py           # ends by itself after a moment
    python examples/33_live_view.py --stay    # until Ctrl-C

Needs viser: pip install "visviva[view]".
"""

import sys
import time

import numpy as np

import visviva as vv

arm = vv.catalog.two_link()
linkage = vv.catalog.four_bar()
swing = linkage.simulate(linkage.assembled([1.0, 0.0, 0.0]), np.zeros(3), 3.0)

# an arm, and beside it a motion of a linkage that can be played
with arm.view(swing, port=0) as view:
    view.ready.wait()  # everything is compiled; the page was there before

    # what people do in the browser, done here: the session is the same for all who look
    session = view.sessions[0]
    session.slide(1, 1.2)
    tool = session.places[session.scene.carrier("frame:tool")][:, 3]
    view.do(lambda: session.grab("frame:tool", tool))
    view.do(lambda: session.pull(tool + np.array([0.0, 0.3, 0.0])))
    if "--stay" in sys.argv:
        view.wait()
    while session.t < 0.3:
        time.sleep(0.05)
    print(f"after {session.t:.2f} s the hand has done {session.account['hand']:.2f} J of work")
print(view)
