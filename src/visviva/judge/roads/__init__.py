"""The same equations by several roads.

roads       The roads that `crosscheck` compares, exactly and by numbers
crosscheck  `crosscheck(system)`: whether the roads meet
"""
