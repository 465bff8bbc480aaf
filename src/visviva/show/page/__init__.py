"""An HTML page that needs no network: shell, style, scripts, formulas, plots.

escaping  Anybody's text in a page, in HTML and in scripts, where it stays text
assets    Scripts and style of a page: files beside this one, and how the page names them
parts     What sections are made of: folds, tables, code, facts, marks
formulas  Formulas as a reader sees and copies them
plots     plotly's figures in a page, and its script, packed
page      `Page` and `Section`
picture   A mechanism that moves in a page
"""
