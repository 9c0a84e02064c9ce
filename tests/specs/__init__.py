"""What the files say, structured without coercion."""
