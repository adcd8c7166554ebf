"""Training: engines, solvers, the path, selection, checkpoints."""
