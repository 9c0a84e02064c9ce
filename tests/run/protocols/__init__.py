"""Tests of what is said to a backend and read from its answer."""
