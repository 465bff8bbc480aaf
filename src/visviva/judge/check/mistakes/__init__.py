"""Third: why a claim differs.

mistake         A mistake that may have been made
kinds           What the terms are in which a claim differs
bodies          Mistakes in inertias: m r² forgotten or taken twice, relative rates
coordinates     Mistakes in what coordinates mean
matrices        Mistakes in matrices
constraints     Mistakes with constraints: the sign of λ, Ȧ v forgotten, M for M⁻¹
statics         Mistakes about the tip: weights left out at rest, signs of F, rows of J swapped
linearised      Equations for small motions, where those of any motion are meant
slips           Slips of the pen
terms           Mistakes in whole terms: left out, on the wrong side, with a wrong factor
diagnosis       Why a claim differs
"""
