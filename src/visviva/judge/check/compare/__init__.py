"""Second: claim and truth in one field, decided.

balls             Values of formulas by ball arithmetic
differences       What a claim lacks and what it has too much of, term by term
division          Polynomials by the powers of one symbol: other values put in, and remainders
manifold          Where constraints hold: what is zero there, and what follows for a and λ
places            Points where constraints hold, with a proved bound of their error
case              A claim and the truth side by side, as elements of one field
combinations      Claims as combinations of the equations of motion
motions           Claims on the motions for which some forces are zero
balances          An equation of motion as somebody wrote it
constrained       Claims about a system that is held, compared where its constraints hold
partials          Derivatives worked out, and what is fixed in them
steps             Quantities of the mechanism put in, derivatives worked out
tip               What the names of the tip stand for
solve             A claim brought to the form of the truth: solved for what it speaks about
"""
