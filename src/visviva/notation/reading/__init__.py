"""From typed text to the tree: equations as people write them.

layout/     What stands around formulas: boxes, arrows, comments, decimal commas
marks       A typed claim cut into marks: letters, digits, signs, LaTeX commands
lines       Where one statement ends and the next begins, and the labels beside them
vocabulary  Names in typed claims
counting    Whether indices in square brackets count from 1 or from 0
scripts     One name of a claim from its marks: letter, accents, indices, dots
slopes      Derivatives in typed claims
units       Units after values
words       Marks of a claim to words
trailing    Units after formulas
bounds      How large the numbers of a typed formula can get
brackets    Brackets of a claim
atoms       What a factor of a claim can be besides numbers and brackets
grammar     Words of a claim to the tree of a formula
read        Typed claims to trees
"""
