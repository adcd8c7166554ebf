"""Optimisation blocks on plain NumPy arrays: losses, penalty, line search, weights, solvers."""

from __future__ import annotations
