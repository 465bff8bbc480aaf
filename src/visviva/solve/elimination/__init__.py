"""All solutions of polynomial systems: general 6R arms, Stewart platforms.

platforms/         Platforms on six legs: seven quadrics, 40 paths, the proof of each pose
pairs              Complex numbers as pairs of scalars of any kind, orthogonal elimination over both
extended           Numbers side by side with a few more digits than doubles have
tangents           Fourteen functions of a point on a line that rigid motions act on linearly
eliminant          Six turns that make a pose: five of six angles eliminated
circle_roots       All roots of real trigonometric polynomials, many at once
back_substitution  The other five angles, once one is known
loop_closure       Newton's method on six turns, over complex angles, and its proof
many_digits        The complex roots of one pose in balls of many digits
six_answers        `AllSolutions`: what is known of the solutions of a six-joint arm
root_table         Roots of many poses side by side: collected, told apart, proved
six_revolute       All solutions of a general arm with six revolute joints
legs               Six legs between the world and a platform, read off a model
stewart            Forward kinematics of platforms on six legs: all 40 poses
parallel_arms      Delta robots and five-bar linkages in closed form
"""
