"""Where an arm loses a direction, and where it reaches.

chosen     Which task an arm has, where nobody says
factors    Factors of trigonometric polynomials
exact      The Jacobian of a task over exact scalars, its minors
zeros      Where factors of a determinant are zero: coordinates solved for, exactly
meaning    What a singular set means in the arm: which axes meet
sets       `SingularSet`: positions at which rank is lost
region     Areas and volumes of clouds of points, and orientations taken at them
drawing    Arrows, ellipsoids, maps, boundaries and singular sets of arms as plotly figures
columns    What each column of a Jacobian is: the tip while one joint alone moves
distance   How far the next singular position is
place      `singularity`: rank, lost directions and ellipsoids at a position
closed     `singularities`: det J in closed, factored form
arcs       The boundary of what a plane arm of hinges reaches: arcs of circles
workspace  `workspace`: where a frame can go, how well it moves there
"""
