"""Configured commands as tools for programs that speak the Model Context Protocol: a front end beside `cli`."""
