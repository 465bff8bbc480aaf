"""How a mechanism is stated: bodies, joints, models, and the files they come from."""
