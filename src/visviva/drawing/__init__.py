"""Pictures: one look for all of them, and what they are put together from.

look     Colours, fonts and margins, the same in every figure; words that are shown as they are
digits   Numbers as they are shown, on pages and in texts
svg      `Still`, a vector picture, and letters of SVG: numbers, lines and words, what is around
chart    Lines over axes as SVG
figure   `Figure`: a plotly figure that needs no network, and its lines as SVG
view     From where a picture in space is looked at, so that all of it is seen
canvas   A mechanism's world in a plane or in space, and what can be put there
solids   Surfaces of boxes, cylinders and ellipsoids, as triangles
curves   Laws as curves, and their energies as areas
displayed  `Displayed`: what a notebook shows as a card
"""
