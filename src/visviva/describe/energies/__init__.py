"""energies."""
