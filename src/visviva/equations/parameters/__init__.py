"""What depends linearly on parameters.

parameters  Names for a model's numbers
regressor   The regressor
base        Base parameters
dimensions  Units of symbols, found from the formulas they stand in
meaning     What the parameters of a system are
"""
