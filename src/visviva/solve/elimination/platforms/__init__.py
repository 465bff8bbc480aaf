"""Platforms on six legs: seven quadrics, 40 paths to their common points, and the proof of each.

quadrics  Seven quadrics whose common points are the poses of a platform on legs of given lengths
paths     All poses of a platform, followed along paths from those of another one
start     A platform of no symmetry with its 40 poses, where paths begin
proof     Which points are poses for certain, which of them are real, and which are different
"""
