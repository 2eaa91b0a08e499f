"""Backends without I/O."""
