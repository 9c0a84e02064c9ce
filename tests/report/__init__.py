"""Reports, rendered from results."""
