"""What will run, checked as far as can be without the input."""
