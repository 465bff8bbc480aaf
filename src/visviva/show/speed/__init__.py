"""How fast a mechanism's functions are on this machine, beside other libraries.

timing   The shortest of several times, and what machine it was taken on
peers    The same tree in other libraries, where they are installed
measure  `Speed`: a mechanism's functions, one call and many states
"""
