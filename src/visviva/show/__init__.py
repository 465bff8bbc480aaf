"""What a person sees: reports and pages.

scene/       What there is to see of a system, however it is drawn
page/        An HTML page that needs no network: shell, style, scripts, formulas, plots
laboratory/  The mechanism's own motion emitted as JavaScript: it moves in a page
speed/       How fast a mechanism's functions are on this machine, beside other libraries
figures/     Pictures in Python: mechanisms as plotly figures, and views that move
cards/       Values as notebooks show them
live/        Live in a browser, by viser: moved, pulled, dragged and played
study/       The study: one page of all that is known of a mechanism
kinematics   Where an arm reaches: a report as text, as data and as a page
"""
