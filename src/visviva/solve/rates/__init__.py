"""Joint rates for velocities, paths followed, motions of redundant arms.

slopes       The velocities that joints give to a task, by singular values
approach     Towards a position without leaving a task: the nearest solution found
objectives   What can be made large where joints are free to: by name, or a function of q
rates        Joint rates for a wanted velocity: exact, weighted, damped, in the null space
paths        Paths of a frame: poses along a share of the way
following    A path of a frame followed by the joints, with what was passed on the way
elbow        The elbow angle of an arm with a shoulder, an elbow and a wrist
curves       Curves of positions on which a task stays as it is, traced step by step
drawing      A self-motion as a picture
self_motion  `SelfMotion`: the positions at which a frame stays where it is
"""
