"""Joint positions by Newton's method from many starts, certified.

step       One damped Newton step towards a task of a frame, over any scalar
starts     Where to begin: positions drawn once, of which the nearest is taken
newton     Positions at which a frame is where it is wanted, by thousands
certified  That there is a true solution within a proved distance of a computed one
several    Distinct solutions from many starts, each with a proof
cells      Areas and volumes of all that positions lead to, counted in cells of grids
"""
