"""Compiled, kept and called.

fingerprint  What machine code depends on besides the program's name
cache        Compiled code on disk: a private folder of sealed files
image        Object files into one image: bytes that run wherever they are copied
jit          LLVM at work: text to object code
memory       Machine code in memory: where it stands, and for how long
entry        The fast way in: a CPython function in machine code
sharing      Work that threads share
kernel       A program in memory as machine code, ready to run over rows
xla          Compiled batches as custom calls of XLA, in memory
call         The careful way in
passes       A repetition under way: the state of all rows
"""
