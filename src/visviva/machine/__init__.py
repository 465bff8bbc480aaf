"""From equations to machine code: programs, vector code, the calls that run it."""
