"""`gko mcp serve`, spoken to by the client of the official SDK."""
