"""Plane linkages: instant centres, coupler curves, transmission angles, drives, dead points.

plane         The plane in which a mechanism moves
pins          Where bodies are joined, and how they move
drawing       Linkages as pictures
saving        Sweeps as files: CSV, SVG, HTML, DXF
unit          `Driven`: one joint moves at unit speed, the others follow
meeting       Where branches meet: the motion through change points
centres       `InstantCentres`: about which points bodies turn, relative to each other
curves        `CouplerCurve`: the path of a point while a joint is driven
driving       `DrivingTorque`: what it takes to drive a linkage by one joint
dead          `DeadPoints`: where a joint turns back, and cannot drive
transmission  `TransmissionAngle`: how well a coupler pushes what it drives
"""
