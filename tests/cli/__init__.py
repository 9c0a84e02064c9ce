"""The command line as a process meets it."""
