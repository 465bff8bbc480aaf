"""What equations are made of: operations, expressions, derivatives."""
