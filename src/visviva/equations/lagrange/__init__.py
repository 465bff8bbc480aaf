"""lagrange."""
