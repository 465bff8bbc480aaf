"""mjcf."""
