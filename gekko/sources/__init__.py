"""Where configuration comes from: scopes, their files, and what stands in them."""
