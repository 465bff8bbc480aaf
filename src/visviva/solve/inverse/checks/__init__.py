"""What positions are worth: checked against a target, and against what lies beside them.

checking  By how much positions miss a target, and whether they are singular
continua  Joints that may move while the frame stays where it is
reach     How far a frame can come from a point at all
nearest   Of a target that cannot be reached: the pose that comes nearest to it
"""
