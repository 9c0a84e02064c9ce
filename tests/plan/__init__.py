"""What is configured and selected, from real folders."""
