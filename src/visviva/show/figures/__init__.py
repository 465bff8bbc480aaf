"""Pictures in Python: mechanisms as plotly figures, and views that move.

roles      What shapes are drawn for: colours, words of the legend, which is drawn over which
lines      Shapes that are lines, in a plane and in space alike: coils, paths, arrows, axes, words
outlines   Shapes of a scene as outlines in its plane
surfaces   Shapes of a scene as surfaces in space
mechanism  A mechanism at a position, as a plotly figure
seen       Shapes of a scene as flat faces and lines, seen from one side; and which covers which
drawn      Faces, lines, arrows and words as SVG, in a size that shows all of them
still      A mechanism at a position, as a vector picture: SVG, small, for papers and pages
view       `View`: a page with a mechanism that moves, for notebooks and for a browser
motions    A recorded motion that is played
"""
