"""Servers that gko starts: real processes, the installed program, and a stand-in for docker."""
