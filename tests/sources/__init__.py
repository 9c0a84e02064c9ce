"""Where configuration comes from."""
