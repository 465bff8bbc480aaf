"""LLVM text: a kernel and its drivers.

cpu          The processor that code is made for
imports      The one table of addresses that compiled code calls out through
driver       A way to run a kernel: a function of the module that moves numbers and calls the blocks
lanes        Columns of a row-major array into vectors and back, as LLVM text
elementary/  Elementary functions of the compiled code
watch        What single calls look at, as LLVM text in the fast way in
batch        Around the kernel: rows of numpy arrays into lanes and back, as LLVM text
block        One block of a program as LLVM text: a function over the work buffer
repeat       A step again and again: state → state, lanes across the batch, as LLVM text
entry        The fast way in, as LLVM text: a METH_FASTCALL function around the kernel
xla          A compiled batch as a custom call of XLA, the compiler behind JAX
pointers     Functions of C around the kernel, as LLVM text: for whoever calls by address
module       A kernel and its drivers as LLVM text
"""
