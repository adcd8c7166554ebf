"""Trained models: predict, save, load, average, compact. Predicting needs no trainer."""

from __future__ import annotations

from aglets.model.average import average_models
from aglets.model.file import load
from aglets.model.match import Match
from aglets.model.model import LagraModel

__all__ = ["LagraModel", "Match", "average_models", "load"]
