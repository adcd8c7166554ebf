"""Trained models: predict, save, load, average, compact. Predicting needs no trainer."""

from __future__ import annotations

from aglets.model.average import average_models
from aglets.model.file import load
from aglets.model.model import LagraModel

__all__ = ["LagraModel", "average_models", "load"]
