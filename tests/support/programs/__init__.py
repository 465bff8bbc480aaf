"""Programs that tests start, interrupt and kill.

one_function             compiles one function through the cache and prints its result
cache_writer             writes cache entries without end; killed from outside
fork_while_compiling     forks again and again while another thread compiles
finalizers               things that call a compiled function while they are being destroyed
interrupted              a threaded call interrupted, its arrays freed at once
interrupted_batches      signals during huge batches
interrupted_repetitions  signals during long repetitions, which go on afterwards
interrupted_compiling    first calls interrupted at random moments
run_writer               writes a record of a long run; killed from outside, it goes on with it
recorded_runs            long runs that are recorded; killed from outside, the next one goes on
law_alone                a motion under a law that nothing was run before
growing                  energies that are short to write and long to multiply out
"""
