"""What the files say, each one by itself."""
