"""The command line: arguments in, one call of the engine, a report and an exit code out."""
