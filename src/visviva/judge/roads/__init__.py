"""The same equations by several roads.

roads       The roads that `crosscheck` compares, exactly and by numbers
crosscheck  `crosscheck(system)`: whether the roads meet
counted     Numbers that count what is done to them
counts      `operation_counts(n)`: what each road costs
"""
