"""Tabletop games written as data and played by one engine."""
