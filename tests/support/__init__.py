"""What tests share.

counts         how many examples in `make test`, how many in `make soak`
absent         tests without peers: those that import one are skipped
environments   environments of their own, in which some of what is installed here is linked
one_thread     linear algebra in one thread, before NumPy is there
tools          programs that some tests want, and how a program imports this folder
browser        a browser without a network: pages opened, looked at, clicked and dragged
small_systems  small systems and the verbs that neighbours are tried with
trig           whether a formula of sines and cosines is zero, by SymPy
pictures       one of each picture, and a gallery that draws them in a browser and looks at them
catalogue      the mechanisms of the catalogue, built once in a process
bicycle        the bicycle's linear equations, by the formulas of their benchmark
problems/      problems that others publish too: how they are stated, other roads to their values
readers/       texts and bytes read back into numbers
generators/    mechanisms, expressions and files: random ones and small ones written on the spot
oracles/       other roads to a number, which share nothing with the code
claims/        claims about mechanisms, right and wrong ones, and whether they hold
programs/      programs that are started, interrupted and killed
"""
