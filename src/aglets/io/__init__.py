"""Readers and writers of graph formats, one format a file."""

from __future__ import annotations
