"""What is said to a backend, and what its answer says, in each protocol; nothing here waits for anything."""
