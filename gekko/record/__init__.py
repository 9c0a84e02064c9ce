"""What is written down of a suite while it runs, and what is made of it later: results, reports, the rest of a run."""
