"""Second: claim and truth in one field, decided.

balls             Values of formulas by ball arithmetic
differences       What a claim lacks and what it has too much of, term by term
case              A claim and the truth side by side, as elements of one field
combinations      Claims as combinations of the equations of motion
motions           Claims on the motions for which some forces are zero
balances          An equation of motion as somebody wrote it
solve             A claim brought to the form of the truth: solved for what it speaks about
"""
