"""The tree of bodies.

remarks      Notes that a motion repeats: what acts at the source and not in the model
friction     Laws of friction: stiction, Coulomb, Stribeck and viscous friction, LuGre's bristles
stiffness    Springs that are not linear: laws of the stretch
body         The parts of a model
actuator     Actuators: motors at joints, thrusters and couples anywhere
positions    Positions and velocities of a tree
orders       Positions and velocities in the order of Pinocchio, MuJoCo and ROS
merge        Bodies that are fixed to their parent become part of it
coupled      Limits of joints that follow others
consistency  What every tree of bodies must satisfy, however it was stated
edit         Models from models: lock joints, take a part, attach a tool, set free
idle         Motions that no inertia resists
parameters   Names for the numbers of a model's bodies and joints
printed      A model as text: the table that `repr` prints
model        `Model`: a tree of bodies, frozen
compare      How two models differ, in sentences
"""
