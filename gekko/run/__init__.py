"""What waits for a backend, and what makes an outcome of what comes back: requests, runs, servers."""
