"""Events of a motion: stated, found inside steps, and how the motion goes on after them.

panels     Steps as polynomials in Bernstein form, whichever method took them
locate     Where events change sign along steps: all of them, or it is said where not
event      `Event`: when a function of the state becomes zero, and what then
typed      Events that are typed, as equations
watching   Events along motions as they are computed: what happened, where one ends or jumps
driving    Motions from jump to jump: steps are taken some at a time, and cut where events are
chosen     Motions with steps as long as their error allows, watched
stepped    Motions with steps of given length, from jump to jump
"""
