"""From equations to machine code: `Function`, and how a system gets one.

code/        LLVM text: a kernel and its drivers
program/     Straight-line programs: traced, ordered, differentiated, interpreted
run/         Compiled, kept and called
handover     Programs for other frameworks: the same instructions, run on their scalars
jax_calls    Compiled functions over JAX arrays: primitives with compiled derivatives
torch_calls  Compiled functions over torch tensors: autograd functions with compiled derivatives
source       A program as source text: C99 and JavaScript, one line per operation
drawing      A function as a picture: lines over one of its numbers, a map or a surface over two
function     `Function`: a compiled computation that is called like numpy
repetition   `Loop`: a step that is repeated inside machine code, and `repeat`
systems      What is asked of a mechanism: from a `Request` to a `Function`
values       Systems that differ in values of parameters only, and share their programs
kinks        Where constraints of a system have a kink or a jump
tasks        Coordinates and Jacobians of tasks as functions
"""
