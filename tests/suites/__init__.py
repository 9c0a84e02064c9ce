"""What runs a suite, and keeps what it came to."""
