"""Verdicts on typed equations.

answers/    What was handed in: pieces of texts, heads and cells of sheets
said/       First: what was said, about what, in which names
compare/    Second: claim and truth in one field, decided
mistakes/   Third: why a claim differs
reach/      Formulas of inverse kinematics, exactly
verdict     `Verdict`: what is to be said of a claim, and the terms in which it differs
notes       What is told beside a verdict
inverse     Whether formulas for joints bring the tip to every target
freedoms    Whether a number is that of the freedoms
numbers     Verdicts by numbers, where exact forms give up
signs       λ as a claim counts it: of the other sign, by the constraint that it states
check       From a typed equation to its verdict
context     Claims with what stands around them: what was asked, what the text defines
sheets      Sheets of answers, as a course collects them
macros      LaTeX as it is read: its own commands put in, phantoms blanked
papers      Formulas of a paper in LaTeX
texts       Plain text, Markdown and notebooks: claims by lines
files       Files of claims
gather      Claims of many files, of folders, and of what is piped in
"""
