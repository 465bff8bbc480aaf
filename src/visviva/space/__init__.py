"""Rotations, poses, twists and wrenches, over any scalar."""
