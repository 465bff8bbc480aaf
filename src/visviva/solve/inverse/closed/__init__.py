"""Closed forms: joints found one after the other, by how their axes lie.

subproblems   The few questions about turns that closed forms are made of
axes          The axes of a chain, and how they lie: parallel, across, meeting in a point
plans         `Plan`: how joints are found one after the other, with every branch on the way
quartic       Real roots of equations of degree two in cos θ and sin θ
points        Up to three joints that bring a point to a place
orientations  Up to three turns that make a rotation
families      Arms with a closed form: which joints to find first
naming        What these arms are called
recognition   `Family`: the closed form of an arm for a task, found and tried out
"""
