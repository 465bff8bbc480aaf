"""MJCF, read through MuJoCo and written.

words        MJCF's words: which are honoured, which act in MuJoCo and not here
scan         What MuJoCo may see
worker       Runs MuJoCo's own reader in a process of its own
compile      MJCF text to MuJoCo's arrays, by a worker process with a time limit
tree         MuJoCo's bodies, joints and geoms as ours
drives       What drives and pulls MuJoCo's joints, as ours
equalities   MuJoCo's equality constraints as data, and its keyframes
effects      What acts in MuJoCo's model and has no form here
read         Read MJCF, MuJoCo's model format
write_parts  Joints, positions, springs and actuators in MJCF's words
write        Write a model as MJCF
"""
