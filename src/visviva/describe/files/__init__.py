"""Mechanisms made from files.

mjcf/         MJCF, read through MuJoCo and written
toml/         Our own mechanism files, read and written
urdf/         URDF, read and written
descriptions  Files of the package robot_descriptions, by their names there
options       What readers are told: bounds, words, folders
suspicions    Numbers that look like degrees or millimetres
xmlfile       XML from strangers
xmlwriting    What writers of XML share
"""
