"""What was found, as text for people and as rows for programs."""
