"""What is written down of a suite, and what is made of it."""
