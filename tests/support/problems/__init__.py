"""Problems that others publish too.

problem   how a problem is stated, and what is known of it
by_hand   equations of governor and rattleback, derived by hand
linkages  pendulum, linkages, governor
bodies    a slider-crank, a top, a sleigh, a rattleback; and all motions of the page
"""
