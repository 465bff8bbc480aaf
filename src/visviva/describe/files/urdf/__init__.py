"""urdf."""
