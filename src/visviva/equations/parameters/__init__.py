"""What depends linearly on parameters.

parameters  Names for a model's numbers
regressor   The regressor
base        Base parameters
"""
