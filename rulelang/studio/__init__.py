"""The studio: one page on this machine with a ruleset's files left, a game by them right, and what is wrong below.

Enters: the folder of a ruleset, what its author types and chooses. Leaves: pages, tables of the web's own painting,
files on the disk when they are saved, and never before. Nothing leaves the machine.
"""
