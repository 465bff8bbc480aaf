"""Our own mechanism files, read and written.

tables       Tables of a file: keys checked, numbers and formulas over parameters that have values
text         The text of files that people write, and the tables of TOML in it
lagrangian   Mechanism files that state energies, read and written
constraints  Constraints in mechanism files: a table each, a loop or a formula, read and written
words        What others call the keys of mechanism files, and what is written here
write        What a mechanism file consists of, and models written as one: `to_toml`
dh           DH tables in mechanism files, read and written
read         Mechanism files
"""
