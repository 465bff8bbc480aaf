"""The study: one page of all that is known of a mechanism, to hand to a colleague.

part         `Part`: one section of a study, what it says, and the Python lines that say it again
patience     How long a section may take: seconds of the processor
demo_motion  The motion that the page shows: let go, or thrown so that it stays in view
linkage      A linkage with one freedom, turned by its motor: its ends and dead points
studied      `Studied`: a system under study, and what several sections need of it
sections/    The sections of a study, each from what the rooms before know
study        `study(system)`: all sections of a system, as a page
"""
