"""What a person sees: reports and pages.

kinematics  Where an arm reaches: a report as text, as data and as a page
"""
