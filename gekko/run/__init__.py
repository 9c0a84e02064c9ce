"""What waits for a backend, and what makes an answer of what comes back: runs, cases, servers."""
