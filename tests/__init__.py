"""The tests stand in the same rooms and folders as the source; beside them there are

support/  what tests share: other roads to a number, things to try, programs to run
sources/  one test per row of the audit: what books and other programs claim, and what is right
project/  the floor plan, the public names, the pages, the command line, the repository's files
"""
